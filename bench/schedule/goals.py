"""The limits that the scheduler is held to, and whether they are kept."""

import statistics

OURS, REPLAY, MUTEX = "Tessera", "Tessera, replay", "mutex per Var"


class Goal:
    """`value` takes the answers and returns a number, or None where it was not measured."""

    def __init__(self, text, limit, unit, value, at_least=False):
        self.text, self.limit, self.unit, self.value, self.at_least = text, limit, unit, value, at_least

    def verdict(self, answers):
        value = self.value(answers)
        if value is None:
            return None
        if self.unit == "bytes":  # counted in pages, so only whole ones mean something
            value = round(value)
        kept = value >= self.limit if self.at_least else value <= self.limit
        sign = "at least" if self.at_least else "at most"
        return [self.text, f"{value:.3g} {self.unit}".strip(), f"{sign} {self.limit:g}", "kept" if kept else "**missed**"]


def median(question, way, shape, workers, name, scale=1.0):
    def value(answers):
        samples = answers.samples(question, way, shape, workers, name)
        return statistics.median(samples) * scale if samples else None
    return value


def whole(shape, workers, way=OURS):
    return median("speed", way, shape, workers, "whole")


def times_faster(shape, workers):
    def value(answers):
        ours, theirs = whole(shape, workers)(answers), whole(shape, workers, MUTEX)(answers)
        return theirs / ours if ours and theirs else None
    return value


def most_allocations(answers):
    counts = [answers.series[key]["count"][0] for key in answers.keys("allocations") if key[1] == OURS]
    return max(counts) if counts else None


def goals():
    for workers in (1, 2):
        on = f"{workers} worker{'s' if workers > 1 else ''}"
        yield Goal(f"chain on one Var, whole, {on}", 100, "ns", whole("chain", workers))
        yield Goal(f"independent ops, whole, {on}", 120, "ns", whole("independent", workers))
        yield Goal(f"replay of a chain, {on}", 35, "ns", whole("chain", workers, REPLAY))
        yield Goal(f"random workload, whole, {on}", 400, "ns", whole("random", workers))
        yield Goal(f"random workload beside the mutex-per-Var engine, {on}", 2, "times as fast", times_faster("random", workers),
                   at_least=True)
        yield Goal(f"from idle to running, median, {on}", 30, "us", median("latency", OURS, "single", workers, "latency", 1e-3))
        yield Goal(f"use of a core when idle, {on}", 0.5, "%", median("latency", OURS, "single", workers, "idle"))
    yield Goal("submission alone, two reads and one write", 150, "ns", median("speed", OURS, "two_reads", 1, "submission"))
    yield Goal("a pending op, one write", 192, "bytes", median("memory", OURS, "chain", 1, "bytes"))
    yield Goal("a pending op, two reads and one write", 192, "bytes", median("memory", OURS, "two_reads", 1, "bytes"))
    yield Goal("allocations in the steady state, the most of any shape", 0, "", most_allocations)


def verdicts(answers):
    return [verdict for goal in goals() if (verdict := goal.verdict(answers))]
