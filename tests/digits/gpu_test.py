"""The digits program on a GPU, on the fake driver or a real one: accuracy of the CPU, equal weights in both modes, its report.

gpu_test.py DIGITS LIST_GPUS
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

program = sys.argv[1]
# "sm_90 143771 NVIDIA H200"
gpus = subprocess.run([sys.argv[2]], capture_output=True, text=True, check=True).stdout.splitlines()
name = gpus[0].split(maxsplit=2)[2]
failures = []


def run(*arguments, cwd, **environment):
    return subprocess.run([program, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=300,
                          stdin=subprocess.DEVNULL, env={**os.environ, **environment})


def check(condition, what):
    print(("ok    " if condition else "FAILED ") + what)
    if not condition:
        failures.append(what)


with tempfile.TemporaryDirectory() as folder:
    cwd = pathlib.Path(folder)

    def figures(*arguments):
        result = run(*arguments, "--json", "o.json", "--quiet", cwd=cwd)
        check(result.returncode == 0, f"digits {' '.join(map(str, arguments))} succeeds: {result.stderr}")
        return json.loads((cwd / "o.json").read_text()) if result.returncode == 0 else None

    on_cpu = figures("--epochs", 2)
    on_gpu = figures("--epochs", 2, "--gpu")
    report = (cwd / "report.html").read_text()
    check("tessera-timeline" in report and "GPU 0, stream 0" in report, "the report shows what the GPU did when")
    asynchronous = figures("--epochs", 2, "--gpu", "--async")
    check(abs(on_cpu["accuracy"] - on_gpu["accuracy"]) <= 0.006, f"accuracy {on_gpu['accuracy']}, on the CPU {on_cpu['accuracy']}")
    check(abs(on_cpu["train_loss"] - on_gpu["train_loss"]) <= 1e-4, f"loss {on_gpu['train_loss']}, on the CPU {on_cpu['train_loss']}")
    check(on_gpu["checksum"] == asynchronous["checksum"], "--async gives the same weights")
    check('id="kernel"' in report and "tessera_kernel" in report, "the report shows a kernel")
    check(name in report and "gpu:0" in report, f"the report names {name} and its memory")
    timeline = (cwd / "report.html").read_text()
    check("worker 0" in timeline and "GPU 0, stream " in timeline, "the report of --async shows workers and streams")
    half = figures("--epochs", 2, f"--gpu={len(gpus) - 1}", "--dtype", "bf16")
    check(half["accuracy"] >= 0.9, f"bf16: accuracy {half['accuracy']}")
    figures("--epochs", 2, "--gpu", "--save", "whole.safetensors")
    figures("--epochs", 2, "--gpu", "--save", "part.safetensors", "--stop-after", 1)
    resumed = figures("--resume", "part.safetensors", "--gpu", "--async", "--save", "part.safetensors")
    check(resumed["checksum"] == on_gpu["checksum"], "a run that is resumed ends with the same weights")
    check((cwd / "whole.safetensors").read_bytes() == (cwd / "part.safetensors").read_bytes(), "and its file has the same bytes")
    loaded = figures("--load", "whole.safetensors", "--epochs", 0)
    check(loaded["checksum"] == on_gpu["checksum"], "the CPU loads the weights of the GPU")
    check(abs(loaded["accuracy"] - on_gpu["accuracy"]) <= 0.006, f"accuracy on the CPU {loaded['accuracy']}, on the GPU {on_gpu['accuracy']}")
    check(figures("--load", "whole.safetensors", "--epochs", 0, "--gpu")["checksum"] == on_gpu["checksum"], "and so does the GPU")
    result = run(f"--gpu={len(gpus)}", cwd=cwd)
    there = "there is 1 GPU" if len(gpus) == 1 else f"there are {len(gpus)} GPUs"
    check(result.returncode == 2 and f"gpu:{len(gpus)}: {there}" in result.stderr, f"a GPU that is not there: {result.stderr}")
    result = run("--gpu", cwd=cwd, TESSERA_CUDA_DRIVER="/no/such/libcuda.so")
    check(result.returncode == 2 and len(result.stderr.splitlines()) == 1 and "/no/such/libcuda.so" in result.stderr,
          f"no driver: {result.stderr}")

sys.exit(1 if failures else 0)
