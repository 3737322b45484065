"""Puts the questions of the scheduler's bench to Tessera and its peers, in turns, and prints tables of the answers.

Usage: run.py PROGRAMS [--quick] [--only QUESTION,...] [--rounds N] [--tessera PROGRAM] [--without NAME,...]
              [--output DIR] [--page FILE]
PROGRAMS is the folder of schedule_tessera and the peers' programs. In every round each program answers a question before the
next question comes, so that a change of the machine's mood meets them all. Before anything is timed every way of running
ops must give the results of serial execution. The output folder gets schedule.json; the page is written only by a
run of all questions that is not quick.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent / "cpu"))

import machine  # noqa: E402
import report  # noqa: E402

PROGRAMS = ("tessera", "mutex_vars", "taskflow", "tbb", "threads")
# Question, rounds, repeats in a round.
QUESTIONS = (("speed", 3, 3), ("submitters", 3, 2), ("fib", 3, 5), ("latency", 3, 1), ("grain", 3, 1), ("memory", 1, 1),
             ("allocations", 1, 3))
# A process is fresh only for its first shape; allocations do not depend on all of them.
SHAPES = {"memory": ("chain", "two_reads"), "allocations": ("chain", "two_reads", "independent", "random", "wavefront")}


TRIES = 6


def seconds_used():
    """Processor time of the whole machine, and of the programs that have ended here."""
    ticks = [int(field) for field in pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = sum(ticks) - ticks[3] - ticks[4]  # all but idle and iowait
    return busy / os.sysconf("SC_CLK_TCK"), children.ru_utime + children.ru_stime


def ask(program, question, *options, preload=None):
    environment = {**os.environ, **({"LD_PRELOAD": str(preload)} if preload else {})}
    done = subprocess.run([str(program), question, *options], env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{program} {question}: exit status {done.returncode}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def ask_in_peace(announce, *question, preload=None):
    """Asks again while other processes used more than a tenth of a core meanwhile: an engine's threads would wait for each other."""
    for attempt in range(TRIES):
        start, (all_before, ours_before) = time.monotonic(), seconds_used()
        answers = ask(*question, preload=preload)
        wall, (all_after, ours_after) = time.monotonic() - start, seconds_used()
        others = (all_after - all_before) - (ours_after - ours_before)
        if others < 0.1 * wall + 0.05:
            return answers
        announce(f"    other processes used {others / wall:.0%} of a core during {question[0].name} {question[1]}: once more")
        time.sleep(2 * attempt)
    announce(f"    {question[0].name} {question[1]} is left out: the machine is too busy for figures of several threads")
    return []


def key_of(answer):
    submitters = int(answer["submitters"][0]) if "submitters" in answer else 1
    return answer["question"], answer["way"], answer["shape"], answer["workers"], submitters


def collect(series, answers):
    """Adds each answer's samples to those of earlier rounds."""
    for answer in answers:
        samples = series.setdefault(key_of(answer), {})
        for name, values in answer.items():
            if isinstance(values, list) and name != "submitters":
                samples.setdefault(name, []).extend(values)


def measure(programs, questions, preload, quick, rounds_wanted, announce):
    series = {}
    for question, rounds, repeats in questions:
        for number in range(1, (rounds_wanted or (1 if quick else rounds)) + 1):
            announce(f"{question}, round {number}")
            for program in programs:
                for shape in SHAPES.get(question, ("",)):
                    options = [f"--repeats={repeats}"] + ([f"--shape={shape}"] if shape else [])
                    counted = preload if question == "allocations" else None
                    collect(series, ask_in_peace(announce, program, question, *options, preload=counted))
    return series


def parse():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--tessera", type=pathlib.Path)
    parser.add_argument("--without", default="")
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    return parser.parse_args()


def main():
    arguments = parse()
    folder, without = arguments.programs, arguments.without.split(",")
    paths = {name: folder / f"schedule_{name}" for name in PROGRAMS if name not in without}
    if arguments.tessera:
        paths["tessera"] = arguments.tessera
    programs = [path.resolve() for path in paths.values() if path.exists()]
    wanted = [question for question in arguments.only.split(",") if question]
    if unknown := set(wanted) - {question for question, _, _ in QUESTIONS}:
        sys.exit(f"there is no question {', '.join(sorted(unknown))}; there are {', '.join(q for q, _, _ in QUESTIONS)}")
    questions = [entry for entry in QUESTIONS if not wanted or entry[0] in wanted]

    machine.warn_if_busy()
    announce = lambda text: print(f"  {text}", file=sys.stderr, flush=True)  # noqa: E731
    for program in programs:
        announce(f"check of {program.name}")
        ask(program, "check")
    preload = (folder / "libschedule_counting_malloc.so").resolve()
    series = measure(programs, questions, preload, arguments.quick, arguments.rounds, announce)

    described = report.describe(folder.parent)
    page = report.page(series, described)
    print(page)
    if arguments.output:
        arguments.output.mkdir(parents=True, exist_ok=True)
        records = [{"key": key, **samples} for key, samples in series.items()]
        (arguments.output / "schedule.json").write_text(json.dumps({"machine": described, "answers": records}))
    if arguments.page and not wanted and not arguments.quick:
        arguments.page.write_text(page + "\n")


if __name__ == "__main__":
    main()
