"""What the ratios of many patterns say: percentiles, classes, the worst, and a chart of the whole distribution."""

import math

GOALS = {"median": 1.05, "90 %": 1.25, "99 %": 1.8, "worst": 2.5}
NAMES = {"native": "this CPU's instructions", "avx2": "AVX2"}
COLOURS = {"native": "#4c5fd7", "avx2": "#d08a1f"}


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def summary(ratios):
    return {"median": quantile(ratios, 0.5), "90 %": quantile(ratios, 0.9), "99 %": quantile(ratios, 0.99), "worst": max(ratios)}


def text(records, isa, seed):
    """A page for one instruction set."""
    if not records:
        return f"{NAMES.get(isa, isa)}: nothing measured"
    found = summary([record["ratio"] for record in records])
    lines = [f"\n{len(records)} patterns of seed {seed}, {NAMES.get(isa, isa)}: time of the library divided by the loop's",
             "  ".join(f"{name} {value:.2f} (goal {GOALS[name]:g})" for name, value in found.items()), "",
             f"{'class':36} {'number':>6} {'median':>7} {'90 %':>7} {'worst':>7}"]
    names = sorted({name for record in records for name in record["classes"]})
    for name in names:
        ratios = [record["ratio"] for record in records if name in record["classes"]]
        found = summary(ratios)
        lines.append(f"{name:36} {len(ratios):6} {found['median']:7.2f} {found['90 %']:7.2f} {found['worst']:7.2f}")
    lines.append("\nthe worst ten")
    for record in sorted(records, key=lambda record: -record["ratio"])[:10]:
        lines.append(f"{record['ratio']:7.2f}  {record['ns'] / 1e3:8.1f} us  {record['name']}: {record['text']}")
    return "\n".join(lines)


STYLE = """
.page { fill: #ffffff } text { fill: #24292f; font: 13px sans-serif } .small { font-size: 11px } .middle { text-anchor: middle } .end { text-anchor: end }
.grid { stroke: #d0d7de } .one { stroke: #24292f; stroke-dasharray: 4 3 } polyline { fill: none; stroke-width: 2 }
@media (prefers-color-scheme: dark) { .page { fill: #161b22 } text { fill: #e6edf3 } .grid { stroke: #3d444d } .one { stroke: #e6edf3 } }
"""
LEFT, TOP, WIDTH, HEIGHT = 56, 56, 640, 320  # pixels
TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)


def chart(records, seed):
    """The ratios in ascending order on a logarithmic axis, a line for each instruction set."""
    ratios = [record["ratio"] for record in records] + [1]
    low = max([tick for tick in TICKS if tick <= min(ratios)], default=TICKS[0])
    high = min([tick for tick in TICKS if tick >= max(ratios)], default=TICKS[-1])

    def y(ratio):
        return TOP + HEIGHT * (1 - math.log(min(max(ratio, low), high) / low) / math.log(high / low))

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 24} {TOP + HEIGHT + 48}" role="img">',
             "<title>Time of random patterns divided by hand-written loops'</title>", f"<style>{STYLE}</style>",
             f'<rect class="page" width="{LEFT + WIDTH + 24}" height="{TOP + HEIGHT + 48}" rx="6"/>',
             f'<text x="16" y="26">Time of random patterns (seed {seed}) divided by the loop\'s, in ascending order</text>']
    for tick in (tick for tick in TICKS if low <= tick <= high):
        parts.append(f'<line class="{"one" if tick == 1 else "grid"}" x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>')
        parts.append(f'<text class="small end" x="{LEFT - 8}" y="{y(tick) + 4:.1f}">{tick:g}</text>')
    for share in (0, 25, 50, 75, 90, 99):
        x = LEFT + WIDTH * share / 100
        parts.append(f'<text class="small middle" x="{x:.1f}" y="{TOP + HEIGHT + 20}">{share} %</text>')
    for index, isa in enumerate(dict.fromkeys(record["isa"] for record in records)):
        ordered = sorted(record["ratio"] for record in records if record["isa"] == isa)
        points = " ".join(f"{LEFT + WIDTH * (k + 0.5) / len(ordered):.1f},{y(ratio):.1f}" for k, ratio in enumerate(ordered))
        parts.append(f'<polyline points="{points}" stroke="{COLOURS.get(isa, "#888888")}"/>')
        parts.append(f'<text class="small" x="{LEFT + 12}" y="{TOP + 16 + 16 * index}" style="fill: {COLOURS.get(isa, "#888888")}">{NAMES.get(isa, isa)}</text>')
    return "\n".join([*parts, "</svg>", ""])
