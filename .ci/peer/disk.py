#!/usr/bin/env python3
"""Times octet convert beside cp -r, and the start of octet run: disk.py [--markdown] CACHE MODEL ROUNDS"""
import argparse, os, shutil, statistics, subprocess, threading, time

import report


def resident(pid):
    """MB of memory of a process that is no page of a file, and of pages of files."""
    try:
        with open(f"/proc/{pid}/status") as f:
            kb = {k: int(v.split()[0]) for k, v in (line.split(":", 1) for line in f) if k.startswith("Rss")}
    except (OSError, ValueError, IndexError):
        kb = {}
    return (kb.get("RssAnon", 0) + kb.get("RssShmem", 0)) / 1000, kb.get("RssFile", 0) / 1000


def timed(*command):
    """Seconds, and the peaks of resident memory, sampled every 2 ms."""
    os.sync()  # what the last command wrote is not this one's work
    peak = [0.0, 0.0]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    ended = threading.Event()

    def sample():
        while not ended.wait(0.002):
            peak[:] = map(max, peak, resident(process.pid))
    sampler = threading.Thread(target=sample)
    sampler.start()
    code = process.wait()
    seconds = time.perf_counter() - start
    ended.set()
    sampler.join()
    if code:
        raise SystemExit(f"{' '.join(command)}: exit code {code}")
    return seconds, *peak


def warm(folder):
    """Reads all files of a folder, so that they lie in the page cache."""
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as f:
            while f.read(1 << 24):
                pass


def fresh(source, target, *command):
    """timed, with the source in memory and nothing at the target, before or after."""
    shutil.rmtree(target, ignore_errors=True)
    warm(source)
    try:
        return timed(*command)
    finally:
        shutil.rmtree(target, ignore_errors=True)


def start(octet, model):
    warm(model)
    return timed(octet, "run", "-m", model, "-n", "1", "--temperature", "0", "Once upon a time")


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--markdown", action="store_true")
    p.add_argument("cache")
    p.add_argument("model")
    p.add_argument("rounds", type=int)
    o = p.parse_args()
    octet, folder = os.path.join(o.cache, "octet"), os.path.join(o.cache, "peer", o.model)
    hf, int8, target = (os.path.join(folder, n) for n in ("hf", "int8", "disk.tmp"))
    # What octet convert wrote is on the disk when it ends, what cp wrote need not be.
    synced = 'cp -r "$0" "$1" && sync -f "$1"'
    runs = {"cp -r": [], "cp -r, sync": [], "octet convert": [], "octet run -n 1": []}
    for _ in range(o.rounds):
        runs["cp -r"].append(fresh(hf, target, "cp", "-r", hf, target))
        runs["cp -r, sync"].append(fresh(hf, target, "sh", "-c", synced, hf, target))
        runs["octet convert"].append(fresh(hf, target, octet, "convert", hf, target))
        runs["octet run -n 1"].append(start(octet, int8))
    median = {name: [statistics.median(x) for x in zip(*r)] for name, r in runs.items()}
    copy = median["cp -r"][0]
    rows = [["", "s", "to cp -r", "MB resident, no file", "MB resident, files"]]
    for name, (seconds, anon, files) in median.items():
        ratio = "—" if name.startswith("octet run") else f"{seconds / copy:.2f}"
        rows.append([name, f"{seconds:.2f}", ratio, f"{anon:.0f}", f"{files:.0f}"])
    print(f"{report.machine()}\n{o.model}, from the page cache; medians of {o.rounds} rounds; memory: peaks, sampled\n")
    report.table(rows, o.markdown)


if __name__ == "__main__":
    main()
