"""Puts the questions of the memory bench to Tessera's pool and its peers, in turns, and prints tables of the answers.

Usage: run.py PROGRAMS [--quick] [--only QUESTION,...] [--rounds N] [--trace FILE...] [--output DIR] [--page FILE]
PROGRAMS is the folder of memory_speed, memory_watched, memory_replay, memory_training and digits. mimalloc and jemalloc are preloaded
where the system has them (MIMALLOC and JEMALLOC may name their libraries), and left out where not. In every round each allocator
answers a question before the next question comes. Traces of training are recorded; --trace adds others. The page is written only by
a run of all questions that is not quick; that takes about six minutes.
"""

import argparse
import ctypes.util
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
import watching  # noqa: E402

QUESTIONS = ("pair", "random", "remote", "threads", "watched", "training")
SLOW = {("random", "pmr")}  # a minute and a half each: asked in the first round only
WAYS = ("tessera", "tessera_buddy", "malloc", "aligned_alloc", "mimalloc", "jemalloc", "pmr")
NAMES = {"tessera": "Tessera", "tessera_buddy": "Tessera, buddies", "malloc": "glibc malloc",
         "aligned_alloc": "glibc aligned_alloc(64)", "mimalloc": "mimalloc", "jemalloc": "jemalloc",
         "pmr": "pmr synchronized pool"}
TITLES = {
    "pair": ("An allocation and its free at once", "bytes"),
    "random": ("A random one of the live blocks is replaced, 256 B to 1 MiB, log-uniform", "live blocks"),
    "remote": ("One thread allocates, another frees, in batches of 256", "bytes"),
    "threads": ("64 blocks of 64 B to 4 KiB allocated, then freed; time over the pairs of all threads", "threads")}

INTRO = """# Memory beside its peers

`./dev bench memory` measures these figures and writes this page. Nanoseconds for an allocation and its free, of memory that nobody
touches: the median of all runs, and the shortest in brackets. mimalloc and jemalloc stand in for malloc. Tessera's blocks are
aligned to 64 bytes, and each free checks that its pointer is the start of a live block.

{machine}
"""


def libraries():
    found = {}
    for name in ("mimalloc", "jemalloc"):
        library = os.environ.get(name.upper()) or ctypes.util.find_library(name)
        if library:
            found[name] = library
    return found


def ask(program, way, question, repeats, library):
    environment = {**os.environ, **({"LD_PRELOAD": library} if library else {})}
    done = subprocess.run([str(program), way, question, str(repeats)], env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{program} {way} {question}: exit status {done.returncode}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def measure(program, questions, rounds, repeats, peers):
    series = {}
    ways = [way for way in WAYS if way in peers or way not in ("mimalloc", "jemalloc")]
    for question in questions:
        for number in range(1, rounds + 1):
            print(f"  {question}, round {number}", file=sys.stderr, flush=True)
            for way in ways:
                if number > 1 and (question, way) in SLOW:
                    continue
                for answer in ask(program, way, question, repeats, peers.get(way)):
                    key = question, way, answer["shape"]
                    series.setdefault(key, []).extend(answer["ns"])
    return series


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def cell(samples):
    return f"{number(statistics.median(samples))} ({number(min(samples))})"


def size(shape):
    count = int(shape)
    return f"{count >> 20} Mi" if count >= 1 << 20 else f"{count >> 10} Ki" if count >= 1024 else str(count)


def table(series, question):
    title, unit = TITLES[question]
    shapes = list(dict.fromkeys(shape for asked, _, shape in series if asked == question))
    show = size if unit == "bytes" else str
    lines = [f"## {title}", "", f"| {unit} | " + " | ".join(show(shape) for shape in shapes) + " |",
             "| --- |" + " ---: |" * len(shapes)]
    for way in dict.fromkeys(way for asked, way, _ in series if asked == question):
        lines.append(f"| {NAMES[way]} | " + " | ".join(cell(series[question, way, shape]) for shape in shapes) + " |")
    return "\n".join(lines) + "\n"


def goals(series, further):
    """`further`: more rows of (name, measured, at most, unit)."""
    median = {key: statistics.median(samples) for key, samples in series.items()}
    ours = lambda question, shape: median.get((question, "tessera", shape))  # noqa: E731
    rows = [(f"a pair of {size(shape)} B", ours("pair", shape), limit, "ns") for shape, limit in
            (("64", 12), ("256", 12), ("1024", 12), ("4096", 12), ("65536", 45), ("16777216", 45))]
    rows.append(("random sizes, 1,000 live", ours("random", "1000"), 60, "ns"))
    if ours("random", "1000") and ours("random", "100000"):
        rows.append(("random sizes, 100,000 live, beside 1,000", ours("random", "100000") / ours("random", "1000"), 1.5, "times"))
    for shape in ("64", "1024", "16384"):
        if (peer := median.get(("remote", "mimalloc", shape))) and ours("remote", shape):
            rows.append((f"freed by another thread, {size(shape)} B, beside mimalloc", ours("remote", shape) / peer, 1, "times"))
    if ours("threads", "1") and ours("threads", "2"):
        rows.append(("two threads beside one, of half the time an operation", ours("threads", "2") / ours("threads", "1"), 1 / 1.8, "times"))
    lines = ["## Goals", "", "| goal | measured | at most | |", "| --- | ---: | ---: | ---: |"]
    for name, value, limit, unit in rows + further:
        if value is not None:
            kept = "kept" if value <= limit else "**missed**"
            lines.append(f"| {name} | {value:.2f} {unit} | {limit:.3g} | {kept} |")
    return "\n".join(lines) + "\n"


def recorded(program, folder):
    """Traces of training: (title, file, facts) of each."""
    found = []
    for data in ("digits", "fashion"):
        for part, title in (("steps", "its steps alone"), ("whole", "with its images")):
            trace = folder / f"{data}_{part}.trace"
            done = subprocess.run([str(program), data, part, str(trace)], stdout=subprocess.PIPE, text=True)
            if done.returncode != 0:
                sys.exit(f"{program} {data} {part}: exit status {done.returncode}")
            facts = json.loads(done.stdout)
            found.append((f"{facts['data']}, {title}, batches of {facts['batch']}, {facts['batch'] - 1}, {facts['batch'] + 1}", trace))
    return found


def replayed(program, title, trace):
    """What each way needs for the trace: its title and a record for each way."""
    done = subprocess.run([str(program), str(trace)], stdout=subprocess.PIPE, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode != 0 or not answers:
        sys.exit(f"{program} {trace}: the trace could not be honoured")
    return title, answers


def replay_goals(replays):
    rows = []
    for title, answers in replays:
        ours = answers[0]
        rows.append((f"{title}: peak reserved / peak live", ours["reserved_ratio"], 1.15, "times"))
        rows.append((f"{title}: smallest capacity / peak live", ours["capacity_ratio"], 1.05, "times"))
    return rows


def replay_table(replays):
    if not replays:
        return ""
    lines = ["## Recorded trainings, replayed", "",
             "24 steps of the digits example's networks (64-128-10 and 784-256-10), batches of three sizes in turn: first weights and steps "
             "alone, then with the images that they are taken from.", "",
             "| trace | allocations | peak live | | ns an event | peak reserved / peak live | smallest capacity / peak live |",
             "| --- | ---: | ---: | --- | ---: | ---: | ---: |"]
    for title, answers in replays:
        for answer in answers:
            facts = [title, str(answers[0]["allocations"]), size_of(answers[0]["peak_live"])] if answer is answers[0] else [""] * 3
            ratios = [f"{answer[key]:.3f}" if key in answer else "" for key in ("reserved_ratio", "capacity_ratio")]
            lines.append(f"| {' | '.join(facts)} | {answer['way'].replace('_', ' ')} | {answer['ns']:.1f} | {' | '.join(ratios)} |")
    return "\n".join(lines) + "\n"


def size_of(count):
    return f"{count / 2**20:.1f} MiB" if count >= 1 << 20 else f"{count / 1024:.1f} KiB"


def described(build):
    versions = {"mimalloc": machine.package("libmimalloc2.0"), "jemalloc": machine.package("libjemalloc2"),
                "glibc": machine.package("libc6")}
    peers = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    cores = len(os.sched_getaffinity(0))
    return (f"{machine.datetime.date.today()}, {machine.field('model name')} (family {machine.field('cpu family')}), {cores} cores, "
            f"{machine.compiler(build)} `-O3 -DNDEBUG`; {peers}.")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--trace", type=pathlib.Path, nargs="*", default=[])
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    arguments = parser.parse_args()
    wanted = [question for question in arguments.only.split(",") if question]
    if unknown := set(wanted) - set(QUESTIONS):
        sys.exit(f"there is no question {', '.join(sorted(unknown))}; there are {', '.join(QUESTIONS)}")
    machine.warn_if_busy()
    rounds, repeats = (1, 1) if arguments.quick else (arguments.rounds or 3, 3)
    questions = wanted or QUESTIONS
    programs = arguments.programs
    series = measure(programs / "memory_speed", [question for question in questions if question in TITLES], rounds, repeats, libraries())
    further, watched_parts, replays = [], [], [(trace.stem, trace) for trace in arguments.trace]
    if "watched" in questions:
        watched = watching.measure(programs, rounds, repeats)
        further += watching.goals(watched)
        watched_parts.append(watching.tables(watched))
    with tempfile.TemporaryDirectory() as folder:
        if "training" in questions:
            replays = recorded(programs / "memory_training", pathlib.Path(folder)) + replays
        replays = [replayed(programs / "memory_replay", title, trace) for title, trace in replays]
    parts = [INTRO.format(machine=described(programs.parent)), goals(series, replay_goals(replays) + further)]
    parts += [table(series, question) for question in questions if question in TITLES]
    parts += [replay_table(replays)] + watched_parts
    page = "\n".join(parts)
    print(page)
    if arguments.output:
        arguments.output.mkdir(parents=True, exist_ok=True)
        records = [{"key": key, "ns": samples} for key, samples in series.items()]
        (arguments.output / "memory.json").write_text(json.dumps(records))
    if arguments.page and not wanted and not arguments.quick:
        arguments.page.write_text(page)


if __name__ == "__main__":
    main()
