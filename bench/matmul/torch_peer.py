"""The products of the table in PyTorch. Usage: torch_peer.py THREADS; speaks the lines of cases.hpp."""

import json
import statistics
import sys
import time

import torch

torch.set_num_threads(int(sys.argv[1]))
TYPES = {"f32": torch.float32, "f64": torch.float64, "c64": torch.complex64, "c128": torch.complex128, "bf16": torch.bfloat16,
         "i32": torch.int32}
BYTES = {"i8": torch.int8, "u8": torch.uint8}  # by int8, summed in int32
BATCH = 1000
SHORTEST_BATCH_NS = 20_000


def matrix(dtype, *shape):
    return torch.randint(0, 100, shape, dtype=dtype) if dtype == torch.int32 else torch.rand(*shape, dtype=torch.float32).to(dtype)


def prepare_bytes(dtype, kind, m, k, n):
    a, b, c = torch.randint(0, 100, (m, k), dtype=dtype), torch.randint(0, 100, (k, n), dtype=torch.int8), torch.empty(m, n, dtype=torch.int32)
    other = torch.randint(0, 100, (n, k), dtype=torch.int8)
    return {"mm": lambda: torch._int_mm(a, b, out=c), "mmt": lambda: torch._int_mm(a, other.T, out=c)}.get(kind)


def prepare(dtype, kind, m, k, n):
    a, b, c = matrix(dtype, m, k), matrix(dtype, k, n), torch.empty(m, n, dtype=dtype)
    if kind == "mm":
        return lambda: torch.mm(a, b, out=c)
    if kind == "mmt":
        other = matrix(dtype, n, k)
        return lambda: torch.mm(a, other.T, out=c)
    if kind == "mtm":
        other = matrix(dtype, k, m)
        return lambda: torch.mm(other.T, b, out=c)
    if kind == "mv":
        x, y = matrix(dtype, k), torch.empty(m, dtype=dtype)
        return lambda: torch.mv(a, x, out=y)
    if kind == "vm":
        x, y, transposed = matrix(dtype, k), torch.empty(n, dtype=dtype), b.T
        return lambda: torch.mv(transposed, x, out=y)
    if kind == "batch":
        a, b, c = matrix(dtype, BATCH, m, k), matrix(dtype, BATCH, k, n), torch.empty(BATCH, m, n, dtype=dtype)
        return lambda: torch.bmm(a, b, out=c)
    return None


def nanoseconds(run, count):
    begin = time.perf_counter_ns()
    for _ in range(count):
        run()
    return time.perf_counter_ns() - begin


def measure(run, milliseconds):
    run()
    count = 1
    while nanoseconds(run, count) < SHORTEST_BATCH_NS:
        count *= 2
    samples, spent = [], 0
    while spent < milliseconds * 1e6 or len(samples) < 3:
        batch = nanoseconds(run, count)
        spent += batch
        samples.append(batch / count)
    return statistics.median(samples)


for line in sys.stdin:
    dtype, kind, m, k, n, milliseconds = line.split()
    extents = [int(extent) for extent in (m, k, n)]
    run = prepare_bytes(BYTES[dtype], kind, *extents) if dtype in BYTES else prepare(TYPES[dtype], kind, *extents)
    print(json.dumps({"library": "torch", "ns": measure(run, float(milliseconds)) if run else None}), flush=True)
