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


def numpy_kernels():
    import numpy

    generator = numpy.random.default_rng(1)

    def random(*shape):
        return generator.random(shape, dtype=numpy.float32)

    def matrices():
        return random(SIDE, SIDE), numpy.zeros((SIDE, SIDE), numpy.float32)

    def stencil():
        x, y = matrices()
        inner = y[1:-1, 1:-1]

        def run():
            numpy.add(x[:-2, 1:-1], x[2:, 1:-1], out=inner)
            numpy.add(inner, x[1:-1, :-2], out=inner)
            numpy.add(inner, x[1:-1, 2:], out=inner)
            numpy.multiply(inner, numpy.float32(0.25), out=inner)
        return run

    def outer():
        r, c, y = random(SIDE, 1), random(SIDE), matrices()[1]
        return lambda: numpy.add(r, c, out=y)

    def bias_relu():
        (x, y), bias = matrices(), random(SIDE) - numpy.float32(1)

        def run():
            numpy.add(x, bias, out=y)
            numpy.maximum(y, 0, out=y)
        return run

    def transpose():
        x, y = matrices()
        return lambda: numpy.copyto(y, x.T)

    def sums(axis):
        x, y = random(SIDE, SIDE), random(SIDE)
        return lambda: numpy.sum(x, axis=axis, out=y)

    def softmax():
        x, y = matrices()

        def run():
            numpy.subtract(x, x.max(axis=1, keepdims=True), out=y)
            numpy.exp(y, out=y)
            numpy.divide(y, y.sum(axis=1, keepdims=True), out=y)
        return run

    def eight():
        a, b, c = random(8), random(8), random(8)
        two = numpy.float32(2)

        def run():
            numpy.multiply(b, two, out=c)
            numpy.add(a, c, out=c)
        return run

    def update(n):
        w, g = random(n), random(n)
        eta, decay = numpy.float32(-0.01), numpy.float32(0.001)

        def run():
            numpy.multiply(w, decay, out=w)
            numpy.add(g, w, out=w)
            numpy.multiply(w, eta, out=w)
        return run

    return table(stencil, outer, bias_relu, transpose, sums, softmax, eight, update)


def torch_kernels():
    import torch

    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    random = torch.rand

    def matrices():
        return random(SIDE, SIDE), torch.zeros(SIDE, SIDE)

    def stencil():
        x, y = matrices()
        inner = y[1:-1, 1:-1]

        def run():
            torch.add(x[:-2, 1:-1], x[2:, 1:-1], out=inner)
            inner.add_(x[1:-1, :-2]).add_(x[1:-1, 2:]).mul_(0.25)
        return run

    def outer():
        r, c, y = random(SIDE, 1), random(SIDE), matrices()[1]
        return lambda: torch.add(r, c, out=y)

    def bias_relu():
        (x, y), bias = matrices(), random(SIDE) - 1
        return lambda: torch.add(x, bias, out=y).relu_()

    def transpose():
        x, y = matrices()
        return lambda: y.copy_(x.T)

    def sums(axis):
        x, y = random(SIDE, SIDE), random(SIDE)
        return lambda: torch.sum(x, dim=axis, out=y)

    def softmax():
        x, y = matrices()
        return lambda: torch.softmax(x, dim=1, out=y)

    def eight():
        a, b, c = random(8), random(8), random(8)
        return lambda: torch.add(a, b, alpha=2, out=c)

    def update(n):
        w, g = random(n), random(n)
        return lambda: w.mul_(0.001).add_(g).mul_(-0.01)

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
        samples = measure(kernels[kernel](), float(milliseconds))
        print(json.dumps({"kernel": kernel, "isa": isa, "library": {"numpy": "NumPy", "torch": "PyTorch"}[library],
                          "ns": statistics.median(samples), "least": min(samples), "samples": len(samples)}), flush=True)


main()
