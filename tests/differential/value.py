"""Arrays of NumPy with a bound of what each element may differ by.

A bound of 0 means the same number and the same sign, an infinite one that the element is not compared. Bounds travel through a function by
evaluating it at the ends of its arguments' intervals.
"""

import itertools

import numpy as np

import dtypes


class Value:
    """Elements of an element type, in the type in which they are computed, and a bound for each."""

    def __init__(self, dtype, elements, bound=None):
        self.dtype = dtype
        self.elements = np.asarray(elements)
        if self.elements.dtype != dtypes.computed(dtype):
            self.elements = self.elements.astype(dtypes.computed(dtype))
        self.bound = np.zeros(self.elements.shape) if bound is None else np.asarray(bound, np.float64)
        self.bound = np.broadcast_to(self.bound, self.elements.shape).copy() if self.bound.shape != self.elements.shape else self.bound

    @property
    def shape(self):
        return self.elements.shape

    def is_exact(self):
        return not np.any(self.bound)

    def is_settled(self):
        """Exact, and as it would be stored."""
        if not self.is_exact() or self.dtype not in dtypes.HALVES:
            return self.is_exact()
        return np.array_equal(self.elements, dtypes.rounded_half(self.elements, self.dtype), equal_nan=True)

    def moved(self, function):
        """The value after its elements were put elsewhere."""
        return Value(self.dtype, function(self.elements), function(self.bound))

    def rounding(self):
        """Half the distance of 16-bit floats at each element, 0 for other types."""
        if self.dtype not in dtypes.HALVES:
            return np.zeros(self.shape)
        digits, smallest = dtypes.HALF_DIGITS[self.dtype]
        size = np.abs(self.elements.astype(np.float64)) + self.bound
        limit = 65504.0 if self.dtype == "float16" else 3.38e38
        return np.where((size > limit) & np.isfinite(self.elements), np.inf, finite(np.maximum(size * 2.0**-digits, smallest / 2)))

    def loose(self):
        """The value where it may be rounded to 16 bits on the way, or not."""
        return self if self.is_settled() else Value(self.dtype, self.elements, self.bound + self.rounding())

    def stored(self):
        """The value as an array holds it."""
        if self.dtype not in dtypes.HALVES:
            return self
        bound = np.where(self.bound > 0, self.bound + 2 * self.rounding(), 0)
        return Value(self.dtype, dtypes.rounded_half(self.elements, self.dtype), bound)

    def converted(self, dtype):
        """The value assigned to elements of another type of its kind, or the real part's type to complex."""
        if dtype == self.dtype:
            return self.stored()
        result = Value(dtype, self.elements.astype(dtypes.computed(dtype)), self.bound)
        result.bound = np.where(self.bound > 0, self.bound + 2 * spacing(result.elements), 0)
        return result.stored()


def finite(numbers):
    return np.where(np.isfinite(numbers), numbers, 0)


def spacing(elements):
    """The distance of floating or complex elements to the next larger number, 0 of those that are not finite."""
    size = np.abs(elements)
    return finite(np.spacing(size).astype(np.float64))


def distance(moved, centre):
    """How far apart two results are: not at all if they are the same infinity or both are NaN, infinitely if one of them is NaN."""
    with np.errstate(all="ignore"):
        same = (moved == centre) | (np.isnan(moved) & np.isnan(centre))
        far = np.abs(moved - centre).astype(np.float64)
    return np.where(same, 0, np.where(np.isnan(far), np.inf, far))


def directions(dtype):
    return (1, -1, 1j, -1j) if dtype in dtypes.COMPLEX else (1, -1)


def spread(function, arguments, centre):
    """How far the results at the ends of the arguments' intervals are from the result in the middle."""
    result = np.zeros(centre.shape)
    inexact = [argument.bound.any() for argument in arguments]
    if not any(inexact):
        return result
    ways = [directions(a.dtype) if moves else (0,) for a, moves in zip(arguments, inexact)]
    for signs in itertools.product(*ways):
        ends = [a.elements.astype(dtypes.wide(a.dtype)) + sign * finite(a.bound) for a, sign in zip(arguments, signs)]
        result = np.maximum(result, distance(function(*ends), centre))
    return 1.25 * result


def unknown(arguments, shape):
    """Where an argument is not compared."""
    result = np.zeros(shape, bool)
    for argument in arguments:
        result = result | np.isinf(argument.bound)
    return result


def evaluated(function, arguments, dtype, ulps):
    """The value of a floating or complex function with `ulps` units in the last place; 0: it is computed as NumPy does in that type."""
    computed = dtypes.computed(dtype)
    if ulps == 0:
        elements = np.asarray(function(*[a.elements for a in arguments])).astype(computed)
        wide = elements
    else:
        wide = np.asarray(function(*[a.elements.astype(dtypes.wide(a.dtype)) for a in arguments]))
        elements = wide.astype(computed)
    moved = spread(function, arguments, wide)
    is_inexact = any(argument.bound.any() for argument in arguments)
    bound = moved + max(ulps, 1 if is_inexact else 0) * spacing(elements)
    bound = np.where(unknown(arguments, elements.shape), np.inf, bound)
    if dtype in dtypes.COMPLEX:  # the page promises little of infinite parts
        bound = np.where(np.isfinite(elements), bound, np.inf)
    return Value(dtype, elements, bound)


def decided(function, arguments, dtype):
    """The value of a function with integer or bool results: compared where all of the arguments' intervals gives one."""
    elements = np.asarray(function(*[a.elements for a in arguments])).astype(dtypes.computed(dtype))
    if all(argument.is_exact() for argument in arguments):
        return Value(dtype, elements)
    open_ = spread(lambda *ends: np.asarray(function(*ends)).astype(np.longdouble), arguments, elements.astype(np.longdouble)) > 0
    return Value(dtype, elements, np.where(open_ | unknown(arguments, elements.shape), np.inf, 0))
