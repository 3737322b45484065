"""What statistics, traces and debug mode cost: measures memory_watched and whole trainings, and makes goals and tables of the answers."""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

WAYS = {"plain": "nothing is watched", "untraced": "after a trace that has ended", "debug": "debug mode"}
SHAPES = ("64", "256", "1024", "4096", "random")
HEADS = ("64 B", "256 B", "1 KiB", "4 KiB", "random")


def ask(program, way, repeats):
    done = subprocess.run([str(program), way, str(repeats)], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{program} {way}: exit status {done.returncode}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def training_seconds(program, options, debug):
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder) / "results.json"
        environment = {**os.environ, "TESSERA_MEMORY_DEBUG": "1" if debug else "0"}
        command = [str(program), *options, "--quiet", "--json", str(results), "--report", str(results.with_suffix(".html"))]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return json.loads(results.read_text())["train_seconds"] if done.returncode == 0 else None


def measure(programs, rounds, repeats):
    """Nanoseconds by (way, shape), and seconds of trainings by (title, debug)."""
    series = {}
    for number in range(1, rounds + 1):
        print(f"  watched, round {number}", file=sys.stderr, flush=True)
        for way in (*WAYS, "statistics"):
            for answer in ask(programs / "memory_watched", way, repeats):
                series.setdefault((way, answer["shape"]), []).extend(answer["ns"])
        for title, options in (("digits", ["--epochs", "200"]), ("Fashion-MNIST", ["--fashion", "--epochs", "1"])):
            for debug in (False, True):
                seconds = training_seconds(programs / "digits", options, debug)
                if seconds is not None:
                    series.setdefault((title, debug), []).append(seconds)
    return series


def cost_of_statistics(series, bytes_text):
    """Nanoseconds of a call: half the median difference of pairs that were measured one after the other."""
    bare, counted = (series["statistics", f"{kind} {bytes_text}"] for kind in ("strategy", "counted"))
    return statistics.median(with_them - without for without, with_them in zip(bare, counted)) / 2


def over(series, way, shape):
    return statistics.median(series[way, shape]) / statistics.median(series["plain", shape])


def goals(series):
    rows = [(f"statistics, a call, {bytes_text} B", cost_of_statistics(series, bytes_text), 2, "ns") for bytes_text in ("64", "4096")]
    rows.append(("a pair of 64 B after a trace has ended, beside never traced", over(series, "untraced", "64"), 1.05, "times"))
    for shape, head in zip(SHAPES, HEADS):
        rows.append((f"debug mode, {head}, untouched", over(series, "debug", shape), 5, "times"))
        rows.append((f"debug mode, {head}, written once", over(series, "debug", f"written {shape}"), 5, "times"))
    for title in ("digits", "Fashion-MNIST"):
        if (title, True) in series:
            ratio = statistics.median(series[title, True]) / statistics.median(series[title, False])
            rows.append((f"debug mode, training of {title}", ratio, 5, "times"))
    return rows


def tables(series):
    lines = ["## What watching costs", "",
             "Nanoseconds of a pair, and of a random one of 1,000 live blocks replaced (256 B to 1 MiB); first untouched, then with "
             "every byte written once. Debug mode writes each byte twice and reads it once, so that its cost follows the bytes: beside work "
             "that touches no byte it is without bound.", "",
             "| | " + " | ".join(HEADS) + " | " + " | ".join(f"{head}, written" for head in HEADS) + " |",
             "| --- |" + " ---: |" * (2 * len(HEADS))]
    for way, name in WAYS.items():
        cells = [f"{statistics.median(series[way, kind + shape]):.1f}" for kind in ("", "written ") for shape in SHAPES]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", "Statistics: a strategy alone, and behind the adaptor that counts, in turns; the difference of a pair, halved.", "",
              "| bytes | strategy | counted | a call |", "| ---: | ---: | ---: | ---: |"]
    for bytes_text in ("64", "4096", "65536"):
        bare, counted = (statistics.median(series["statistics", f"{kind} {bytes_text}"]) for kind in ("strategy", "counted"))
        lines.append(f"| {bytes_text} | {bare:.1f} | {counted:.1f} | {cost_of_statistics(series, bytes_text):.2f} |")
    for title in ("digits", "Fashion-MNIST"):
        if (title, True) in series:
            seconds = [statistics.median(series[title, debug]) for debug in (False, True)]
            lines += ["", f"Training of {title}: {seconds[0]:.3f} s, in debug mode {seconds[1]:.3f} s."]
    return "\n".join(lines) + "\n"
