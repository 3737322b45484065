"""The folder of ./dev gpu-package: its size, what its gpu-test says with and without a GPU, and that nothing comes from the build folder.

package_test.py GPU_PACKAGE BUILD; GPU_PACKAGE is .ci/gpu_package.py.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

gpu_package, build = sys.argv[1], pathlib.Path(sys.argv[2])
failures = []


def check(condition, what):
    print(("ok    " if condition else "FAILED ") + what, flush=True)
    if not condition:
        failures.append(what)


def run(command, **more):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, stdin=subprocess.DEVNULL, errors="replace", **more)


def make(folder, *options, build=build):
    return run([sys.executable, "-B", gpu_package, build, "--no-fashion", *options, folder])


def few_programs(folder):
    """A build folder in which one small program has the names of all."""
    (folder / "bin").mkdir(parents=True)
    for name in run([sys.executable, "-B", gpu_package, "--programs"]).stdout.split():
        shutil.copy(build / "bin/list_gpus", folder / "bin" / name)
    shutil.copy(build / "tests/cuda/libplain_cuda.so", folder / "bin/libtessera_cuda_kernels.so")
    return folder


def hides_build():
    """How to run a shell's words in a world without the build folder; none if this machine forbids it."""
    for unshare in (["unshare", "--mount"], ["unshare", "--mount", "--map-root-user"]):
        attempt = [*unshare, "sh", "-c", f"mount -t tmpfs none {shlex.quote(str(build))} && exec \"$@\"", "sh"]
        try:
            if run([*attempt, "test", "!", "-e", build / "bin"]).returncode == 0:
                return attempt
        except OSError:
            break
    print("the build folder stays in reach: this machine has no mount namespaces for us")
    return []


def bytes_of(folder):
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def copy_stand_ins(folder):
    """Drivers and compilers from the build folder, in the form in which the environment names CUDA's."""
    for library in ("cuda/libplain_cuda.so", "cuda/libfake_nvrtc.so"):
        shutil.copy(build / "tests" / library, folder)
    # The stand-in compiler calls the host's, which needs a linker.
    return {"PATH": "/usr/bin:/bin", "TESSERA_CUDA_DRIVER": folder / "libplain_cuda.so", "TESSERA_NVRTC": folder / "libfake_nvrtc.so",
            "TESSERA_CUBLAS": "none", "FAKE_NVRTC_CACHE": folder / "compiled", "FAKE_CUDA_DEVICES": 1}


def as_words(variables):
    return [f"{name}={value}" for name, value in variables.items()]


def check_loader(package, hidden, variables):
    """The loader takes the package's libraries and glibc's, and looks for none in the build folder."""
    said = run([*hidden, "env", "-i", "LD_DEBUG=libs", *as_words(variables), package / "bin/digits", "--epochs", "1", "--quiet", "--report",
                package.parent / "report.html"])
    check(said.returncode == 0, f"digits trains in the package: {'' if said.returncode == 0 else said.stderr[-2000:]}")
    loaded = set(re.findall(r"calling init: (/.+)", said.stderr))
    allowed = re.compile(r"/(ld-linux-x86-64|libc|libm|libpthread|libdl|librt)\.so")
    strangers = [path for path in loaded if not path.startswith(str(package)) and not allowed.search(path)]
    check(not strangers, f"no library from elsewhere: {strangers}")
    check(str(build) not in said.stderr, "the loader does not look into the build folder")


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    made = make(folder / "made", "--limit", "60")
    check(made.returncode == 0, f"a package is made: {made.stdout}{made.stderr}")
    check(bytes_of(folder / "made") <= 60e6, f"it has at most 60 MB: {bytes_of(folder / 'made') / 1e6:.1f}")
    again = make(folder)
    check(again.returncode == 1 and "is no such package" in again.stderr, f"another folder is not overwritten: {again.stderr}")

    package = folder / "moved" / "here and there"
    package.parent.mkdir()
    (folder / "made").rename(package)
    variables = copy_stand_ins(folder / "moved")
    hidden = hides_build()
    test = [*hidden, "env", "-i", *as_words(variables), package / "gpu-test"]

    tested = run([*test, "device", "products", "digits"])
    check(tested.returncode == 0, f"its gpu-test passes on a stand-in driver: {tested.stdout}{tested.stderr}")
    table = re.findall(r"^(\w+) +(passed|FAILED|skipped) +\d+$", tested.stdout, re.MULTILINE)
    check(table == [(name, "passed") for name in ("device", "products", "digits", "all")], f"the table says so: {table}")
    check("gpu:0: sm_90 64 Fake GPU 0" in tested.stdout, "it names the GPU")
    check_loader(package, hidden, variables)
    compiled = run([*hidden, "env", "-i", package / "bin/test_kernels", "--test-suite=compiled"])
    check(compiled.returncode == 0, f"the compiled kernels are found: {compiled.stdout[-2000:]}")

    measured = run([*hidden, "env", "-i", *as_words(variables), package / "bench-gpu", "--quick", "--only", "sgd"])
    check(measured.returncode == 0 and "Fake GPU 0" in measured.stdout, f"its bench-gpu runs: {measured.stdout}{measured.stderr}")

    unknown = run([*test, "nothing"])
    check(unknown.returncode == 2 and "there is no stage 'nothing'" in unknown.stderr, f"an unknown stage: {unknown.stderr}")
    without = run([*hidden, "env", "-i", "TESSERA_CUDA_DRIVER=/no/such/libcuda.so", package / "gpu-test"])
    check(without.returncode == 2 and len(without.stderr.splitlines()) == 1 and "/no/such/libcuda.so" in without.stderr,
          f"without a GPU: {without.stderr}")

    (package / "bin/test_cublas").write_text("#!/bin/sh\necho broken; exit 3\n")
    broken = run([*test, "products"])
    check(broken.returncode == 1 and "ended with status 3" in broken.stdout and re.search(r"^products +FAILED", broken.stdout, re.MULTILINE),
          f"a test that fails: {broken.stdout}")
    (package / "bin/test_cublas").write_text("#!/bin/sh\necho '[doctest] test cases: 0 | 0 passed'\n")
    empty = run([*test, "products"])
    check(empty.returncode == 1 and "ran no test" in empty.stdout, f"a program that runs no test: {empty.stdout}")

    few = few_programs(folder / "few")
    small = make(folder / "small", "--limit", "0.1", build=few)
    check(small.returncode == 1 and "more than 0.1;" in small.stderr, f"a package over its limit fails: {small.stderr}")
    packed = make(folder / "packed", "--limit", "60", "--compress", build=few)
    check(packed.returncode == 0 and list(folder.glob("packed/*/*.xz")), f"files can travel compressed: {packed.stdout}{packed.stderr}")
    used = run([*hidden, "env", "-i", *as_words(variables), folder / "packed/gpu-test", "memory"])
    check("gpu:0: sm_90" in used.stdout, f"they are unpacked by the first call: {used.stdout}{used.stderr}")
    check(not list(folder.glob("packed/*/*.xz")), "and lie in their places")

sys.exit(1 if failures else 0)
