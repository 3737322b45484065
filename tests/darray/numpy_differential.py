"""Random programs on dynamic arrays, run by one program that reads them, against what NumPy says their results are.

    numpy_differential.py RUN_PROGRAMS [--seed 7] [--cases 1000] [--keep FOLDER]

RUN_PROGRAMS is the program of run_programs.cpp. Without --seed it is TESSERA_TEST_SEED, or 1; TESSERA_TEST_SCALE=10 runs ten times as many cases. A
case depends on the seed and its number only. Skipped (77) where Python has no NumPy 2.

What NumPy says is corrected by the library's rules in tests/differential: types meet as in the array API standard (there is no common type of
integers and floats, and numbers are weak), integers are divided as in C++, 16-bit floats are computed in float. Results must have the type and the
shape, and numbers within a bound: 0, so the same number with the same sign, for functions that are exact, and what a few units in the last place
of a transcendental function make of it otherwise.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np

    if int(np.__version__.split(".")[0]) < 2:
        raise ImportError(f"NumPy is {np.__version__}")
except ImportError as reason:
    print(f"skipped: needs NumPy 2 (pip install numpy; cmake -D Python3_EXECUTABLE=...): {reason}")
    sys.exit(77)

sys.path[:0] = [str(pathlib.Path(__file__).parent / "random_programs"), str(pathlib.Path(__file__).parent.parent / "differential")]

from comparing import failures_of, write_inputs
from terms import Deck
from themes import make_case


def run(program, folder, cases):
    """The results of the cases by their keys, their errors by (case, line), and how the program ended."""
    write_inputs(folder / "inputs.npz", cases)
    (folder / "programs.txt").write_text("".join(case.text() for case in cases), encoding="utf-8")
    (folder / "results.npz").unlink(missing_ok=True)
    ended = subprocess.run([program, folder / "inputs.npz", folder / "programs.txt", folder / "results.npz"], capture_output=True, text=True)
    errors = {}
    for line in ended.stdout.splitlines():
        number, place, error, message = (line.split(" ", 3) + [""])[:4]
        errors.setdefault(int(number), {})[int(place)] = (error, message)
    results = {}
    if ended.returncode == 0:
        with np.load(folder / "results.npz") as archive:
            results = {name: archive[name] for name in archive.files}
    return results, errors, ended


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TESSERA_TEST_SEED", "1")))
    parser.add_argument("--cases", type=int, default=round(500 * float(os.environ.get("TESSERA_TEST_SCALE", "1"))))
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the files, which are temporary otherwise")
    options = parser.parse_args()
    deck = Deck()
    cases = [make_case(number, options.seed, deck) for number in range(options.cases)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        results, errors, ended = run(options.program, folder, cases)
    if ended.returncode:
        print(f"seed {options.seed}: the program ended with {ended.returncode}\n{ended.stderr[-4000:]}")
        return 1
    failed = 0
    for case in cases:
        wrong = failures_of(case, results, errors.get(case.number, {}))
        if wrong:
            failed += 1
            print(f"seed {options.seed}, case {case.number} differs:", *wrong, "the program is", case.text(), sep="\n  ")
    checks = sum(len(case.records) for case in cases)
    print(f"{len(cases)} cases of seed {options.seed} with {checks} results, {failed} differ from NumPy {np.__version__}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
