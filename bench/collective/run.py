"""Times collectives beside MPI called by hand, overlap, and the digits on several processes, and writes docs/benchmarks/collective.md.

Usage: run.py PROGRAMS [--quick] [--page FILE] [--json FILE]
PROGRAMS is the folder of collective_beside_mpi, collective_overlap and digits. mpirun starts them on this machine. The page also says what is to be expected
of 8 to 1024 ranks, by the model in model.py, which is checked against what is measured here.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path += [str(HERE.parent / "cpu"), str(HERE)]

import machine  # noqa: E402
import model  # noqa: E402

ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_mpi_yield_when_idle": "1"}
LARGEST = 64 << 20


def launched(ranks, *command):
    done = subprocess.run(["mpirun", "-np", str(ranks), *map(str, command)], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"mpirun -np {ranks} {command[0]}: exit status {done.returncode}")
    return done.stdout


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def beside_mpi(programs, ranks, largest, milliseconds, rounds):
    merged = {}
    for _ in range(rounds):
        for line in lines(launched(ranks, programs / "collective_beside_mpi", largest, milliseconds)):
            kept = merged.setdefault((line["collective"], line["bytes"]), {"ranks": ranks, "by_hand": [], "tessera": []})
            kept["by_hand"] += line["by_hand"]
            kept["tessera"] += line["tessera"]
    return [{"collective": name, "bytes": size, **kept} for (name, size), kept in merged.items()]


def digits(programs, batch, rounds, epochs):
    """Images a second: one process of two threads, and two of one."""
    speeds = {"one": [], "two": [], "single": []}
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        options = ["--fashion", "--epochs", epochs, "--batch", batch, "--quiet", "--json", out, "--report", pathlib.Path(folder) / "r.html"]
        for _ in range(rounds):
            for key, ranks, threads in (("one", 1, 2), ("two", 2, 1), ("single", 1, 1)):
                launched(ranks, programs / "digits", *options, "--threads", threads)
                speeds[key].append(json.loads(out.read_text())["images_per_second"])
    return {"batch": batch, **speeds}


def measured(programs, quick):
    largest, milliseconds, rounds = (1 << 20, 5, 1) if quick else (LARGEST, 20, 3)
    overlap = {late: lines(launched(2, programs / "collective_overlap", 1 << 16 if late else 1 << 20, late)) for late in (0, 5)}
    return {"two": beside_mpi(programs, 2, largest, milliseconds, rounds), "four": beside_mpi(programs, 4, min(largest, 4 << 20), milliseconds, 1),
            "overlap": overlap, "digits": [digits(programs, batch, 1 if quick else 3, 1 if quick else 3) for batch in (64, 256, 1024, 4096)]}


def size_text(count):
    return f"{count >> 20} MiB" if count >= 1 << 20 else f"{count >> 10} KiB" if count >= 1024 else f"{count} B"


def us(ns):
    return f"{ns / 1e3:.2f}" if ns < 1e5 else f"{ns / 1e3:.0f}"


def ratio_table(rows):
    text = ["| collective | bytes | by hand, us | Tessera, us | ratio | difference, us | goal |", "| --- | ---: | ---: | ---: | ---: | ---: | --- |"]
    missed = total = 0
    for row in rows:
        hand, ours = statistics.median(row["by_hand"]), statistics.median(row["tessera"])
        kept = ours <= 1.05 * hand if row["bytes"] >= 65536 else ours - hand <= 2000
        total += 1
        missed += not kept
        text.append(f"| {row['collective']} | {size_text(row['bytes'])} | {us(hand)} | {us(ours)} | {ours / hand:.2f} | {(ours - hand) / 1e3:+.2f} | "
                    f"{'kept' if kept else '**missed**'} |")
    return "\n".join(text), missed, total


def overlap_table(rows):
    text = ["| products | work, ms | exchange, ms | both, ms | overlapped |", "| ---: | ---: | ---: | ---: | ---: |"]
    for row in rows:
        least = min(row["work"], row["late"] if row["late"] else row["exchange"])
        share = (row["work"] + row["exchange"] - row["both"]) / least
        text.append(f"| {row['products']} | {row['work']:.2f} | {row['exchange']:.2f} | {row['both']:.2f} | {max(0, min(1, share)):.0%} |")
    return "\n".join(text)


def digits_table(rows):
    text = ["| batch | one process, 2 threads | two processes, 1 thread | efficiency | one process, 1 thread |", "| ---: | ---: | ---: | ---: | ---: |"]
    for row in rows:
        one, two, single = (statistics.median(row[key]) for key in ("one", "two", "single"))
        text.append(f"| {row['batch']} | {one:,.0f} | {two:,.0f} | {two / one:.2f} | {single:,.0f} |")
    return "\n".join(text)


def samples_of(rows, least):
    return [(row["bytes"], statistics.median(row["tessera"]) / 1e9) for row in rows if row["collective"] == "all_reduce" and row["bytes"] >= least]


def check_of_model(two, four):
    """Fits two ranks, predicts four."""
    alpha, slope = model.fit(samples_of(two, 65536))
    net = model.Net(alpha, slope, 0)
    text = ["| bytes | 2 ranks, measured, us | by the model | 4 ranks, measured, us | by the model |", "| ---: | ---: | ---: | ---: | ---: |"]
    measured_of_four = dict(samples_of(four, 65536))
    for size, seconds in samples_of(two, 65536):
        # Four ranks on two cores: all of the work of four on the processors of two.
        predicted = 2 * model.ring(4, size, net)
        found = measured_of_four.get(size)
        text.append(f"| {size_text(size)} | {seconds * 1e6:.0f} | {model.ring(2, size, net) * 1e6:.0f} | {found * 1e6:.0f} | {predicted * 1e6:.0f} |" if found
                    else f"| {size_text(size)} | {seconds * 1e6:.0f} | {model.ring(2, size, net) * 1e6:.0f} | | |")
    return alpha, slope, "\n".join(text)


RANKS = (8, 16, 32, 64, 128, 256, 512, 1024)
PARAMETERS = ((203_530, "784-256-10, the digits'"), (25_600_000, "25.6 million, as ResNet-50"))


def predictions(images_per_second, gamma):
    """Tables of efficiency: of the time a step, how much is computing."""
    host = model.Net(1e-6, 1 / 10e9, gamma)
    text = []
    for parameters, name in PARAMETERS:
        size = 4 * parameters
        # The work of an image goes with the parameters.
        seconds_an_image = parameters / 203_530 / images_per_second
        for batch in (64, 1024):
            compute = batch * seconds_an_image
            text += [f"### {name}: {size_text(size)} of gradients, {batch} images a rank ({compute * 1e3:.3g} ms of computing)", "",
                     "| network | way | " + " | ".join(map(str, RANKS)) + " | half of the time is communication from |",
                     "| --- | --- |" + " ---: |" * len(RANKS) + " ---: |"]
            for gigabits, alpha in ((10, 20e-6), (100, 3e-6), (400, 2e-6)):
                net = model.Net(alpha, 8 / gigabits / 1e9, gamma)
                for way, name_of_way in ((lambda p: model.ring(p, size, net), "ring"), (lambda p: model.tree(p, size, net), "tree"),
                                         (lambda p: model.hierarchical(p, size, net, host, 8), "hierarchical, 8 a host")):
                    efficiency = [compute / model.step(compute, 0.5, way(p) + model.agreement(p, net)) for p in RANKS]
                    stops = next((str(p) for p, value in zip(RANKS, efficiency) if value < 0.5), "none of these")
                    text.append(f"| {gigabits} Gb/s, {alpha * 1e6:.0f} us | {name_of_way} | " + " | ".join(f"{value:.2f}" for value in efficiency) + f" | {stops} |")
            text.append("")
    return "\n".join(text)


def page(result, build):
    two, missed, total = ratio_table(result["two"])
    four, missed_of_four, total_of_four = ratio_table(result["four"])
    alpha, slope, check = check_of_model(result["two"], result["four"])
    speeds = {row["batch"]: statistics.median(row["single"]) for row in result["digits"]}
    cores = len(os.sched_getaffinity(0))
    described = (f"{machine.datetime.date.today()}, {machine.field('model name')} (family {machine.field('cpu family')}), {cores} cores, "
                 f"{machine.compiler(build)} `-O3 -DNDEBUG`, Open MPI {machine.package('openmpi-bin')}.")
    return f"""# Collectives beside MPI called by hand

`./dev bench collective` measures these figures and writes this page. Both are called in the same processes, in turns, after a `MPI_Init_thread` with `MPI_THREAD_MULTIPLE`; a figure is the
median over all rounds of the slowest rank's time a call. Goals: at most 1.05 times as long from 64 KiB on, at most 2 us longer below.

{described} Ranks of one host move bytes through its memory, so that processors, and not a network, are what is measured.

## Two ranks

{missed} of {total} goals are missed.

{two}

## Four ranks on these cores

{missed_of_four} of {total_of_four} goals are missed.

{four}

Of what is missed:

- A collective of the library is agreed on before it is done: all ranks have come to it when one returns. MPI's roots of a broadcast, a scatter and a reduction go on without the others, and what is
  measured of those is how fast they hand over bytes. `gather` and `scatter` without a given result agree twice: on the shape, and on the bytes.
- Sums are combined by the library, in an order that depends on the number of ranks alone; MPI may take another for each size.

## Overlap

Products of 256 x 256 beside one `all_reduce`, in one `Async` scope, two ranks with one worker each; what both take together, as a share of the shorter one that is hidden behind the longer.

Of 64 KiB, and the other rank comes 5 ms later, so that this one waits as for a slow network:

{overlap_table(result["overlap"]["5" if "5" in result["overlap"] else 5])}

Of 1 MiB with work on both ranks: each core has work of its own, and moving bytes within a host is work, too, so that nothing is left to be hidden.

{overlap_table(result["overlap"]["0" if "0" in result["overlap"] else 0])}

## Digits

Fashion-MNIST (784-256-10) in images a second; the goal is an efficiency of 0.9.

{digits_table(result["digits"])}

A step of 64 images is {64 / speeds[64] * 1e3:.2f} ms of computing on one thread, half of that on each of two ranks, and its gradients are 795 KiB: the exchange takes about as long as the computing.

## Many machines: a model

A message of n bytes takes alpha + n beta, to combine n bytes gamma n. All-reduces of n bytes on p ranks:

| way | time |
| --- | --- |
| ring, and the library's own, whose pieces go straight to the ranks that combine them | 2 (p - 1) alpha + 2 n (p - 1)/p beta + n (p - 1)/p gamma |
| tree: recursive halving and doubling | 2 log2(p) alpha + 2 n (p - 1)/p beta + n (p - 1)/p gamma |
| hierarchical: within hosts of 8, a tree among hosts, within hosts | both, with the terms of each network |
| agreement on several hosts, before each | log2(p) alpha + 88 (p - 1) beta |

Source: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective communication operations in MPICH", Int. J. High Performance Computing Applications 19 (1), 2005.

Fitted to two ranks here: alpha {alpha * 1e6:.1f} us, and {slope * 1e9:.3f} ns a byte for moving and combining together. The model for four ranks takes these twice, for two ranks share a core:

{check}

Efficiency of a step (computing over all of its time) for networks of 10, 100 and 400 Gb/s; half of the computing, the backward pass, goes on beside the exchange, gamma is {slope / 3 * 1e9:.3f} ns, a host's own memory moves
10 GB/s, and a rank computes as fast as one thread here: {speeds[1024]:,.0f} images a second of the digits' network, others in proportion to their parameters. Nothing of this was run.

{predictions(speeds[1024], slope / 3)}

It stops scaling where the exchange takes longer than the backward pass: the bytes of a gradient do not depend on the number of ranks (2 n beta for any p), so that on one network it is the images a rank that decide, and beyond that
the ring's 2 (p - 1) alpha: at 1024 ranks 41 ms for 20 us, which the tree's 0.4 ms do not have. The library's own way is that of the ring: it is the right one for tens of ranks, and beyond that the engine's tree would be.
"""


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path, help="where the figures go; those of an earlier run are taken from there if it exists")
    arguments = parser.parse_args()
    machine.warn_if_busy()
    if arguments.json and arguments.json.exists():
        result = json.loads(arguments.json.read_text())
    else:
        result = measured(arguments.programs, arguments.quick)
        if arguments.json:
            arguments.json.write_text(json.dumps(result))
    text = page(result, arguments.programs.parent)
    print(text)
    if arguments.page and not arguments.quick:
        arguments.page.write_text(text)


if __name__ == "__main__":
    main()
