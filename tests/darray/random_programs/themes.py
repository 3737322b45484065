"""What random programs are about."""

import math
import random

import numpy as np

import dtypes
import elementwise
import reductions
import views
from cases import is_telling
from dynamic_case import LIMITS, DynamicCase
from functions import BINARY, UNARY
from refused import refusals
from rules import Retry
from value import Value
from writing import assignments, some_dtype


def some_shape(rng):
    rank = rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 5])
    if rank and rng.random() < 0.1:  # over several vectors and blocks of a loop
        return tuple(rng.randrange(1, {1: 4000, 2: 65, 3: 17, 4: 8, 5: 5}[rank]) for _ in range(rank))
    shape = [rng.randrange(1, {1: 33, 2: 7, 3: 5, 4: 4, 5: 3}[rank]) for _ in range(rank)]
    if rank and rng.random() < 0.08:
        shape[rng.randrange(rank)] = 0
    return tuple(shape)


def shown(case, term):
    """Checks the expression, or an array that has its value."""
    if case.chance(0.3):
        term = case.declare(term.text, Value(term.value.dtype, term.value.stored().elements, term.value.stored().bound))
    case.check(term.text, term.value)


def tree(case):
    """An expression of any kind."""
    dtype = some_dtype(case)
    case.use(f"tree of {dtype}")
    shown(case, case.whole(dtype, some_shape(case.random), case.random.randint(2, 8)))


def function_first(case):
    """The function that came up least, of expressions."""
    function, dtype = elementwise.rarest(case, some_dtype(case))
    shape, nodes = some_shape(case.random), case.random.randint(1, 5)
    for _ in range(20):
        mark = case.mark()
        case.nodes_left = nodes
        case.types.add(dtype)
        term = elementwise.applied(case, function, dtype, shape, nodes)
        if is_telling(term.value):
            return shown(case, term)
        case.undo(mark)
    raise Retry


def extreme_numbers(case, dtype, shape):
    """Elements from the ends of the type, with all that floats have which are no numbers."""
    if dtype == "bool":
        choices = [True, False]
    elif dtype in dtypes.INTEGERS:
        limits = np.iinfo(dtype)
        choices = [limits.min, limits.min + 1, limits.max, limits.max - 1, 0, 1, limits.max // 2, limits.min // 2]
    else:
        choices = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -2.5]
        if dtype == "float16":
            choices += [65504.0, -65504.0, 2.0**-14, 2.0**-24]
        elif dtype == "bfloat16":
            choices += [2.0**127, -(2.0**127), 2.0**-126, 2.0**-133]
        else:
            info = np.finfo(dtype)
            choices += [float(x) for x in (info.max, -info.max, info.smallest_normal, -info.smallest_normal, info.smallest_subnormal)]
    return np.array([case.one_of(choices) for _ in range(math.prod(shape))], dtypes.computed(dtype)).reshape(shape)


def extremes(case):
    """One function or reduction of extreme elements."""
    shape = some_shape(case.random)
    while math.prod(shape) > 300:
        shape = some_shape(case.random)
    if case.chance(0.3):
        entry = case.least_used([e for e in reductions.REDUCTIONS if e[0] in ("min", "max", "argmin", "argmax", "any", "all_of", "count_nonzero")],
                                lambda e: "extreme " + e[0])[0]
        taken = case.one_of(entry[3](case.one_of(dtypes.REAL) if entry[0] in ("min", "max") else {"a": "bool", "c": "int64"}[entry[0][0]]
                                     if not entry[0].startswith("arg") else "int64"))
        if taken in dtypes.COMPLEX or not shape or 0 in shape:
            raise Retry
        case.types.add(taken)
        x = case.stored(taken, extreme_numbers(case, taken, shape))
        axis = case.random.randrange(len(shape))
        result = taken if entry[0] in ("min", "max") else "int64" if entry[0][0] in "ac" and entry[0] not in ("any", "all_of") else "bool"
        function = {"min": np.min, "max": np.max, "argmin": np.argmin, "argmax": np.argmax, "any": np.any, "all_of": np.all,
                    "count_nonzero": np.count_nonzero}[entry[0]]
        value = Value(result, function(x.value.elements, axis=axis))
        if entry[0] in ("min", "max") and taken in dtypes.FLOATING:  # which of two zeros it is, nothing says
            value.bound = np.where(value.elements == 0, np.finfo(np.float64).smallest_subnormal, 0)
        case.use("extreme " + entry[0])
        return case.check(f"{entry[0]}<{axis}>({x.text})", value)
    functions = [f for f in UNARY + BINARY if set(f.takes) & (set(dtypes.REAL) | {"bool"})]
    function = case.least_used(functions, lambda f: "extreme " + f.name)[0]
    taken = case.one_of([t for t in function.takes if t not in dtypes.COMPLEX])
    case.use("extreme " + function.name)
    case.types.add(taken)
    terms = [case.stored(taken, extreme_numbers(case, taken, shape)) for _ in range(function.arity)]
    value = function.value([term.value for term in terms], taken)
    if function.gives(taken) in dtypes.INEXACT and function.ulps:
        value.bound = np.where(np.abs(value.elements) < np.finfo(value.elements.dtype).smallest_normal, value.bound + 1e-300, value.bound)
    case.check(function.text([term.text for term in terms], True), value)


NEUTRAL = {"sum": 0, "prod": 1, "any": False, "any_of": False, "all_of": True, "count_nonzero": 0, "norm": 0}


def nothing(case):
    """Reductions along axes without elements: their neutral element, or an error."""
    rank = case.random.randrange(1, 5)
    axes = sorted(case.random.sample(range(rank), case.random.randrange(1, rank + 1)))
    shape = [case.random.randrange(1, 4) for _ in range(rank)]
    shape[case.one_of(axes)] = 0
    name = case.least_used([entry[0] for entry in reductions.REDUCTIONS], lambda n: "nothing " + n)[0]
    takes = {"norm": dtypes.FLOATING, "logsumexp": dtypes.FLOATING, "var": dtypes.FLOATING, "stddev": dtypes.FLOATING}
    takes |= dict.fromkeys(("min", "max", "argmin", "argmax"), dtypes.REAL)
    dtype = case.one_of(takes.get(name, dtypes.ALL))
    if name in ("argmin", "argmax"):
        axes = [axis for axis in axes if shape[axis] == 0]
    case.use("nothing " + name)
    x = case.stored(dtype, np.zeros(shape, dtypes.computed(dtype)))
    keep = case.chance(0.5)
    text = f"{name}<{views.axes_text([views.either_sign(case, axis, rank) for axis in axes])}>({x.text}{', keepdims' if keep else ''})"
    if name not in NEUTRAL:
        return case.refused(f"check {text}", "ShapeError")
    result = {"any": "bool", "any_of": "bool", "all_of": "bool", "count_nonzero": "int64"}.get(name, dtype)
    if name in ("sum", "prod"):
        result = {**dict.fromkeys(dtypes.SIGNED + ["bool"], "int64"), **dict.fromkeys(dtypes.UNSIGNED, "uint64")}.get(dtype, dtype)
    left = [1 if axis in axes else extent for axis, extent in enumerate(shape) if keep or axis not in axes]
    case.check(text, Value(result, np.full(left, NEUTRAL[name])))


THEMES = [tree, tree, tree, tree, function_first, function_first, function_first, assignments, assignments, extremes, extremes, refusals, nothing]


def make_case(number, seed, deck):
    """The case of this number. `deck` says which functions came up least."""
    for attempt in range(50):
        case = DynamicCase(number, random.Random(f"{seed}/{number}/{attempt}"), deck)
        try:
            with np.errstate(all="ignore"):
                THEMES[number % len(THEMES)](case)
        except (Retry, TypeError):  # of NumPy: bits of integers that are not known
            continue
        if all(record[0] == "refused" or record[2].elements.size <= LIMITS.result for record in case.records) and case.records:
            for name in case.named:
                deck.use(name)
            return case
    raise RuntimeError(f"no case {number} of seed {seed}")
