#!/usr/bin/env python3
"""Writes ../numpy_print.inc: arrays as NumPy prints them, beside the C++ expression for the same array. Run by hand; needs numpy."""

import pathlib

import numpy as np

f16, f32, f64, i8, i64, u8, u64 = np.float16, np.float32, np.float64, np.int8, np.int64, np.uint8, np.uint64
c64, c128 = np.complex64, np.complex128
nan, inf = np.nan, np.inf

CPP_TYPE = {
    "bool": "bool", "int8": "std::int8_t", "int32": "int", "int64": "std::int64_t", "uint8": "std::uint8_t", "uint64": "std::uint64_t",
    "float16": "float16", "float32": "float", "float64": "double", "complex64": "std::complex<float>", "complex128": "std::complex<double>",
}

ARRAYS = [
    np.array([1, 2, 3], np.int32),
    np.array([1, -20, 300], np.int32),
    np.array([[1, -1], [100, 7]], i64),
    np.array([-128, 127], i8),
    np.array([0, 255], u8),
    np.array([2**64 - 1, 0], u64),
    np.array([-(2**63) + 1, 2**63 - 1], i64),
    np.array([True, False]),
    np.array([[True, True], [False, True]]),
    np.array([1.0, 2.0]),
    np.array([1.5, 2.25, -3.0]),
    np.array([0.5, 10.0, 100.125]),
    np.array([0.0, -0.0]),
    np.array([0.1, 0.2, 1 / 3]),
    np.array([0.1, 0.2, 1 / 3], f32),
    np.array([0.1, 0.2, 1 / 3], f16),
    np.array([3.14159265358979, 2.71828182845905]),
    np.array([1e-5, 1.0]),
    np.array([1e-4, 1e-2]),
    np.array([1e-4], f32),
    np.array([1e8, 1.0]),
    np.array([99999999.0, 1.0]),
    np.array([123456.789, 1000.5]),
    np.array([0.001, 1.0]),
    np.array([0.0009, 1.0]),
    np.array([700, 0.7], f32),
    np.array([99999992.0, 99999984.0], f32),
    np.array([1e10]),
    np.array([1e100, -1e-100]),
    np.array([1e100, 1.25e5, 0.0]),
    np.array([1.7976931348623157e308, 5e-324]),
    np.array([3.4028235e38, 1e-45], f32),
    np.array([65504, 1], f16),
    np.array([6e-8, 1], f16),
    np.array([16777216, 0.5], f32),
    np.array([999999, 123456], f32),
    np.array([1e6, 123456], f32),
    np.array([999, 4], f16),
    np.array([1000, 4], f16),
    np.array([1e-45, 3e-45, 1.1754944e-38], f32),
    np.array([0.1, 1.00000024e10], f32),
    np.array([nan, 1.0, inf]),
    np.array([nan, nan]),
    np.array([-inf, 1.5]),
    np.array([inf, 1e10, -nan]),
    np.array([1 + 2j, 3 - 10.5j], c128),
    np.array([1 + 2j, -3 + 0.25j], c64),
    np.array([complex(nan, 1), complex(-1, inf), complex(0, -0.0)], c128),
    np.array([1e10 + 1j, 2 - 1e-10j], c128),
    np.array(7, np.int32),
    np.array(True),
    np.array(1.0),
    np.array(0.1, f32),
    np.array(1 / 3),
    np.array(1e16),
    np.array(123456789.0),
    np.array(9.99e-5),
    np.array(-inf),
    np.array(nan),
    np.array(65504, f16),
    np.array(1 + 2j, c128),
    np.array(-0.5j, c64),
    np.array(complex(1, nan), c64),
    np.zeros((0,), f64),
    np.zeros((2, 0, 3), f64),
    np.array([[1.5, -2.0], [1000.0, 0.25]], f32),
    np.array([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], np.int32),
    np.array([[[1.5], [2.0]], [[-3.25], [4.0]]]),
]

RANGES = [(30,), (100,), (2, 40), (1000,), (1001,), (2000,), (40, 40), (2, 600), (600, 2), (7, 11, 13), (11, 11, 11), (7, 7, 7, 7), (2, 3, 2, 2)]


def scalar(value, kind):
    if kind in ("complex64", "complex128"):
        part = "float32" if kind == "complex64" else "float64"
        return f"{{{scalar(value.real, part)}, {scalar(value.imag, part)}}}"
    if kind == "bool":
        return "true" if value else "false"
    if kind in ("float16", "float32", "float64"):
        text = "not_a_number" if np.isnan(value) else ("-infinity" if value < 0 else "infinity") if np.isinf(value) else float(value).hex()
        return f"float16({text})" if kind == "float16" else text if kind == "float64" else f"float({text})"
    return str(value) + ("u" if kind == "uint64" else "")


def expression(array):
    kind = array.dtype.name
    values = ", ".join(scalar(value, kind) for value in array.ravel())
    extents = ", ".join(map(str, array.shape))
    return f"printed<{CPP_TYPE[kind]}>(Dim<{array.ndim}>{{{extents}}}, {{{values}}})"


def entry(cpp, array):
    return f'{{{cpp},\n R"({array!s})"}},'


if __name__ == "__main__":
    entries = [entry(expression(array), array) for array in ARRAYS]
    for shape in RANGES:
        extents = ", ".join(map(str, shape))
        count = int(np.prod(shape))
        entries.append(entry(f"to_string(reshape(arange({count}), {extents}))", np.arange(count).reshape(shape)))
        if len(shape) < 3:
            tenths = (np.arange(count) * 0.1 - 1).reshape(shape)
            entries.append(entry(f"to_string(reshape(tenths({count}), {extents}))", tenths))
    text = f"// Our text of an array, and NumPy {np.__version__}'s of the same. Written by tools/numpy_print.py.\n"
    target = pathlib.Path(__file__).parent.parent / "numpy_print.inc"
    target.write_text(text + "\n".join(entries) + "\n")
    print(f"{target.name}: {len(entries)} arrays")
