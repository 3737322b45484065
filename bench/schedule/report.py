"""The tables of the scheduler's benchmark."""

import pathlib
import re
import statistics

import goals
import machine

DEPENDENCIES = ("Tessera", "mutex per Var")
EDGES = ("Taskflow", "Taskflow dependent_async", "TBB flow graph")
REPLAYS = ("Tessera, replay", "Taskflow, rerun", "TBB flow graph, rerun")
TASKS = ("Tessera", "mutex per Var", "Taskflow silent_async", "TBB task_group", "TBB enqueue")
SHAPES = {
    "chain": "chain on one Var", "two_reads": "chain, two reads beside the write", "independent": "independent, no Var",
    "independent_writes": "independent, each writes a Var", "fans": "fan-out and fan-in, 16 wide",
    "mostly_reads": "99 % reads of one Var",
    "random": "random: 100 Vars, 2-19 reads", "wavefront": "wavefront, 300 x 300", "cholesky": "Cholesky, 80 x 80 tiles",
    "tree": "binary tree", "own_chains": "a chain each", "shared_variables": "2 reads, 1 write of 64 Vars",
    "fib": "fib(24), nested ops"}
GRAIN_SHAPES = {"chain": "chain on one Var", "stencil": "stencil, 16 wide", "cholesky": "Cholesky, 30 x 30 tiles"}

INTRO = """# The scheduler beside its peers

`./dev bench schedule` measures these figures and writes this page. Ops have empty bodies unless a table says otherwise, and
capture a pointer and a number. Times are nanoseconds an op: the median of all runs, and the shortest in brackets.

{machine}

*Whole* is from the first submission to the end of the last op, by a thread that is no worker; *submission* is the submitting
thread's time while no worker may begin an op. With one worker oneTBB's `task_group` and flow graph run on the submitting thread
alone. "mutex per Var" is an engine in the shape of MXNet's, in `bench/schedule/mutex_vars.cpp`: it finds the dependencies
from what ops read and write, as Tessera does. Taskflow and oneTBB are given the edges, which are worked out before the clock starts;
building their graphs and taking them down is timed, except in the columns "rerun". Every way must give the results of
serial execution on every shape before it is timed.
"""


def taskflow_version(build):
    """What the build's cache leads to; nothing where Taskflow is missing."""
    cache = build / "CMakeCache.txt"
    found = re.search(r"^taskflow_include:PATH=(.*)$", cache.read_text(), re.M) if cache.exists() else None
    header = pathlib.Path(found.group(1)) / "taskflow" / "taskflow.hpp" if found else pathlib.Path()
    version = re.search(r"#define TF_VERSION (\d+)", header.read_text()) if header.is_file() else None
    return f"{int(version.group(1)) // 100000}.{int(version.group(1)) // 100 % 1000}" if version else ""


def describe(build):
    versions = {"oneTBB": machine.package("libtbb-dev"), "Taskflow": taskflow_version(build)}
    peers = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    cores = len(machine.os.sched_getaffinity(0))
    return (f"{machine.datetime.date.today()}, {machine.field('model name')} (family {machine.field('cpu family')}), {cores} cores, "
            f"{machine.compiler(build)} `-O3 -DNDEBUG`; {peers}.")


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def cell(samples):
    return f"{number(statistics.median(samples))} ({number(min(samples))})" if samples else ""


def table(header, lines, texts=1):
    """`texts`: how many columns are no numbers."""
    rule = ["---"] * texts + ["---:"] * (len(header) - texts)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rule, *lines))


class Answers:
    """What was measured, by question, way, shape, workers and submitters."""

    def __init__(self, series):
        self.series = series

    def samples(self, question, way, shape, workers, name, submitters=1):
        return self.series.get((question, way, shape, workers, submitters), {}).get(name, [])

    def keys(self, question):
        return [key for key in self.series if key[0] == question]

    def ways(self, candidates, *questions):
        """Those of the candidates that answered one of the questions."""
        measured = {key[1] for key in self.series if key[0] in questions}
        return [way for way in candidates if way in measured]

    def shapes(self, question):
        return list(dict.fromkeys(key[2] for key in self.keys(question)))


def speed_table(answers, ways, name, workers):
    ways = answers.ways(ways, "speed")
    lines = [[SHAPES[shape], *(cell(answers.samples("speed", way, shape, workers, name)) for way in ways)]
             for shape in answers.shapes("speed")]
    return table(["ns an op", *ways], [line for line in lines if any(line[1:])])


def speed_section(answers):
    for workers in (1, 2):
        plural = "s" if workers > 1 else ""
        yield f"## Whole, {workers} worker{plural}"
        yield speed_table(answers, DEPENDENCIES + EDGES, "whole", workers)
    for workers in (1, 2):
        plural = "s" if workers > 1 else ""
        yield f"## Recorded once, run again, {workers} worker{plural}"
        yield speed_table(answers, REPLAYS, "whole", workers)
    yield "## Submission alone, 1 worker that is held back"
    yield speed_table(answers, DEPENDENCIES + EDGES + ("Taskflow silent_async",), "submission", 1)


def task_section(answers):
    yield "## Ops that depend on nothing, and nested ones"
    ways = answers.ways(TASKS, "speed", "fib")
    lines = []
    for question, shape in (("speed", "independent"), ("fib", "fib")):
        for workers in (1, 2):
            cells = [cell(answers.samples(question, way, shape, workers, "whole")) for way in ways]
            lines.append([f"{SHAPES[shape]}, {workers} worker{'s' if workers > 1 else ''}", *cells])
    yield ("fib is nanoseconds a call; each call above the leaves submits an op and waits for it. An engine without nested waiting has "
           "no figure.")
    yield table(["ns", *ways], [line for line in lines if any(line[1:])])


def submitters_section(answers):
    yield "## Several threads submit at once"
    yield ("Whole, 200,000 ops in equal parts. On shared Vars the threads of the mutex-per-Var engine take turns at a lock: without it "
           "two ops can wait for each other.")
    ways = answers.ways(TASKS[:3] + EDGES + TASKS[3:], "submitters")
    lines = []
    for shape in answers.shapes("submitters"):
        for workers in (1, 2):
            for threads in (1, 2, 4):
                cells = [cell(answers.samples("submitters", way, shape, workers, "whole", threads)) for way in ways]
                lines.append([SHAPES[shape], str(threads), str(workers), *cells])
    yield table(["ns an op", "submitters", "workers", *ways], [line for line in lines if any(line[3:])])


def latency_section(answers):
    yield "## From idle to running"
    yield ("Microseconds from the submission of one op, after 5 ms without work, to the first instruction of its body; and how much of "
           "a core the process uses from 100 ms after its last op on. The last row is what the machine itself needs to wake a thread.")
    lines = []
    for key in answers.keys("latency"):
        samples = [ns / 1000 for ns in answers.series[key]["latency"]]
        tenths = statistics.quantiles(samples, n=10)
        idle = statistics.median(answers.series[key]["idle"])
        lines.append([key[1], str(key[3]), number(statistics.median(samples)), number(tenths[8]), number(min(samples)), f"{idle:.2f} %"])
    yield table(["", "workers", "median, us", "90th percentile", "least", "idle use"], lines)


def grain_section(answers):
    yield "## METG(50 %)"
    yield ("The shortest op, in nanoseconds, at which half of the ideal throughput is kept: ideal is the bodies' serial time over the "
           "workers, or along the longest path where that is more. Bodies are a fixed amount of arithmetic.")
    ways = answers.ways(DEPENDENCIES + EDGES + REPLAYS, "grain")
    lines = [[GRAIN_SHAPES[shape], str(workers), *(cell(answers.samples("grain", way, shape, workers, "op")) for way in ways)]
             for shape in answers.shapes("grain") for workers in (1, 2)]
    yield table(["", "workers", *ways], lines)


def memory_section(answers):
    yield "## Memory"
    yield "Bytes by which a fresh process grows for each pending op, a million behind the first million."
    ways = answers.ways(DEPENDENCIES + EDGES, "memory")
    lines = []
    for shape in answers.shapes("memory"):
        samples = [answers.samples("memory", way, shape, 1, "bytes") for way in ways]
        lines.append([SHAPES[shape], *(number(bytes_[0]) if bytes_ else "" for bytes_ in samples)])
    yield table(["bytes an op", *ways], lines)


def allocations_section(answers):
    yield "## Allocations"
    yield "Calls of `malloc` and its kin in three rounds after eight rounds with as many pending ops, 1 and 2 workers."
    ways = answers.ways(DEPENDENCIES + EDGES + REPLAYS, "allocations")
    lines = []
    for shape in answers.shapes("allocations"):
        counts = [[answers.samples("allocations", way, shape, workers, "count") for workers in (1, 2)] for way in ways]
        lines.append([SHAPES[shape], *(" / ".join(f"{count[0]:,.0f}" for count in pair if count) for pair in counts)])
    yield table(["", *ways], lines)


def page(series, machine_text):
    answers = Answers(series)
    parts = [INTRO.format(machine=machine_text)]
    if verdicts := goals.verdicts(answers):
        parts += ["## Goals", table(["goal", "measured", "limit", ""], verdicts, texts=1)]
    sections = ((speed_section, "speed"), (task_section, "speed", "fib"), (submitters_section, "submitters"), (latency_section, "latency"),
                (grain_section, "grain"), (memory_section, "memory"), (allocations_section, "allocations"))
    for section, *questions in sections:
        if any(key[0] in questions for key in series):
            parts += list(section(answers))
    return "\n\n".join(part.rstrip() for part in parts)
