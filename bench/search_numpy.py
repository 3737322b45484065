"""Times of bench_search beside NumPy's on the same work, as ratios: search_numpy.py BENCH_SEARCH, with a Python that has NumPy.

Each is the median of several runs. On one thread it is the processor's time, so that other programs disturb it less; NumPy has one thread.
"""
import json
import subprocess
import sys
import time

import numpy

MANY = 10_000_000


def work():
    """{name of the benchmark: what NumPy does}."""
    random = numpy.random.default_rng(1)
    floats = random.standard_normal(MANY, dtype=numpy.float32)
    doubles = random.random(MANY)
    thousand = random.integers(0, 1000, MANY)
    million = random.integers(0, 1_000_000, MANY)
    wide = random.integers(0, 1_000_000_000, MANY)
    short, long = numpy.sort(random.random(1000)), numpy.sort(random.random(MANY))
    edges, kernel = numpy.sort(random.random(101)), random.standard_normal(15).astype(numpy.float32)
    rows, half = floats.reshape(10_000, 1000), MANY // 2
    everything = {"return_index": True, "return_inverse": True, "return_counts": True}
    return {
        "unique_float32": lambda: numpy.unique(floats),
        "unique_int64_of_1000": lambda: numpy.unique(thousand),
        "unique_all_int64_of_1000": lambda: numpy.unique(thousand, **everything),
        "unique_all_float32": lambda: numpy.unique(floats, **everything),
        "searchsorted_in_1000": lambda: numpy.searchsorted(short, doubles),
        "searchsorted_in_10000000": lambda: numpy.searchsorted(long, doubles),
        "isin_1000": lambda: numpy.isin(wide, wide[:1000]),
        "bincount_1000": lambda: numpy.bincount(thousand),
        "bincount_1000000": lambda: numpy.bincount(million),
        "bincount_weights_1000": lambda: numpy.bincount(thousand, doubles),
        "histogram_100": lambda: numpy.histogram(floats, 100),
        "histogram_100_edges": lambda: numpy.histogram(doubles, edges),
        "median_float32": lambda: numpy.median(floats),
        "median_float64": lambda: numpy.median(doubles),
        "median_of_rows_of_1000": lambda: numpy.median(rows, axis=1),
        "quantiles_float32": lambda: numpy.quantile(floats, [0.05, 0.25, 0.5, 0.75, 0.95]),
        "partition_float32": lambda: numpy.partition(floats, half),
        "argpartition_float32": lambda: numpy.argpartition(floats, half),
        "top_100_float32": lambda: (lambda at: at[numpy.argsort(-floats[at])])(numpy.argpartition(floats, MANY - 100)[-100:]),
        "cumulative_max_float32": lambda: numpy.maximum.accumulate(floats),
        "convolve_15": lambda: numpy.convolve(floats, kernel),
        "interp_1000": lambda: numpy.interp(doubles, short, short),
        "diff_float32": lambda: numpy.diff(floats),
        "nanmean_float32": lambda: numpy.nanmean(floats),
        "segment_sum_1000": lambda: numpy.bincount(thousand, doubles, 1000),
    }


def seconds(call, runs=5):
    times = []
    for _ in range(runs):
        begin = time.process_time()
        call()
        times.append(time.process_time() - begin)
        if times[-1] > 4:
            break
    return sorted(times)[len(times) // 2]


def medians(rows):
    """{number of threads: ms}: the processor's time on one thread, else that of a clock. The first round also gets its memory from the system."""
    return {int(row["name"].split("/")[1]): row["cpu_time" if row["name"].split("/")[1] == "1" else "real_time"]
            for row in rows if row.get("aggregate_name") == "median"}


def main(program):
    calls = work()
    print(f"{'':28}{'ours, 1 thread':>16}{'2 threads':>12}{'NumPy':>12}{'NumPy / ours':>14}")
    for name, call in calls.items():
        done = subprocess.run([program, f"--benchmark_filter=^{name}/", "--benchmark_format=json", "--benchmark_repetitions=5"], capture_output=True, text=True, check=True)
        ours = medians(json.loads(done.stdout)["benchmarks"])
        theirs = 1000 * seconds(call)
        print(f"{name:28}{ours[1]:13.1f} ms{ours[2]:9.1f} ms{theirs:9.1f} ms{theirs / ours[1]:14.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
