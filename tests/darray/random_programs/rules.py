"""The rules of the library where tests/differential has them for arguments of moderate size only, or for static arrays."""

import dataclasses
import math

import numpy as np

import dtypes
import reductions
from functions import BINARY, UNARY, Function

# Norms of other orders are there for static arrays only.
reductions.REDUCTIONS[:] = [entry for entry in reductions.REDUCTIONS if not entry[1] and not (entry[0] == "norm" and entry[2])]


class Retry(Exception):
    """A case came to nothing."""


class OpenFunction(Function):
    """A function whose results are not compared for some arguments."""

    def value(self, arguments, dtype):
        value = super().value(arguments, dtype)
        value.bound = np.where(np.isnan(arguments[-1].elements), np.inf, value.bound)
        return value


def loosened(function):
    """The functions as the pages have them, where their references in tests/differential are for arguments of moderate size."""
    if function.name == "gelu":  # x * (1 + erf(x / sqrt(2))) / 2, whose terms cancel below 0
        return [dataclasses.replace(function, cancels=np.abs)]
    if function.name == "square":  # a complex one is a sum, in whose products the sum may be fused
        return [dataclasses.replace(function, takes=dtypes.REAL), dataclasses.replace(function, takes=dtypes.COMPLEX, ulps=4)]
    if function.name == "pow" and function.ulps:  # complex ones are e^(y log(x)), with the rounding of that exponent
        return [dataclasses.replace(function, takes=dtypes.FLOATING),
                dataclasses.replace(function, takes=dtypes.COMPLEX, cancels=lambda x, y: 4 * np.abs(np.power(x, y)) * np.abs(y * np.log(x)))]
    if function.name == "sign" and function.takes == dtypes.NUMBERS:  # a complex one is a quotient
        return [dataclasses.replace(function, takes=dtypes.REAL), dataclasses.replace(function, takes=dtypes.COMPLEX, ulps=4)]
    if function.name in ("copysign", "signbit"):  # nothing says which sign a NaN has
        return [OpenFunction(**{field.name: getattr(function, field.name) for field in dataclasses.fields(function)})]
    return [function]


UNARY[:] = [each for function in UNARY for each in loosened(function)]
BINARY[:] = [each for function in BINARY for each in loosened(function)]


def of_large_numbers(reference, is_deviation):
    """A variance may be more than the type holds, or not 0 of large numbers that are equal. Means of blocks are merged, whose distance is rounded as
    the means are."""

    def of(value, dtype, axes, keep):
        result = reference(value, dtype, axes, keep)
        largest = np.max(np.abs(value.elements), axis=axes, keepdims=keep)
        merged = 4 * reductions.unit(dtype) * largest
        result.bound = result.bound + (merged if is_deviation else 2 * merged * np.sqrt(result.elements))
        result.bound = np.where(largest > math.sqrt(np.finfo(dtypes.computed(dtype)).max) / 4, np.inf, result.bound)
        return result

    return of


def of_many(reference):
    """A product along the way may be more than the type holds, whatever is left in the end."""

    def of(value, dtype, axes, keep):
        result = reference(value, dtype, axes, keep)
        if dtype not in dtypes.INEXACT:
            return result
        size = np.maximum(np.abs(value.elements.astype(dtypes.wide(dtype))), 1)
        largest = np.prod(size.astype(np.longdouble), axis=axes, keepdims=keep)
        result.bound = np.where(largest > np.sqrt(np.finfo(dtypes.computed(dtype)).max), np.inf, result.bound)
        return result

    return of


def corrected(entry):
    """The reduction with another reference."""
    if entry[0] in ("var", "stddev"):
        return (*entry[:4], of_large_numbers(entry[4], entry[0] == "stddev"), entry[5])
    return (*entry[:4], of_many(entry[4]), entry[5]) if entry[0] == "prod" else entry


reductions.REDUCTIONS[:] = map(corrected, reductions.REDUCTIONS)
