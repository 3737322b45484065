"""A case on dynamic arrays while it grows: arrays in all sorts of layouts, and views of expressions."""

import math

import numpy as np

import dtypes
import rules  # noqa: F401, which changes what the others say
import views
from cases import Case, Limits
from slices import operand_extents, slice_to
from terms import Term, production
from value import Value

LIMITS = Limits(stored=10**9, result=5000, sliced=4000, factor=0, rank=5)
WEIGHTS = {"elementwise": 5, "reduction": 2, "dynamic view": 2}


class DynamicCase(Case):
    """A case whose arrays lie in all sorts of layouts."""

    def __init__(self, number, rng, deck):
        super().__init__(number, rng, deck, WEIGHTS, LIMITS)
        self.inputs = {}  # name: (type, elements, whether in Fortran order)
        self.types = set()

    def stored(self, dtype, elements):
        """A new array from the file, as it is there."""
        name = self.name()
        self.inputs[name] = dtype, elements.copy(), self.chance(0.3)
        self.lines.append(f"input {name}")
        term = Term(name, Value(dtype, elements), True)
        self.variables.append(term)
        return term

    def input(self, dtype, shape):
        self.types.add(dtype)
        kind = self.random.random()
        if kind < 0.3 and len(shape) > 1:
            order = self.random.sample(range(len(shape)), len(shape))
            full = [0] * len(shape)
            for place, axis in enumerate(order):
                full[axis] = shape[place]
            base = self.stored(dtype, self.elements(dtype, tuple(full)))
            return self.declare(f"transpose({base.text}, {{{views.axes_text(order)}}})", base.value.moved(lambda a: np.transpose(a, order)))
        full = operand_extents(self.random, shape, LIMITS.sliced) if kind < 0.6 and shape and 0 not in shape else None
        if full is None:
            return self.stored(dtype, self.elements(dtype, shape))
        base = self.stored(dtype, self.elements(dtype, full))
        view = slice_to(self.random, base, shape)
        return self.declare(view.text, view.value) if view else self.stored(dtype, self.elements(dtype, shape))

    def declare(self, initialiser, value):
        term = Term(self.name(), value, True)
        self.lines.append(f"auto {term.text} = {initialiser}")
        self.variables.append(term)
        return term

    def leaf(self, dtype, shape):
        self.types.add(dtype)
        known = [v for v in self.variables if v.value.dtype == dtype and v.value.shape == shape]
        if known and self.chance(0.45):
            return self.one_of(known)
        if self.chance(0.3):
            found = [view for v in self.variables if v.value.dtype == dtype and (view := slice_to(self.random, v, shape))]
            if found:
                return self.one_of(found)
        return self.input(dtype, shape)

    def expression(self, dtype, shape, budget):
        self.types.add(dtype)
        return super().expression(dtype, shape, budget)

    def check(self, text, value):
        self.lines.append(f"check {text}")
        self.records.append(("result", len(self.lines), value.stored()))

    def refused(self, line, error):
        self.lines.append(line)
        self.records.append(("refused", len(self.lines), error))

    def text(self):
        """Functions are computed together or one by one, which rounds 16-bit floats more than once; at once or by a scheduler."""
        modes = ["lazy", "async"] if self.types & set(dtypes.HALVES) else ["eager", "lazy", "async"]
        return "\n".join([f"case {self.number} {modes[self.number % len(modes)]}", *self.lines]) + "\n"


# ------------------------------------------------------------------------------------------------------------ views of expressions


def seen(term):
    """A view of an expression is one of its values, which may have been rounded to 16 bits."""
    if not term.is_array:
        term.value = term.value.loose()
    return term


@production("dynamic view", 3)
def sliced(case, dtype, shape, budget):
    term = views.sliced(case, dtype, shape, budget)
    return term and seen(term)


@production("dynamic view", 2)
def transposed(case, dtype, shape, budget):
    if len(shape) < 2:
        return None
    order = case.random.sample(range(len(shape)), len(shape))
    reverses = case.chance(0.4)
    if reverses:
        order = list(range(len(shape)))[::-1]
    full = [0] * len(shape)
    for place, axis in enumerate(order):
        full[axis] = shape[place]
    x = case.operand(dtype, tuple(full), budget - 1)
    named = ", ".join(str(axis) for axis in order)
    text = case.one_of([f"{x.text}.T()", f"transpose({x.text})"]) if reverses else f"transpose({x.text}, {{{named}}})"
    case.use("transpose")
    return seen(Term(text, x.value.moved(lambda a: np.transpose(a, order)), x.is_array))


@production("dynamic view")
def reshaped(case, dtype, shape, budget):
    size = math.prod(shape)
    full = views.factors(case.random, size, case.random.randrange(1, 5)) if size else shape + (3,)
    x = case.operand(dtype, full, budget - 1)
    value = x.value.moved(lambda a: a.reshape(shape))
    case.use("reshape")
    if len(shape) == 1 and case.chance(0.5):
        return seen(Term(f"flatten({x.text})", value))
    extents = list(shape)
    if size and shape and case.chance(0.3):
        extents[case.random.randrange(len(extents))] = -1
    return seen(Term(f"reshape({x.text}, {{{views.axes_text(extents)}}})", value))


@production("dynamic view")
def broadcast(case, dtype, shape, budget):
    start = case.random.randrange(len(shape) + 1)
    full = tuple(1 if case.chance(0.4) else extent for extent in shape[start:])
    x = case.operand(dtype, full, budget - 1)
    case.use("broadcast_to")
    return seen(Term(f"broadcast_to({x.text}, {{{views.axes_text(shape)}}})", x.value.moved(lambda a: np.broadcast_to(a, shape).copy())))
