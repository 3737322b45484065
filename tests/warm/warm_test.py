"""./dev warm: which kernels it compiles, that a process on such a GPU finds them on disk, and what it says when it cannot.

warm_test.py WARM BUILD; WARM is .ci/warm.py. Skipped, with status 77, where there is no NVRTC.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

warm, build = sys.argv[1], pathlib.Path(sys.argv[2])
program = str(build / "bin/few_expressions")
failures = []


def check(condition, what):
    print(("ok    " if condition else "FAILED ") + what)
    if not condition:
        failures.append(what)


def run(*command, **more):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TESSERA_")}
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, stdin=subprocess.DEVNULL, env={**environment, **more})


def run_warm(*arguments, **more):
    return run(sys.executable, "-B", warm, build, *arguments, **more)


if run(build / "bin/warm_kernels", "--architectures").returncode != 0:
    print("skipped: there is no NVRTC here")
    sys.exit(77)

with tempfile.TemporaryDirectory() as folder:
    cache = {"TESSERA_CACHE_DIR": folder + "/deep/kernels"}
    first = run_warm("90", program, **cache)
    check(first.returncode == 0, f"a small program is warmed: {first.stdout}{first.stderr}")
    said = re.search(r"(\d+) kernels for sm_90 by NVRTC [\d.]+: (\d+) compiled, (\d+) were there; [\d.]+ s; in (.*)", first.stdout)
    check(said is not None, "it says how many kernels, how many were there, seconds and the folder")
    count = int(said[1]) if said else 0
    check(count >= 3, f"each expression has its kernel: {count}")
    check(said is not None and said.groups()[1:] == (str(count), "0", cache["TESSERA_CACHE_DIR"]), "none was there, all were compiled")
    entries = list(pathlib.Path(cache["TESSERA_CACHE_DIR"]).glob("*.kernel"))
    check(len(entries) == count, f"the folder has an entry for each: {len(entries)}")

    # A process that sees a GPU of the architecture and has the real NVRTC: the driver cannot load real machine code, but every kernel is found.
    driver = {"TESSERA_CUDA_DRIVER": str(build / "tests/cuda/libfake_cuda.so"), "TESSERA_LOG": "jit", "FAKE_CUDA_CAPABILITY": "90"}
    real = run(program, **cache, **driver)
    hits = real.stderr.count("cache hit, read for sm_90 from " + cache["TESSERA_CACHE_DIR"])
    check(hits == 3 and "cache miss" not in real.stderr, f"that process reads its kernels from disk: {real.stderr}")
    other = run(program, **cache, **{**driver, "FAKE_CUDA_CAPABILITY": "80"})
    check("cache hit" not in other.stderr and "cache miss, compiled for sm_80" in other.stderr,
          f"on a GPU of another architecture it compiles: {other.stderr}")

    again = run_warm("sm_90", program, **cache)
    check(again.returncode == 0 and f"{count} kernels for sm_90" in again.stdout and f"0 compiled, {count} were there" in again.stdout,
          f"the second time all are there, and sm_90 is another name: {again.stdout}{again.stderr}")

    # An older driver: PTX, which a process with such a driver finds. The driver here cannot compile it.
    version = re.search(r"by NVRTC (\d+)", first.stdout)[1] if said else "13"
    older = f"{int(version) - 1}.4"
    as_ptx = run_warm("90", f"--driver={older}", program, **cache)
    check(as_ptx.returncode == 0 and re.search(rf", as PTX [\d.]+ for drivers of CUDA {older}: {count} compiled, 0 were there;", as_ptx.stdout),
          f"for an older driver all is compiled again, as PTX: {as_ptx.stdout}{as_ptx.stderr}")
    on_older = run(program, **cache, **driver, FAKE_CUDA_VERSION=f"{int(version) - 1}040")
    hits = on_older.stderr.count("cache hit, read for compute_90 from " + cache["TESSERA_CACHE_DIR"])
    check(hits == 3 and "cache miss" not in on_older.stderr, f"a process with such a driver reads its PTX from disk: {on_older.stderr}")
    same = run_warm("90", f"--driver={version}.0", program, **cache)
    check("PTX" not in same.stdout and f"0 compiled, {count} were there" in same.stdout,
          f"a driver of NVRTC's own version loads machine code: {same.stdout}{same.stderr}")
    for wrong in ("11.8", "12", "new", "12.8.1"):
        refused = run_warm("90", f"--driver={wrong}", program, **cache)
        check(refused.returncode == 2 and f"'{wrong}' is no version of a driver's CUDA" in refused.stderr, f"a wrong version is told: {refused.stderr}")

    unknown = run_warm("35", program, **cache)
    check(unknown.returncode == 2 and "'35' is no architecture" in unknown.stderr and "90" in unknown.stderr.split("it knows")[-1],
          f"an unknown architecture is told with those that are known: {unknown.stderr}")
    failing = run_warm("90", program, "fail", **cache)
    check(failing.returncode == 2 and "ended with status 3" in failing.stderr and "this program cannot go on" in failing.stderr,
          f"a program that fails is told with its status and words: {failing.stderr}")
    idle = run_warm("90", program, "cpu", **cache)
    check(idle.returncode == 2 and "launched no kernel" in idle.stderr, f"a program without kernels is told: {idle.stderr}")
    missing = run_warm("90", "/no/such/program", **cache)
    check(missing.returncode == 2 and "'/no/such/program' cannot be run" in missing.stderr, f"a program that is not there: {missing.stderr}")
    without = run_warm("90", program, **cache, TESSERA_NVRTC="libtessera_no_such_nvrtc.so")
    check(without.returncode == 2 and "the NVRTC library was not found" in without.stderr,
          f"no NVRTC: {without.stderr}")
    full = run_warm("90", program, TESSERA_CACHE_DIR="/dev/null/kernels")
    check(full.returncode == 2 and "kernels cannot be kept in '/dev/null/kernels'" in full.stderr, f"a folder that cannot be: {full.stderr}")

sys.exit(1 if failures else 0)
