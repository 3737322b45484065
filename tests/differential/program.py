"""Programs: their cases by theme, as C++ and as a file of values."""

import math
import random

import numpy as np

import dtypes
import elementwise, joining, products, reductions, views  # noqa: F401, their productions
from cases import LARGE, SMALL, Case, is_telling
from functions import BINARY, UNARY
from statements import assignments
from terms import Deck

THEMES = {
    "elementwise": {"elementwise": 8, "reduction": 0.7, "view": 0.7, "joining": 0.4},
    "reductions": {"reduction": 4, "normalisation": 3, "elementwise": 3, "view": 1},
    "moving": {"view": 5, "joining": 4, "algorithm": 2.5, "elementwise": 2, "reduction": 0.5},
    "products": {"product": 4, "normalisation": 2, "elementwise": 2, "reduction": 1, "view": 1.5},
    "assignments": {"elementwise": 4, "view": 3, "reduction": 1, "joining": 1.5, "product": 1, "normalisation": 0.5},
}
# How many nodes a tree has: each reduction, product or joined part is compiled as a loop of its own.
NODES = {"elementwise": (3, 7), "reductions": (2, 6), "moving": (2, 5), "products": (2, 4), "assignments": (0, 0)}
# Types that come up most: what users have most of.
COMMON = ["float32", "float32", "float64"]


def some_shape(rng, limits):
    """Mostly small; some of the large ones fill several vectors and blocks of a loop."""
    rank = rng.choice([0, 1, 1, 2, 2, 2, 3])
    if limits is LARGE and rank and rng.random() < 0.3:
        return tuple(rng.randrange(1, {1: 4000, 2: 65, 3: 17}[rank]) for _ in range(rank))
    if rank and rng.random() < 0.03:
        return tuple(0 if axis == 0 else 3 for axis in range(rank))
    return tuple(rng.randrange(1, {1: 33, 2: 7, 3: 4}[rank]) for _ in range(rank))


def some_dtype(case, theme):
    fitting = {"products": dtypes.NUMBERS, "elementwise": dtypes.ALL}.get(theme, dtypes.ALL)
    if case.chance(0.4):
        return case.one_of(COMMON)
    return case.least_used(fitting, lambda d: f"{theme} of {d}")[0]


def written_value(case, dtype, shape, nodes):
    """One expression of any kind."""
    show(case, case.whole(dtype, shape, nodes), dtype, shape)


def function_first(case, dtype, shape, nodes):
    """The elementwise function that came up least, of expressions."""
    function, dtype = elementwise.rarest(case, dtype)
    for _ in range(20):
        mark = case.mark()
        case.nodes_left = nodes - 1
        term = elementwise.applied(case, function, dtype, shape, nodes)
        if is_telling(term.value):
            return show(case, term, dtype, shape)
        case.undo(mark)


def show(case, term, dtype, shape):
    """Evaluates the expression or prints it."""
    stored = term.value.stored()
    if dtype != "bfloat16" and stored.is_exact() and stored.elements.size and case.chance(0.2):
        case.use("to_string")
        case.lines.append(f"values.check_text(to_string({term.text}));")
        shown = stored.elements.astype(np.float16) if dtype == "float16" else stored.elements
        case.records.append(("text", str(shown)))
    elif shape and case.chance(0.3):
        case.lines.append(f"const Array<{dtypes.CPP[dtype]}, {len(shape)}{case.place}> result = {term.text};")
        case.check("result", stored)
    else:
        case.check(f"evaluate({term.text})", stored)


def compressed(case, dtype, shape, nodes):
    """The elements where a mask is true: as many as there are."""
    case.nodes_left = nodes
    mask = case.settled("bool", shape, nodes // 2)
    x = case.operand(dtype, shape, nodes // 2)
    case.use("compress")
    case.check(f"compress({mask.text}, {x.text})", x.value.loose().stored().moved(lambda a: a[mask.value.elements]))


def make_case(number, seed, theme, deck, limits):
    """The case of this number, and again with other numbers until it is one."""
    for attempt in range(20):
        rng = random.Random(f"{seed}/{number}/{attempt}")
        case = Case(number, rng, deck, THEMES[theme], limits)
        dtype, shape, nodes = some_dtype(case, theme), some_shape(rng, limits), rng.randint(*NODES[theme])
        with np.errstate(all="ignore"):
            fill(case, theme, dtype, shape, nodes)
        if is_whole(case):
            for name in [*case.named, f"{theme} of {dtype}"]:
                deck.use(name)
            return case
    raise RuntimeError(f"no case {number} of seed {seed}")


def fill(case, theme, dtype, shape, nodes):
    """Writes the lines of the case."""
    if theme == "assignments":
        assignments(case, dtype)
    elif theme == "moving" and shape and 0 not in shape and case.chance(0.06):
        compressed(case, dtype, shape, nodes)
    elif theme == "elementwise":
        function_first(case, dtype, shape, nodes)
    else:
        written_value(case, dtype, shape, nodes)


def is_whole(case):
    """Something is checked, and nothing is large."""
    checked = [record[1].elements.size if record[0] == "result" else 1 for record in case.records if record[0] in ("result", "text")]
    return case.named and checked and max(checked) <= case.limits.result


def make_program(seed, count, themes=None, limits=SMALL):
    """{theme: cases} with `count` cases, the same number of each theme, and how often each name came up."""
    deck = Deck()
    names = list(themes or THEMES)
    programs = {theme: [] for theme in names}
    for number in range(count):
        theme = names[number * len(names) // count]
        programs[theme].append(make_case(number, seed, theme, deck, limits))
    return programs, deck.dealt


def uncovered(dealt):
    """Names of functions and reductions that no case has."""
    every = {f.name for f in UNARY + BINARY} | {reductions.key_of(entry) for entry in reductions.REDUCTIONS}
    return sorted(every - set(dealt))


# ------------------------------------------------------------------------------------------------------------------------- text


def source_text(theme, seed, cases):
    lines = [f"// Cases of seed {seed}, {theme}: written by generate.py, with their values in {theme}.txt.", '#include "case.hpp"', "",
             "namespace differential {", "namespace {", ""]
    for case in cases:
        lines += [f"const Case case_{case.number}({case.number}, [](Values& values) {{", *["  " + line for line in case.lines], "});", ""]
    return "\n".join([*lines, "}  // namespace", "}  // namespace differential", ""])


def number_text(number, dtype):
    if dtype == "bool":
        return str(int(number))
    if dtype in dtypes.INTEGERS:
        return str(int(number))
    if dtype in dtypes.COMPLEX:
        return number_text(number.real, dtypes.part(dtype)) + "," + number_text(number.imag, dtypes.part(dtype))
    return str(number).removesuffix(".0").replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")


def bound_text(bound):
    """Rounded up to two digits."""
    if bound == 0 or math.isinf(bound):
        return str(bound).removesuffix(".0")
    mantissa, exponent = f"{bound:.8e}".split("e")
    return f"{math.ceil(float(mantissa) * 10) / 10:.1f}".removesuffix(".0") + f"e{int(exponent)}"


def bounds_text(bounds):
    texts = [bound_text(float(bound)) for bound in bounds.flat]
    return texts[0] if texts and len(set(texts)) == 1 else " ".join(texts) or "0"


def values_text(seed, cases):
    lines = [f"seed {seed}"]
    for case in cases:
        lines.append(f"case {case.number}")
        for kind, *rest in case.records:
            if kind == "text":
                lines += ["text", rest[0].replace("\n", "\\n")]
            elif kind == "counted":
                dtype, shape, step = rest
                lines += [" ".join(["counted", dtype, *map(str, shape)]), str(step)]
            else:
                value = rest[0] if kind == "result" else None
                dtype, elements = (value.dtype, value.elements) if value else rest
                lines += [" ".join([kind, dtype, *map(str, elements.shape)]), " ".join(number_text(x, dtype) for x in elements.flat)]
                lines += [bounds_text(value.bound)] if value else []
    return "\n".join(lines) + "\n"
