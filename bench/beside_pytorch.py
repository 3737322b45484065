"""Images per second of the digits example beside the same network in PyTorch, on Fashion-MNIST.

Usage: beside_pytorch.py DIGITS PYTHON [--threads N] [--batch N] [--epochs N] [--rounds N]; PYTHON has PyTorch. The two
take turns, so that a change of the machine's mood meets both; the medians are compared.
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


def theirs(python, options):
    return json.loads(run([python, HERE / "pytorch_digits.py", *options]))["images_per_second"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("digits")
    parser.add_argument("python")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    options = [f"--{name}={getattr(arguments, name)}" for name in ("threads", "batch", "epochs")]
    print(f"784-256-10, batch {arguments.batch}, {arguments.threads} threads, {arguments.epochs} epochs a round", flush=True)
    mine, peer = [], []
    for number in range(1, arguments.rounds + 1):
        mine.append(ours(arguments.digits, options))
        peer.append(theirs(arguments.python, options))
        print(f"round {number}: tessera {mine[-1]:>9,.0f}   pytorch {peer[-1]:>9,.0f} images/s", flush=True)
    ratio = statistics.median(mine) / statistics.median(peer)
    print(f"median:  tessera {statistics.median(mine):>9,.0f}   pytorch {statistics.median(peer):>9,.0f} images/s   ratio {ratio:.2f}")


main()
