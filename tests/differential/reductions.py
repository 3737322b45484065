"""Expressions of reductions and normalisations."""

import numpy as np

import dtypes
from terms import Term, production
from value import Value, finite, spacing

UNIT = {"float64": 2.0**-53, "complex128": 2.0**-53}
INTEGER_SUMS = {"int64": dtypes.SIGNED + ["bool"], "uint64": dtypes.UNSIGNED}


def unit(dtype):
    """Half the distance of 1 to the next number, where elements are computed."""
    return UNIT.get(dtype, 2.0**-24)


def smallest(dtype):
    """What an exact zero may differ by: nothing but its sign."""
    return float(np.finfo(dtypes.computed(dtypes.part(dtype))).smallest_subnormal) if dtype in dtypes.INEXACT else 0


# --------------------------------------------------------------------------------------------------------------- values along axes


def over(function, value, axes, keep):
    return np.asarray(function(value.elements.astype(dtypes.wide(value.dtype)), axis=axes, keepdims=keep))


def bounds_over(value, axes, keep, function=np.sum):
    return np.asarray(function(value.bound, axis=axes, keepdims=keep))


def sizes_over(value, axes, keep):
    return finite(np.asarray(np.sum(np.abs(value.elements.astype(dtypes.wide(value.dtype))), axis=axes, keepdims=keep)).astype(float))


def count_of(value, axes):
    return int(np.prod([value.shape[axis] for axis in axes], dtype=np.int64))


def rounding_of_sum(value, axes, keep):
    """The error of a pairwise summation."""
    steps = np.ceil(np.log2(max(count_of(value, axes), 1))) + 3
    return steps * (2 if value.dtype in dtypes.COMPLEX else 1) * unit(value.dtype) * sizes_over(value, axes, keep)


def floating(dtype, elements, bound):
    result = Value(dtype, elements, 0)
    result.bound = np.asarray(bound, np.float64) + spacing(result.elements) + smallest(dtype)
    result.bound = np.where(np.isnan(result.bound), np.inf, result.bound)
    if dtype in dtypes.COMPLEX:
        result.bound = np.where(np.isfinite(result.elements), result.bound, np.inf)
    return result.loose()


def sum_of(value, dtype, axes, keep):
    if dtype in dtypes.INTEGERS:
        return Value(dtype, np.sum(value.elements.astype(dtype), axis=axes, keepdims=keep), bounds_over(value, axes, keep))
    return floating(dtype, over(np.sum, value, axes, keep), bounds_over(value, axes, keep) + rounding_of_sum(value, axes, keep))


def prod_of(value, dtype, axes, keep):
    if dtype in dtypes.INTEGERS:
        return Value(dtype, np.prod(value.elements.astype(dtype), axis=axes, keepdims=keep), bounds_over(value, axes, keep))
    product = over(np.prod, value, axes, keep)
    largest = np.prod(np.abs(value.elements.astype(np.clongdouble)) + value.bound, axis=axes, keepdims=keep).real
    spread = finite(np.asarray(largest - np.abs(product)).astype(float))
    return floating(dtype, product, 2 * spread + 4 * count_of(value, axes) * unit(dtype) * np.abs(finite(largest.astype(float))))


def mean_of(value, dtype, axes, keep):
    count = count_of(value, axes)
    if value.dtype not in dtypes.INEXACT:
        value = Value("float64", value.elements, value.bound)
    error = (bounds_over(value, axes, keep) + rounding_of_sum(value, axes, keep)) / count
    return floating(dtype, over(np.mean, value, axes, keep), error)


def variance_of(value, axes, keep, correction):
    """The variance in wide numbers and its bound."""
    x = value.elements.astype(np.longdouble)
    far = np.abs(x - np.mean(x, axis=axes, keepdims=True))
    count = count_of(value, axes)
    variance = np.sum(far * far, axis=axes, keepdims=keep) / (count - correction)
    error = np.sum(2 * far * value.bound + value.bound**2, axis=axes, keepdims=keep) * 2 / (count - correction)
    largest = np.max(np.abs(x), axis=axes, keepdims=keep)
    return variance, error + 16 * unit(value.dtype) * variance + (4 * unit(value.dtype) * largest) ** 2


def var_of(correction):
    def of(value, dtype, axes, keep):
        variance, error = variance_of(value, axes, keep, correction)
        return floating(dtype, variance, error.astype(float))

    return of


def stddev_of(correction):
    def of(value, dtype, axes, keep):
        variance, error = variance_of(value, axes, keep, correction)
        deviation = np.sqrt(variance)
        return floating(dtype, deviation, (np.sqrt(variance + error) - deviation).astype(float) * 2)

    return of


def extreme(function):
    def of(value, dtype, axes, keep):
        bound = bounds_over(value, axes, keep, np.max)
        result = np.asarray(function(value.elements, axis=axes, keepdims=keep))
        return Value(dtype, result, np.where((result == 0) & (bound == 0), smallest(dtype), bound)).loose()

    return of


def logsumexp_of(value, dtype, axes, keep):
    x = value.elements.astype(np.longdouble)
    top = np.max(x, axis=axes, keepdims=True)
    result = np.log(np.sum(np.exp(x - finite(top)), axis=axes, keepdims=True)) + finite(top)
    result = np.where(np.isposinf(top), np.where(np.any(np.isnan(x), axis=axes, keepdims=True), np.nan, np.inf), result)
    result = result if keep else result.reshape(np.sum(x, axis=axes).shape)
    error = bounds_over(value, axes, keep, np.max) + 8 * unit(dtype) * (sizes_over(value, axes, keep) + 2)
    return floating(dtype, result, error)


def norm_of(order):
    """Norms by the exponent: the sum of magnitudes to that power, to its inverse."""

    def of(value, dtype, axes, keep):
        size = np.abs(value.elements.astype(dtypes.wide(value.dtype)))
        if order == 0:
            return floating(dtype, np.sum(size != 0, axis=axes, keepdims=keep), 0)
        if order in (np.inf, -np.inf):
            pick = np.max if order > 0 else np.min
            return floating(dtype, pick(size, axis=axes, keepdims=keep), bounds_over(value, axes, keep, np.max))
        result = np.sum(size**order, axis=axes, keepdims=keep) ** (1 / np.longdouble(order))
        return floating(dtype, result, bounds_over(value, axes, keep) + (8 + 2 * order) * count_of(value, axes) * unit(dtype) * result.astype(float))

    return of


def answer(function):
    def of(value, dtype, axes, keep):
        if function in (np.argmin, np.argmax):
            axis = axes[0] if len(axes) == 1 and value.elements.ndim != 1 else None
            return Value(dtype, function(value.elements, axis=axis, keepdims=keep))
        return Value(dtype, function(value.elements, axis=axes, keepdims=keep))

    return of


# ------------------------------------------------------------------------------------------------------------------- reductions

# name: text of template arguments before the axes, arguments behind the operand, what it takes to give a type, reference, takes exact
# elements only, takes several axes
PLAIN, SETTLED = False, True


def same_of(types):
    return lambda dtype: [dtype] if dtype in types else []


def of_any(result, types):
    return lambda dtype: types if dtype == result else []


REDUCTIONS = [
    ("sum", "", "", lambda d: INTEGER_SUMS.get(d, []) + same_of(dtypes.INEXACT)(d), sum_of, PLAIN),
    ("prod", "", "", lambda d: INTEGER_SUMS.get(d, []) + same_of(dtypes.INEXACT)(d), prod_of, PLAIN),
    ("mean", "", "", lambda d: same_of(dtypes.INEXACT)(d) + (dtypes.INTEGERS + ["bool"] if d == "float64" else []), mean_of, PLAIN),
    ("var", "", "", same_of(dtypes.FLOATING), var_of(0), PLAIN), ("var", "", "correction(1)", same_of(dtypes.FLOATING), var_of(1), PLAIN),
    ("stddev", "", "", same_of(dtypes.FLOATING), stddev_of(0), PLAIN),
    ("stddev", "", "correction(1)", same_of(dtypes.FLOATING), stddev_of(1), PLAIN),
    ("min", "", "", same_of(dtypes.REAL), extreme(np.min), PLAIN), ("max", "", "", same_of(dtypes.REAL), extreme(np.max), PLAIN),
    ("argmin", "", "", of_any("int64", dtypes.REAL), answer(np.argmin), SETTLED),
    ("argmax", "", "", of_any("int64", dtypes.REAL), answer(np.argmax), SETTLED),
    ("any", "", "", of_any("bool", dtypes.ALL), answer(np.any), SETTLED), ("any_of", "", "", of_any("bool", dtypes.ALL), answer(np.any), SETTLED),
    ("all_of", "", "", of_any("bool", dtypes.ALL), answer(np.all), SETTLED),
    ("count_nonzero", "", "", of_any("int64", dtypes.ALL), answer(np.count_nonzero), SETTLED),
    ("logsumexp", "", "", same_of(dtypes.FLOATING), logsumexp_of, PLAIN),
    ("norm", "", "", same_of(dtypes.FLOATING), norm_of(2), PLAIN),
    ("norm", "NormOrder::one", "", same_of(dtypes.FLOATING), norm_of(1), PLAIN),
    ("norm", "NormOrder::infinity", "", same_of(dtypes.FLOATING), norm_of(np.inf), PLAIN),
    ("norm", "NormOrder::minus_infinity", "", same_of(dtypes.FLOATING), norm_of(-np.inf), PLAIN),
    ("norm", "NormOrder::zero", "", same_of(dtypes.FLOATING), norm_of(0), SETTLED),
    ("norm", "", "3", same_of(dtypes.FLOATING), norm_of(3), PLAIN),
]


MEMBERS = "sum prod min max mean stddev any argmin argmax".split()


def key_of(entry):
    return "".join(entry[:3])


def reduced_shape(case, shape):
    """(shape of the operand, its reduced axes, whether they are kept) for a result of this shape."""
    ones = [axis for axis, extent in enumerate(shape) if extent == 1]
    if ones and case.chance(0.7):
        axes = sorted(case.random.sample(ones, case.random.randrange(1, len(ones) + 1)))
        return tuple(case.random.randrange(1, 6) if axis in axes else extent for axis, extent in enumerate(shape)), axes, True
    count = case.random.randrange(1, 4 - min(len(shape), 2))
    axes = sorted(case.random.sample(range(len(shape) + count), count))
    rest = iter(shape)
    return tuple(case.random.randrange(1, 7) if axis in axes else next(rest) for axis in range(len(shape) + count)), axes, False


def call(case, name, before, behind, operand, axes, rank, keep):
    """A reduction's text in one of its forms: axes of the template, none for all, behind a dot, as arguments."""
    named = [str(axis - rank if case.chance(0.3) else axis) for axis in axes]
    extra = (["keepdims"] if keep else []) + ([behind] if behind else [])
    of_all = len(axes) == rank and (case.chance(0.6) or name in ("argmin", "argmax") and len(axes) > 1)
    if of_all:
        named = []
    if name == "all_of" and of_all and not keep and case.chance(0.5):
        return f"all({operand})"
    if name in MEMBERS and not keep and not behind and case.chance(0.2):
        return f"{operand}.{name}{'<' + ', '.join(named) + '>' if named else ''}()"
    if named and not extra and not before and case.chance(0.25):
        axis = named[0] if len(named) == 1 and name != "norm" and case.chance(0.5) else f"axis<{', '.join(named)}>"
        return f"{name}({operand}, {axis})"
    template = ", ".join(([before] if before else []) + named)
    return f"{name}{'<' + template + '>' if template else ''}({', '.join([operand, *extra])})"


@production("reduction")
def reduction(case, dtype, shape, budget):
    fitting = [entry for entry in REDUCTIONS if entry[3](dtype)]
    if not fitting:
        return None
    entry = case.least_used(fitting, key_of)[0]
    name, before, behind, takes, reference, settled = entry
    full, axes, keep = reduced_shape(case, shape)
    if name in ("argmin", "argmax"):
        if len(axes) > 1 and (shape != () or keep):
            return None
        keep = keep and len(axes) == 1
    if keep and (name == "norm" and (before or behind)) or keep and name in ("argmin", "argmax"):
        return None
    taken = case.least_used(takes(dtype), lambda t: f"reduced {t}")[0]
    if behind == "correction(1)" and np.prod([full[axis] for axis in axes]) < 2:
        return None
    operand = (case.settled if settled else case.operand)(taken, full, budget - 1)
    value = reference(operand.value.loose() if operand.value.dtype in dtypes.HALVES else operand.value, dtype, tuple(axes), keep)
    case.use(key_of(entry))
    case.use(f"reduced {taken}")
    return Term(call(case, name, before, behind, operand.text, axes, len(full), keep), value)


# ---------------------------------------------------------------------------------------------------------------- normalisations


def softmax_of(value, axes):
    x = value.elements.astype(np.longdouble)
    far = x - np.max(x, axis=axes, keepdims=True)
    result = np.exp(far) / np.sum(np.exp(far), axis=axes, keepdims=True)
    moved = np.max(value.bound, axis=axes, keepdims=True)
    relative = np.expm1(2 * moved) + 2 * unit(value.dtype) * (finite(np.abs(far)) + count_of(value, axes) + 12)
    return result, finite(result * relative), moved


def log_softmax_of(value, axes):
    x = value.elements.astype(np.longdouble)
    far = x - np.max(x, axis=axes, keepdims=True)
    result = far - np.log(np.sum(np.exp(far), axis=axes, keepdims=True))
    moved = np.max(value.bound, axis=axes, keepdims=True)
    size = np.max(np.abs(x), axis=axes, keepdims=True)
    return result, finite(2 * moved + 8 * unit(value.dtype) * (np.abs(result) + size + 2)), moved


def standardised(epsilon):
    def of(value, axes):
        x = value.elements.astype(np.longdouble)
        deviation = np.sqrt(np.var(x, axis=axes, keepdims=True) + epsilon)
        result = (x - np.mean(x, axis=axes, keepdims=True)) / deviation
        moved = np.max(value.bound, axis=axes, keepdims=True)
        size = np.max(np.abs(x), axis=axes, keepdims=True)
        error = (8 * unit(value.dtype) * size + 2 * moved) / deviation * (1 + np.abs(result))
        return result, error + 8 * unit(value.dtype) * np.abs(result), moved

    return of


NORMALISATIONS = [("softmax", "", softmax_of), ("log_softmax", "", log_softmax_of), ("standardise", "0.125", standardised(0.125)),
                  ("layernorm", "", standardised(1e-5))]


@production("normalisation")
def normalisation(case, dtype, shape, budget):
    if dtype not in dtypes.FLOATING or not shape or 0 in shape:
        return None
    name, behind, reference = case.least_used(NORMALISATIONS, lambda entry: entry[0])[0]
    rank = len(shape)
    axes = sorted(case.random.sample(range(rank), 1 if case.chance(0.75) else case.random.randrange(1, rank + 1)))
    x = case.operand(dtype, shape, budget - 1)
    value = x.value.loose()
    elements, error, moved = reference(value, tuple(axes))
    if not np.all(np.isfinite(value.elements)) or np.any(moved > 0.5):
        return None
    named = [str(axis - rank if case.chance(0.3) else axis) for axis in axes]
    if name == "layernorm" and axes == [rank - 1] or name != "layernorm" and len(axes) == rank:
        named = [] if case.chance(0.5) else named
    case.use(name)
    text = f"{name}{'<' + ', '.join(named) + '>' if named else ''}({', '.join([x.text] + ([behind] if behind else []))})"
    return Term(text, floating(dtype, elements, error.astype(float)))
