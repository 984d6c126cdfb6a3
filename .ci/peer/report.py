"""What the measuring scripts share: the machine in words, and one printer of tables."""
import os, platform, re, subprocess

SETS = "avx2", "f16c", "avx_vnni", "avx512f", "avx512_vnni", "avx512_bf16", "amx_int8", "asimddp", "i8mm"


def cpu():
    """Model and the instruction sets that matter here, from /proc/cpuinfo."""
    with open("/proc/cpuinfo") as f:
        text = f.read()
    name = re.search(r"^model name\s*: (.*)$", text, re.M)
    flags = re.search(r"^(?:flags|Features)\s*: (.*)$", text, re.M)
    found = set(flags[1].split()) if flags else set()
    ids = [m[1] for k in ("cpu family", "model") if (m := re.search(rf"^{k}\s*: (\d+)$", text, re.M))]
    model = name[1] if name else platform.machine()
    return model + (f" (family {ids[0]}, model {ids[1]})" if len(ids) == 2 else ""), [s for s in SETS if s in found]


def machine():
    model, sets = cpu()
    go = subprocess.run(["go", "env", "GOVERSION"], check=True, capture_output=True, text=True).stdout.strip()
    return f"{model}, {len(os.sched_getaffinity(0))} cores, {' '.join(sets)}; {platform.system()} {platform.release()}; {go}"


def table(rows, markdown):
    """Prints rows of strings, the first of which is the header: aligned, or as Markdown."""
    if markdown:
        for i, row in enumerate(rows):
            print("| " + " | ".join(row) + " |")
            if i == 0:
                print("|---" * len(row) + "|")
        return
    width = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print(row[0].ljust(width[0]) + "".join("  " + cell.rjust(w) for cell, w in zip(row[1:], width[1:])))
