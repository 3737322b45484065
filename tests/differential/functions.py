"""Every elementwise function of docs/functions.md, with what NumPy or Python say it is.

Where the page says otherwise than NumPy does, the page is right: integers are cut by `/` and give 0 over 0, shifts take any count.
"""

import math
from dataclasses import dataclass
from typing import Callable

import numpy as np

import dtypes
from dtypes import COMPLEX, FLOATING, INEXACT, INTEGERS, NUMBERS, REAL
from value import Value, decided, evaluated, spacing


@dataclass(frozen=True)
class Function:
    """A function of operands of one type, and its reference on arrays."""

    name: str
    takes: list
    reference: Callable
    ulps: int = 4  # 0: correctly rounded
    absolute: float = 0  # what the reference itself is wrong by
    cancels: Callable = None  # the size of what cancels within it: errors are those of such numbers
    arity: int = 1
    infix: str = ""  # written so instead, half of the time
    result: str = "same"  # or bool, or part: the type of complex numbers' parts
    settled: bool = False  # its arguments are exact numbers of the type
    scalar_first: bool = True  # the first of two arguments may be a number

    def gives(self, dtype):
        """The element type of the result."""
        return {"same": dtype, "bool": "bool", "part": dtypes.part(dtype)}[self.result]

    def text(self, arguments, is_infix):
        if self.infix and (is_infix or self.name.startswith("operator")):
            return f"({self.infix}{arguments[0]})" if self.arity == 1 else f"({arguments[0]} {self.infix} {arguments[1]})"
        return f"{self.name}({', '.join(arguments)})"

    def value(self, arguments, dtype):
        """The value for arguments that have this type."""
        with np.errstate(all="ignore"):
            if self.result == "bool":
                return ambiguous(self, arguments)
            if dtype in INTEGERS or dtype == "bool":
                return decided(lambda *a: self.reference(*a), arguments, self.gives(dtype))
            ulps = self.ulps
            if dtype in COMPLEX and ulps:
                ulps = 16
            value = evaluated(self.reference, arguments, self.gives(dtype), ulps)
            value.bound += self.absolute
            if self.cancels:
                value.bound += 2 * spacing(self.cancels(*[a.elements for a in arguments]))
            return value


def ambiguous(function, arguments):
    """A comparison or question: open where the intervals of two arguments meet."""
    result = decided(function.reference, arguments, "bool")
    if function.arity == 2 and not all(a.is_exact() for a in arguments):
        first, second = arguments
        apart = np.abs(first.elements.astype(np.clongdouble) - second.elements.astype(np.clongdouble))
        reach = first.bound + second.bound
        result = Value("bool", result.elements, np.where((apart <= reach) & (reach > 0), np.inf, result.bound))
    return result


# ------------------------------------------------------------------------------------------------------------------- integers


def is_integer(x):
    return np.asarray(x).dtype.kind in "iu"


def by_numbers(function):
    """An integer function of Python's numbers, wrapped to the arrays' type."""

    def on_arrays(*arrays):
        arrays = np.broadcast_arrays(*arrays)
        dtype = arrays[0].dtype
        width, is_signed = 8 * dtype.itemsize, dtype.kind == "i"
        result = np.empty(arrays[0].shape, dtype)
        for index in np.ndindex(result.shape):
            low = function(*[int(a[index]) for a in arrays], width) % 2**width
            result[index] = low - 2**width if is_signed and low >= 2 ** (width - 1) else low
        return result

    return on_arrays


def power_of(x, n, width):
    if n >= 0:
        return pow(x, n, 2**width)
    return {1: 1, -1: -1 if n % 2 else 1}.get(x, 0)


def quotient_of(x, y, _width):
    return 0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def left_shift_of(x, n, width):
    return x << n if 0 <= n < width else 0


def right_shift_of(x, n, width):
    return x >> n if 0 <= n < width else -1 if x < 0 else 0


def either(of_integers, of_others):
    """One reference for integers and one for other numbers."""
    of_integers = by_numbers(of_integers)
    return lambda *a: of_integers(*a) if is_integer(a[0]) else of_others(*a)


# ------------------------------------------------------------------------------------------------------------------- floating


def by_python(function):
    """A function of the math module on arrays, in double."""
    return lambda x: np.vectorize(function, otypes=[np.float64])(np.asarray(x, np.float64)) if np.size(x) else np.asarray(x)


def log_gamma(x):
    if math.isinf(x) or (x <= 0 and x == math.floor(x)):
        return math.inf
    try:
        return math.lgamma(x)
    except OverflowError:
        return math.inf


ERFC = by_python(math.erfc)


def sigmoid(x):
    return np.where(x < 0, np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x))), 1 / (1 + np.exp(-np.abs(x))))


def complex_power(x, y):
    """0 to a power is 0 where the power's real part is above 0 and NaN elsewhere; x^0 is 1."""
    result = np.power(x, y)
    result = np.where(x == 0, np.where(np.real(y) > 0, 0, np.nan), result)
    return np.where(y == 0, 1, result)


def power(x, y):
    return complex_power(x, y) if np.iscomplexobj(x) else np.power(x, y)


def log1p(x):
    """NumPy's takes the logarithm of 1 + x for complex x, which loses the digits of a small one."""
    if not np.iscomplexobj(x):
        return np.log1p(x)
    return np.log1p(x.real * (2 + x.real) + x.imag * x.imag) / 2 + 1j * np.arctan2(x.imag, 1 + x.real)


def sign(x):
    return np.where(x == 0, 0, x / np.abs(x)) if np.iscomplexobj(x) else np.sign(x)


def gelu(x):
    return np.where(np.isneginf(x), 0, x * ERFC(-x / math.sqrt(2)) / 2)


UNARY = [
    Function("negative", NUMBERS, np.negative, 0, infix="-"), Function("positive", NUMBERS, np.positive, 0, infix="+"),
    Function("square", NUMBERS, np.square, 0), Function("reciprocal", INEXACT, lambda x: 1 / x, 1),
    Function("abs", REAL, np.abs, 0), Function("abs", COMPLEX, np.abs, result="part"), Function("sign", NUMBERS, sign, 0),
    Function("floor", REAL, np.floor, 0), Function("ceil", REAL, np.ceil, 0), Function("trunc", REAL, np.trunc, 0),
    Function("round", REAL, lambda x: x if is_integer(x) else np.rint(x), 0),
    *[Function(name, INEXACT, log1p if name == "log1p" else getattr(np, name)) for name in ("exp expm1 log log1p log2 log10 sin cos tan sinh cosh tanh").split()],
    Function("sqrt", FLOATING, np.sqrt, 0), Function("sqrt", COMPLEX, np.sqrt),
    Function("asin", INEXACT, np.arcsin), Function("acos", INEXACT, np.arccos), Function("atan", INEXACT, np.arctan),
    Function("asinh", INEXACT, np.arcsinh), Function("acosh", INEXACT, np.arccosh), Function("atanh", INEXACT, np.arctanh),
    Function("exp2", FLOATING, np.exp2), Function("cbrt", FLOATING, np.cbrt), Function("rsqrt", FLOATING, lambda x: 1 / np.sqrt(x)),
    Function("degrees", FLOATING, np.degrees), Function("radians", FLOATING, np.radians),
    Function("erf", FLOATING, by_python(math.erf)), Function("erfc", FLOATING, ERFC, 8),
    Function("lgamma", FLOATING, by_python(log_gamma), 8, absolute=4e-15),  # Python's is not so near its zeros at 1 and 2
    Function("real", NUMBERS, np.real, 0, result="part"), Function("imag", NUMBERS, np.imag, 0, result="part"),
    Function("conj", NUMBERS, np.conj, 0), Function("angle", INEXACT, np.angle, result="part"),
    Function("isnan", NUMBERS, np.isnan, result="bool"), Function("isinf", NUMBERS, np.isinf, result="bool"),
    Function("isfinite", NUMBERS, np.isfinite, result="bool"), Function("signbit", REAL, lambda x: np.copysign(1, x) < 0, result="bool"),
    Function("logical_not", ["bool"], np.logical_not, result="bool", infix="!"),
    Function("bitwise_invert", INTEGERS + ["bool"], np.invert, infix="~"),
    Function("relu", REAL, lambda x: np.where(x > 0, x, np.where(np.isnan(x), x, 0)).astype(x.dtype), 0),
    Function("leaky_relu", FLOATING, lambda x: np.where(x > 0, x, x.dtype.type(0.01) * x), 0),
    Function("sigmoid", FLOATING, sigmoid), Function("softplus", FLOATING, lambda x: np.logaddexp(np.zeros_like(x), x)),
    Function("silu", FLOATING, lambda x: np.where(np.isneginf(x), 0, x * sigmoid(x))), Function("gelu", FLOATING, gelu, 8),
]


def binary(name, takes, reference, ulps=0, infix="", **more):
    return Function(name, takes, reference, ulps, arity=2, infix=infix, **more)


def compared(name, reference, infix, takes=REAL):
    return Function(name, takes, reference, 0, arity=2, infix=infix, result="bool")


BINARY = [
    binary("add", NUMBERS, np.add, infix="+"), binary("subtract", NUMBERS, np.subtract, infix="-"),
    binary("multiply", INTEGERS + FLOATING, np.multiply, infix="*"), binary("multiply", COMPLEX, np.multiply, 4, "*"),
    binary("divide", INTEGERS + FLOATING, either(quotient_of, np.divide), infix="/"), binary("divide", COMPLEX, np.divide, 4, "/"),
    binary("operator%", INTEGERS, by_numbers(lambda x, y, _: 0 if y == 0 else x - y * quotient_of(x, y, _)), infix="%"),
    binary("floor_divide", REAL, either(lambda x, y, _: 0 if y == 0 else x // y, np.floor_divide), settled=True),
    binary("remainder", REAL, either(lambda x, y, _: 0 if y == 0 else x % y, np.remainder), settled=True),
    binary("pow", INTEGERS, by_numbers(power_of)), binary("pow", INEXACT, power, 4),
    binary("maximum", REAL, np.maximum), binary("minimum", REAL, np.minimum),
    binary("copysign", FLOATING, np.copysign), binary("nextafter", ["float32", "float64"], np.nextafter, settled=True),
    binary("atan2", FLOATING, np.arctan2, 4), binary("hypot", FLOATING, np.hypot, 4),
    binary("logaddexp", FLOATING, np.logaddexp, 4, cancels=lambda x, y: np.maximum(np.abs(x), np.abs(y))),
    binary("leaky_relu", FLOATING, lambda x, slope: np.where(x > 0, x, slope * x), scalar_first=False),
    compared("equal", np.equal, "==", ["bool"] + NUMBERS), compared("not_equal", np.not_equal, "!=", ["bool"] + NUMBERS),
    compared("less", np.less, "<"), compared("less_equal", np.less_equal, "<="), compared("greater", np.greater, ">"),
    compared("greater_equal", np.greater_equal, ">="),
    compared("logical_and", np.logical_and, "", ["bool"]), compared("logical_or", np.logical_or, "", ["bool"]),
    compared("logical_xor", np.logical_xor, "", ["bool"]),
    binary("bitwise_and", INTEGERS + ["bool"], np.bitwise_and, infix="&"), binary("bitwise_or", INTEGERS + ["bool"], np.bitwise_or, infix="|"),
    binary("bitwise_xor", INTEGERS + ["bool"], np.bitwise_xor, infix="^"),
    binary("bitwise_left_shift", INTEGERS, by_numbers(left_shift_of), infix="<<"),
    binary("bitwise_right_shift", INTEGERS, by_numbers(right_shift_of), infix=">>"),
]
