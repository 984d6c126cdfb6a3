"""Alternates octet bench and bench.mjs and prints medians and ratios: compare.py CACHE MODEL ROUNDS"""
import json, statistics, subprocess, sys

cache, model, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
PREFILL, DECODE = 512, 64


def call(*args):
    return json.loads(subprocess.run(args, check=True, capture_output=True, text=True).stdout)


def octet(activations):
    rows = call(f"{cache}/octet", "bench", "-m", f"{cache}/peer/{model}/int8", "-p", str(PREFILL), "-n", str(DECODE), "-r", "1",
                "--activations", activations, "-o", "json")
    by = {r["test"]: r for r in rows}
    return by[f"pp{PREFILL}"]["tokens_per_second"], by[f"tg{DECODE}"]["tokens_per_second"], rows[0]["backend"], rows[0]["threads"]


def llamacpp(threads):
    r = call("node", f"{cache}/peer/bench.mjs", f"{cache}/peer/{model}/q8_0.gguf", "-p", str(PREFILL), "-n", str(DECODE), "-t", str(threads), "-r", "1")
    return r["prefill_tok_s"], r["decode_tok_s"]


runs = {}
for _ in range(rounds):
    for a in ("int16", "int8"):
        pp, tg, backend, threads = octet(a)
        runs.setdefault(f"octet {a}", []).append((pp, tg))
    for t in {1, threads}:
        runs.setdefault(f"llama.cpp, {t} threads", []).append(llamacpp(t))

median = {name: tuple(statistics.median(x) for x in zip(*r)) for name, r in runs.items()}
# Node's own thread competes with llama.cpp's, so that its best number of threads is taken.
best = [max(m[i] for name, m in median.items() if name.startswith("llama")) for i in (0, 1)]
print(f"{model}: octet {backend}, {threads} threads; medians of {rounds} rounds, tokens/s; ratio to the better llama.cpp")
print(f"{'':24}{'prefill ' + str(PREFILL):>14}{'ratio':>8}{'decode ' + str(DECODE):>14}{'ratio':>8}")
for name, (pp, tg) in median.items():
    print(f"{name:24}{pp:14.0f}{pp / best[0]:8.2f}{tg:14.1f}{tg / best[1]:8.2f}")
