"""Draws patterns: an elementwise expression, a reduction or a copy of operands that lie in memory in every way that views allow."""

import dataclasses
import math

TYPES = {  # name: (of the library, of a loop, bytes, floating)
    "f32": ("float", "float", 4, True),
    "f64": ("double", "double", 8, True),
    "f16": ("float16", "_Float16", 2, True),
    "bf16": ("bfloat16", "Bfloat16", 2, True),
    "i32": ("std::int32_t", "std::int32_t", 4, False),
    "i64": ("std::int64_t", "std::int64_t", 8, False),
    "u64": ("std::uint64_t", "std::uint64_t", 8, False),
    "i16": ("std::int16_t", "std::int16_t", 2, False),
    "u8": ("std::uint8_t", "std::uint8_t", 1, False),
}
COMPUTED = ("f32", "f64", "i32", "i64", "i16", "u8")
LEAST_BYTES, MOST_BYTES = 100_000, 8_000_000
SHORT = 16  # an inner axis of up to so many elements is a short one


@dataclasses.dataclass
class Operand:
    dtype: str
    extents: list  # 1 where it repeats
    strides: list  # of elements; 0 where it repeats
    style: str

    @property
    def reach(self):
        """The lowest and the highest position that it touches."""
        ends = [(extent - 1) * stride for extent, stride in zip(self.extents, self.strides)]
        return sum(min(end, 0) for end in ends), sum(max(end, 0) for end in ends)

    @property
    def elements(self):
        low, high = self.reach
        return high - low + 1

    @property
    def bytes(self):
        return self.elements * TYPES[self.dtype][2]


@dataclasses.dataclass
class Pattern:
    kind: str
    extents: list
    target: Operand
    leaves: list
    expression: tuple  # ("leaf", k), ("cast", dtype, x), ("scalar", value) or (function, ...)
    computed: str  # the type in which it is computed
    reduced: list = dataclasses.field(default_factory=list)
    operation: str = ""

    @property
    def bytes(self):
        return self.target.bytes + sum(leaf.bytes for leaf in self.leaves)


def weighted(draw, choices):
    return draw.choices(list(choices), list(choices.values()))[0]


def draw_extents(draw, rank, elements):
    """A shape of about so many elements; the last axis is short, of medium length or long."""
    if rank == 1:
        return [elements]
    extents = [draw.choice((draw.randint(2, 8), draw.randint(9, 64))) for _ in range(rank)]
    inner = weighted(draw, {"short": 30, "medium": 25, "long": 45})
    if inner == "short":
        extents[-1] = draw.choice((2, 3, 3, 4, 4, 5, 6, 7, 8, draw.randint(9, SHORT)))
    elif inner == "medium":
        extents[-1] = draw.randint(SHORT + 1, 128)
    rest = [axis for axis in range(rank) if not (axis == rank - 1 and inner != "long")]
    growing = rank - 1 if inner == "long" else draw.choice(rest)
    others = math.prod(extents) // extents[growing]
    while others > elements // 2:
        axis = max((axis for axis in range(rank) if axis != growing), key=lambda axis: extents[axis])
        others = others // extents[axis] * max(extents[axis] // 2, 1)
        extents[axis] = max(extents[axis] // 2, 1)
    length = max(elements // others, 2)
    if inner == "long" and rank > 1 and draw.random() < 0.6:  # not all of it in the last axis
        share = draw.randint(2, max(2, int(math.sqrt(length))))
        extents[draw.randrange(rank - 1)] *= share
        length = max(length // share, 2)
    extents[growing] = length
    return extents


def draw_operand(draw, dtype, extents, styles, repeats=0.0):
    """An operand over the extents, laid out in one of the styles."""
    rank = len(extents)
    style = weighted(draw, styles)
    order = list(range(rank))
    steps, signs, gaps = [1] * rank, [1] * rank, [0] * rank
    if style in ("permuted", "wild"):
        draw.shuffle(order)
    if style in ("stepped", "wild"):
        steps[-1 if draw.random() < 0.7 else draw.randrange(rank)] = draw.choice((2, 2, 2, 3, 3, 4, 4, draw.randint(5, 9)))
    if style in ("reversed", "wild"):
        for axis in range(rank):
            signs[axis] = draw.choice((1, -1))
        signs[-1 if draw.random() < 0.8 else draw.randrange(rank)] = -1
    if style in ("sliced", "wild"):
        for axis in range(rank):
            gaps[axis] = draw.choice((0, 1, draw.randint(1, 9)))
    own = list(extents)
    if draw.random() < repeats:
        where = weighted(draw, {"rows": 40, "columns": 25, "any": 35})
        cut = draw.randint(1, rank)
        for axis in range(rank):
            if {"rows": axis < cut, "columns": axis >= rank - cut, "any": draw.random() < 0.5}[where]:
                own[axis] = 1
        if rank > 1 and where != "any" and all(extent == 1 for extent in own):
            own[-1 if where == "rows" else 0] = extents[-1 if where == "rows" else 0]
        style += "+repeated"
    strides, pitch = [0] * rank, 1
    for axis in reversed(order):
        strides[axis] = 0 if own[axis] == 1 else pitch * steps[axis] * signs[axis]
        pitch *= own[axis] * (steps[axis] if own[axis] > 1 else 1) + gaps[axis]
    return Operand(dtype, own, strides, style)


def draw_expression(draw, computed, dtypes):
    """A tree over all leaves, each brought to the type in which it is computed."""
    floating = TYPES[computed][3]
    parts = [("leaf", k) if dtype == computed else ("cast", computed, ("leaf", k)) for k, dtype in enumerate(dtypes)]
    binary = {"+": 35, "-": 20, "*": 25, "maximum": 5, "minimum": 5, "where": 5} | ({"/": 5} if floating else {})

    def decorated(part, chance):
        if draw.random() >= chance:
            return part
        choices = ["abs", "scaled", "shifted"] + (["sqrt"] if floating else [])
        function = draw.choice(choices)
        if function == "scaled":
            return ("*", part, ("scalar", draw.choice((2, 3, 5))))
        if function == "shifted":
            return ("+", part, ("scalar", draw.choice((1, 7))))
        if function == "abs" and computed == "u8":
            return ("+", part, ("scalar", 3))
        return ("sqrt", ("abs", part)) if function == "sqrt" else ("abs", part)

    if len(parts) == 1:
        return decorated(parts[0], 1.0)
    while len(parts) > 1:
        a = parts.pop(draw.randrange(len(parts)))
        b = parts.pop(draw.randrange(len(parts)))
        function = weighted(draw, binary)
        if function == "/":
            joined = ("/", a, ("+", ("abs", b), ("scalar", 1)))
        elif function == "where":
            joined = ("where", a, b, decorated(a, 0.5))
        else:
            joined = (function, a, b)
        parts.append(decorated(joined, 0.2))
    return parts[0]


LEAF_STYLES = {"plain": 40, "sliced": 8, "stepped": 15, "reversed": 14, "permuted": 16, "wild": 7}
TARGET_STYLES = {"plain": 68, "sliced": 8, "stepped": 8, "reversed": 5, "permuted": 6, "wild": 5}
MAIN_TYPES = {"f32": 50, "f64": 16, "i32": 14, "i64": 4, "i16": 6, "u8": 10}
OTHER_TYPES = {"f32": 25, "f64": 15, "f16": 12, "bf16": 8, "i32": 20, "i64": 5, "i16": 5, "u8": 10}


def draw_once(draw, elements):
    kind = weighted(draw, {"elementwise": 50, "reduction": 35, "copy": 15})
    rank = weighted(draw, {1: 10, 2: 35, 3: 30, 4: 15, 5: 10})
    computed = weighted(draw, MAIN_TYPES)
    count = 1 if kind == "copy" else weighted(draw, {1: 25, 2: 35, 3: 20, 4: 10, 5: 5, 6: 5})
    dtypes = [computed]
    for _ in range(count - 1):
        dtypes.append(computed if draw.random() < 0.8 else weighted(draw, OTHER_TYPES))
    dtypes = [dtype if not (TYPES[dtype][3] and not TYPES[computed][3]) else computed for dtype in dtypes]
    if kind == "copy" and draw.random() < 0.3:
        dtypes = [draw.choice(("f16", "bf16", "u8", "f64", "i16"))]
        computed = dtypes[0]
    extents = draw_extents(draw, rank, elements)
    rank = len(extents)
    leaves = [draw_operand(draw, dtype, extents, LEAF_STYLES, 0.0 if k == 0 else 0.35) for k, dtype in enumerate(dtypes)]
    if kind == "copy":
        return Pattern(kind, extents, draw_operand(draw, computed, extents, TARGET_STYLES), leaves, ("leaf", 0), computed)
    expression = draw_expression(draw, computed, dtypes)
    if kind == "elementwise":
        written = computed
        if draw.random() < 0.12:
            written = draw.choice(("f32", "f64", "f16", "bf16") if TYPES[computed][3] else ("i32", "i64", "f32", "i16", "u8"))
        if written != computed:
            expression = ("cast", written, expression)
        return Pattern(kind, extents, draw_operand(draw, written, extents, TARGET_STYLES), leaves, expression, computed)
    if count == 1 and draw.random() < 0.6:
        expression = ("leaf", 0)
    reduced = sorted(draw.sample(range(rank), draw.randint(1, max(1, rank - 1))))
    operation = weighted(draw, {"sum": 60, "max": 15, "min": 10, "mean": 15 if TYPES[computed][3] else 0})
    written = computed if TYPES[computed][3] or operation != "sum" else "u64" if computed == "u8" else "i64"
    kept = [1 if axis in reduced else extent for axis, extent in enumerate(extents)]
    target = draw_operand(draw, written, kept, {"plain": 85, "permuted": 10, "stepped": 5})
    return Pattern(kind, extents, target, leaves, expression, computed, reduced, operation)


def draw_pattern(draw):
    """A pattern whose operands have 0.1 to 8 MB together."""
    wanted = math.exp(draw.uniform(math.log(1.3 * LEAST_BYTES), math.log(0.8 * MOST_BYTES)))
    elements = int(wanted / 8)
    while True:
        pattern = draw_once(draw, max(elements, 64))
        if LEAST_BYTES <= pattern.bytes <= MOST_BYTES:
            return pattern
        elements = min(max(int(elements * wanted / pattern.bytes), 64), 4_000_000)


# ------------------------------------------------------------------------------------------------------------- in words


def text_of(expression):
    head = expression[0]
    if head == "leaf":
        return f"x{expression[1]}"
    if head == "scalar":
        return str(expression[1])
    if head == "cast":
        return f"{expression[1]}({text_of(expression[2])})"
    parts = [text_of(part) for part in expression[1:]]
    if head in "+-*/":
        return f"({parts[0]} {head} {parts[1]})"
    return f"{head}({', '.join(parts)})"


def describe(pattern):
    shape = "x".join(str(extent) for extent in pattern.extents)
    value = text_of(pattern.expression)
    if pattern.reduced:
        value = f"{pattern.operation}<{','.join(map(str, pattern.reduced))}>({value})"
    operands = [("y", pattern.target)] + [(f"x{k}", leaf) for k, leaf in enumerate(pattern.leaves)]
    layouts = " ".join(f"{name}:{operand.dtype}({','.join(map(str, operand.strides))})" for name, operand in operands)
    return f"[{shape}] y = {value}; {layouts}"


def classes(pattern):
    """The classes to which a pattern belongs."""
    names = [pattern.kind]
    kind = "reduction" if pattern.kind == "reduction" else "elementwise"
    operands = [pattern.target, *pattern.leaves]
    full = [operand for operand in operands if any(operand.strides)]
    inner = max((axis for axis, extent in enumerate(pattern.extents) if extent > 1), default=0)
    if any(operand.strides[inner] < 0 for operand in full):
        names.append(f"{kind}: reversed")
    if any(min((abs(s) for s in operand.strides if s), default=1) > 1 for operand in pattern.leaves):
        names.append(f"{kind}: stepped leaf")
    if pattern.extents[inner] <= SHORT and len(pattern.extents) > 1:
        names.append(f"{kind}: short inner axis")
    nearest = {min((abs(s), -axis) for axis, s in enumerate(operand.strides) if s)[1] for operand in full}
    if kind == "elementwise" and len(nearest) > 1 and any("permuted" in operand.style or "wild" in operand.style for operand in operands):
        names.append("elementwise: transposed")
    if kind == "reduction" and any("permuted" in leaf.style or "wild" in leaf.style for leaf in pattern.leaves):
        names.append("reduction: transposed")
    if any("repeated" in leaf.style for leaf in pattern.leaves):
        names.append(f"{kind}: repeated operand")
    if kind == "elementwise" and pattern.target.style not in ("plain", "sliced"):
        names.append("elementwise: strided target")
    if kind == "reduction":
        names.append("reduction: inner axis" if inner in pattern.reduced else "reduction: outer axes")
    if len({operand.dtype for operand in operands}) > 1 and not (kind == "reduction" and len({leaf.dtype for leaf in pattern.leaves}) == 1):
        names.append(f"{kind}: mixed types")
    if all(operand.style == "plain" for operand in operands):
        names.append(f"{kind}: all plain")
    return names
