#!/usr/bin/env python3
"""Write components.json: single components of tokenizer.json, and what the tokenizers library
(0.23.3) makes of some texts with each.

    python make_components.py > components.json
"""
import json

from tokenizers import Tokenizer

TEXTS = ["", " ", "Hello, world!", "  two  spaces ", "tab\tnew\nline\r\n", "don't stop'S", "3.14 and ½²Ⅷ ٣", "a--b__c d", "été e\u0301 Å Å ﬁ İI",
         "日本語 テキスト。", "क्षत्रिय", "▁x ▁ y", "x\u00a0y\u2003z\u0085", "👩‍💻🎉", "the end", "e", "ee e"]
CHARS = sorted(set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,!'-_ \t\n▁éx"))


def tokenizer(**parts):
    vocab = {c: i for i, c in enumerate(["<unk>"] + CHARS)}
    for t in ("th", "the", "el", "ll", "he", "in", "nd", "end", "ee"):
        vocab[t] = len(vocab)
    model = {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None, "end_of_word_suffix": None,
             "fuse_unk": False, "byte_fallback": False, "ignore_merges": False, "vocab": vocab,
             "merges": [["t", "h"], ["th", "e"], ["e", "l"], ["l", "l"], ["h", "e"], ["i", "n"], ["n", "d"], ["e", "nd"], ["e", "e"]]}
    change = parts.pop("model", {})
    for token in change.pop("without", []):
        model["vocab"]["@" + token] = model["vocab"].pop(token)
    for token in change.pop("with", []):
        model["vocab"][token] = len(model["vocab"])
    model |= change
    j = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None, "pre_tokenizer": None,
         "post_processor": None, "decoder": None, "model": model}
    j |= parts
    return j


def added(content, **flags):
    return {"id": 0, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False} | flags


def norm(type, **kw):
    return tokenizer(normalizer={"type": type, **kw})


def pre(type, **kw):
    return tokenizer(pre_tokenizer={"type": type, **kw})


def dec(type, **kw):
    return tokenizer(decoder={"type": type, **kw})


S = lambda s: {"String": s}
R = lambda s: {"Regex": s}
CASES = [norm(t) for t in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase")]
CASES += [norm("Prepend", prepend="▁"), norm("Strip", strip_left=True, strip_right=False), norm("Strip", strip_left=False, strip_right=True),
          norm("Replace", pattern=S(" "), content="▁"), norm("Replace", pattern=S("e"), content=""), norm("Replace", pattern=R(r"\s+"), content=" "),
          norm("Replace", pattern=R(r"^.|\w$"), content="x"), norm("Sequence", normalizers=[]),
          norm("Sequence", normalizers=[{"type": "NFKC"}, {"type": "Sequence", "normalizers": [{"type": "Lowercase"}]}, {"type": "Prepend", "prepend": "a "}])]
for b in ("Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous"):
    for i in (False, True):
        CASES += [pre("Split", pattern=S(" "), behavior=b, invert=i), pre("Split", pattern=R(r"\d|\s|[^\w\s]"), behavior=b, invert=i)]
    CASES.append(pre("Punctuation", behavior=b))
CASES += [pre("Split", pattern=R(r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|\p{L}+|\s+(?!\S)"), behavior="Isolated", invert=False),
          pre("Digits", individual_digits=True), pre("Digits", individual_digits=False), pre("Whitespace"), pre("WhitespaceSplit")]
for first in ("always", "first", "never"):
    for split in (True, False):
        CASES.append(pre("Metaspace", replacement="▁", prepend_scheme=first, split=split))
CASES.append(pre("Metaspace", replacement="▁", prepend_scheme="first", split=True) | {"normalizer": {"type": "Strip", "strip_left": True, "strip_right": False}})
for space in (True, False):
    for regex in (True, False):
        CASES.append(pre("ByteLevel", add_prefix_space=space, trim_offsets=True, use_regex=regex))
CASES += [pre("Sequence", pretokenizers=[{"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True}]),
          pre("Sequence", pretokenizers=[{"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}, {"type": "Digits", "individual_digits": True},
                                         {"type": "Punctuation", "behavior": "Isolated"}])]
CASES += [dec("ByteLevel", add_prefix_space=True, trim_offsets=True, use_regex=True), dec("ByteFallback"), dec("Fuse"), tokenizer(),
          dec("Replace", pattern=S("▁"), content=" "), dec("Strip", content=" ", start=1, stop=0), dec("Strip", content="e", start=0, stop=1),
          dec("Metaspace", replacement="▁", prepend_scheme="always", split=True), dec("Metaspace", replacement="▁", prepend_scheme="never", split=True),
          dec("Sequence", decoders=[{"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": "e", "start": 2, "stop": 0}]),
          dec("Sequence", decoders=[{"type": "Fuse"}, {"type": "Replace", "pattern": S("ee"), "content": "E"}])]
ADDED = ["a [X] b", "[X][X]", "  [X]  [X] ", "[X", "the[X]the", "then the end", "THE the The", "a  b   c    d", "[X][XY][XYZ", "x[X]\n\n[X]y", "[X]"]
for flags in ({}, {"lstrip": True}, {"rstrip": True}, {"lstrip": True, "rstrip": True}, {"single_word": True}, {"normalized": True}, {"special": True}):
    CASES.append(tokenizer(added_tokens=[added("[X]", **flags), added("[XY]"), added("the", **flags), added("  ", **(flags | {"normalized": False}))], texts=ADDED))
CASES += [tokenizer(added_tokens=[added("The", normalized=True), added("[X]")], normalizer={"type": "Lowercase"}, texts=ADDED),
          tokenizer(added_tokens=[added("[X]", normalized=True), added("the")], normalizer={"type": "Prepend", "prepend": "▁"}, texts=ADDED),
          tokenizer(added_tokens=[added("[X]", lstrip=True), added("[X]", rstrip=True)], texts=ADDED),
          tokenizer(added_tokens=[added("the", single_word=True), added("the end")], texts=ADDED)]
BYTES = [f"<0x{b:02X}>" for b in range(256)]
CASES += [tokenizer(model={"fuse_unk": True}), tokenizer(model={"unk_token": None}), tokenizer(model={"byte_fallback": True, "with": BYTES}),
          tokenizer(model={"byte_fallback": True, "with": BYTES[:0xE5]}), tokenizer(model={"byte_fallback": True, "fuse_unk": True, "with": BYTES[:0xE5]}),
          tokenizer(model={"ignore_merges": True, "with": ["Hello, world!", "ee e"]}), tokenizer(model={"without": ["e", " "], "merges": []})]
CASES += [tokenizer(post_processor={"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<b>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                                                                             {"SpecialToken": {"id": "<e>", "type_id": 0}}],
                                    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
                                    "special_tokens": {"<b>": {"id": "<b>", "ids": [1, 2], "tokens": ["x", "y"]}, "<e>": {"id": "<e>", "ids": [3], "tokens": ["z"]}}})]

IDS = [[], [1], [5, 6, 7], [61, 62, 61], [53, 53, 61, 61, 53, 20], [0, 61, 0]]


def run(case):
    """what is special about the case, and what the library does with it"""
    texts = case.pop("texts", TEXTS)
    t = Tokenizer.from_str(json.dumps(case))
    out = {"tokenizer": {k: v for k, v in case.items() if v != BASE[k]}, "vectors": []}
    for x in texts:
        ids = t.encode(x, add_special_tokens=False).ids
        v = {"text": x, "ids": ids, "ids_special": t.encode(x).ids, "decode": t.decode(ids, skip_special_tokens=False)}
        if case["normalizer"]:
            v["normalized"] = t.normalizer.normalize_str(x)
        if case["pre_tokenizer"] and x:
            v["pre"] = [p for p, _ in t.pre_tokenizer.pre_tokenize_str(x)]
        out["vectors"].append(v)
    out["decode_only"] = [{"ids": i, "decode": t.decode(i, skip_special_tokens=False)} for i in (IDS if case["decoder"] else [])]
    return out


BASE = tokenizer()
out = [json.dumps(run(case), separators=(",", ":")) for case in CASES]
print('{"base":' + json.dumps(BASE, separators=(",", ":")) + ',\n"cases":[\n' + ",\n".join(out) + "]}")
