"""The tables and the chart of the CPU benchmark."""

import html
import math

import rows

ISA_NAMES = {"avx512": "AVX-512", "avx2": "AVX2"}
LIBRARIES = ("loop", "Eigen", "Eigen Tensor", "xtensor", "NumPy", "PyTorch")
OTHER_WAYS = {"softmax_by_rows": "by rows", "copy": "copy", "copy_half": "half copy"}


def name_of(key):
    """How tables call a (library, kernel)."""
    library, kernel = key
    if library == rows.OURS:
        return "one thread" if kernel.endswith("_t1") else "f32" if "_f32_" in kernel else kernel
    if library == "loop" and kernel in OTHER_WAYS:
        return OTHER_WAYS[kernel]
    return f"{library} {OTHER_WAYS[kernel]}" if kernel in OTHER_WAYS else library


def duration(ns):
    for unit, size in (("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"


def verdict(goal):
    if goal["limit"] is None:
        return f"{goal['value']:.2f} of {goal['against']}"
    mark = "met" if goal["met"] else "**missed**"
    if goal["against"] == "ns":
        return f"<= {goal['limit']:g} ns: {mark}"
    return f"{goal['value']:.2f} of {goal['against']}, goal {goal['limit']:.2f}: {mark}"


def goals_text(record):
    return "; ".join(verdict(goal) for goal in record["goals"])


def table(header, lines, right):
    """`right`: how many columns after the first are numbers."""
    rule = ["---"] + ["---:"] * right + ["---"] * (len(header) - 1 - right)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rule, *lines))


def peer_table(records):
    libraries = [library for library in LIBRARIES if any(library in record["peers"] for record in records)]
    lines = []
    for record in records:
        peers = [duration(record["peers"][library]) if library in record["peers"] else "" for library in libraries]
        best = f"{record['ratio']:.2f} ({record['best']})" if record["best"] else ""
        lines.append([record["title"], duration(record["ns"]), *peers, best, goals_text(record)])
    return table(["kernel", "Tessera", *libraries, "ratio to the best peer", "goals"], lines, len(libraries) + 2)


def own_table(records):
    return table(["kernel", "time", "ratio and goal"], [[r["title"], duration(r["ns"]), goals_text(r)] for r in records], 1)


def section(title, records, make):
    return f"### {title}\n\n{make(records)}\n\n" if records else ""


def chosen(records, some_rows):
    names = {row.kernel for row in some_rows}
    return [record for record in records if record["kernel"] in names]


def missed(records):
    return [f"- {ISA_NAMES[r['isa']]}: {r['title']}: {duration(r['ns'])}; {verdict(goal)}"
            for r in records for goal in r["goals"] if goal["met"] is False]


def markdown(records, about):
    goals = [goal for record in records for goal in record["goals"] if goal["limit"] is not None]
    text = "# The CPU beside its peers\n\n"
    text += "`./dev bench cpu` measures these figures and writes this page. Matrices are 2048 x 2048 float32 unless a row says otherwise; one\n"
    text += "thread unless it says otherwise. A ratio is time by time, so less is better; it is the median of the rounds' ratios.\n\n"
    text += f"{about['date']}, {about['machine']}, {about['compiler']} `-O3`; {about['peers']}. "
    text += f"{about['rounds']} rounds of {about['milliseconds']:g} ms a kernel, all programs in turns.\n"
    text += "Tessera is compiled without any flag for the CPU; the peers are compiled for the named instructions.\n\n"
    text += "![Time of Tessera divided by the best peer's](cpu.svg)\n\n"
    for isa, name in ISA_NAMES.items():
        of_isa = [record for record in records if record["isa"] == isa]
        if not of_isa:
            continue
        text += f"## {name}\n\n"
        text += section("Beside the peers", chosen(of_isa, rows.PEER_ROWS), peer_table)
        text += section("Half-width storage beside float32", chosen(of_isa, rows.NARROW_ROWS), own_table)
        text += section("Two threads beside one", chosen(of_isa, rows.THREAD_ROWS), own_table)
    text += f"## Goals\n\n{sum(goal['met'] for goal in goals)} of {len(goals)} met.\n"
    lines = missed(records)
    return text + ("\nMissed:\n\n" + "\n".join(lines) + "\n" if lines else "")


# ---------------------------------------------------------------------------------------------------------------- chart

STYLE = """
.page { fill: #ffffff } text { fill: #24292f; font: 13px sans-serif } .small { font-size: 11px } .end { text-anchor: end }
.middle { text-anchor: middle } .grid { stroke: #d0d7de } .one { stroke: #24292f; stroke-dasharray: 4 3 }
.avx512 { fill: #4c5fd7 } .avx2 { fill: #d08a1f }
@media (prefers-color-scheme: dark) {
  .page { fill: #161b22 } text { fill: #e6edf3 } .grid { stroke: #3d444d } .one { stroke: #e6edf3 }
  .avx512 { fill: #8c9bff } .avx2 { fill: #f0b45a }
}
"""
LABELS, PLOT, RIGHT, TOP, LINE = 300, 460, 60, 64, 40  # pixels
TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)


def chart(records):
    """Bars of our time divided by the best peer's on a logarithmic axis, one for each instruction set."""
    drawn = [record for record in chosen(records, rows.PEER_ROWS) if record["ratio"]]
    kernels = list(dict.fromkeys(record["kernel"] for record in drawn))
    ratios = [record["ratio"] for record in drawn] + [1]
    low = max([tick for tick in TICKS if tick <= min(ratios)], default=TICKS[0])
    high = min([tick for tick in TICKS if tick >= max(ratios)], default=TICKS[-1])
    low = low if low < 1 else 0.5

    def x(value):
        return LABELS + PLOT * math.log(min(max(value, low), high) / low) / math.log(high / low)

    height = TOP + LINE * len(kernels) + 16
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LABELS + PLOT + RIGHT} {height}" role="img">',
             "<title>Time of Tessera divided by the best peer's</title>", f"<style>{STYLE}</style>",
             f'<rect class="page" width="{LABELS + PLOT + RIGHT}" height="{height}" rx="6"/>',
             '<text x="16" y="26">Time divided by the best peer\'s: left of 1 is faster</text>']
    for index, (isa, name) in enumerate(ISA_NAMES.items()):
        left = LABELS + PLOT - 180 + 100 * index
        parts.append(f'<rect class="{isa}" x="{left}" y="15" width="12" height="12"/><text x="{left + 18}" y="26">{name}</text>')
    for tick in (tick for tick in TICKS if low <= tick <= high):
        parts.append(f'<line class="{"one" if tick == 1 else "grid"}" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{TOP - 8}" y2="{height - 14}"/>')
        parts.append(f'<text class="small middle" x="{x(tick):.1f}" y="{TOP - 14}">{tick:g}</text>')
    for line, kernel in enumerate(kernels):
        y = TOP + LINE * line
        group = [record for record in drawn if record["kernel"] == kernel]
        parts.append(f'<text class="end" x="{LABELS - 10}" y="{y + 20}">{html.escape(group[0]["title"].replace("`", ""))}</text>')
        for record in group:
            top = y + (2 if record["isa"] == "avx512" else 17)
            begin, end = sorted((x(1), x(record["ratio"])))
            parts.append(f'<rect class="{record["isa"]}" x="{begin:.1f}" y="{top}" width="{max(end - begin, 1.5):.1f}" height="13"/>')
            parts.append(f'<text class="small" x="{end + 4:.1f}" y="{top + 11}">{record["ratio"]:.2f}</text>')
    return "\n".join([*parts, "</svg>", ""])
