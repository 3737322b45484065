"""The programs that answer requests, and what they are asked beside that."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

import rows

HERE = pathlib.Path(__file__).parent
IMAGES = 60000  # of Fashion-MNIST, to train
LONGEST_ANSWER = 300  # seconds, after which a program is taken for stuck
PEERS = ("cupy", "cupy_fuse", "torch", "torch_compiled")


def said_by(command, environment=None):
    """What a command prints, or nothing where it cannot run."""
    try:
        done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              env={**os.environ, **(environment or {})})
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""


class Program:
    """A program that answers lines "kernel dtype rows columns milliseconds", one JSON object a line. One that ends is started again."""

    def __init__(self, name, command, l2_bytes):
        self.name, self.command = name, [str(word) for word in command]
        self.l2_bytes, self.process = l2_bytes, None
        self.kernels = set(said_by([*self.command, "list"]).splitlines())

    def has(self, row):
        return f"{row.known_as(self.name)} {row.dtype}" in self.kernels

    def time(self, row, milliseconds):
        if self.process is None:
            self.process = subprocess.Popen([*self.command, f"--l2={self.l2_bytes}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        watch = threading.Timer(LONGEST_ANSWER, self.process.kill)
        watch.start()
        try:
            self.process.stdin.write(f"{row.known_as(self.name)} {row.dtype} {row.rows} {row.columns} {milliseconds}\n")
            self.process.stdin.flush()
            line = next((line for line in self.process.stdout if line.startswith("{")), "")  # a library may print too
        except BrokenPipeError:
            line = ""
        finally:
            watch.cancel()
        if line:
            return json.loads(line)
        status = self.process.wait()
        self.process = None
        return {"problem": f"the program ended with status {status}"}

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()


class Reference:
    """The elements that results must have, in double precision."""

    def __init__(self, program):
        self.process = subprocess.Popen([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.known = {}

    def values(self, row):
        if row.key not in self.known:
            self.process.stdin.write(f"{row.known_as('')} {row.dtype} {row.rows} {row.columns}\n")
            self.process.stdin.flush()
            self.known[row.key] = json.loads(self.process.stdout.readline())
        return self.known[row.key]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def about(folder):
    """What gpu_tessera knows of itself and the GPU; "problem" says why there is none."""
    text = said_by([folder / "gpu_tessera", "about"])
    return json.loads(text) if text else {"problem": f"{folder / 'gpu_tessera'} does not run"}


def peers(folder, python, l2_bytes):
    """The programs beside ours that are there, each with its version."""
    hand = folder / "gpu_by_hand"
    if text := said_by([hand, "about"]):
        facts = json.loads(text)
        yield Program(rows.HAND, [hand], l2_bytes), f"{facts['compiler']}, CUB {facts['cub']}, cuBLASLt {facts['cublaslt']}"
    for mode in PEERS:
        command = [python, "-B", HERE / "peers.py", mode]
        if text := said_by([*command, "about"]):
            facts = json.loads(text)
            yield Program(facts["library"], command, l2_bytes), f"{facts['library']} {facts['version']}"


def compile_times(folder, rounds):
    """Milliseconds of expressions' first use in a process: {"cold" or "disk": [{"first", "later"} a round]}."""
    times = {"cold": [], "disk": []}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as cache:
            for kind, series in times.items():
                text = said_by([folder / "gpu_tessera", "compile"], {"TESSERA_CACHE_DIR": cache})
                if not text:
                    return None
                answer = json.loads(text)
                series.append({"first": answer["first"] / 1e6, "later": [ns / 1e6 for ns in answer["later"]]})
    return times


def beside(name):
    """A program of the folder above, or of this one where everything lies in one folder."""
    return next((path for path in (HERE / name, HERE.parent / name) if path.exists()), None)


def epoch_of_digits(command, count):
    """Seconds of an epoch of the digits example; the first run compiles the kernels and is left out."""
    with tempfile.TemporaryDirectory() as scratch:
        figures = pathlib.Path(scratch) / "figures.json"
        outputs = ["--quiet", "--json", figures, "--report", pathlib.Path(scratch) / "report.html"]
        said_by([*command, *outputs, "--epochs=1"])
        figures.unlink(missing_ok=True)
        said_by([*command, *outputs, f"--epochs={count}"])
        if not figures.exists():
            return {"problem": "digits failed"}
        answer = json.loads(figures.read_text())
        return {"seconds": answer["train_seconds"] / count, "accuracy": answer["train_accuracy"]}


def epoch_of_pytorch(python, data, count, batch):
    program = beside("pytorch_digits.py")
    if program is None:
        return {"problem": "pytorch_digits.py is neither in the folder of run.py nor above it"}
    text = said_by([python, "-B", program, "--device=cuda", f"--epochs={count}", f"--batch={batch}", "--data", data])
    if not text:
        return {"problem": f"PyTorch did not train with {python}"}
    answer = json.loads(text)
    return {"seconds": IMAGES / answer["images_per_second"], "accuracy": answer["train_accuracy"]}


def epochs(folder, python, fashion, count, batch):
    """Seconds and training accuracy of an epoch of Fashion-MNIST, by library, or a problem."""
    digits, data = folder / "digits", pathlib.Path(fashion)
    if not digits.exists() or not data.is_dir():
        return {rows.OURS: {"problem": f"there is no {data if digits.exists() else digits}"}}
    command = [digits, f"--fashion={data}", "--gpu", f"--batch={batch}"]
    return {rows.OURS: epoch_of_digits(command, count), f"{rows.OURS}, --async": epoch_of_digits([*command, "--async"], count),
            "PyTorch eager": epoch_of_pytorch(python, data, count, batch)}


def warn(text):
    print(text, file=sys.stderr, flush=True)
