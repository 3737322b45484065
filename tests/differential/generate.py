"""Writes random programs and what NumPy says their results are.

    generate.py --seed 7 --cases 40 --to FOLDER [--theme moving] [--large]    FOLDER/<theme>.cpp and FOLDER/<theme>.txt for each theme
    generate.py --store                                             the 200 cases of the ordinary test, in fixed/: those of the
                                                                    first seed that has every function

Needs NumPy 2.4. A case depends on the seed, its number and how many cases there are.
"""

import argparse
import itertools
import pathlib
import shutil
import subprocess

from cases import LARGE, SMALL
from program import THEMES, make_program, source_text, uncovered, values_text

FIXED = pathlib.Path(__file__).parent / "fixed"


def write(folder, seed, count, themes, limits):
    """Writes the programs; returns how often each name came up."""
    folder.mkdir(parents=True, exist_ok=True)
    programs, dealt = make_program(seed, count, themes, limits)
    for theme, cases in programs.items():
        (folder / f"{theme}.cpp").write_text(source_text(theme, seed, cases), encoding="utf-8")
        (folder / f"{theme}.txt").write_text(values_text(seed, cases), encoding="utf-8")
    return dealt


def formatted(folder):
    """The sources as ./dev lint wants them."""
    found = [tool for tool in ("clang-format-22", "clang-format") if shutil.which(tool)]
    subprocess.run([found[0], "-i", *sorted(folder.glob("*.cpp"))], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--to", type=pathlib.Path)
    parser.add_argument("--theme", choices=list(THEMES), action="append")
    parser.add_argument("--large", action="store_true", help="some arrays of up to 5000 elements")
    parser.add_argument("--store", action="store_true")
    parser.add_argument("--names", action="store_true", help="print how often each function came up")
    options = parser.parse_args()
    if options.store:
        seed = next(seed for seed in itertools.count(1) if not uncovered(write(FIXED, seed, 200, None, SMALL)))
        formatted(FIXED)
        print(f"stored the cases of seed {seed}")
        return
    folder = options.to or parser.error("--to or --store says where to write")
    dealt = write(folder, options.seed, options.cases, options.theme, LARGE if options.large else SMALL)
    if options.names:
        print("\n".join(f"{count:5} {name}" for name, count in sorted(dealt.items())))


if __name__ == "__main__":
    main()
