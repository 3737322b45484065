"""The kernels of the GPU table in CuPy or PyTorch; speaks the same lines as the compiled programs.

Usage: peers.py cupy|cupy_fuse|torch|torch_compiled about | list | [--l2=BYTES] [--device=cpu]
`cupy` has ElementwiseKernel and CuPy's own functions, `cupy_fuse` what cupy.fuse makes of the same formulas. Operands, positions that are
compared, rotation and timing are those of harness.hpp. --device=cpu tries PyTorch's kernels where there is no GPU.
"""

import json
import statistics
import sys
import time

import formulas

COMPARED, MOST_SETS, WARM_UP = 61, 8, 20
LIBRARIES = {"cupy": "CuPy", "cupy_fuse": "CuPy fuse", "torch": "PyTorch", "torch_compiled": "PyTorch compiled"}


def positions(count):
    samples = min(count, COMPARED)
    return [0] if count == 1 else [k * (count - 1) // (samples - 1) for k in range(samples)]


def open_library(mode, device):
    if mode.startswith("cupy"):
        import cupy_kernels
        return cupy_kernels.Library(fuse=mode == "cupy_fuse")
    import torch_kernels
    return torch_kernels.Library(device, compiles=mode == "torch_compiled")


class Work:
    """Sets of operands in turns; the destination holds NaN or -1 until the first repetition."""

    def __init__(self, library, kernel, dtype, rows, columns, l2_bytes):
        make, self.run = library.kernels[kernel, dtype]
        shape = (rows, columns)
        first = make(dtype, shape)
        bytes_of_set = sum(operand.nbytes for operand in first)
        count = 1 if kernel == "launch" else min(max((4 * l2_bytes - 1) // bytes_of_set + 1, 1), MOST_SETS)
        self.sets, self.next = [first] + [make(dtype, shape) for _ in range(count - 1)], 0

    def enqueue(self, repetitions):
        run, sets, at = self.run, self.sets, self.next
        for _ in range(repetitions):
            run(sets[at])
            at = at + 1 if at + 1 < len(sets) else 0
        self.next = at


def nanoseconds(library, work, repetitions, waits):
    library.synchronize()
    begin = time.perf_counter_ns()
    work.enqueue(repetitions)
    if waits:
        library.synchronize()
    return time.perf_counter_ns() - begin


def time_finished(library, work, milliseconds):
    repetitions, samples, spent = 1, [], 0
    while nanoseconds(library, work, repetitions, True) < milliseconds * 1e5:
        repetitions *= 2
    while spent < milliseconds * 1e6 or len(samples) < 5:
        elapsed = nanoseconds(library, work, repetitions, True)
        spent += elapsed
        samples.append(elapsed / repetitions)
    return samples, repetitions


def time_enqueued(library, work, milliseconds):
    repetitions, samples, spent, batch = 64, [], 0, 0
    while spent < milliseconds * 1e6 or len(samples) < 25:
        elapsed = nanoseconds(library, work, repetitions, False)
        spent += elapsed
        batch += 1
        if batch > WARM_UP:
            samples.append(elapsed / repetitions)
    library.synchronize()
    return samples, repetitions


def answer(library, line, l2_bytes):
    kernel, dtype, rows, columns, milliseconds = line.split()
    work = Work(library, kernel, dtype, int(rows), int(columns), l2_bytes)
    work.enqueue(1)
    values = library.samples(work.sets[0][-1], positions)
    timed = time_enqueued if kernel == "launch" else time_finished
    samples, repetitions = timed(library, work, float(milliseconds))
    return {"ns": statistics.median(samples), "least": min(samples), "samples": len(samples), "repetitions": repetitions,
            "values": values}


def serve(library, l2_bytes):
    for line in sys.stdin:
        try:
            reply = answer(library, line, l2_bytes)
            library.trim()
        except Exception as error:  # whatever a library throws is an answer too
            reply = {"problem": " ".join(f"{type(error).__name__}: {error}".split())[:300]}
        print(json.dumps(reply, allow_nan=False), flush=True)


def main():
    mode, *words = sys.argv[1:]
    options = dict(word[2:].split("=") for word in words if word.startswith("--"))
    library = open_library(mode, options.get("device", "cuda"))
    if "about" in words:
        print(json.dumps({"library": LIBRARIES[mode], "version": library.version}))
    elif "list" in words:
        print("\n".join(f"{kernel} {dtype}" for kernel, dtype in library.kernels))
    else:
        serve(library, int(options.get("l2", 0)))


if __name__ == "__main__":
    main()
