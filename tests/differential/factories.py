"""Arrays that functions make: operands that need no storing."""

import numpy as np

import dtypes
from terms import Term
from value import Value, spacing


def made(case, dtype, shape):
    """An array of this type and shape from one of the factories, or None."""
    cpp, extents = dtypes.CPP[dtype], ", ".join(map(str, shape))
    if not shape or dtype == "bool":
        return None
    kinds = ["zeros", "ones", "full"]
    if len(shape) == 1 and shape[0] > 1 and dtype in dtypes.REAL:
        kinds += ["arange", "arange"] + (["linspace", "linspace"] if dtype in ("float32", "float64") else [])
    if len(shape) == 2:
        kinds += ["eye", "eye"]
    kind = case.least_used(kinds)[0]
    case.use(kind)
    computed = dtypes.computed(dtype)
    if kind == "arange":
        if shape[0] > 40:
            return None
        return Term(f"arange<{cpp}>({shape[0]})", Value(dtype, np.arange(shape[0]).astype(computed)))
    if kind == "linspace":
        low, high = case.random.randrange(-4, 3), case.random.randrange(3, 9)
        value = Value(dtype, np.linspace(low, high, shape[0]))
        value.bound = 2 * spacing(np.full(shape, float(max(abs(low), high)), computed))
        return Term(f"linspace<{cpp}>({low}, {high}, {shape[0]})", value)
    if kind == "eye":
        return Term(f"eye<{cpp}>({extents})", Value(dtype, np.eye(*shape).astype(computed)))
    if kind == "full":
        number = case.random.randrange(0, 6)
        text = cpp + f"({number})"
        return Term(f"full(Dim{{{extents}}}, {text})", Value(dtype, np.full(shape, number).astype(computed)))
    return Term(f"{kind}<{cpp}>({extents})", Value(dtype, getattr(np, kind)(shape).astype(computed)))
