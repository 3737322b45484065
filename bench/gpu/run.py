"""Times Tessera's kernels on a GPU beside the peers', in turns, and prints ratios.

Usage: run.py PROGRAMS [--quick] [--only KERNEL,...] [--rounds N] [--ms N] [--time SECONDS] [--python PYTHON] [--fashion DIR]
              [--output DIR] [--page FILE]
PROGRAMS is the folder of gpu_tessera, gpu_reference and, if they are there, gpu_by_hand and digits. PYTHON has PyTorch or CuPy. The output
folder gets gpu.json after every round. The page is written after every round of a run of all rows that is not quick, and of a real GPU only:
what the fake driver of the tests gives is printed, and refused as a page. Without a GPU the exit status is 2; it is 1 if a kernel of
Tessera's failed or computed something wrong.
"""

import argparse
import datetime
import json
import pathlib
import sys
import time

import cuda_libraries
import judge
import programs
import report
import rows

FASHION = "/usr/share/datasets/fashion-mnist"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true", help="tiny shapes, one round: tries everything and measures nothing")
    parser.add_argument("--only", default="", help="kernels, by name")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--ms", type=float, help="milliseconds for a kernel in a round")
    parser.add_argument("--time", type=float, default=float("inf"), help="seconds after which no further round begins")
    parser.add_argument("--python", default=sys.executable, help="an interpreter with PyTorch or CuPy")
    parser.add_argument("--fashion", default=FASHION, help="folder of Fashion-MNIST")
    parser.add_argument("--batch", type=int, default=64, help="images of a step on Fashion-MNIST")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    options = parser.parse_args()
    options.rounds = options.rounds or (1 if options.quick else 3)
    options.ms = options.ms or (1 if options.quick else 200)
    options.programs = options.programs.resolve()
    return options


def fail(text):
    print(text, file=sys.stderr)
    sys.exit(2)


def select(only, quick):
    names = {name for name in only.split(",") if name}
    unknown = names - {row.kernel for row in rows.ALL_ROWS}
    if unknown:
        fail(f"no such kernel: {', '.join(sorted(unknown))}; there are {', '.join(dict.fromkeys(row.kernel for row in rows.ALL_ROWS))}")
    chosen = [row for row in rows.ALL_ROWS if not names or row.kernel in names or row in rows.ALWAYS]
    return [rows.tiny(row) for row in chosen] if quick else chosen


def version_text(number):
    return f"for CUDA {number // 1000}.{number % 1000 // 10}"


def driver_text(about):
    """CUDA's version, and the driver's own where nvidia-smi tells it."""
    own = programs.said_by(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader", "--id=0"]).strip()
    return f"{own} {version_text(about['driver'])}".strip()


def measure(number, table, all_programs, reference, milliseconds, figures):
    """One round: each row by every program that has it, one after the other."""
    for row in table:
        programs.warn(f"round {number}: {row.text}")
        for program in all_programs:
            if program.has(row):
                expected = [] if row.kernel == rows.ARITHMETIC.kernel else reference.values(row)
                figures.add(number, program.name, row, program.time(row, milliseconds), expected)


def problems_of(figures, table, epochs):
    titles = {row.key: row.text for row in table}
    problems = [f"{titles[key]}, {library}: {problem}" for (library, key), problem in figures.problems.items()]
    return problems + [f"an epoch of Fashion-MNIST, {name}: {run['problem']}" for name, run in epochs.items() if "problem" in run]


def result_of(figures, table, facts, options, rounds, compiling, epochs):
    shown = [row for row in table if row.kernel != rows.ARITHMETIC.kernel]
    return {"facts": facts, "rounds": rounds, "is_tiny": options.quick, "milliseconds": options.ms, "batch": options.batch,
            "copy": judge.best_copy(figures, table), "rows": judge.evaluate(figures, shown, table), "compiling": compiling,
            "epochs": {name: run for name, run in epochs.items() if "problem" not in run},
            "problems": problems_of(figures, table, epochs),
            "answers": [{"library": library, "row": key, "rounds": answers} for (library, key), answers in figures.answers.items()]}


def write(result, options, is_whole):
    if options.output:
        options.output.mkdir(parents=True, exist_ok=True)
        (options.output / "gpu.json").write_text(json.dumps(result, indent=1) + "\n")
    if options.page and is_whole:
        options.page.parent.mkdir(parents=True, exist_ok=True)
        options.page.write_text(report.page(result))
        programs.warn(f"written: {options.page}")


def main():
    options = arguments()
    cuda_libraries.add_to_environment(options.python)
    table = select(options.only, options.quick)
    about = programs.about(options.programs)
    if "problem" in about:
        fail(f"bench gpu needs a GPU, and there is none: {about['problem']}")
    is_fake = about["device"].startswith("Fake GPU")
    whole = not options.quick and not options.only
    if is_fake and options.page and whole:
        fail(f"no page is written of '{about['device']}', which is the tests' fake driver and not a GPU; without --page its table is printed")
    ours = programs.Program(rows.OURS, [options.programs / "gpu_tessera"], about["l2_bytes"])
    peers = [] if is_fake else list(programs.peers(options.programs, options.python, about["l2_bytes"]))
    facts = about | {"date": str(datetime.date.today()), "driver": driver_text(about), "peers": [text for _, text in peers]}
    compiling = judge.compile_goals(programs.compile_times(options.programs, options.rounds)) if not options.only else []
    epochs = programs.epochs(options.programs, options.python, options.fashion, options.epochs, options.batch) if whole else {}
    reference, figures = programs.Reference(options.programs / "gpu_reference"), judge.Figures()
    all_programs, begin = [ours, *(program for program, _ in peers)], time.monotonic()
    for number in range(1, options.rounds + 1):
        measure(number, table, all_programs, reference, options.ms, figures)
        result = result_of(figures, table, facts, options, number, compiling, epochs)
        write(result, options, whole)
        if time.monotonic() - begin > options.time:
            break
    for program in (*all_programs, reference):
        program.close()
    print(report.page(result))
    sys.exit(1 if any(library == rows.OURS for library, _ in figures.problems) else 0)


if __name__ == "__main__":
    main()
