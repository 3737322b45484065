"""Trains on several processes with a GPU each, on the fake driver and the fake NCCL: the weights of one process with one GPU.

Usage: gpu_ranks_test.py DIGITS MPIRUN
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

DIGITS, MPIRUN = sys.argv[1], sys.argv[2]
ENVIRONMENT = {**os.environ, "FAKE_CUDA_SAME_GPUS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_mpi_yield_when_idle": "1"}


def train(ranks, folder, *options):
    done = subprocess.run([MPIRUN, "-np", str(ranks), DIGITS, "--epochs", "2", "--batch", "100", "--widths", "20", "--reproducible=4", "--json", str(folder / "out.json"),
                           "--report", str(folder / "report.html"), "--quiet", *options], env=ENVIRONMENT, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, f"{ranks} ranks {options}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return json.loads((folder / "out.json").read_text())


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    one = train(1, folder, "--gpu")
    for ranks in (2, 3):  # of three processes two share a GPU, and go through the host
        several = train(ranks, folder, "--gpu")
        assert several["checksum"] == one["checksum"], f"{ranks} ranks: weights {several['checksum']}, one process has {one['checksum']}"
        assert several["processes"] == ranks and several["accuracy"] == one["accuracy"]
    host = train(2, folder)
    assert abs(host["accuracy"] - one["accuracy"]) <= 0.006, f"accuracy {one['accuracy']}, without GPUs {host['accuracy']}"
    print(f"weights {one['checksum']}, accuracy {one['accuracy']}")
