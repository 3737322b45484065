"""Expressions of matrix products, whose factors are expressions as well."""

import math

import numpy as np

import dtypes
from elementwise import broadcastable
from reductions import smallest, unit
from terms import Term, production
from value import Value, finite, spacing


def product_of(left, right, dtype, multiply):
    """The value of a product: integers wrap, others have the error of a sum in any order."""
    if dtype in dtypes.INTEGERS:
        elements = multiply(left.elements.astype(dtype), right.elements.astype(dtype))
        return Value(dtype, elements, multiply(left.bound, np.ones(right.shape)) + multiply(np.ones(left.shape), right.bound))
    left, right = left.loose(), right.loose()
    wide = dtypes.wide(dtype)
    sizes = [finite(np.abs(v.elements.astype(wide)).astype(float)) for v in (left, right)]
    result = Value(dtype, multiply(left.elements.astype(wide), right.elements.astype(wide)))
    count = left.shape[-1] if left.shape else 1
    error = multiply(sizes[0] + left.bound, sizes[1] + right.bound) - multiply(sizes[0], sizes[1])
    error = np.maximum(error, 0) * 1.01 + (count + 4) * (4 if dtype in dtypes.COMPLEX else 1) * unit(dtype) * multiply(sizes[0], sizes[1])
    result.bound = np.where(np.isnan(error), np.inf, error + spacing(result.elements) + smallest(dtype))
    if not (np.all(np.isfinite(left.elements)) and np.all(np.isfinite(right.elements))):
        result.bound = np.where(np.isfinite(result.elements), result.bound, np.inf)
    return result.loose()


def inner_extent(case):
    """Mostly small; beyond 16 products are cut into blocks."""
    return case.random.randrange(17, 25) if case.chance(0.12) else case.random.randrange(1, 6)


def factor_types(case, dtype):
    return case.one_of(dtypes.meeting_in(dtype)) if case.chance(0.12) else (dtype, dtype)


@production("product")
def dot(case, dtype, shape, budget):
    if dtype == "bool" or len(shape) > 2:
        return None
    inner = inner_extent(case)
    if len(shape) == 2:
        shapes = (shape[0], inner), (inner, shape[1])
    elif len(shape) == 1:
        shapes = case.one_of([((shape[0], inner), (inner,)), ((inner,), (inner, shape[0]))])
    else:
        shapes = (inner,), (inner,)
    return multiplied(case, case.least_used(["dot", "matmul"])[0], dtype, shapes, budget, np.matmul)


@production("product")
def matmul(case, dtype, shape, budget):
    """Batches that broadcast; a vector is a row on the left and a column on the right."""
    if dtype == "bool" or len(shape) < 2:
        return None
    inner = case.random.randrange(1, 5)
    left, right = (*shape[:-1], inner), (inner, shape[-1])
    if len(shape) > 2:
        batches = [broadcastable(case, shape[:-2]), broadcastable(case, shape[:-2])]
        batches[case.random.randrange(2)] = shape[:-2]
        left, right = (*batches[0], shape[-2], inner), (*batches[1], inner, shape[-1])
    elif case.chance(0.4):
        left, right = case.one_of([((*shape, inner), (inner,)), ((inner,), (shape[0], inner, shape[1]))])
    return multiplied(case, "matmul", dtype, (left, right), budget, np.matmul)


@production("product")
def vecdot(case, dtype, shape, budget):
    """Inner products of rows; complex ones on the left are conjugated."""
    if dtype == "bool":
        return None
    inner = inner_extent(case)
    left, right = (*broadcastable(case, shape), inner), (*shape, inner)
    return multiplied(case, "vecdot", dtype, (left, right), budget, lambda a, b: np.sum(np.conj(a) * b, -1, dtype=a.dtype))


@production("product")
def outer(case, dtype, shape, budget):
    if dtype == "bool" or len(shape) != 2:
        return None
    return multiplied(case, "outer", dtype, ((shape[0],), (shape[1],)), budget, np.multiply.outer)


def multiplied(case, name, dtype, shapes, budget, multiply):
    types = factor_types(case, dtype)
    if max(math.prod(s) for s in shapes) > case.limits.factor:
        return None
    left, right = (case.operand(t, s, budget - 1) for t, s in zip(types, shapes))
    case.use(name)
    return Term(f"{name}({left.text}, {right.text})", product_of(left.value, right.value, dtype, multiply))
