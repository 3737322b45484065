"""Times reading and writing files beside cat, cp, NumPy and the safetensors package, and prints medians and ratios.

Usage: run.py PROGRAM [--megabytes N] [--rounds N] [--folder DIR] [--python PYTHON]
PROGRAM is bench_io_files. PYTHON has NumPy and safetensors; without them the peers in Python are left out. The files are in the page cache. In every
round each way is asked once, in a process of its own, for the first time and for later ones; NumPy and safetensors too.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

PEERS = """
import sys, time, os
import numpy as np
action, path, repeats = sys.argv[1], sys.argv[2], int(sys.argv[3])
saved = path + ".saved"
if action.startswith("save"):
    array = np.load(path)
    transposed = array.reshape(-1, 16384).T
def synced(path):
    with open(path, "rb") as file: os.fsync(file.fileno())
def load_safetensors():
    import safetensors.numpy
    return safetensors.numpy.load_file(path)
def save_safetensors():
    import safetensors.numpy
    safetensors.numpy.save_file({"a": array}, saved)
def save_npy(what):
    with open(saved, "wb") as out: np.save(out, what)
def load_npz():
    with np.load(path) as file: return file["a"]
def save_npz():
    with open(saved, "wb") as out: np.savez(out, a=array)
actions = {"load": lambda: np.load(path), "map": lambda: np.load(path, mmap_mode="c"), "load_npz": load_npz, "load_safetensors": load_safetensors,
           "save": lambda: save_npy(array), "save_transposed": lambda: save_npy(np.ascontiguousarray(transposed)), "save_npz": save_npz, "save_safetensors": save_safetensors}
try:
    import safetensors.numpy
except ImportError:
    pass
for i in range(repeats):
    if action.startswith("save") and os.path.exists(saved): os.unlink(saved)
    begin = time.perf_counter()
    actions[action]()
    if action.startswith("save"): synced(saved)
    print(time.perf_counter() - begin)
"""

ACTIONS = ("load", "map", "load_npz", "load_safetensors", "save", "save_transposed", "save_npz", "save_safetensors")


def seconds_of(command):
    begin = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin


def figures_of(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return [float(line) for line in done.stdout.split()] if done.returncode == 0 else []


def copy_and_sync(source, target):
    begin = time.perf_counter()
    subprocess.run(["cp", source, target], check=True)
    subprocess.run(["sync", target], check=True)
    return time.perf_counter() - begin


def main():
    options = argparse.ArgumentParser()
    options.add_argument("program")
    options.add_argument("--megabytes", type=int, default=1024)
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--folder", default=None)
    options.add_argument("--python", default=sys.executable)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder = pathlib.Path(name)
        count = given.megabytes << 17
        make = (f"import numpy as np, sys\na = np.random.default_rng(1).integers(0, 2**63, size={count})\nnp.save('{folder}/a.npy', a)\n"
                f"np.savez('{folder}/a.npz', a=a)\nimport safetensors.numpy\nsafetensors.numpy.save_file({{'a': a}}, '{folder}/a.safetensors')")
        subprocess.run([given.python, "-c", make], check=True)
        paths = {"load_npz": folder / "a.npz", "load_safetensors": folder / "a.safetensors"}
        times = {}

        def note(key, values):
            times.setdefault(key, []).extend(values)

        for _ in range(given.rounds):
            note("cat", [seconds_of(["cat", str(folder / "a.npy")])])
            for action in ACTIONS:
                path = str(paths.get(action, folder / "a.npy"))
                ours = figures_of([given.program, action, path, "3"])
                note((action, "first"), ours[:1])
                note((action, "later"), ours[1:])
                peer = figures_of([given.python, "-c", PEERS, action, path, "2"])
                note((action, "peer"), peer[1:])
                if action == "save":
                    for suffix in (".new", ".new2"):
                        target = str(folder / "a.npy") + suffix
                        note("cp", [seconds_of(["cp", str(folder / "a.npy"), target])])
                        os.unlink(target)
                    target = str(folder / "a.npy") + ".new"
                    note("cp and sync", [copy_and_sync(str(folder / "a.npy"), target)])
                    os.unlink(target)
                saved = pathlib.Path(path + ".saved")
                saved.unlink(missing_ok=True)
        print(f"{given.megabytes} MiB, median of {given.rounds} rounds, seconds; 'x' is how many times faster than the system's or the peer's")
        median = {key: statistics.median(values) for key, values in times.items() if values}
        for key in ("cat", "cp", "cp and sync"):
            print(f"{key:20} {median[key]:9.4f}")
        for action in ACTIONS:
            system = median["cp and sync" if action.startswith("save") else "cat"]
            first, later, peer = (median.get((action, which), float("nan")) for which in ("first", "later", "peer"))
            print(f"{action:20} first {first:9.6f} (x{system / first:6.2f})  later {later:9.6f} (x{system / later:6.2f})  Python {peer:9.6f} (x{peer / later:6.2f})")


main()
