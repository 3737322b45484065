"""The tables of the GPU benchmark."""

import math

import rows

INTRO = """# The GPU beside its peers

`./dev bench gpu` measures these figures and writes this page, on a machine with a GPU only.

{facts}

Every program enqueues a kernel so many times that launching is hidden, waits once, and divides the wall time; warm-up is left
out. Figures are medians of {rounds} round{plural} of {milliseconds:g} ms a kernel, in which all programs take turns with operands
in fresh memory. Operands are random numbers; sets of operands that would fit the L2 cache are used in turns. Before it is timed
each result, whose memory held NaN, must be what a program in double precision on the host computes, at 61 places. GB/s counts
what the work has to read and write once; a share is of the copy beside it in the same round, {copy:.0f} GB/s by one memcpy from
device memory to device memory. A ratio is time by time, so less is better.
"""


def duration(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def percent(value):
    return f"{100 * value:.1f} %"


def mark(met):
    return {True: "met", False: "**missed**", None: "not measured"}[met]


def goal_text(goal):
    side = "at least" if goal["at_least"] else "at most"
    if goal["at_least"]:
        value, limit = ("" if goal["value"] is None else percent(goal["value"])), percent(goal["limit"])
    else:
        value, limit = ("" if goal["value"] is None else f"{goal['value']:g}"), f"{goal['limit']:g}"
    return f"{value} {rows.GOAL_TEXTS[goal['kind']]}, {side} {limit}: {mark(goal['met'])}".strip()


def table(header, lines, right):
    """`right`: how many columns after the first are numbers."""
    rule = ["---"] + ["---:"] * right + ["---"] * (len(header) - 1 - right)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rule, *lines))


def ratio_table(records):
    lines = [[r["title"], duration(r["ns"]) if r["ns"] else "failed", f"{number(r['rate'])} {r['unit']}" if r["rate"] else "",
              percent(r["share"]) if r["share"] else "", f"{r['ratio']:.3f}" if r["ratio"] else "", r["best"] or "",
              "; ".join(goal_text(goal) for goal in r["goals"])] for r in records]
    return table(["work", "Tessera", "rate", "of the copy", "ratio", "to the best peer", "goals"], lines, 4)


def time_table(records):
    libraries = list(dict.fromkeys(library for r in records for library in r["peers"]))
    lines = []
    for r in records:
        peers = [duration(r["peers"][library]) if library in r["peers"] else "" for library in libraries]
        lines.append([r["title"], duration(r["ns"]) if r["ns"] else "", *peers])
    return table(["time", "Tessera", *libraries], lines, 1 + len(libraries))


def launch_section(record):
    yield "## Enqueuing"
    yield f"Host time of one warm call ({record['title']}); 64 calls, then a wait that is not timed."
    ours = ["Tessera", duration(record["ns"]) if record["ns"] else "failed", goal_text(record["goals"][0])]
    yield table(["", "time", "goal"], [ours, *([library, duration(ns), ""] for library, ns in record["peers"].items())], 1)


def compile_section(records):
    yield "## The first use of an expression"
    yield ("Host time of an assignment whose kernel is not in memory, in a process of its own whose GPU is in use already. The first "
           "kernel of a process also opens CUDA's compiler.")
    lines = [[r["title"], *("" if r[name] is None else f"{r[name]:.2f} ms" for name in ("ms", "least", "most", "limit")), mark(r["met"])]
             for r in records]
    yield table(["", "median", "least", "most", "limit", ""], lines, 4)


def epoch_section(epochs, batch):
    theirs = epochs.get("PyTorch eager")
    yield "## An epoch of Fashion-MNIST"
    yield f"`digits --fashion --gpu` and the same network in PyTorch: 784-256-10, batches of {batch} images, each step's loss read by the host."
    lines = [[name, f"{run['seconds']:.3f} s", f"{60000 / run['seconds']:,.0f}", percent(run["accuracy"]),
              f"{run['seconds'] / theirs['seconds']:.2f}" if theirs else ""] for name, run in epochs.items()]
    yield table(["", "an epoch", "images/s", "training accuracy", "ratio to PyTorch eager"], lines, 4)


def verdicts(records, compiling):
    for record in records:
        for goal in record["goals"]:
            yield record["title"], goal["met"], goal_text(goal)
    for record in compiling:
        value = "" if record["ms"] is None else f"{record['ms']:.2f} ms, "
        yield record["title"], record["met"], f"{value}at most {record['limit']:g} ms: {mark(record['met'])}"


def goal_section(records, compiling):
    all_goals = list(verdicts(records, compiling))
    yield "## Goals"
    yield f"{sum(met is True for _, met, _ in all_goals)} of {len(all_goals)} met."
    lines = [f"- {title}: {text}" for title, met, text in all_goals if met is not True]
    if lines:
        yield "Missed, or not measured:\n\n" + "\n".join(lines)


def facts_text(facts):
    """One paragraph: date, GPU, versions."""
    parts = [f"{facts['date']}, {facts['device']} (compute capability {facts['compute']}, {facts['multiprocessors']} multiprocessors, "
             f"{facts['bytes'] / 2**30:.0f} GiB, L2 cache of {facts['l2_bytes'] / 2**20:.0f} MiB), driver {facts['driver']}",
             f"Tessera by {facts['compiler']}, cuBLAS: {facts['cublas']}"]
    return "; ".join([*parts, *facts["peers"]]) + "."


def page(result):
    """The whole page from what run.py has collected."""
    records = {record["key"]: record for record in result["rows"]}
    parts = [INTRO.format(facts=facts_text(result["facts"]), rounds=result["rounds"], plural="" if result["rounds"] == 1 else "s",
                          milliseconds=result["milliseconds"], copy=result["copy"] or math.nan)]
    if result["is_tiny"]:
        parts.append("**Tiny shapes: this tries everything, and no figure means anything.**")
    parts += list(goal_section(result["rows"], result["compiling"]))
    for title, _ in rows.SECTIONS:
        chosen = [r for r in records.values() if r["section"] == title]
        if chosen:
            parts += [f"## {title}", ratio_table(chosen), time_table(chosen)]
    if launch := next((r for r in records.values() if r["kernel"] == rows.LAUNCH.kernel), None):
        parts += list(launch_section(launch))
    if result["compiling"]:
        parts += list(compile_section(result["compiling"]))
    if result["epochs"]:
        parts += list(epoch_section(result["epochs"], result["batch"]))
    if result["problems"]:
        parts += ["## Left out", "\n".join(f"- {problem}" for problem in result["problems"])]
    return "\n\n".join(part.strip() for part in parts) + "\n"
