"""Cases that write: through views, by compound operators, by `=` on a name, over their own operands."""

import re

import numpy as np

import dtypes
import joining
from cases import LARGE
from elementwise import broadcastable, scalar, together
from functions import BINARY
from slices import one_position, slice_range, indexed
from terms import Term
from value import Value

COMPOUND = {"add": "+=", "subtract": "-=", "multiply": "*=", "divide": "/=", "operator%": "%=", "bitwise_and": "&=", "bitwise_or": "|=",
            "bitwise_xor": "^=", "bitwise_left_shift": "<<=", "bitwise_right_shift": ">>="}


def view_to_write(case, variable):
    """A view of the variable without a name, or the whole."""
    shape = variable.value.shape
    kind = case.random.random()
    if kind < 0.15 and len(shape) >= 2:
        return Term(f"{variable.text}.T()", variable.value.moved(np.transpose))
    if kind < 0.25:
        return Term(f"flip({variable.text})", variable.value.moved(np.flip))
    if kind < 0.35:
        return Term(f"{variable.text}(ellipsis)", variable.value)
    texts, index = [], []
    for extent in shape:
        if len(shape) > 1 and case.chance(0.2):
            text, pick = one_position(case.random, extent)
        else:
            text, pick = slice_range(case.random, extent, case.random.randrange(1, extent + 1))
        texts.append(text)
        index.append(pick)
    return indexed(variable, texts, index)


def written(target, source):
    """Writes the source to the target's elements, broadcast."""
    source = source.converted(target.dtype)
    target.elements[...] = source.elements
    target.bound[...] = source.bound


def source_of(case, dtype, shape):
    """Something to assign to elements of this type and shape."""
    taken = case.one_of(dtypes.assignable_to(dtype)) if case.chance(0.2) else dtype
    return case.whole(taken, broadcastable(case, shape), case.one_of([0, 1, 1, 2]))


def write_view(case, variable):
    target = view_to_write(case, variable)
    source = source_of(case, variable.value.dtype, target.value.shape)
    case.lines.append(f"{target.text} = {source.text};")
    copied = Value(source.value.dtype, source.value.elements.copy(), source.value.bound.copy())
    written(target.value, copied)


def fill_view(case, variable):
    """With a number."""
    target = view_to_write(case, variable)
    number = scalar(case, variable.value.dtype)
    if number is None:
        return
    case.lines.append(f"{target.text} = {number.text};")
    written(target.value, number.value)


def compound(case, variable):
    """a op= x, for a name or a view."""
    dtype = variable.value.dtype
    functions = [f for f in BINARY if f.name in COMPOUND and dtype in f.takes]
    function = case.least_used(functions, lambda f: COMPOUND[f.name])[0]
    target = variable if case.chance(0.5) else view_to_write(case, variable)
    shape = target.value.shape
    source = case.chance(0.25) and scalar(case, dtype) or case.whole(dtype, broadcastable(case, shape), case.one_of([0, 1, 1, 2]))
    with np.errstate(all="ignore"):
        value = function.value(together([target.value, source.value], shape, dtype), dtype)
    if not np.all(np.isfinite(value.elements)):
        return
    case.use(COMPOUND[function.name])
    case.lines.append(f"{target.text} {COMPOUND[function.name]} {source.text};")
    written(target.value, value)


def rename(case, variable):
    """`=` on a name: other names keep what they see."""
    shape = variable.value.shape
    if case.chance(0.3) and all(extent > 2 for extent in shape):
        shape = tuple(extent - 1 for extent in shape)
    source = case.whole(variable.value.dtype, shape, case.one_of([1, 1, 2]))
    text = f"copy({source.text})" if source.group in ("view", "leaf") else source.text
    case.lines.append(f"{variable.text} = {text};")
    stored = source.value.stored()
    variable.value = Value(stored.dtype, stored.elements.copy(), stored.bound.copy())


def in_place(case, variable):
    """The forms of algorithms that end in _into, which may write over their operand."""
    make = case.one_of([joining.sort, joining.argsort, joining.running])
    target = view_to_write(case, variable)
    case.nodes_left = 2
    term = make(case, variable.value.dtype, target.value.shape, 2)
    if term is None:
        return
    found = re.match(r"(\w+)(<-?\d+>)?\((.*)\)$", term.text, re.S)
    case.use(found[1] + "_into")
    case.lines.append(f"{found[1]}_into{found[2] or ''}({target.text}, {found[3]});")
    written(target.value, Value(term.value.dtype, term.value.elements.copy(), term.value.bound.copy()))


STEPS = [write_view, write_view, compound, compound, rename, fill_view, in_place]


def assignments(case, dtype):
    """A few statements on two arrays and an alias; all names are checked at the end."""
    case.may_write = True
    rank = case.one_of([1, 2, 2, 3])
    largest = {1: 600, 2: 40, 3: 12} if case.limits is LARGE and case.chance(0.3) else {1: 8, 2: 6, 3: 4}
    shape = tuple(case.random.randrange(2, largest[rank]) for _ in range(rank))
    first = case.input(dtype, shape)
    names = [first]
    if case.chance(0.5):
        names.append(case.declare(first.text, first.value))
    for _ in range(case.one_of([2, 2, 3])):
        mark = case.mark()
        step = case.one_of(STEPS)
        lines = len(case.lines)
        step(case, case.one_of(names))
        if len(case.lines) == lines or not case.lines[-1].endswith(";") or case.lines[-1].startswith("auto"):
            case.undo(mark)
            continue
        case.use(step.__name__)
    for name in names:
        case.check(name.text, name.value)
