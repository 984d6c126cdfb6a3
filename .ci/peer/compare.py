#!/usr/bin/env python3
"""Alternates octet and llama.cpp and prints medians and ratios:

    compare.py [--markdown] CACHE plain|depth|avx2|busy|float MODEL ROUNDS [TYPE…]
"""
import argparse, contextlib, json, os, statistics, subprocess, sys
from dataclasses import dataclass
from typing import Callable

import report

PREFILL, DECODE, DEPTH = 512, 64, 4096


@dataclass
class Contender:
    name: str
    measure: Callable[[], dict]  # tokens/s of "prefill" and "decode"; octet's also "share"
    rival: bool = False          # is compared with


class Peer:
    """A llama.cpp that stays loaded: a line of JSON in is a measurement, a line out its tokens/s."""

    def __init__(self, *command):
        self.command = command
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        self.about = self.read()["about"]
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def read(self):
        for line in self.process.stdout:
            with contextlib.suppress(json.JSONDecodeError):  # whatever a library prints
                return json.loads(line)
        sys.exit(f"{' '.join(self.command)}: ended with {self.process.wait()}")

    def measure(self, **request):
        print(json.dumps(request), file=self.process.stdin, flush=True)
        return self.read()


class Comparison:
    """The programs, the model's files, and how many rounds."""

    def __init__(self, options):
        self.cache, self.model, self.rounds = options.cache, options.model, options.rounds
        self.types, self.markdown = options.types, options.markdown
        first = self.bench("-p", "1", "-n", "0", model=None)[0]
        self.backend, self.threads = first["backend"], first["threads"]

    def path(self, *parts):
        return os.path.join(self.cache, "peer", self.model, *parts)

    def bench(self, *flags, model="int8", cpu=None):
        """Rows of octet bench, of one repetition."""
        source = ["-m", self.path(model)] if model else []
        done = subprocess.run([os.path.join(self.cache, "octet"), "bench", *source, "-r", "1", "-o", "json", *flags],
                              capture_output=True, text=True, env=os.environ | ({"OCTET_CPU": cpu} if cpu else {}))
        if done.returncode:
            sys.exit(done.stderr)
        rows = json.loads(done.stdout)
        if cpu and rows[0]["backend"] != cpu:
            sys.exit(f"octet bench: backend {rows[0]['backend']}, expected {cpu}")
        return rows

    def octet(self, name, *flags, prompt=PREFILL, generate=DECODE, **more):
        def measure():
            rows = self.bench("-p", str(prompt), "-n", str(generate), *flags, **more)
            result = {{"pp": "prefill", "tg": "decode"}[r["test"][:2]]: r["tokens_per_second"] for r in rows}
            if generate:
                result["share"] = rows[-1]["bandwidth_share"]
            return result
        return Contender("octet, " + name, measure)

    def node(self, weights="q8_0", *flags):
        program = os.path.join(self.cache, "peer", "bench.mjs")
        return Peer("node", program, self.path(weights + ".gguf"), "-t", str(self.threads), *flags)

    def xllama(self, threads):
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "xllama.py")
        return Peer(sys.executable, program, self.path("q8_0.gguf"), str(threads))

    def run(self, title, contenders, peers):
        """Rounds of all contenders in turn, and their table."""
        runs = {c.name: [] for c in contenders}
        for _ in range(self.rounds):
            for c in contenders:
                runs[c.name].append(c.measure())
        print(f"{self.model}, {title}; medians of {self.rounds} rounds, tokens/s; octet's kernels: {self.backend}")
        print(f"llama.cpp: {peers[0].about}\n")
        report.table(rows(contenders, {name: medians(r) for name, r in runs.items()}), self.markdown)
        print()


def medians(results):
    return {key: statistics.median(r[key] for r in results) for key in results[0]}


def rows(contenders, median):
    """Cells: for each test the figure, its ratio to the first rival and that to the best one."""
    rivals = [median[c.name] for c in contenders if c.rival]
    tests = [t for t in ("prefill", "decode") if t in median[contenders[0].name]]
    first = {t: rivals[0][t] for t in tests}
    best = {t: max(r[t] for r in rivals if t in r) for t in tests}
    header = ["tokens/s"]
    for t in tests:
        header += [t, "to " + next(c.name for c in contenders if c.rival).removeprefix("llama.cpp, "), "to best"]
    result = [header + ["of read bandwidth"]]
    for c in contenders:
        line = [c.name]
        for t in tests:
            value = median[c.name].get(t)
            line += ["—"] * 3 if value is None else [figure(value), f"{value / first[t]:.2f}", f"{value / best[t]:.2f}"]
        share = median[c.name].get("share")
        result.append(line + ["—" if share is None else f"{share:.0%}"])
    return result


def figure(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def rival(name, peer, **request):
    return Contender("llama.cpp, " + name, lambda: peer.measure(**request), rival=True)


def one_and_all(c, peer, **request):
    """llama.cpp with octet's threads, and its decode with one: Node's own thread takes part of a core."""
    alone = request | {"prompt": 0, "threads": 1}
    return [rival(f"{c.threads} threads", peer, threads=c.threads, **request), rival("1 thread", peer, **alone)]


def plain(c):
    with c.node() as peer:
        c.run(f"prefill {PREFILL}, decode {DECODE}", [
            c.octet("int16", "--activations", "int16"), c.octet("int8", "--activations", "int8"),
            *one_and_all(c, peer, prompt=PREFILL, generate=DECODE)], [peer])


def depth(c):
    count = DECODE // 2
    flags = "-d", str(DEPTH)
    with c.node("q8_0", *flags) as peer, c.node("q8_0", *flags, "--flash", "off") as plain_attention:
        c.run(f"decode {count} after {DEPTH} tokens, cache f16 on both sides unless said otherwise", [
            c.octet("int16", *flags, prompt=0, generate=count),
            c.octet("int16, --kv int8", *flags, "--kv", "int8", prompt=0, generate=count),
            *one_and_all(c, peer, generate=count),
            rival(f"{c.threads} threads, no flash attention", plain_attention, generate=count)], [peer])


def avx2(c):
    c.backend = "avx2"
    with c.xllama(c.threads) as peer, c.xllama(1) as alone:
        known = peer.about.split("CPU :")[-1]
        if "AVX2 = 1" not in known or "AVX512" in known:
            sys.exit(f"xllamacpp is not built for AVX2 alone: {known}")
        c.run(f"prefill {PREFILL}, decode {DECODE}, AVX2", [
            c.octet("int16", "--activations", "int16", cpu="avx2"), c.octet("int8", "--activations", "int8", cpu="avx2"),
            rival(f"{c.threads} threads", peer, prompt=PREFILL, generate=DECODE),
            rival("1 thread", alone, generate=DECODE)], [peer])


@contextlib.contextmanager
def busy_cores():
    """As many endless loops as there are cores."""
    if os.sched_getscheduler(0) in (os.SCHED_FIFO, os.SCHED_RR):
        sys.exit("busy: loops of real-time priority would never give way; run it without chrt")
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in os.sched_getaffinity(0)]
    try:
        yield len(loops)
    finally:
        for p in loops:
            p.kill()
            p.wait()


def busy(c):
    count = DECODE // 2
    with c.node() as peer, busy_cores() as loops:
        c.run(f"decode {count} beside {loops} busy processes", [
            c.octet("int16", prompt=0, generate=count), *one_and_all(c, peer, generate=count)], [peer])


def floats(c):
    for kind in c.types or ("bf16", "f16", "f32"):
        with c.node(kind) as peer:
            c.run(f"{kind} weights, prefill {PREFILL}, decode {DECODE}", [
                c.octet(kind, model="hf" if kind == "bf16" else "hf-" + kind),
                *one_and_all(c, peer, prompt=PREFILL, generate=DECODE)], [peer])


def main():
    modes = {"plain": plain, "depth": depth, "avx2": avx2, "busy": busy, "float": floats}
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--markdown", action="store_true")
    p.add_argument("cache")
    p.add_argument("mode", choices=modes)
    p.add_argument("model")
    p.add_argument("rounds", type=int)
    p.add_argument("types", nargs="*")
    options = p.parse_args()
    print(report.machine())
    modes[options.mode](Comparison(options))


if __name__ == "__main__":
    main()
