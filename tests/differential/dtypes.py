"""Element types: their names in C++, where two of them meet, and in which type of NumPy they are computed."""

import numpy as np

SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTEGERS = SIGNED + UNSIGNED
HALVES = ["float16", "bfloat16"]
FLOATING = HALVES + ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
REAL = INTEGERS + FLOATING
INEXACT = FLOATING + COMPLEX
NUMBERS = INTEGERS + INEXACT
ALL = ["bool"] + NUMBERS

CPP = {name: f"std::{name}_t" for name in INTEGERS}
CPP |= {"bool": "bool", "float16": "float16", "bfloat16": "bfloat16", "float32": "float", "float64": "double"}
CPP |= {"complex64": "std::complex<float>", "complex128": "std::complex<double>"}

# bits of the significand, and the smallest distance of two numbers
HALF_DIGITS = {"float16": (11, 2.0**-24), "bfloat16": (8, 2.0**-133)}


def computed(dtype):
    """The type of NumPy in which elements are computed: 16-bit floats in float32."""
    return np.dtype("float32" if dtype in HALVES else dtype)


def wide(dtype):
    """A type with more digits, for what references are computed in."""
    return np.dtype(np.clongdouble if dtype in COMPLEX else np.longdouble)


def part(dtype):
    """The type of a complex number's parts."""
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def bits(dtype):
    """The width of an integer."""
    return 8 * np.dtype(dtype).itemsize


def promoted(first, second):
    """Where two types meet by the array API standard, or None where it defines nothing."""
    if first == second:
        return first
    if first in INTEGERS and second in INTEGERS:
        result = np.promote_types(first, second).name
        return result if result in INTEGERS else None
    if first in INEXACT and second in INEXACT:
        if first in HALVES and second in HALVES:
            return "float32"
        return np.promote_types(computed(first) if second not in HALVES else first.replace("bfloat16", "float16"),
                                computed(second) if first not in HALVES else second.replace("bfloat16", "float16")).name
    return None


def meeting_in(dtype):
    """All pairs of types that meet in this one."""
    return [(a, b) for a in ALL for b in ALL if promoted(a, b) == dtype]


def assignable_to(dtype):
    """All types that may be assigned to elements of this one: floats narrow, integers do not, kinds do not mix."""
    if dtype in INTEGERS:
        return [other for other in INTEGERS if promoted(other, dtype) == dtype]
    if dtype in FLOATING:
        return FLOATING
    return COMPLEX if dtype in COMPLEX else ["bool"]


def rounded_half(elements, dtype):
    """float32 rounded to 16 bits, ties to even, and back."""
    if dtype == "float16":
        return elements.astype(np.float16).astype(np.float32)
    pattern = np.ascontiguousarray(elements, np.float32).view(np.uint32).astype(np.uint64)
    pattern = (pattern + 0x7FFF + ((pattern >> 16) & 1)) & 0xFFFF0000
    result = pattern.astype(np.uint32).view(np.float32).reshape(elements.shape)
    return np.where(np.isnan(elements), elements, result)
