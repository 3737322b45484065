"""Programs that write: through views, by compound operators, by `=` on a name, beside other names of the same elements."""

import numpy as np

import dtypes
import elementwise
import statements
from functions import BINARY
from slices import indexed, one_position, slice_range
from terms import Term
from value import Value


def some_dtype(case):
    return case.one_of(["float32", "float64", "int32", "int64"]) if case.chance(0.4) else case.least_used(dtypes.ALL, lambda d: f"tree of {d}")[0]


def view_to_write(case, variable):
    shape = variable.value.shape
    if case.chance(0.2) and len(shape) > 1:
        return Term(f"{variable.text}.T()", variable.value.moved(np.transpose))
    if case.chance(0.1) or 0 in shape:
        return Term(f"{variable.text}(ellipsis)", variable.value)
    texts, index = [], []
    for extent in shape:
        one = len(shape) > 1 and case.chance(0.2)
        text, pick = one_position(case.random, extent) if one else slice_range(case.random, extent, case.random.randrange(1, extent + 1))
        texts.append(text)
        index.append(pick)
    return indexed(variable, texts, index)


def written(case, variable):
    """Elements through a view, by an expression or a number."""
    target = view_to_write(case, variable)
    number = case.chance(0.3) and elementwise.scalar(case, variable.value.dtype)
    source = number or statements.source_of(case, variable.value.dtype, target.value.shape)
    case.lines.append(f"{target.text} = {source.text}")
    statements.written(target.value, Value(source.value.dtype, source.value.elements.copy(), source.value.bound.copy()))


def compound(case, variable):
    dtype = variable.value.dtype
    function = case.one_of([f for f in BINARY if f.name in ("add", "subtract", "multiply", "divide") and dtype in f.takes] or [None])
    if function is None:
        return
    target = variable if case.chance(0.5) else view_to_write(case, variable)
    shape = target.value.shape
    number = case.chance(0.25) and elementwise.scalar(case, dtype)
    source = number or case.whole(dtype, elementwise.broadcastable(case, shape), case.one_of([0, 1, 1, 2]))
    value = function.value(elementwise.together([target.value, source.value], shape, dtype), dtype)
    if not np.all(np.isfinite(value.elements)):
        return
    case.lines.append(f"{target.text} {statements.COMPOUND[function.name]} {source.text}")
    statements.written(target.value, value)


def named_again(case, variable):
    """`=` on a name: an array is shared, an expression computed, a number fills; other names keep what they see."""
    kind = case.random.random()
    if kind < 0.25 and (number := elementwise.scalar(case, variable.value.dtype)):
        case.lines.append(f"{variable.text} = {number.text}")
        filled = np.broadcast_to(number.value.elements, variable.value.shape).copy()
        variable.value = Value(variable.value.dtype, filled)
        return
    dtype = some_dtype(case)
    source = case.whole(dtype, some_small_shape(case.random), case.one_of([0, 1, 1, 2]))
    shares = source.group == "dynamic view" and not source.is_array  # as a view of another shape or a read-only one does
    case.lines.append(f"{variable.text} = copy({source.text})" if shares else f"{variable.text} = {source.text}")
    if source.is_array:
        variable.value = source.value
        return
    stored = source.value.stored()
    variable.value = Value(stored.dtype, stored.elements.copy(), stored.bound.copy())


def some_small_shape(rng):
    rank = rng.choice([0, 1, 2, 2, 3, 4])
    return tuple(rng.randrange(1, {1: 12, 2: 6, 3: 4, 4: 3}[rank]) for _ in range(rank))


def assignments(case):
    """A few statements on arrays that share their elements; all names are checked at the end."""
    case.may_write = True
    first = case.input(some_dtype(case), some_small_shape(case.random))
    names = [first]
    if case.chance(0.7):
        names.append(case.declare(first.text, first.value))
    if case.chance(0.5):
        view = view_to_write(case, first)
        names.append(case.declare(view.text, view.value))
    for _ in range(case.random.randint(2, 5)):
        mark = case.mark()
        step = case.one_of([written, written, compound, compound, named_again])
        lines = len(case.lines)
        step(case, case.one_of(names))
        if len(case.lines) == lines or case.lines[-1].startswith(("auto", "input")):
            case.undo(mark)
            continue
        case.use(step.__name__)
    for name in names:
        case.check(name.text, name.value)
