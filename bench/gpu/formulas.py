"""Constants and shapes that the kernels of CuPy and PyTorch share with numbers.hpp."""

RATE, DECAY, MOMENTUM = 0.25, 0.01, 0.9
INTEREST, VOLATILITY = 0.02, 0.3
DRIFT = INTEREST + 0.5 * VOLATILITY * VOLATILITY
EPSILON = 1e-5
HASH = (0x9E3779B9, 0x21F0AAAD, 0x735A2D97)
PRICE, YEARS = (10.0, 90.0), (0.25, 1.75)  # offset and factor of a number in [0, 1)


def flat(shape):
    return (shape[0] * shape[1],)


def window(shape):
    return (shape[0] - 2, shape[1] - 2)


def halved(shape):
    return (shape[0], (shape[1] + 1) // 2)


def turned(shape):
    return (shape[1], shape[0])


def third(shape):
    return ((shape[0] * shape[1] + 2) // 3,)


def with_middle(shape):
    """Columns as 64 groups, an axis of their own."""
    return (shape[0], 64, shape[1] // 64)
