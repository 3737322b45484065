"""Expressions of elementwise functions, choices and casts."""

import numpy as np

import dtypes
from functions import BINARY, UNARY
from terms import Term, production
from value import Value, evaluated, spacing


def broadcastable(case, shape):
    """A shape that broadcasts to this one: without leading axes, or with extents of 1."""
    if not shape or case.chance(0.7):
        return shape
    cut = shape[case.random.randrange(len(shape)):] if case.chance(0.5) else shape
    return tuple(1 if case.chance(0.3) else extent for extent in cut)


def shapes_for(case, shape, count):
    """Shapes that broadcast to this one together: one of them is the shape itself."""
    shapes = [broadcastable(case, shape) for _ in range(count)]
    shapes[case.random.randrange(count)] = shape
    return shapes


def together(values, shape, dtype):
    """The values as NumPy broadcasts them, in the type where they meet."""
    return [Value(dtype, np.broadcast_to(v.elements.astype(dtypes.computed(dtype)), shape), np.broadcast_to(v.bound, shape))
            for v in values]


def scalar(case, dtype):
    """A number of C++ that takes the array's type, as (text, value of no axes)."""
    if dtype == "bool":
        return None
    if dtype in dtypes.INTEGERS:
        number = case.random.randrange(0 if dtype in dtypes.UNSIGNED else -5, 9)
        return Term(str(number), Value(dtype, np.array(number, dtype)))
    number = case.random.randrange(-16, 17) / 4 if dtype in dtypes.HALVES or case.chance(0.5) else round(case.random.uniform(-3, 3), 2)
    elements = np.array(number, np.float64).astype(dtypes.computed(dtype))
    text = f"{number:.2f}f" if dtypes.part(dtype) == "float32" and case.chance(0.5) else repr(number)
    if dtype in dtypes.COMPLEX:
        return Term(f"{dtypes.CPP[dtype]}({number})", Value(dtype, elements))
    return Term(text, Value(dtype, elements))


WRAPPING = ("add", "subtract", "multiply", "bitwise_and", "bitwise_or", "bitwise_xor")


def outside(case, function, dtype):
    """Now and then a number that an integer type does not hold: it wraps where the exact result does."""
    if dtype not in dtypes.INTEGERS or dtypes.bits(dtype) > 32 or function.name not in WRAPPING or not case.chance(0.2):
        return None
    number = case.one_of([-1, -300, 300, 70000, 2**31, -(2**31) - 5])
    case.use("scalar outside the type")
    return Term(str(number), Value(dtype, np.array(number, np.int64).astype(dtype)))


def arguments_of(function, dtype):
    """The element types of arguments for which a function gives this one."""
    return [taken for taken in function.takes if function.gives(taken) == dtype]


def make_arguments(case, function, taken, shape, budget):
    """Operands, and sometimes a scalar beside one."""
    mixed = function.arity == 2 and not function.settled and case.chance(0.15)
    types = case.one_of(dtypes.meeting_in(taken)) if mixed else (taken,) * function.arity
    make = case.settled if function.settled else case.operand
    if function.arity == 2 and case.chance(0.25) and (number := outside(case, function, taken) or scalar(case, taken)):
        terms = [make(taken, shape, budget - 1), number]
        return terms[::-1] if function.scalar_first and case.chance(0.3) else terms
    return [make(each, its_shape, budget - 1) for each, its_shape in zip(types, shapes_for(case, shape, function.arity))]


def applied(case, function, dtype, shape, budget):
    """A call of the function, or None where it takes nothing that gives this type."""
    taken = arguments_of(function, dtype)
    if not taken:
        return None
    if function.result == "bool" and len(taken) > 1:
        taken = case.least_used(taken, lambda t: "compared " + t)[:1]
    meets_in = case.one_of(taken)
    terms = make_arguments(case, function, meets_in, shape, budget)
    values = together([term.value for term in terms], shape, meets_in)
    value = function.value(values, meets_in)
    case.use(function.name)
    return Term(function.text([term.text for term in terms], case.chance(0.6)), value)


def pick(case, functions, dtype):
    """The least used function that gives this type."""
    fitting = [f for f in functions if arguments_of(f, dtype)]
    return case.least_used(fitting, lambda f: f.name)[0] if fitting else None


def rarest(case, dtype):
    """The function that came up least of all, and a type that it gives: the given one if it can."""
    function = case.least_used(UNARY + BINARY, lambda f: f.name)[0]
    return function, dtype if arguments_of(function, dtype) else function.gives(case.one_of(function.takes))


@production("elementwise", 4)
def unary(case, dtype, shape, budget):
    function = pick(case, UNARY, dtype)
    return function and applied(case, function, dtype, shape, budget)


@production("elementwise", 4)
def binary(case, dtype, shape, budget):
    function = pick(case, BINARY, dtype)
    return function and applied(case, function, dtype, shape, budget)


@production("elementwise", 2)
def arithmetic(case, dtype, shape, budget):
    """Sums and products are what most programs are made of."""
    functions = [f for f in BINARY if f.name in ("add", "subtract", "multiply")]
    function = pick(case, functions, dtype)
    return function and applied(case, function, dtype, shape, budget)


@production("elementwise", 1)
def where(case, dtype, shape, budget):
    number = scalar(case, dtype) if case.chance(0.3) and dtype not in dtypes.COMPLEX else None
    shapes = shapes_for(case, shape, 2 if number else 3)
    condition = case.operand("bool", shapes[0], budget - 2)
    first = case.operand(dtype, shapes[1], budget - 2)
    second = number or case.operand(dtype, shapes[2], budget - 2)
    chosen, one, other = (np.broadcast_to(t.value.elements, shape) for t in (condition, first, second))
    bounds = [np.broadcast_to(t.value.bound, shape) for t in (condition, first, second)]
    either = np.where(np.isinf(bounds[0]), np.inf, np.where(chosen, bounds[1], bounds[2]))
    return Term(f"where({condition.text}, {first.text}, {second.text})", Value(dtype, np.where(chosen, one, other), either))


@production("elementwise", 0.6)
def clip(case, dtype, shape, budget):
    """min(max(x, low), high); a bound may be none."""
    if dtype not in dtypes.REAL:
        return None
    x = case.operand(dtype, shape, budget - 1)
    low, high = scalar(case, dtype), scalar(case, dtype)
    if case.chance(0.3):
        low = case.operand(dtype, broadcastable(case, shape), budget - 2)
    texts, value = [x.text], x.value
    for bound, function in ((low, np.maximum), (high, np.minimum)):
        if case.chance(0.2):
            texts.append("none")
            continue
        texts.append(bound.text)
        value = evaluated(function, together([value, bound.value], shape, dtype), dtype, 0)
    return Term(f"clip({', '.join(texts)})", value)


@production("elementwise", 1.5)
def cast(case, dtype, shape, budget):
    """Floats are cut towards zero and saturate, NaN becomes 0, numbers are true unless they are 0, complex numbers leave their real part."""
    source = case.least_used([t for t in dtypes.ALL if t != dtype], lambda t: f"cast {t}")[0]
    x = case.operand(source, shape, budget - 1)
    case.use(f"cast {source}")
    return Term(f"cast<{dtypes.CPP[dtype]}>({x.text})", converted(x.value.loose(), dtype))


def converted(value, dtype):
    """The value of cast<T>."""
    elements, bound = value.elements, value.bound
    if dtype == "bool":
        is_open = (np.abs(elements) <= bound) & (bound > 0)
        return Value(dtype, elements != 0, np.where(is_open, np.inf, 0))
    if value.dtype in dtypes.COMPLEX and dtype not in dtypes.COMPLEX:
        elements = elements.real
    if dtype in dtypes.INTEGERS and elements.dtype.kind == "f":
        ends = [saturated(elements.astype(np.longdouble) + way * bound, dtype) for way in (0, 1, -1)]
        return Value(dtype, ends[0], np.where((ends[1] == ends[0]) & (ends[2] == ends[0]), 0, np.inf))
    result = Value(dtype, elements, bound)
    if dtype in dtypes.INEXACT:
        result.bound = np.where(bound > 0, bound + 2 * spacing(result.elements), 0)
    return result.loose()


def saturated(numbers, dtype):
    """Whole numbers of the type nearest to zero beside these, the ends of the type for those outside."""
    limits = np.iinfo(dtype)
    whole = np.trunc(np.where(np.isnan(numbers), 0, numbers))
    clipped = [max(limits.min, min(limits.max, int(x) if np.isfinite(x) else (limits.max if x > 0 else limits.min))) for x in whole.flat]
    return np.array(clipped, dtype).reshape(numbers.shape)
