#!/usr/bin/env python3
"""llama.cpp as xllamacpp (PyPI) packs it, for AVX2 and nothing above, on a GGUF file:

    echo '{"prompt": 512, "generate": 64}' | python xllama.py MODEL.gguf THREADS

It is spoken to as bench.mjs is. The times are the server's own: no HTTP, no Python in them.
"""
import json, sys
import xllamacpp

BATCH = 512


def parameters(path, threads):
    p = xllamacpp.CommonParams()
    p.model.path = path
    p.n_ctx, p.n_batch, p.n_ubatch, p.n_parallel = 2 * BATCH, BATCH, BATCH, 1
    p.cpuparams.n_threads = p.cpuparams_batch.n_threads = threads
    p.n_ctx_checkpoints = p.cache_ram_mib = p.verbosity = 0
    return p


def complete(server, prompt, count):
    """Timings of a completion; the cheapest sampler there is, and none of the last prompt's cache."""
    answer = server.handle_completions({
        "prompt": [100 + i * 7919 % 20000 for i in range(prompt)], "n_predict": count, "ignore_eos": True,
        "cache_prompt": False, "temperature": 0, "samplers": ["top_k"], "top_k": 1})
    timings = (answer if isinstance(answer, dict) else json.loads(answer))["timings"]
    found = timings["cache_n"], timings["prompt_n"], timings["predicted_n"]
    if found != (0, prompt, count):
        sys.exit(f"xllamacpp: {found} cached, read and generated tokens, expected {(0, prompt, count)}")
    return timings


def measure(server, prompt=0, generate=0):
    result = {}
    if prompt:
        result["prefill"] = prompt / complete(server, prompt, 1)["prompt_ms"] * 1000
    if generate:  # the first token comes with the prompt, and the clock starts after it
        result["decode"] = generate / complete(server, 1, generate + 1)["predicted_ms"] * 1000
    return result


def main():
    server = xllamacpp.Server(parameters(sys.argv[1], int(sys.argv[2])))
    measure(server, 32, 2)
    about = f"xllamacpp {xllamacpp.__version__}, {xllamacpp.BUILD_INFO['compiler']}; {xllamacpp.get_system_info().strip()}"
    print(json.dumps({"about": about}), flush=True)
    for line in sys.stdin:
        print(json.dumps(measure(server, **json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
