"""Times Tessera's kernels beside the peers', in turns, and prints ratios.

Usage: run.py PROGRAMS [--quick] [--only KERNEL,...] [--isa avx2,avx512] [--rounds N] [--ms N] [--tessera PROGRAM]
              [--python PYTHON] [--output DIR] [--pages DIR]
PROGRAMS is the folder of cpu_tessera and the peers' programs. In every round all programs time each kernel one after the
other, with operands in fresh memory, so that a change of the machine's mood meets them all. Figures are medians over the
rounds; a ratio is the median of the rounds' ratios. PYTHON has NumPy or PyTorch. The output folder gets cpu.json, cpu.svg and
cpu.md; the pages' folder gets the latter two after a whole run.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

import machine
import report
import rows

HERE = pathlib.Path(__file__).parent
PEERS = ("loop", "eigen", "eigen_tensor", "xtensor")
NUMPY_AVX512 = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR X86_V4"
PYTHON_LIMITS = {"avx2": {"ATEN_CPU_CAPABILITY": "avx2", "NPY_DISABLE_CPU_FEATURES": NUMPY_AVX512}, "avx512": {}}


class Program:
    """A program of this folder that answers "kernel milliseconds" lines."""

    def __init__(self, command, environment):
        self.command = [str(part) for part in command]
        self.environment = {**os.environ, **environment}
        listing = subprocess.run([*self.command, "--list"], env=self.environment, capture_output=True, text=True, check=True)
        self.kernels = set(listing.stdout.split())
        self.process = subprocess.Popen(self.command, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.isa = self.library = ""

    def time(self, kernel, milliseconds):
        self.process.stdin.write(f"{kernel} {milliseconds}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{' '.join(self.command)} ended while it timed {kernel}")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def python_programs(python, isa):
    for library in ("numpy", "torch"):
        if subprocess.run([python, "-c", f"import {library}"], capture_output=True).returncode == 0:
            yield Program([python, HERE / "python_peers.py", library, isa], PYTHON_LIMITS[isa])


def start(folder, isa, ours, python):
    programs = [Program([ours or folder / "cpu_tessera"], {"TESSERA_ISA": isa})]
    programs += [Program([path], {}) for path in (folder / f"cpu_{peer}_{isa}" for peer in PEERS) if path.exists()]
    return programs + (list(python_programs(python, isa)) if python else [])


def wanted_kernels(chosen):
    """Kernels in the order of the rows, those of goals included."""
    names = []
    for row in chosen:
        names += [row.kernel, row.peer_kernel, *(kernel for _, kernel in row.also), *(goal.kernel for goal in row.goals if goal.kernel)]
    return list(dict.fromkeys(names))


def measure(programs, kernels, rounds, milliseconds, announce):
    """{(library, kernel): [a dictionary per round]}"""
    series = {}
    for number in range(1, rounds + 1):
        announce(f"round {number} of {rounds}")
        for kernel in kernels:
            for program in programs:
                if kernel in program.kernels:
                    result = program.time(kernel, milliseconds)
                    series.setdefault((result["library"], kernel), []).append(result)
    return series


def times(series, key):
    return [result["ns"] for result in series[key]]


def median(series, key):
    return statistics.median(times(series, key))


def ratio(series, ours, other):
    return statistics.median(a / b for a, b in zip(times(series, ours), times(series, other)))


def peers_of(series, row):
    candidates = [key for key in series if key[0] != rows.OURS and (key[1] == row.peer_kernel or key in row.also)]
    return sorted(candidates, key=lambda key: median(series, key))


def judge(series, row, goal):
    """What the goal asks and what came out; None where the other side was not measured."""
    ours = (rows.OURS, row.kernel)
    if goal.nanoseconds:
        value, against = median(series, ours), "ns"
    else:
        best = peers_of(series, row)
        other = best[0] if goal.library == rows.BEST and best else (goal.library, goal.kernel or row.peer_kernel)
        if other not in series:
            return None
        value, against = ratio(series, ours, other), report.name_of(other) if goal.library != rows.BEST else rows.BEST
    met = None if goal.limit is None else round(value, 2) <= round(goal.limit, 2)  # by what the table shows
    return {"against": against, "limit": goal.limit, "value": value, "met": met}


def evaluate(series, chosen, isa):
    """One record a row: the medians, the best peer, ratios, verdicts."""
    records = []
    for row in chosen:
        if (rows.OURS, row.kernel) not in series:
            continue
        peers = peers_of(series, row)
        records.append({
            "kernel": row.kernel, "title": row.title, "isa": isa,
            "ns": median(series, (rows.OURS, row.kernel)),
            "least": min(result["least"] for result in series[rows.OURS, row.kernel]),
            "peers": {report.name_of(key): median(series, key) for key in peers},
            "best": report.name_of(peers[0]) if peers else None,
            "ratio": ratio(series, (rows.OURS, row.kernel), peers[0]) if peers else None,
            "goals": [verdict for goal in row.goals if (verdict := judge(series, row, goal))],
        })
    return records


def raw(series):
    return [{"kernel": kernel, "library": library, "isa": results[0]["isa"], "ns": [result["ns"] for result in results],
             "least": min(result["least"] for result in results)} for (library, kernel), results in series.items()]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true", help="3 short rounds instead of 7")
    parser.add_argument("--only", default="", help="kernels of ours, by name")
    parser.add_argument("--isa", default="avx512,avx2")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--ms", type=float, help="milliseconds for a kernel in a round")
    parser.add_argument("--tessera", type=pathlib.Path, help="instead of PROGRAMS/cpu_tessera")
    parser.add_argument("--python", help="an interpreter with NumPy or PyTorch")
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--pages", type=pathlib.Path)
    options = parser.parse_args()
    options.rounds = options.rounds or (3 if options.quick else 7)
    options.ms = options.ms or (10 if options.quick else 40)
    return options


def select(only):
    names = {name for name in only.split(",") if name}
    unknown = names - {row.kernel for row in rows.ALL_ROWS}
    if unknown:
        sys.exit(f"no such kernel: {', '.join(sorted(unknown))}; there are {', '.join(row.kernel for row in rows.ALL_ROWS)}")
    return [row for row in rows.ALL_ROWS if not names or row.kernel in names]


def main():
    options = arguments()
    chosen = select(options.only)
    machine.warn_if_busy()
    records, results = [], []
    for isa in options.isa.split(","):
        if not machine.has(isa):
            print(f"{isa}: skipped, this CPU has none")
            continue
        programs = start(options.programs, isa, options.tessera, options.python)
        series = measure(programs, wanted_kernels(chosen), options.rounds, options.ms,
                         lambda text, isa=isa: print(f"{isa}: {text}", file=sys.stderr, flush=True))
        for program in programs:
            program.close()
        records += evaluate(series, chosen, isa)
        results += raw(series)
    about = machine.describe(options.programs.parent) | {"rounds": options.rounds, "milliseconds": options.ms}
    page, chart = report.markdown(records, about), report.chart(records)
    print(page)
    if options.output:
        write(options.output, {"cpu.json": json.dumps({"about": about, "rows": records, "results": results}, indent=1) + "\n",
                               "cpu.md": page, "cpu.svg": chart})
    whole = not options.quick and len(chosen) == len(rows.ALL_ROWS) and len({record["isa"] for record in records}) == 2
    if options.pages and whole:
        write(options.pages, {"cpu.md": page, "cpu.svg": chart})


def write(folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    print(f"written: {', '.join(files)} in {folder}")


if __name__ == "__main__":
    main()
