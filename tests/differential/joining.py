"""Expressions that put elements elsewhere: joined, rolled, padded, repeated, taken, sorted, and running sums."""

import numpy as np

import dtypes
from reductions import INTEGER_SUMS, smallest, unit
from terms import Term, production
from value import Value, finite, spacing
from views import axes_text, either_sign


def joined_types(case, dtype, count):
    """The operands' element types: one, or now and then two that meet in it."""
    if case.chance(0.8):
        return [dtype] * count
    pair = list(case.one_of(dtypes.meeting_in(dtype)))
    return (pair * count)[:count] if count > 1 else [dtype]


def joined(terms, dtype, function):
    values = [Value(dtype, t.value.elements, t.value.bound).loose() for t in terms]
    return Value(dtype, function([v.elements for v in values]), function([v.bound for v in values]))


@production("joining")
def concat(case, dtype, shape, budget):
    axes = [axis for axis, extent in enumerate(shape) if extent >= 2]
    if not axes:
        return None
    axis = case.one_of(axes)
    count = case.random.randrange(2, min(shape[axis], 3) + 1)
    cuts = [0, *sorted(case.random.sample(range(1, shape[axis]), count - 1)), shape[axis]]
    types = joined_types(case, dtype, count)
    terms = [case.operand(t, shape[:axis] + (high - low,) + shape[axis + 1:], budget - 2) for t, low, high in zip(types, cuts, cuts[1:])]
    return Term(join_text(case, "concat", axis, len(shape), terms, dtype, len(shape)), joined(terms, dtype, lambda x: np.concatenate(x, axis)))


@production("joining")
def stack(case, dtype, shape, budget):
    axes = [axis for axis, extent in enumerate(shape) if 1 <= extent <= 3]
    if not axes or len(shape) < 2:
        return None
    axis = case.one_of(axes)
    types = joined_types(case, dtype, shape[axis])
    terms = [case.operand(t, shape[:axis] + shape[axis + 1:], budget - 2) for t in types]
    return Term(join_text(case, "stack", axis, len(shape), terms, dtype, len(shape) - 1), joined(terms, dtype, lambda x: np.stack(x, axis)))


def join_text(case, name, axis, rank, terms, dtype, operand_rank):
    case.use(name)
    texts = ", ".join(term.text for term in terms)
    if all(term in case.variables and term.value.dtype == dtype for term in terms):
        case.use(name + " of a vector")
        texts = f"std::vector<Array<{dtypes.CPP[dtype]}, {operand_rank}{case.place}>>{{{texts}}}"
    return f"{name}<{either_sign(case, axis, rank)}>({texts})"


def one_axis(case, shape):
    axes = [axis for axis, extent in enumerate(shape) if extent > 0]
    return case.one_of(axes) if axes else None


@production("joining")
def roll(case, dtype, shape, budget):
    if not shape:
        return None
    axes = case.random.sample(range(len(shape)), case.random.randrange(1, len(shape) + 1))
    shifts = [case.random.randrange(-7, 8) for _ in axes]
    x = case.operand(dtype, shape, budget - 1)
    case.use("roll")
    named = axes_text([either_sign(case, axis, len(shape)) for axis in axes])
    return Term(f"roll<{named}>({x.text}, {axes_text(shifts)})", x.value.loose().moved(lambda a: np.roll(a, shifts, axes)))


@production("joining")
def pad(case, dtype, shape, budget):
    if not shape or 0 in shape:
        return None
    mode = case.least_used(["constant", "edge", "reflect", "wrap"], lambda m: "pad " + m)[0]
    widths, full = [], []
    for extent in shape:
        before = case.random.randrange(0, min(extent, 3))
        after = case.random.randrange(0, min(extent - before, 3))
        core = extent - before - after
        reach = {"constant": 9, "edge": 9, "reflect": core - 1, "wrap": core}[mode]
        before, after = min(before, reach), min(after, reach)
        widths.append((before, after))
        full.append(extent - before - after)
    case.use("pad " + mode)
    x = case.operand(dtype, tuple(full), budget - 1)
    pairs = ", ".join(f"{{{before}, {after}}}" for before, after in widths)
    if mode == "constant":
        fill = case.random.randrange(0, 3)
        text = {"bool": str(bool(fill)).lower()}.get(dtype, str(fill))
        elements = np.pad(x.value.elements, widths, constant_values=fill)
        value = Value(dtype, elements, np.pad(x.value.loose().bound, widths))
        return Term(f"pad({x.text}, {{{pairs}}}, {text})", value)
    return Term(f"pad({x.text}, {{{pairs}}}, PadMode::{mode})", x.value.loose().moved(lambda a: np.pad(a, widths, mode)))


@production("joining")
def tile(case, dtype, shape, budget):
    if not shape or 0 in shape:
        return None
    times = [case.one_of([t for t in (1, 2, 3) if extent % t == 0]) for extent in shape]
    x = case.operand(dtype, tuple(extent // t for extent, t in zip(shape, times)), budget - 1)
    case.use("tile")
    return Term(f"tile({x.text}, {{{axes_text(times)}}})", x.value.loose().moved(lambda a: np.tile(a, times)))


@production("joining")
def repeat(case, dtype, shape, budget):
    axis = one_axis(case, shape)
    if axis is None:
        return None
    times = case.one_of([t for t in (1, 2, 3, 4, 5) if shape[axis] % t == 0])
    x = case.operand(dtype, shape[:axis] + (shape[axis] // times,) + shape[axis + 1:], budget - 1)
    case.use("repeat")
    return Term(f"repeat<{either_sign(case, axis, len(shape))}>({x.text}, {times})", x.value.loose().moved(lambda a: np.repeat(a, times, axis)))


@production("joining")
def take(case, dtype, shape, budget):
    """Slices by their numbers, of which some count from the end."""
    if not shape:
        return None
    rows = case.random.randrange(1, 6)
    x = case.operand(dtype, (rows, *shape[1:]), budget - 1)
    indices = [case.random.randrange(-rows, rows) for _ in range(shape[0])]
    if not indices:
        return None
    case.use("take")
    dtype_text = case.one_of(["std::int64_t", "std::int32_t"])
    text = f"take({x.text}, make_array<{dtype_text}>({{{axes_text(indices)}}}))"
    return Term(text, x.value.loose().moved(lambda a: a[np.array(indices)]))


# -------------------------------------------------------------------------------------------------------------------- algorithms


def order_of(x, axis, descending):
    """Positions in the order of sort(): equal elements and NaN keep theirs, NaN come last."""
    if x.dtype.kind == "f":
        ordered = np.where(np.isnan(x), 0, -x if descending else x)
        return np.lexsort((ordered, np.isnan(x)), axis) if x.ndim == 1 else along(lambda row: order_of(row, 0, descending), x, axis)
    if descending:
        return along(lambda row: np.array(sorted(range(len(row)), key=lambda i: -int(row[i])), np.int64), x, axis)
    return np.argsort(x, axis, kind="stable")


def along(function, x, axis):
    return np.apply_along_axis(function, axis, x) if x.size else np.zeros(x.shape, np.int64)


def sorted_elements(x, axis, descending):
    """As sort() has it: -0 before 0."""
    if x.dtype.kind == "f":
        by_sign = np.take_along_axis(x, order_of(np.copysign(1, x), axis, descending), axis)
        return np.take_along_axis(by_sign, order_of(by_sign, axis, descending), axis)
    return np.take_along_axis(x, order_of(x, axis, descending), axis)


@production("algorithm")
def sort(case, dtype, shape, budget):
    axis = one_axis(case, shape)
    if axis is None or dtype not in dtypes.REAL + ["bool"]:
        return None
    x = case.settled(dtype, shape, budget - 1)
    descending = case.chance(0.4)
    case.use("sort descending" if descending else "sort")
    named = "" if axis == len(shape) - 1 and case.chance(0.5) else f"<{axis}>"
    return Term(f"sort{named}({x.text}{', descending' if descending else ''})", Value(dtype, sorted_elements(x.value.elements, axis, descending)))


@production("algorithm")
def argsort(case, dtype, shape, budget):
    axis = one_axis(case, shape)
    if axis is None or dtype != "int64":
        return None
    taken = case.one_of(dtypes.REAL + ["bool"])
    x = case.settled(taken, shape, budget - 1)
    descending = case.chance(0.4)
    case.use("argsort descending" if descending else "argsort")
    named = "" if axis == len(shape) - 1 and case.chance(0.5) else f"<{axis}>"
    return Term(f"argsort{named}({x.text}{', descending' if descending else ''})", Value("int64", order_of(x.value.elements, axis, descending)))


@production("algorithm")
def running(case, dtype, shape, budget):
    """cumulative_sum and cumulative_prod."""
    axis = one_axis(case, shape)
    if axis is None or dtype in dtypes.INTEGERS and dtype not in INTEGER_SUMS or dtype == "bool":
        return None
    name = case.least_used(["cumulative_sum", "cumulative_prod"])[0]
    is_sum = name == "cumulative_sum"
    taken = case.one_of(INTEGER_SUMS[dtype]) if dtype in INTEGER_SUMS else dtype
    x = case.settled(taken, shape, budget - 1)
    case.use(name)
    named = "" if len(shape) == 1 and case.chance(0.5) else f"<{axis}>"
    text = f"{name}{named}({x.text})"
    function = np.cumsum if is_sum else np.cumprod
    if dtype in dtypes.INTEGERS:
        return Term(text, Value(dtype, function(x.value.elements.astype(dtype), axis=axis)))
    wide = x.value.elements.astype(dtypes.wide(dtype))
    value = Value(dtype, function(wide, axis=axis))
    size = finite(function(np.abs(wide), axis=axis).astype(float))
    steps = 1 if is_sum else shape[axis]
    own = 2.0**-53 if dtype not in dtypes.COMPLEX else unit(dtype) * 4 * shape[axis]
    value.bound = 2 * spacing(value.elements) + 4 * own * steps * size + smallest(dtype)
    value.bound = np.where(np.isfinite(value.elements) | (dtype not in dtypes.COMPLEX), value.bound, np.inf)
    return Term(text, value.stored() if dtype in dtypes.HALVES else value)
