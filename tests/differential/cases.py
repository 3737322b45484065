"""A case while it grows: its arrays, its lines of C++, and random choices.

Expressions are made from the outside in: from the element type and shape that are wanted to operands that give them, so that all are valid.
Each module of functions adds productions, which are functions of the case, the wanted type and shape, and how many nodes there may be; one
that has none of that type and shape returns None.
"""

import math
from dataclasses import dataclass

import numpy as np

import dtypes
from factories import made
from slices import slice_to
from terms import PRODUCTIONS, Term
from value import Value


@dataclass(frozen=True)
class Limits:
    """How many elements there may be."""

    stored: int  # in an input; larger ones are counted
    result: int
    sliced: int  # in the operand of a slice
    factor: int  # in a factor of a product
    rank: int = 4  # axes of an expression that is no array


SMALL = Limits(40, 64, 60, 600)
LARGE = Limits(20000, 5000, 8000, 20000)


class Case:
    """One program of some lines. `weights` say how often productions of a group are taken."""

    def __init__(self, number, random, deck, weights, limits):
        self.number, self.random, self.deck, self.weights, self.limits = number, random, deck, weights, limits
        self.lines = []  # C++
        self.records = []  # what the file of values has: (kind, ...)
        self.variables = []  # terms
        self.named = []  # names of functions used
        self.place = ", CpuPlace" if self.chance(0.6) else ""  # known when compiled, or not
        self.may_write = False
        self.nodes_left = 0

    # -------------------------------------------------------------------------------------------------------------- choices

    def chance(self, probability):
        return self.random.random() < probability

    def one_of(self, choices):
        return self.random.choice(list(choices))

    def least_used(self, names, key=lambda name: name):
        return self.deck.choose(self.random, names, key)

    def use(self, name):
        self.named.append(name)

    def mark(self):
        return [len(made) for made in (self.lines, self.records, self.variables, self.named)], self.nodes_left

    def undo(self, mark):
        """Forgets what came since the mark."""
        lengths, self.nodes_left = mark
        for made, length in zip((self.lines, self.records, self.variables, self.named), lengths):
            del made[length:]

    # --------------------------------------------------------------------------------------------------------------- inputs

    def name(self):
        return "abcdefghijklmnopqrstuvwxyz"[len(self.variables) % 26] + str(len(self.variables) // 26 or "")

    def declare(self, initialiser, value):
        """A new variable with this value."""
        term = Term(self.name(), value, True)
        self.lines.append(f"{'' if self.may_write else 'const '}auto {term.text} = {initialiser};")
        self.variables.append(term)
        return term

    def input(self, dtype, shape):
        """A new array from the file of values."""
        if math.prod(shape) > self.limits.stored:
            step = self.random.randrange(2, 40)
            elements = counted(dtype, shape, step)
            self.records.append(("counted", dtype, shape, step))
        else:
            elements = self.elements(dtype, shape)
            self.records.append(("input", dtype, elements))
        elements = elements.copy()  # the case may write to it
        return self.declare(f"values.input<{dtypes.CPP[dtype]}, {len(shape)}{self.place}>()", Value(dtype, elements))

    def elements(self, dtype, shape):
        """Elements for an input: small numbers of few digits, sometimes some that are special."""
        count = math.prod(shape)
        numbers = [self.number_of(dtype) for _ in range(count)]
        if count and self.chance(0.12):
            for _ in range(self.random.randrange(1, 3)):
                numbers[self.random.randrange(count)] = self.one_of(special(dtype))
        elements = np.array(numbers, dtypes.computed(dtype)).reshape(shape)
        return dtypes.rounded_half(elements, dtype) if dtype in dtypes.HALVES else elements

    def number_of(self, dtype):
        if dtype == "bool":
            return self.chance(0.5)
        if dtype in dtypes.INTEGERS:
            return self.random.randrange(0 if dtype in dtypes.UNSIGNED else -9, 10)
        if dtype in dtypes.COMPLEX:
            return complex(round(self.random.uniform(-3, 3), 1), round(self.random.uniform(-3, 3), 1))
        if dtype in dtypes.HALVES:
            return self.random.randrange(-32, 33) / 8
        return round(self.random.uniform(-4, 4), 2)

    def check(self, text, value):
        """Holds what the text evaluates to to this value."""
        self.lines.append(f"values.check({text});")
        self.records.append(("result", value.stored()))

    # ---------------------------------------------------------------------------------------------------------- expressions

    def leaf(self, dtype, shape):
        """An array: one that there is already, a view of one, or a new one."""
        known = [v for v in self.variables if v.value.dtype == dtype and v.value.shape == shape]
        if known and self.chance(0.45):
            return self.one_of(known)
        if self.chance(0.06) and (found := made(self, dtype, shape)):
            return found
        if self.chance(0.6 if self.may_write else 0.2):
            views = [view for v in self.variables if v.value.dtype == dtype and (view := slice_to(self.random, v, shape))]
            if views:
                return self.one_of(views)
        return self.input(dtype, shape)

    def settled(self, dtype, shape, budget):
        """An expression whose elements are exact."""
        mark = self.mark()
        term = self.expression(dtype, shape, budget)
        if term.value.is_settled():
            return term
        self.undo(mark)
        term = self.leaf(dtype, shape)
        if term.value.is_settled():
            return term
        self.undo(mark)
        return self.input(dtype, shape)

    def whole(self, dtype, shape, nodes):
        """A random expression of at most so many nodes."""
        self.nodes_left = nodes
        return self.expression(dtype, shape, nodes)

    def expression(self, dtype, shape, budget):
        """A random expression of this type and shape that is at most `budget` deep."""
        shape = tuple(int(extent) for extent in shape)
        if budget <= 0 or self.nodes_left <= 0 or len(shape) > self.limits.rank:
            return self.leaf(dtype, shape)
        self.nodes_left -= 1
        for _ in range(24):
            group = self.random.choices(list(self.weights), self.weights.values())[0]
            makers, weights = zip(*PRODUCTIONS[group])
            make = self.random.choices(makers, weights)[0]
            mark = self.mark()
            with np.errstate(all="ignore"):
                term = make(self, dtype, shape, budget)
            if term is None or not is_telling(term.value):
                self.undo(mark)
                continue
            assert term.value.dtype == dtype and term.value.shape == shape, (make.__name__, term, dtype, shape)
            term.group = group
            return term
        return self.leaf(dtype, shape)

    def operand(self, dtype, shape, budget):
        """An expression that takes some of the nodes."""
        return self.expression(dtype, shape, self.random.randrange(budget // 2, budget + 1) if budget > 0 else 0)


def is_telling(value):
    """Most elements are numbers that are compared, within bounds that mean something."""
    size = value.elements.size
    if size == 0:
        return True
    with np.errstate(all="ignore"):
        tells = np.isfinite(value.elements) & (value.bound <= 1e-2 * np.maximum(np.abs(value.elements), 1e-2))
    return np.count_nonzero(tells) >= 0.7 * size


def counted(dtype, shape, step):
    """Elements that need no storing: -6 to 6 in steps, quarters of them for floating elements. The reader knows them as well."""
    index = np.arange(math.prod(shape), dtype=np.int64) * step % 13
    if dtype == "bool":
        return (index % 2 == 1).reshape(shape)
    if dtype in dtypes.INTEGERS:
        return (index - (0 if dtype in dtypes.UNSIGNED else 6)).reshape(shape).astype(dtype)
    return ((index - 6) / 4).reshape(shape).astype(dtypes.computed(dtype))


def special(dtype):
    """Numbers at the ends of the type."""
    if dtype == "bool":
        return [True, False]
    if dtype in dtypes.INTEGERS:
        limits = np.iinfo(dtype)
        return [limits.min, limits.max, limits.max - 1, 0]
    if dtype in dtypes.COMPLEX:
        return [0j, complex(0.0, -0.0), complex(-1.0, 0.0), complex(1e6, 1e-6)]
    return [np.nan, np.inf, -np.inf, -0.0, 0.0] + ([] if dtype in dtypes.HALVES else [1e30, 1e-30, -1e-30])
