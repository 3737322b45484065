"""Lets memory_soak work, shows its minutes, and writes the page of the run.

Usage: soak.py PROGRAMS [MINUTES] [--log FILE] [--commit NAME] [--page FILE]
MINUTES is 60 where none is given. --log takes the lines of a run that is over instead; --commit says of which state of the sources it was.
The page is written for runs of an hour or more.
"""

import argparse
import json
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent / "cpu"))

import machine  # noqa: E402

PAGE = """# An hour of soak

`./dev bench memory --soak` lets two threads share the CPU's pool for an hour and writes this page. Each thread takes, in rounds: the
arrays of a training step with 64, 63 and 65 images in turn; 50 of its 400 blocks of 256 B to 1 MiB replaced by others of random sizes;
32 blocks for the other thread to free; now and then a block of 8 to 32 MiB, and a trim. Every ten seconds a new thread takes over
the blocks of the one before it. What is written is checked before each free: every word of blocks up to 4 KiB, a word of each 512 bytes
of larger ones. Threads sleep as long as they work, and the minutes in which the process was stopped do not count.

{machine}

| minute | allocations and frees | in use | reserved | most reserved in the minute | peak reserved | resident | free memory in pieces |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
{rows}

Memory is flat if the second half's highest figure, of a look each second, is at most {bound:.2f} times the first half's: it was
**{reserved_growth:.3f}** for reserved memory and **{resident_growth:.3f}** for resident memory. Blocks damaged: {damaged}. Left when all was
freed and trimmed: {left_in_use} bytes in {left_live} blocks, {left_reserved} bytes reserved. {operations:,} operations in {minutes:g} minutes,
{cpu_seconds:,} s of processor time. {verdict}
"""


def mebibytes(count):
    return f"{count / 2**20:.1f} MiB"


def row(line):
    return (f"| {line['minute']} | {line['operations']:,} | {mebibytes(line['in_use'])} | {mebibytes(line['reserved'])} "
            f"| {mebibytes(line['most_reserved'])} | {mebibytes(line['peak_reserved'])} | {mebibytes(line['resident'])} "
            f"| {100 * line['fragmentation']:.0f} % |")


def lines_of(programs, minutes):
    with subprocess.Popen([str(programs / "memory_soak"), str(minutes)], stdout=subprocess.PIPE, text=True) as soak:
        for text in soak.stdout:
            print(text, end="", flush=True)
            yield json.loads(text)


def page_of(lines, build, commit):
    *minutes, last = lines
    every = max(1, len(minutes) // 12)
    rows = [row(line) for line in minutes if line["minute"] == 1 or line["minute"] % every == 0]
    cores = machine.os.sched_getaffinity(0)
    facts = (f"{machine.datetime.date.today()}, {machine.field('model name')} (family {machine.field('cpu family')}), {len(cores)} cores, "
             f"shared with other work; {machine.compiler(build)} `-O3 -DNDEBUG`; the pool as it was at commit {commit}.")
    verdict = "The soak passed." if last["good"] else "**The soak failed.**"
    return PAGE.format(machine=facts, rows="\n".join(rows), verdict=verdict, **last)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("minutes", type=float, nargs="?", default=60)
    parser.add_argument("--log", type=pathlib.Path)
    parser.add_argument("--commit", default=machine.first_line("git", "rev-parse", "--short", "HEAD"))
    parser.add_argument("--page", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.log:
        lines = [json.loads(text) for text in arguments.log.read_text().splitlines()]
    else:
        lines = list(lines_of(arguments.programs, arguments.minutes))
    if not lines or "good" not in lines[-1]:
        sys.exit("the soak has not come to its end")
    if arguments.page and lines[-1]["minutes"] >= 60:
        arguments.page.write_text(page_of(lines, arguments.programs.parent, arguments.commit))
    sys.exit(0 if lines[-1]["good"] else 1)


if __name__ == "__main__":
    main()
