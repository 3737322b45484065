"""The long test: random programs of a fresh seed, compiled and linked as the ordinary test is, and run.

    fresh.py BUILD_FOLDER NINJA FOLDER

Writes programs of 100 cases to FOLDER, four of them, or TESSERA_TEST_SCALE times as many. The seed is the time, or TESSERA_TEST_SEED. Prints
the cases that differ. Exits with 77 where there is no NumPy.
"""

import os
import pathlib
import shlex
import subprocess
import sys
import time

try:
    import numpy

    if int(numpy.__version__.split(".")[0]) < 2:
        raise ImportError(f"NumPy is {numpy.__version__}")
except ImportError as reason:
    print(f"skipped: the differential test needs NumPy 2 (pip install numpy; cmake -D Python3_EXECUTABLE=...): {reason}")
    sys.exit(77)

import generate
from cases import LARGE

CASES = 100
PROGRAMS = 4


def commands_of(build, ninja):
    """The build's own commands for the ordinary test: of one of its sources, and of its program."""
    listed = subprocess.run([ninja, "-C", build, "-t", "commands", "test_differential"], capture_output=True, text=True, check=True).stdout
    lines = listed.splitlines()
    compiling = [line for line in lines if " -c " in line and "/fixed/" in line and "&&" not in line]  # and not scanning for imports
    return compiling[0], lines[-1]


def compile_command(command, source, result):
    """The command with another source and object; -MD and its kin, which say on what the object depends, are left out."""
    words, kept = shlex.split(command), []
    while words:
        word = words.pop(0)
        if word in ("-MT", "-MF", "-o"):
            words.pop(0)
        elif word == "-c":
            words.pop(0)
        elif word != "-MD":
            kept.append(word)
    return [*kept, "-O3", "-o", str(result), "-c", str(source)]


def link_command(command, objects, result):
    """The command with other objects in the place of the stored programs', and another result."""
    words = shlex.split(command.removeprefix(": && ").removesuffix(" && :"))
    kept = [word for word in words if "/fixed/" not in word]
    output = kept.index("-o")
    first = next(place for place, word in enumerate(kept) if word.endswith(".o"))
    kept[output + 1] = str(result)
    return [*kept[:first], *map(str, objects), *kept[first:]]


def passes(build, commands, folder, seed):
    """Makes, compiles and runs the programs of one seed."""
    generate.write(folder, seed, CASES, None, LARGE)
    sources = sorted(folder.glob("*.cpp"))
    objects = [source.with_suffix(".o") for source in sources]
    for source, result in zip(sources, objects):
        compiled = subprocess.run(compile_command(commands[0], source, result), cwd=build, capture_output=True, text=True)
        if compiled.returncode:
            print(f"seed {seed}: {source} does not compile:\n" + "\n".join(compiled.stderr.splitlines()[:40]))
            return False
    program = folder / "program"
    subprocess.run(link_command(commands[1], objects, program), cwd=build, check=True)
    run = subprocess.run([program, *sorted(folder.glob("*.txt"))], capture_output=True, text=True)
    print(run.stdout + run.stderr, end="", flush=True)
    if run.returncode < 0:
        print(f"seed {seed}: the program was ended by signal {-run.returncode}")
    return run.returncode == 0


def main(build, ninja, folder):
    seed = int(os.environ.get("TESSERA_TEST_SEED", int(time.time())))
    count = max(1, round(PROGRAMS * float(os.environ.get("TESSERA_TEST_SCALE", "1"))))
    print(f"seeds {seed} to {seed + count - 1}: each repeats with TESSERA_TEST_SEED and TESSERA_TEST_SCALE=0", flush=True)
    commands = commands_of(build, ninja)
    failed = [each for each in range(seed, seed + count) if not passes(build, commands, pathlib.Path(folder) / str(each), each)]
    print(f"{count * CASES} cases" + (f"; seeds with failures: {failed}" if failed else " as NumPy has them"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
