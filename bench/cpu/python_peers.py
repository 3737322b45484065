"""The kernels of the CPU table in NumPy or PyTorch, on one thread; speaks the same lines as the compiled programs.

Usage: python_peers.py numpy|torch ISA [--list]. Results go into existing arrays wherever the library can do that.
"""

import json
import os
import statistics
import sys
import time

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

SIDE = 2048
UPDATE_SIZES = {"4K": 1 << 10, "256K": 1 << 16, "64M": 1 << 24}
SHORTEST_BATCH_NS = 20_000


def numbers(shape, seed):
    """The numbers in [0, 1) that harness.hpp fills operands with, as an array of NumPy: a linear congruential generator, doubled
    until it is long enough."""
    import numpy

    count = int(numpy.prod(shape))
    multiplier, increment = numpy.uint32(1664525), numpy.uint32(1013904223)
    with numpy.errstate(over="ignore"):
        states = numpy.array([seed], numpy.uint32) * multiplier + increment
        while len(states) < count:
            states = numpy.concatenate([states, states * multiplier + increment])
            multiplier, increment = multiplier * multiplier, increment * multiplier + increment
    return ((states[:count] >> 8).astype(numpy.float32) * numpy.float32(2**-24)).reshape(shape)


def checksum(result):
    import numpy

    values = numpy.asarray(result, numpy.float64).ravel()
    return float(values @ (numpy.arange(len(values)) % 97 - 48))


def numpy_kernels():
    import numpy

    def random(*shape, seed=1):
        return numbers(shape, seed)

    def matrices():
        return random(SIDE, SIDE), random(SIDE, SIDE)

    def stencil():
        x, y = matrices()
        inner = y[1:-1, 1:-1]

        def run():
            numpy.add(x[:-2, 1:-1], x[2:, 1:-1], out=inner)
            numpy.add(inner, x[1:-1, :-2], out=inner)
            numpy.add(inner, x[1:-1, 2:], out=inner)
            numpy.multiply(inner, numpy.float32(0.25), out=inner)
        return run, y

    def outer():
        r, c, y = random(SIDE, 1), random(SIDE, seed=2), matrices()[1]
        return (lambda: numpy.add(r, c, out=y)), y

    def bias_relu():
        (x, y), bias = matrices(), random(SIDE, seed=2) - numpy.float32(1)

        def run():
            numpy.add(x, bias, out=y)
            numpy.maximum(y, 0, out=y)
        return run, y

    def transpose():
        x, y = matrices()
        return (lambda: numpy.copyto(y, x.T)), y

    def sums(axis):
        x, y = random(SIDE, SIDE), random(SIDE)
        return (lambda: numpy.sum(x, axis=axis, out=y)), y

    def softmax():
        x, y = matrices()

        def run():
            numpy.subtract(x, x.max(axis=1, keepdims=True), out=y)
            numpy.exp(y, out=y)
            numpy.divide(y, y.sum(axis=1, keepdims=True), out=y)
        return run, y

    def eight():
        a, b, c = random(8), random(8, seed=2), random(8)
        two = numpy.float32(2)

        def run():
            numpy.multiply(b, two, out=c)
            numpy.add(a, c, out=c)
        return run, c

    def update(n):
        w, g = random(n), random(n, seed=2)
        eta, decay = numpy.float32(-0.01), numpy.float32(0.001)

        def run():
            numpy.multiply(w, decay, out=w)
            numpy.add(g, w, out=w)
            numpy.multiply(w, eta, out=w)
        return run, w

    return table(stencil, outer, bias_relu, transpose, sums, softmax, eight, update)


def torch_kernels():
    import torch

    torch.set_num_threads(1)
    torch.set_grad_enabled(False)

    def random(*shape, seed=1):
        return torch.from_numpy(numbers(shape, seed))

    def matrices():
        return random(SIDE, SIDE), random(SIDE, SIDE)

    def stencil():
        x, y = matrices()
        inner = y[1:-1, 1:-1]

        def run():
            torch.add(x[:-2, 1:-1], x[2:, 1:-1], out=inner)
            inner.add_(x[1:-1, :-2]).add_(x[1:-1, 2:]).mul_(0.25)
        return run, y

    def outer():
        r, c, y = random(SIDE, 1), random(SIDE, seed=2), matrices()[1]
        return (lambda: torch.add(r, c, out=y)), y

    def bias_relu():
        (x, y), bias = matrices(), random(SIDE, seed=2) - 1
        return (lambda: torch.add(x, bias, out=y).relu_()), y

    def transpose():
        x, y = matrices()
        return (lambda: y.copy_(x.T)), y

    def sums(axis):
        x, y = random(SIDE, SIDE), random(SIDE)
        return (lambda: torch.sum(x, dim=axis, out=y)), y

    def softmax():
        x, y = matrices()
        return (lambda: torch.softmax(x, dim=1, out=y)), y

    def eight():
        a, b, c = random(8), random(8, seed=2), random(8)
        return (lambda: torch.add(a, b, alpha=2, out=c)), c

    def update(n):
        w, g = random(n), random(n, seed=2)
        return (lambda: w.mul_(0.001).add_(g).mul_(-0.01)), w

    return table(stencil, outer, bias_relu, transpose, sums, softmax, eight, update)


def table(stencil, outer, bias_relu, transpose, sums, softmax, eight, update):
    kernels = {"stencil": stencil, "outer": outer, "bias_relu": bias_relu, "transpose": transpose,
               "row_sums": lambda: sums(1), "column_sums": lambda: sums(0), "softmax": softmax, "eight": eight}
    return kernels | {f"update_{size}": lambda n=n: update(n) for size, n in UPDATE_SIZES.items()}


def nanoseconds(run, repetitions):
    begin = time.perf_counter_ns()
    for _ in range(repetitions):
        run()
    return time.perf_counter_ns() - begin


def measure(run, milliseconds):
    run()
    batch = 1
    while nanoseconds(run, batch) < SHORTEST_BATCH_NS:
        batch *= 2
    samples, spent = [], 0
    while spent < milliseconds * 1e6 or len(samples) < 3:
        elapsed = nanoseconds(run, batch)
        spent += elapsed
        samples.append(elapsed / batch)
    return samples


def main():
    library, isa = sys.argv[1:3]
    kernels = {"numpy": numpy_kernels, "torch": torch_kernels}[library]()
    if sys.argv[3:] == ["--list"]:
        print("\n".join(kernels))
        return
    for line in sys.stdin:
        kernel, milliseconds = line.split()
        run, result = kernels[kernel]()
        samples = measure(run, float(milliseconds))
        print(json.dumps({"kernel": kernel, "isa": isa, "library": {"numpy": "NumPy", "torch": "PyTorch"}[library],
                          "ns": statistics.median(samples), "least": min(samples), "samples": len(samples), "checksum": checksum(result)}),
              flush=True)


main()
