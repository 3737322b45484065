"""Nanoseconds a random number of bench_random beside NumPy's generator (PCG64): random_numpy.py BENCH_RANDOM, with a Python that has NumPy.

65,536 numbers at a time on one thread; the two are timed in turns, and each figure is the median of the rounds.
"""
import json
import statistics
import subprocess
import sys
import time

import numpy

COUNT = 1 << 16


def draws(generator):
    """{name of the benchmark: what NumPy draws}."""
    r, n = generator, COUNT
    return {
        "uniform": lambda: r.random(n, dtype=numpy.float32),
        "uniform of double": lambda: r.random(n),
        "normal": lambda: r.standard_normal(n, dtype=numpy.float32),
        "normal of double": lambda: r.standard_normal(n),
        "exponential": lambda: r.standard_exponential(n, dtype=numpy.float32),
        "exponential of double": lambda: r.standard_exponential(n),
        "gumbel of double": lambda: r.gumbel(size=n),
        "laplace of double": lambda: r.laplace(size=n),
        "logistic of double": lambda: r.logistic(size=n),
        "bernoulli": lambda: r.random(n) < 0.3,
        "integers": lambda: r.integers(0, 1000, n),
        "integers of 32 bits": lambda: r.integers(0, 1000, n, dtype=numpy.int32),
        "gamma 0.5": lambda: r.standard_gamma(0.5, n),
        "gamma 2.5": lambda: r.standard_gamma(2.5, n),
        "gamma 100": lambda: r.standard_gamma(100.0, n),
        "gamma of float": lambda: r.standard_gamma(2.5, n, dtype=numpy.float32),
        "beta": lambda: r.beta(2.0, 5.0, n),
        "poisson 3.0": lambda: r.poisson(3.0, n),
        "poisson 100": lambda: r.poisson(100.0, n),
        "binomial 20": lambda: r.binomial(20, 0.3, n),
        "binomial 1000": lambda: r.binomial(1000, 0.3, n),
    }


def numpy_times(runs=9):
    times = {}
    for name, draw in draws(numpy.random.default_rng(1)).items():
        seen = []
        for _ in range(runs):
            begin = time.process_time()
            for _ in range(10):
                draw()
            seen.append((time.process_time() - begin) / 10 / COUNT * 1e9)
        times[name] = statistics.median(seen)
    return times


def our_times(program):
    done = subprocess.run([program, "--benchmark_format=json", "--benchmark_min_time=0.05", "--benchmark_filter=/tessera"],
                          capture_output=True, check=True, text=True)
    return {one["name"].removesuffix("/tessera"): one["cpu_time"] / COUNT for one in json.loads(done.stdout)["benchmarks"]}


def main(program, rounds=3):
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(our_times(program))
        theirs.append(numpy_times())
    print(f"{'ns a number':24} {'Tessera':>8} {'NumPy':>8} {'times as fast':>14}")
    for name in theirs[0]:
        a, b = (statistics.median(round[name] for round in side) for side in (ours, theirs))
        print(f"{name:24} {a:8.2f} {b:8.2f} {b / a:14.2f}")


main(*sys.argv[1:2])
