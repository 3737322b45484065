"""Arrays in files of NumPy, and what is wrong with those that come back."""

import zipfile

import numpy as np

import dtypes
from program import number_text


def write_inputs(path, cases):
    with zipfile.ZipFile(path, "w") as archive:
        for case in cases:
            for name, (dtype, elements, is_fortran) in case.inputs.items():
                with archive.open(f"{case.number}/{name}.npy", "w") as out:
                    write_array(out, dtype, elements, is_fortran)


def write_array(out, dtype, elements, is_fortran):
    order = "F" if is_fortran else "C"
    if dtype != "bfloat16":
        return np.lib.format.write_array(out, np.array(elements.astype(dtype), order=order))
    bits = (np.ascontiguousarray(elements, np.float32).view(np.uint32) >> 16).astype(np.uint16).reshape(elements.shape)
    np.lib.format.write_array_header_1_0(out, {"descr": "<V2", "fortran_order": is_fortran, "shape": elements.shape})
    out.write(bits.tobytes(order))


def loaded(array):
    """(name of the type, elements in the type in which they are computed)."""
    if array.dtype.kind == "V":
        return "bfloat16", (array.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return array.dtype.name, array.astype(dtypes.computed(array.dtype.name))


def near(actual, expected, bound):
    """Which elements are as they should be. What may be off by a part of itself may be anything: a pole may lie between."""
    bound = np.where((bound > 1e-6) & (bound > np.abs(expected) / 8), np.inf, bound)
    if np.iscomplexobj(expected):
        return near(actual.real, expected.real, bound) & near(actual.imag, expected.imag, bound)
    if expected.dtype.kind in "biu":
        return (actual == expected) | np.isinf(bound)
    with np.errstate(all="ignore"):
        same = (actual == expected) & (np.signbit(actual) == np.signbit(expected))
        close = (actual == expected) | (np.abs(actual.astype(np.longdouble) - expected.astype(np.longdouble)) <= bound)
    return np.where(np.isnan(expected), np.isnan(actual), same | (close & (bound > 0))) | np.isinf(bound)


def difference(array, value):
    """What is wrong with a result, or None."""
    dtype, actual = loaded(array)
    if dtype != value.dtype:
        return f"it is of {dtype}, and should be of {value.dtype}"
    if actual.shape != value.shape:
        return f"it has the shape {actual.shape}, and should have {value.shape}"
    wrong = np.argwhere(~near(actual, value.elements, value.bound))
    if not len(wrong):
        return None
    lines = []
    for index in map(tuple, wrong[:4]):
        lines.append(f"at {tuple(map(int, index))} {number_text(actual[index], dtype)}, and NumPy's {number_text(value.elements[index], dtype)}"
                     f" +- {value.bound[index]:.2g}")
    return f"{len(wrong)} of {actual.size} elements of {dtype} differ: " + "; ".join(lines)


def failures_of(case, results, errors):
    """What is wrong with a case, as lines."""
    wrong = []
    expected = {line: error for kind, line, error in case.records if kind == "refused"}
    for line, (error, message) in errors.items():
        if expected.get(line) != error:
            wrong.append(f"{case.lines[line - 1] if line else 'case'}: {error} {message}" + (f", not {expected[line]}" if line in expected else ""))
    for kind, line, value in case.records:
        if kind == "refused":
            if value and line not in errors:
                wrong.append(f"{case.lines[line - 1]}: no {value}")
        elif line not in errors:
            key = f"{case.number}/{line}"
            problem = difference(results[key], value) if key in results else "no result"
            if problem:
                wrong.append(f"{case.lines[line - 1]}: {problem}")
    return wrong
