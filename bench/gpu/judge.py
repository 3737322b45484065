"""From the programs' answers to shares, ratios and verdicts."""

import math
import statistics

import rows


def wrong(row, values, expected):
    """Where a result is farther from the expected one than the row allows, in words; empty if it is nowhere."""
    if len(values) != len(expected):
        return f"{len(values)} elements instead of {len(expected)}"
    relative, absolute = row.allowed
    for place, (value, want) in enumerate(zip(values, expected)):
        if value is None or abs(value - want) > absolute + relative * abs(want):
            return f"compared element {place} is {'not finite' if value is None else value} instead of {want}"
    return ""


class Figures:
    """Nanoseconds by library, row and round, of results that are right; and what went wrong otherwise."""

    def __init__(self):
        self.answers, self.problems = {}, {}

    def add(self, number, library, row, answer, expected):
        problem = answer.get("problem") or wrong(row, answer["values"], expected)
        if problem:
            self.problems[library, row.key] = problem
        else:
            self.answers.setdefault((library, row.key), {})[number] = answer

    def times(self, library, row):
        if (library, row.key) in self.problems:
            return {}
        return {number: answer["ns"] for number, answer in self.answers.get((library, row.key), {}).items()}

    def median(self, library, row):
        times = self.times(library, row)
        return statistics.median(times.values()) if times else None

    def libraries(self, row):
        """Those that have the row, the fastest first."""
        found = {library: self.median(library, row) for library, key in self.answers if key == row.key}
        return sorted((library for library in found if found[library]), key=found.get)

    def ratio(self, library, row, other, other_row=None):
        """Our time divided by theirs, the median over rounds."""
        ours, theirs = self.times(library, row), self.times(other, other_row or row)
        both = [ours[number] / theirs[number] for number in ours if number in theirs]
        return statistics.median(both) if both else None


def copy_rates(figures, copy):
    """Bytes a nanosecond that the fastest copy of each round moved."""
    rates = {}
    for library in figures.libraries(copy):
        for number, ns in figures.times(library, copy).items():
            rates[number] = max(rates.get(number, 0), copy.bytes / ns)
    return rates


def share(figures, library, row, copy, arithmetic=None):
    """Of the copy's bandwidth; with `arithmetic`, of what either that or the arithmetic alone allows."""
    rates = copy_rates(figures, copy)
    slow = figures.times(rows.HAND, arithmetic) if arithmetic else {}
    shares = []
    for number, ns in figures.times(library, row).items():
        if number in rates and (arithmetic is None or number in slow):
            shares.append(max(row.bytes / rates[number], slow.get(number, 0)) / ns)
    return statistics.median(shares) if shares else None


def value_of(figures, row, goal, chosen):
    copy, arithmetic = chosen[rows.COPY.kernel], chosen[rows.ARITHMETIC.kernel]
    peers = [library for library in figures.libraries(row) if library != rows.OURS]
    match goal.kind:
        case "copy":
            return share(figures, rows.OURS, row, copy)
        case "own limit":
            return share(figures, rows.OURS, row, copy, arithmetic)
        case "peers":
            return figures.ratio(rows.OURS, row, peers[0]) if peers else None
        case "hand":
            return figures.ratio(rows.OURS, row, rows.HAND)
        case "us":
            ns = figures.median(rows.OURS, row)
            return ns / 1000 if ns else None
    raise ValueError(goal.kind)


def verdict(goal, value):
    """`met` is None where nothing was measured."""
    met = None
    if value is not None:
        value = round(value, goal.digits)
        met = value >= goal.limit if goal.at_least else value <= goal.limit
    return {"kind": goal.kind, "limit": goal.limit, "value": value, "met": met, "at_least": goal.at_least}


def evaluate(figures, shown, table):
    """A record for each of the rows that are shown; the whole table has what shares are shares of."""
    chosen = {row.kernel: row for row in table if row.kernel in (rows.COPY.kernel, rows.ARITHMETIC.kernel)}
    records = []
    for row in shown:
        ns = figures.median(rows.OURS, row)
        peers = {library: figures.median(library, row) for library in figures.libraries(row) if library != rows.OURS}
        best = next(iter(peers), None)
        records.append({
            "key": row.key, "kernel": row.kernel, "dtype": row.dtype, "title": row.text, "section": row.section, "unit": row.unit,
            "ns": ns, "peers": peers,
            "rate": row.rate(ns) if ns else None,
            "share": share(figures, rows.OURS, row, chosen["copy"]) if ns and row.unit == "GB/s" else None,
            "best": best, "ratio": figures.ratio(rows.OURS, row, best) if best and ns else None,
            "goals": [verdict(goal, value_of(figures, row, goal, chosen)) for goal in row.goals],
        })
    return records


def compile_goals(times):
    """Records of expressions' first use, in milliseconds; of nothing where it could not be timed."""
    records = []
    for kind, text, limit in (("cold", "compiled, nothing on disk", rows.COMPILE_LIMIT), ("disk", "read from disk", rows.DISK_LIMIT)):
        runs = times[kind] if times else []
        first = [run["first"] for run in runs]
        later = [ms for run in runs for ms in run["later"]]
        for title, samples in ((f"{text}: the first kernel of a process", first), (f"{text}: later ones", later)):
            value = statistics.median(samples) if samples else None
            records.append({"title": title, "ms": value, "least": min(samples, default=None), "most": max(samples, default=None),
                            "limit": limit, "met": round(value, 2) <= limit if samples else None})
    return records


def best_copy(figures, table):
    """GB/s of the copy that shares refer to: the median over rounds."""
    rates = copy_rates(figures, next(row for row in table if row.kernel == rows.COPY.kernel))
    return statistics.median(rates.values()) if rates else math.nan
