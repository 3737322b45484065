"""Compiles the kernels that a program launches on a GPU, for a GPU that need not be here: ./dev warm.

warm.py BUILD ARCHITECTURE [--driver=VERSION] [COMMAND...]

The program runs on the stand-in driver of tests/cuda, which pretends to be a GPU of that architecture and keeps the text of every kernel
that is launched; then warm_kernels compiles the texts by NVRTC into the cache on disk: to PTX where VERSION, the driver's CUDA, 12.8, is of an
earlier major version than NVRTC. Without a command: the digits example, at once and
asynchronously, and on a few images of Fashion-MNIST where that is installed.
"""
import gzip
import os
import pathlib
import shlex
import struct
import subprocess
import sys
import tempfile

fashion = pathlib.Path("/usr/share/datasets/fashion-mnist")
# So many images make the batches that all 60,000 make, the last one too: the same rest by 64, 128, 256 and 512.
shortened = 1632


class Problem(Exception):
    """What the user is told in one line, or with a program's words after it."""


def stand_in(build, architecture, texts, kernels):
    """The environment in which a program sees a GPU of the architecture, and finds nothing in a cache."""
    return {**os.environ,
            "TESSERA_CUDA_DRIVER": str(build / "tests/cuda/libfake_cuda.so"),
            "TESSERA_NVRTC": str(build / "tests/cuda/libfake_nvrtc.so"),
            "TESSERA_CUDA_KERNELS": str(build / "tests/kernels/libfake_kernels.so"),
            "TESSERA_CUBLAS": "none",
            "TESSERA_CACHE_DIR": str(kernels),
            "FAKE_CUDA_CAPABILITY": str(architecture),
            "FAKE_CUDA_DEVICES": "1",
            "FAKE_CUDA_MEMORY": "8192",
            "FAKE_NVRTC_SOURCES": str(texts),
            "FAKE_NVRTC_CACHE": os.environ.get("FAKE_NVRTC_CACHE", str(build / "fake_nvrtc"))}


def shorten_fashion(folder):
    """Fashion-MNIST with the first training images and all test images, in its own form."""
    folder.mkdir()
    for name, header, item in (("train-images-idx3-ubyte.gz", 16, 28 * 28), ("train-labels-idx1-ubyte.gz", 8, 1)):
        with gzip.open(fashion / name) as file:
            begin = bytearray(file.read(header))
            begin[4:8] = struct.pack(">i", shortened)
            contents = file.read(shortened * item)
        with gzip.open(folder / name, "wb", 1) as file:
            file.write(bytes(begin) + contents)
    for name in ("t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"):
        (folder / name).symlink_to(fashion / name)
    return folder


def main_jobs(build, folder):
    digits = [str(build / "bin/digits"), "--gpu", "--quiet", "--report", str(folder / "report.html")]
    jobs = [[*digits, "--epochs", "2"], [*digits, "--epochs", "2", "--async"]]
    if (fashion / "train-images-idx3-ubyte.gz").exists():
        jobs.append([*digits, "--epochs", "1", f"--fashion={shorten_fashion(folder / 'fashion')}"])
    return jobs


def run(command, environment):
    """Runs a program whose output is the user's business only if it fails."""
    shown = shlex.join(command)
    print(f"  {shown}", flush=True)
    try:
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace")
    except OSError as error:
        raise Problem(f"'{command[0]}' cannot be run: {error.strerror}") from None
    if done.returncode == 0:
        return
    ended = f"was killed by signal {-done.returncode}" if done.returncode < 0 else f"ended with status {done.returncode}"
    words = "".join(f"\n    {line}" for line in done.stdout.splitlines()[-40:])
    raise Problem(f"'{shown}' {ended} on the stand-in driver; its last words:{words}")


def architectures(warm_kernels):
    """Numbers of those that NVRTC knows."""
    asked = subprocess.run([warm_kernels, "--architectures"], capture_output=True, text=True)
    if asked.returncode != 0:
        raise Problem(asked.stderr.strip().removeprefix("warm_kernels: "))
    return asked.stdout.strip().split(", ")


def warm(build, wanted, driver, command):
    warm_kernels = build / "bin/warm_kernels"
    known = architectures(warm_kernels)
    architecture = wanted.removeprefix("sm_")
    if architecture not in known:
        raise Problem(f"'{wanted}' is no architecture that NVRTC compiles for; it knows {', '.join(known)}")
    with tempfile.TemporaryDirectory(prefix="tessera_warm_") as folder:
        folder = pathlib.Path(folder)
        texts = folder / "texts"
        texts.mkdir()
        print(f"== the kernels of {'a command' if command else 'the main jobs'}", flush=True)
        for number, job in enumerate([command] if command else main_jobs(build, folder)):
            run(job, stand_in(build, architecture, texts, folder / f"kernels{number}"))
        if not any(texts.iterdir()):
            raise Problem(f"'{shlex.join(command)}' launched no kernel on a GPU")
        print("== compiling", flush=True)
        done = subprocess.run([warm_kernels, architecture, texts, *driver], capture_output=True, text=True)
        if done.returncode != 0:
            raise Problem(done.stderr.strip().removeprefix("warm_kernels: "))
        print("  " + done.stdout.strip())


def main():
    if len(sys.argv) < 3:
        print("usage: warm.py BUILD ARCHITECTURE [--driver=VERSION] [COMMAND...]", file=sys.stderr)
        return 2
    option = "--driver="
    driver = [word.removeprefix(option) for word in sys.argv[3:4] if word.startswith(option)]
    try:
        warm(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], driver, sys.argv[3 + len(driver):])
        return 0
    except Problem as problem:
        print(f"warm: {problem}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
