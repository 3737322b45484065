"""Images per second of the digits example beside the same network in PyTorch, eager and compiled, and in JAX, on Fashion-MNIST.

Usage: beside_pytorch.py DIGITS PYTHON [--threads N] [--batch N] [--epochs N] [--rounds N]; PYTHON has PyTorch, and JAX if it is to be compared. They
take turns, so that a change of the machine's mood meets all; the medians are compared. Without --threads: one thread, then all.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

HERE = pathlib.Path(__file__).parent


def run(command):
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


def ours(program, options):
    with tempfile.TemporaryDirectory() as folder:
        figures = pathlib.Path(folder) / "figures.json"
        run([program, "--fashion", "--quiet", *options, "--json", figures, "--report", pathlib.Path(folder) / "report.html"])
        return json.loads(figures.read_text())["images_per_second"]


def theirs(python, script, options):
    return json.loads(run([python, HERE / script, *options]).splitlines()[-1])["images_per_second"]


def peers(python):
    """Name, script and options of each that runs here."""
    found = {"eager": ("pytorch_digits.py", []), "compiled": ("pytorch_digits.py", ["--compile"])}
    if subprocess.run([python, "-c", "import jax"], capture_output=True).returncode == 0:
        found["jax"] = ("jax_digits.py", [])
    return found


def compare(threads, arguments):
    options = [f"--threads={threads}", f"--batch={arguments.batch}", f"--epochs={arguments.epochs}"]
    print(f"784-256-10, batch {arguments.batch}, {threads} threads, {arguments.epochs} epochs a round", flush=True)
    rates = {}
    for number in range(1, arguments.rounds + 1):
        rates.setdefault("tessera", []).append(ours(arguments.digits, options))
        for name, (script, more) in peers(arguments.python).items():
            rates.setdefault(name, []).append(theirs(arguments.python, script, [*options, *more]))
        print(f"round {number}:", *(f"{name} {values[-1]:,.0f}" for name, values in rates.items()), flush=True)
    medians = {name: statistics.median(values) for name, values in rates.items()}
    best = max((name for name in medians if name != "tessera"), key=medians.get)
    print("median:", *(f"{name} {value:,.0f}" for name, value in medians.items()), f"images/s; over the best ({best}): {medians['tessera'] / medians[best]:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("digits")
    parser.add_argument("python")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    for threads in [arguments.threads] if arguments.threads else sorted({1, len(os.sched_getaffinity(0))}):
        compare(threads, arguments)


main()
