"""Times matrix products of Tessera beside OpenBLAS, MKL in PyTorch, Eigen and loops, in turns, and prints ratios of speed.

Usage: run.py PROGRAMS [--quick] [--threads N] [--isa avx2|avx512] [--only TEXT] [--rounds N] [--ms N] [--shapes N] [--seed N] [--python PYTHON] [--page FILE]
PROGRAMS is the folder of matmul_tessera and the peers' programs, PYTHON one that has PyTorch. FILE, a page, gets the tables and beside it a chart. OpenBLAS runs with the kernels that it chooses and with
those for AVX-512 or AVX2; the better counts. A ratio is the best peer's time over ours, the median of the rounds'; above 1 ours is faster. After the
listed products come N of random shapes on one thread, which nobody has chosen; with --seed only those.
"""

import argparse
import json
import math
import os
import pathlib
import random as numbers
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "cpu"))
import machine  # noqa: E402: which machine this is

BATCH = 1000


class Row:
    """A case, and the ratio that it is to reach; `against` names one peer instead of the best."""

    def __init__(self, case, goal=None, against=None):
        self.case, self.goal, self.against = case, goal, against
        self.type, self.kind, m, k, n = case.split()
        self.m, self.k, self.n = int(m), int(k), int(n)

    def flops(self):
        per = {"c64": 8, "c128": 8}.get(self.type, 2)
        return per * (BATCH if self.kind == "batch" else 1) * self.m * self.k * self.n if self.kind not in ("mv", "vm") else per * self.m * self.k * (
            1 if self.kind == "mv" else self.n / self.m)


def rows():
    found = []
    for dtype in ("f32", "f64"):
        found += [Row(f"{dtype} mm {n} {n} {n}", 0.95) for n in (256, 384, 512, 1000, 1024, 2048)]
        found += [Row(f"{dtype} {kind} 64 784 256", 1.0) for kind in ("mm", "mmt")]
        found += [Row(f"{dtype} mtm 784 64 256", 1.0), Row(f"{dtype} mm 784 64 256", 1.0), Row(f"{dtype} mm 64 256 10", 1.0),
                  Row(f"{dtype} mm 100000 16 16", 1.0)]
        found += [Row(f"{dtype} mm {n} {n} {n}", 1.0) for n in (16, 20, 32, 48, 64, 100, 128)]
        found += [Row(f"{dtype} mm {n} {n} {n}", 2.0, "eigen") for n in (2, 3, 4, 6, 8)]
        found += [Row(f"{dtype} {kind} {n} {n} {n}", 1.0) for kind in ("mv", "vm") for n in (64, 512, 3000)]
        found += [Row(f"{dtype} {kind} 8000 8000 8000", 0.95, "only reads") for kind in ("mv", "vm")]
        found += [Row(f"{dtype} batch {n} {n} {n}", 1.5) for n in (4, 8, 16, 32)]
    for dtype in ("c64", "c128"):
        found += [Row(f"{dtype} mm {n} {n} {n}", 0.95) for n in (32, 256, 1000)]
    found += [Row(f"bf16 mm {n} {n} {n}", 1.0) for n in (256, 1024)]
    found += [Row(f"f32 {case}", 1.0) for case in ("softmax 4096 784 256", "softmax 20000 30 200", "sums 4096 256 256", "sums 20000 30 200")]
    for dtype in ("i8", "u8"):
        found += [Row(f"{dtype} mm {extents}", 1.0) for extents in ("256 256 256", "512 512 512", "1024 1024 1024", "64 784 256")]
    return found


def random_rows(seed, count):
    """Products of random extents, as many small ones as large ones, of matrices in each layout and with vectors."""
    random = numbers.Random(seed)
    found = []
    while len(found) < count:
        m, k, n = (int(2 ** random.uniform(0, 12)) for _ in range(3))
        kind = random.choice(("mm", "mm", "mmt", "mtm", "mv", "vm"))
        if kind == "mv":
            n = 1
        elif kind == "vm":
            m = 1
        if m * k * n < 1.5e8:
            found.append(Row(f"{random.choice(('f32', 'f64'))} {kind} {m} {k} {n}"))
    return found


def has_avx2_goal(row):
    """Products that are also timed with the instructions of older processors."""
    return row.type in ("f32", "f64") and row.kind in ("mm", "mmt", "mtm") and row.goal is not None and row.m * row.k * row.n >= 10**7


class Program:
    def __init__(self, name, command, environment=None):
        self.name = name
        variables = {key: value for key, value in os.environ.items() if not key.startswith(("OPENBLAS_", "TESSERA_", "OMP_", "MKL_"))}
        self.process = subprocess.Popen([str(word) for word in command], env={**variables, **(environment or {})}, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def time(self, case, milliseconds):
        self.process.stdin.write(f"{case} {milliseconds}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.name} ended while it timed {case}")
        return json.loads(line)["ns"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Reading:
    """A loop that only reads the matrix, in the process whose products it is a peer of: the memory of both is the same."""

    name = "only reads"

    def __init__(self, program):
        self.program = program

    def time(self, case, milliseconds):
        dtype, kind, *extents = case.split()
        return self.program.time(" ".join([dtype, f"reads_{kind}", *extents]), milliseconds)

    def close(self):
        pass


def start(options, threads, isa):
    folder = options.programs
    found = [Program("tessera", [folder / "matmul_tessera", threads], {"TESSERA_ISA": isa})]
    kernels = {"avx2": ["Haswell"], "avx512": [None, "SkylakeX"]}[isa]
    if subprocess.run([folder / "matmul_blas", "libopenblas.so.0", "1"], stdin=subprocess.DEVNULL, capture_output=True).returncode == 0:
        for kernel in kernels:
            found.append(Program(f"OpenBLAS {kernel or 'as it chooses'}", [folder / "matmul_blas", "libopenblas.so.0", threads],
                                 {"OPENBLAS_CORETYPE": kernel} if kernel else {}))
    found.append(Program("two steps", [folder / "matmul_tessera", threads, "steps"], {"TESSERA_ISA": isa}))
    if threads == 1:
        found.append(Reading(found[0]))
        for name in ("eigen", "loops"):
            if (path := folder / f"matmul_{name}_{isa}").exists():
                found.append(Program(name, [path]))
    if options.python and subprocess.run([options.python, "-c", "import torch"], capture_output=True).returncode == 0:
        limits = {"avx2": {"ATEN_CPU_CAPABILITY": "avx2", "MKL_ENABLE_INSTRUCTIONS": "AVX2"}, "avx512": {}}[isa]
        found.append(Program("torch", [options.python, HERE / "torch_peer.py", threads], limits))
    return found


def is_peer(name, row):
    """Whether a program is timed with what any peer is compared with."""
    return name != "only reads" and (name != "two steps" or row.kind in ("sums", "softmax"))


def measure(programs, chosen, options, threads):
    """{case: {library: [nanoseconds of each round]}}. Threads of some peers keep looking for work for 200 ms after it has ended."""
    pause = 0.25 if threads > 1 else 0
    series = {row.case: {} for row in chosen}
    for number in range(1, options.rounds + 1):
        print(f"round {number} of {options.rounds}", file=sys.stderr, flush=True)
        for row in chosen:
            for program in programs:
                if program.name not in ("tessera", row.against) and (row.against or not is_peer(program.name, row)):
                    continue
                time.sleep(pause)
                if (ns := program.time(row.case, options.ms)) is not None:
                    series[row.case].setdefault(program.name, []).append(ns)
    return series


def judge(row, times):
    """Our median time, the peer that counts, and the ratio of speeds."""
    peers = {name: samples for name, samples in times.items() if name != "tessera" and row.against in (None, name)}
    ours = statistics.median(times["tessera"])
    if not peers:
        return ours, None, None
    best = min(peers, key=lambda name: statistics.median(peers[name]))
    return ours, best, statistics.median(peer / own for peer, own in zip(peers[best], times["tessera"]))


def table(chosen, series):
    lines = ["| product | ns | GFLOP/s | best peer | ratio of speed | asked |", "|---|---|---|---|---|---|"]
    for row in chosen:
        ours, best, ratio = judge(row, series[row.case])
        verdict = "" if row.goal is None or ratio is None else f"{row.goal:.2f}{'' if round(ratio, 2) >= row.goal else ', missed'}"
        lines.append(f"| {row.case} | {ours:.4g} | {row.flops() / ours:.1f} | {best or ''} | {'' if ratio is None else f'{ratio:.2f}'} | {verdict} |")
    return lines


def distribution(chosen, series):
    """Of times over those of the best peer, which are above 1 where ours is slower, as in the table of patterns."""
    slowness = sorted((1 / judge(row, series[row.case])[2], row.case) for row in chosen)
    at = {name: slowness[min(int(len(slowness) * part), len(slowness) - 1)][0] for name, part in (("median", 0.5), ("90 %", 0.9), ("99 %", 0.99))}
    lines = ["| of the best peer's time | |", "|---|---|", *(f"| {name} | {value:.2f} |" for name, value in at.items()), f"| worst | {slowness[-1][0]:.2f} |"]
    worst = [f"{case}: {value:.2f}" for value, case in reversed(slowness[-10:])]
    return lines, "Slowest: " + "; ".join(worst) + "."


def chart(measured):
    """Ratios as bars on a logarithmic axis from 1/4 to 4; 1 is the best peer."""
    height, left, scale = 15, 190, 110
    lines, y = [], 20
    for title, chosen, series in measured:
        lines.append(f'<text x="4" y="{y}" font-weight="bold">{title}</text>')
        y += height
        for row in chosen:
            ratio = judge(row, series[row.case])[2]
            if ratio is None:
                continue
            place = scale * max(-2.0, min(2.0, math.log2(ratio)))
            colour = "#3d8b37" if ratio >= 1 else "#b9770e"
            lines.append(f'<text x="4" y="{y}">{row.case}</text><rect x="{left + 2 * scale + min(place, 0):.1f}" y="{y - 9}" width="{abs(place):.1f}" '
                         f'height="10" fill="{colour}"/>')
            y += height
    for power in range(-2, 3):
        x = left + (power + 2) * scale
        lines.append(f'<line x1="{x}" y1="24" x2="{x}" y2="{y}" stroke="#999" stroke-width="{2 if power == 0 else 0.5}"/>'
                     f'<text x="{x}" y="14" text-anchor="middle">{2.0 ** power:g}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + 4 * scale + 20} {y + 10}" font-family="sans-serif" font-size="11">\n'
            + "\n".join(lines) + "\n</svg>\n")


def write_page(page, measured, shapes, options):
    about = machine.describe(options.programs.parent)
    text = ["# Matrix products beside their peers", "", "`./dev bench matmul --python` makes this page. A case is a type, what is multiplied, and the extents of",
            "(m, k) by (k, n): *mm* matrices, *mmt* and *mtm* with the right or the left one transposed, *mv* and *vm* a vector on the right or on the left,",
            f"*batch* {BATCH} products, *sums* and *softmax* of the rows of a product; *i8* is int8 by int8 and *u8* is uint8 by int8, summed in int32.",
            f"All programs time a case in turns; times are medians over {options.rounds} rounds, and a ratio is the best peer's time over ours, the",
            "median of the rounds' ratios: above 1, Tessera is faster. Peers are OpenBLAS with the kernels that it chooses and told those of this set of",
            "instructions, Eigen, loops that a compiler vectorises, and PyTorch, which calls MKL and oneDNN; of sums and softmax the library itself in two steps. Products of 2 to 8 rows are compared with Eigen's",
            "dynamic matrices, a vector by a matrix of 8000 rows with a loop that only reads the matrix.", "", f"{about['date']}, {about['machine']}, {options.isa}, {about['compiler']} `-O3`, {about['peers']}, "
            f"OpenBLAS {machine.package('libopenblas0-pthread') or 'not found'}.", "", f"![Ratios of speed]({page.with_suffix('.svg').name})", ""]
    for title, chosen, series in measured:
        text += [f"## {title}", "", *table(chosen, series), ""]
    text += shapes
    page.write_text("\n".join(text))
    page.with_suffix(".svg").write_text(chart(measured))


def measure_with(threads, chosen, options, isa):
    programs = start(options, threads, isa)
    series = measure(programs, chosen, options, threads)
    for program in programs:
        program.close()
    title = ("One thread" if threads == 1 else f"{threads} threads") + ("" if isa == options.isa else f", {isa.upper()}")
    print("\n".join([title, *table(chosen, series)]), flush=True)
    return title, chosen, series


def measure_shapes(options):
    """The lines of a page about products of random shapes."""
    seed = options.seed if options.seed is not None else time.time_ns() % 1_000_000
    chosen = random_rows(seed, options.shapes)
    programs = [program for program in start(options, 1, options.isa) if program.name not in ("two steps", "only reads")]
    quick = argparse.Namespace(rounds=3, ms=3)
    series = measure(programs, chosen, quick, 1)
    for program in programs:
        program.close()
    lines, worst = distribution(chosen, series)
    text = ["## Random shapes, one thread", "", f"{options.shapes} products of extents from 1 to 4096, seed {seed}: our time over that of the fastest of "
            + ", ".join(program.name for program in programs if program.name != "tessera") + ".", "", *lines, "", worst, ""]
    print("\n".join(text), flush=True)
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--threads", type=int, default=0, help="default: one, then all")
    parser.add_argument("--isa", default="avx512" if machine.has("avx512") else "avx2", choices=("avx2", "avx512"))
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--ms", type=float, default=0)
    parser.add_argument("--shapes", type=int, default=300, help="of random extents")
    parser.add_argument("--seed", type=int, help="of their generator; nothing else is timed")
    parser.add_argument("--python", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    options = parser.parse_args()
    options.rounds = options.rounds or (1 if options.quick else 5)
    options.ms = options.ms or (5 if options.quick else 60)
    machine.warn_if_busy()
    if options.seed is not None:
        measure_shapes(options)
        return
    chosen = [row for row in rows() if options.only in row.case]
    counts = [options.threads] if options.threads else [1, len(os.sched_getaffinity(0))]
    measured = [measure_with(threads, chosen, options, options.isa) for threads in counts]
    if options.isa == "avx512" and 1 in counts:
        measured.append(measure_with(1, [Row(row.case, 0.95) for row in chosen if has_avx2_goal(row)], options, "avx2"))
    shapes = measure_shapes(options) if options.shapes and not options.only and not options.quick else []
    if options.page and not options.only:
        write_page(options.page, measured, shapes, options)


if __name__ == "__main__":
    main()
