"""Programs that are refused, and leave their arrays as they were."""

import math

import numpy as np

import dtypes
import views
from functions import UNARY
from rules import Retry
from writing import some_small_shape


def plain(case, dtype, shape):
    return case.stored(dtype, case.elements(dtype, shape))


def no_common_type(case):
    pairs = [(a, b) for a in dtypes.ALL for b in dtypes.ALL if dtypes.promoted(a, b) is None]
    first, second = case.one_of(pairs)
    shape = some_small_shape(case.random)
    a, b = plain(case, first, shape), plain(case, second, shape)
    c = plain(case, "bool", shape)
    text = case.one_of([f"({a.text} + {b.text})", f"({a.text} < {b.text})", f"maximum({a.text}, {b.text})", f"where({c.text}, {a.text}, {b.text})",
                        f"pow({a.text}, {b.text})", f"({a.text} == {b.text})"])
    case.refused(f"check {text}", "DTypeError")


def function_of_another_type(case):
    function = case.one_of(UNARY)
    takes = {t for f in UNARY if f.name == function.name for t in f.takes}
    others = [t for t in dtypes.ALL if t not in takes]
    if not others:
        raise Retry
    a = plain(case, case.one_of(others), some_small_shape(case.random))
    case.refused(f"check {function.text([a.text], False)}", "DTypeError")


def shapes_apart(case):
    shape = list(some_small_shape(case.random)) or [2]
    axis = case.random.randrange(len(shape))
    other = list(shape)
    shape[axis], other[axis] = 2, case.one_of([3, 4])
    a, b = plain(case, "float32", tuple(shape)), plain(case, "float32", tuple(other))
    text = case.one_of([f"({a.text} + {b.text})", f"atan2({a.text}, {b.text})", f"where(({a.text} < 0), {a.text}, {b.text})"])
    case.refused(f"check {text}", "ShapeError")
    case.refused(f"{a.text}(ellipsis) = {b.text}", "ShapeError")
    case.refused(f"{a.text} += {b.text}", "ShapeError")
    case.check(a.text, a.value)


def axis_out_of_range(case):
    shape = some_small_shape(case.random) or (3,)
    a = plain(case, case.one_of(["int32", "float64"]), shape)
    rank = len(shape)
    axis = case.one_of([rank, rank + 3, -rank - 1, 2**31 - 1, -(2**31)])
    case.refused(f"check {case.one_of(['sum', 'max', 'argmin', 'any', 'mean'])}<{axis}>({a.text})", "IndexError")
    case.refused(f"check sum<0, {-rank}>({a.text})", "IndexError")
    case.refused(f"check transpose({a.text}, {{{views.axes_text([*range(rank - 1), rank])}}})", "IndexError")


def index_out_of_range(case):
    shape = some_small_shape(case.random) or (3,)
    a = plain(case, "int16", shape)
    extent = shape[0]
    case.refused(f"check {a.text}({case.one_of([extent, -extent - 1, 2**62])}, ellipsis)", "IndexError")
    case.refused(f"check {a.text}({', '.join(['all'] * (len(shape) + 1))})", "IndexError")
    case.refused(f"check {a.text}(ellipsis, ellipsis)", "IndexError")
    case.refused(f"check {a.text}(range(none, none, 0))", "IndexError")


def shape_of_other_size(case):
    shape = some_small_shape(case.random)
    a = plain(case, "uint8", shape)
    case.refused(f"check reshape({a.text}, {{{math.prod(shape) + 1}}})", "ShapeError")
    case.refused(f"check reshape({a.text}, {{-1, -1}})", "ShapeError")
    case.refused(f"check broadcast_to({a.text}, {{{views.axes_text([*(e + 2 for e in shape[:-1]), 3 * (shape or (1,))[-1] + 2])}}})",
                 "ShapeError" if any(e != 1 for e in shape) else None)


def narrowed(case):
    pairs = [(a, b) for a in dtypes.ALL for b in dtypes.ALL if b not in dtypes.assignable_to(a) and not (a in dtypes.COMPLEX and b in dtypes.FLOATING)]
    to, source = case.one_of(pairs)
    shape = some_small_shape(case.random)
    a, b = plain(case, to, shape), plain(case, source, shape)
    case.refused(f"{a.text}(ellipsis) = {b.text}", "DTypeError")
    case.check(a.text, a.value)


def read_only(case):
    a = plain(case, "float32", (1, 3))
    b = case.declare(f"broadcast_to({a.text}, {{4, 3}})", a.value.moved(lambda x: np.broadcast_to(x, (4, 3)).copy()))
    case.refused(f"{b.text} += 1", "DTypeError")
    case.refused(f"{b.text}(0, all) = 2.5", "DTypeError")
    case.check(b.text, b.value)


REFUSALS = [no_common_type, function_of_another_type, shapes_apart, axis_out_of_range, index_out_of_range, shape_of_other_size, narrowed, read_only]


def refusals(case):
    case.one_of(REFUSALS)(case)
