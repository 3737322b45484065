"""Random patterns of memory beside hand-written loops: the distribution of their times' ratios.

    run.py BUILD [--seed 1] [--count 300] [--isa native,avx2] [--rounds 15] [--us 300] [--output FOLDER] [--only p12,...]

BUILD is a build folder with the library. The seed gives the patterns; sources are written, compiled (the loops -O3 -march=native, or for AVX2) and run by
one thread. Results must be equal, sums of floats within rounding. A ratio is the median of the rounds', in each of which the library and the best of
the loops take turns. The output folder gets patterns.json and patterns.svg.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys

import report
from pattern import classes, describe, draw_pattern
from program import sources

HERE = pathlib.Path(__file__).parent
PER_FILE = 20
LIBRARIES = ("-ltbb", "-lz", "-lpthread", "-ldl")
LOOP_FLAGS = {"native": ["-march=native"], "avx2": ["-march=native", "-mno-avx512f"]}


def is_fresh(target, *needed):
    return target.exists() and all(target.stat().st_mtime >= path.stat().st_mtime for path in needed)


def write(path, text):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def compile_all(folder, build, compiler, isas):
    """Objects of all sources; returns the programs, one for each instruction set."""
    modules = build / "modules/CMakeFiles/tessera.dir"
    interface = modules / "tessera.pcm"
    jobs, objects = [], {isa: [] for isa in isas}

    def add(source, name, flags, isas_of, *needed):
        target = folder / f"{name}.o"
        if not is_fresh(target, source, *needed):
            jobs.append([compiler, "-std=c++20", "-O3", "-DNDEBUG", *flags, "-I", HERE, "-c", source, "-o", target])
        for isa in isas_of:
            objects[isa].append(target)

    imports = [f"-fprebuilt-module-path={modules}"]
    for source in sorted(folder.glob("*.cpp")):
        if source.stem.startswith("loops_"):
            for isa in isas:
                add(source, f"{source.stem}_{isa}", [*LOOP_FLAGS[isa], "-ffp-contract=off"], [isa], HERE / "loops.hpp")
        elif source.stem == "table":
            add(source, source.stem, [], isas, HERE / "harness.hpp")
        else:
            add(source, source.stem, imports, isas, *([interface] if interface.exists() else []))
    add(HERE / "harness.cpp", "harness", [], isas, HERE / "harness.hpp")
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for command in pool.map(lambda command: (command, subprocess.run(command).returncode), jobs):
            if command[1] != 0:
                sys.exit(f"failed: {' '.join(map(str, command[0]))}")
    for isa in isas:
        subprocess.run([compiler, *objects[isa], build / "modules/libtessera.a", *LIBRARIES, "-o", folder / f"program_{isa}"], check=True)
    return {isa: folder / f"program_{isa}" for isa in isas}


def measure(program, isa, options):
    """{number of a pattern: (nanoseconds of the library, of the loop, ratio)}"""
    environment = {**os.environ, **({} if isa == "native" else {"TESSERA_ISA": isa})}
    command = [program, str(options.rounds), str(options.us), *(name for name in options.only.split(",") if name)]
    lines = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.splitlines()
    wrong = [line for line in lines if " differs " in line]
    times = {}
    for line in lines:
        if line not in wrong:
            name, ours, loop, ratio, _ = line.split()
            times[int(name[1:])] = (float(ours), float(loop), float(ratio))
    return times, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--isa", default="native,avx2")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--us", type=float, default=300, help="microseconds of a turn, at least")
    parser.add_argument("--only", default="", help="patterns by name: p12,p40")
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--compiler", default="clang++-22")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    patterns = [draw_pattern(draw) for _ in range(options.count)]
    folder = (options.output or options.build) / f"patterns_{options.seed}_{options.count}"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in sources(patterns, PER_FILE).items():
        write(folder / name, text)
    isas = options.isa.split(",")
    programs = compile_all(folder, options.build, options.compiler, isas)
    records, failed = [], False
    for isa in isas:
        times, wrong = measure(programs[isa], isa, options)
        for line in wrong:
            failed = True
            print(f"WRONG ({isa}): {line}: {describe(patterns[int(line.split()[0][1:])])}")
        found = [{"isa": isa, "name": f"p{number}", "ratio": ratio, "ns": ours, "loop": loop, "classes": classes(patterns[number]),
                  "text": describe(patterns[number])} for number, (ours, loop, ratio) in times.items()]
        print(report.text(found, isa, options.seed))
        records += found
    (folder / "patterns.json").write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
    (folder / "patterns.svg").write_text(report.chart(records, options.seed), encoding="utf-8")
    print(f"written: patterns.json and patterns.svg in {folder}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
