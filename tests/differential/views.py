"""Expressions that see their operand in another order or shape: of arrays they share the storage, of expressions they are lazy."""

import math

import numpy as np

from slices import indexed, one_position, operand_extents, slice_range, slice_to
from terms import Term, production


def axes_text(axes):
    return ", ".join(str(axis) for axis in axes)


def either_sign(case, axis, rank):
    return axis - rank if case.chance(0.3) else axis


@production("view")
def sliced(case, dtype, shape, budget):
    """Ranges, integers and new axes."""
    fresh = {axis for axis, extent in enumerate(shape) if extent == 1 and case.chance(0.3)}
    kept = tuple(extent for axis, extent in enumerate(shape) if axis not in fresh)
    full = operand_extents(case.random, kept, case.limits.sliced)
    if full is None or 0 in full:
        return None
    x = case.operand(dtype, full, budget - 1)
    if not fresh:
        return slice_to(case.random, x, shape)
    dropped = len(full) - len(kept)
    texts, index, axis = [], [], 0
    for position in range(dropped):
        text, number = one_position(case.random, full[position])
        texts.append(text)
        index.append(number)
    for place, extent in enumerate(shape):
        if place in fresh:
            texts.append("newaxis")
            index.append(None)
            continue
        pick = slice_range(case.random, full[dropped + axis], extent)
        if pick is None:
            return None
        texts.append(pick[0])
        index.append(pick[1])
        axis += 1
    return indexed(x, texts, index)


@production("view")
def transposed(case, dtype, shape, budget):
    rank = len(shape)
    if rank < 2:
        return None
    order = case.random.sample(range(rank), rank)
    first, second = case.random.sample(range(rank), 2)
    kind = case.one_of(["T", "transpose", "swapaxes", "moveaxis", "matrix_transpose"])
    if kind == "T":
        order = list(range(rank))[::-1]
    if kind == "matrix_transpose":
        first, second = rank - 2, rank - 1
    if kind in ("swapaxes", "matrix_transpose"):
        order = list(range(rank))
        order[first], order[second] = second, first
    if kind == "moveaxis":
        order = [axis for axis in range(rank) if axis != first]
        order.insert(second, first)
    full = [0] * rank
    for place, axis in enumerate(order):
        full[axis] = shape[place]
    x = case.operand(dtype, tuple(full), budget - 1)
    text = {"T": f"{x.text}.T()", "transpose": f"transpose({x.text}, {{{axes_text(order)}}})", "matrix_transpose": f"matrix_transpose({x.text})"}
    pair = f"{either_sign(case, first, rank)}, {either_sign(case, second, rank)}"
    case.use(kind)
    return Term(text.get(kind, f"{kind}({x.text}, {pair})"), x.value.moved(lambda a: np.transpose(a, order)), x.is_array)


def factors(random, size, rank):
    """A random shape of that many elements."""
    shape = [1] * rank
    for prime in prime_factors(size):
        shape[random.randrange(rank)] *= prime
    return tuple(shape)


def prime_factors(number):
    found, factor = [], 2
    while number > 1:
        while number % factor == 0:
            found.append(factor)
            number //= factor
        factor += 1
    return found


@production("view")
def reshaped(case, dtype, shape, budget):
    size = math.prod(shape)
    if size == 0 or not shape:
        return None
    full = factors(case.random, size, case.random.randrange(1, 4))
    x = case.operand(dtype, full, budget - 1)
    value = x.value.moved(lambda a: a.reshape(shape))
    if len(shape) == 1 and case.chance(0.5):
        case.use("flatten")
        return Term(f"flatten({x.text})", value)
    case.use("reshape")
    extents = list(shape)
    if case.chance(0.3):
        extents[case.random.randrange(len(extents))] = -1
    form = case.random.random()
    inner = axes_text(extents)
    text = f"reshape({x.text}, {inner})" if form < 0.4 else f"{x.text}.reshape({inner})" if form < 0.7 else f"reshape({x.text}, {{{inner}}})"
    return Term(text, value)


@production("view")
def flipped(case, dtype, shape, budget):
    if not shape:
        return None
    rank = len(shape)
    axes = sorted(case.random.sample(range(rank), case.random.randrange(0, rank + 1)))
    x = case.operand(dtype, shape, budget - 1)
    case.use("flip")
    named = f"<{axes_text([either_sign(case, axis, rank) for axis in axes])}>" if axes else ""
    return Term(f"flip{named}({x.text})", x.value.moved(lambda a: np.flip(a, tuple(axes) or None)), x.is_array)


@production("view")
def expanded(case, dtype, shape, budget):
    """New axes of extent 1, or such axes taken away."""
    ones = [axis for axis, extent in enumerate(shape) if extent == 1]
    if ones and case.chance(0.6):
        axes = sorted(case.random.sample(ones, case.random.randrange(1, len(ones) + 1)))
        x = case.operand(dtype, tuple(e for axis, e in enumerate(shape) if axis not in axes), budget - 1)
        case.use("expand_dims")
        return Term(f"expand_dims<{axes_text(axes)}>({x.text})", x.value.moved(lambda a: np.expand_dims(a, tuple(axes))), x.is_array)
    if len(shape) > 2:
        return None
    axis = case.random.randrange(len(shape) + 1)
    x = case.operand(dtype, shape[:axis] + (1,) + shape[axis:], budget - 1)
    case.use("squeeze")
    return Term(f"squeeze<{axis}>({x.text})", x.value.moved(lambda a: np.squeeze(a, axis)), x.is_array)


@production("view")
def broadcast(case, dtype, shape, budget):
    if not shape:
        return None
    start = case.random.randrange(len(shape))
    full = tuple(1 if case.chance(0.4) else extent for extent in shape[start:])
    x = case.operand(dtype, full, budget - 1)
    case.use("broadcast_to")
    return Term(f"broadcast_to({x.text}, Dim{{{axes_text(shape)}}})", x.value.moved(lambda a: np.broadcast_to(a, shape).copy()))


@production("view")
def windows(case, dtype, shape, budget):
    """The last axis runs through a window that slides along another one."""
    if len(shape) < 2 or 0 in shape:
        return None
    rank = len(shape) - 1
    axis = case.random.randrange(rank)
    width = shape[-1]
    full = tuple(extent + width - 1 if place == axis else extent for place, extent in enumerate(shape[:-1]))
    x = case.operand(dtype, full, budget - 1)
    case.use("sliding_window")
    view = x.value.moved(lambda a: np.lib.stride_tricks.sliding_window_view(a, width, axis).copy())
    named = "" if rank == 1 and case.chance(0.5) else f"<{either_sign(case, axis, rank)}>"
    return Term(f"sliding_window{named}({x.text}, {{{width}}})", view)


@production("view")
def borrowed(case, dtype, shape, _budget):
    """A window on an array's memory, without a reference count."""
    if not shape or case.may_write:
        return None
    x = case.input(dtype, shape)
    case.use("borrow")
    function = case.one_of(["borrow", "make_view"])
    return Term(f"{function}({x.text}.data(), Dim{{{axes_text(shape)}}})", x.value)
