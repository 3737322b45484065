"""Runs the tests on the machine's GPU, by its real driver: ./dev gpu-test and the folder of ./dev gpu-package do nothing else.

run_on_gpu.py BIN [STAGE...]   runs all stages, or those, with the programs in the folder BIN, and prints a table; status 1 if any failed,
                               2 without a GPU
run_on_gpu.py --programs       the programs that the stages need, which are also their targets
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(root / "bench/gpu"))
import cuda_libraries  # noqa: E402
python = sys.executable or os.path.realpath("/proc/self/exe")  # it does not know itself where there is no PATH

# Suites of tests: "fake" asks the stand-in driver what only it can answer or needs its lazy order, "real" would end a process whose kernels
# run on the host, "two GPUs" needs two. Everything else runs on every driver.
only_fake = ("fake", "real")
gpu_tests = "test_gpu"
# Stages of compute-sanitizer, and what it says where it cannot work, as in some virtual machines.
sanitizers = ("memcheck", "racecheck")
no_sanitizer = "Device not supported"

stage_texts = {
    "device": "devices, streams, marks, copies, memory and kernels",
    "faults": "what is said after a kernel that breaks the GPU",
    "memory": "pools of memory",
    "arrays": "arrays and expressions",
    "kernels": "sorting, scanning and picking by the compiled kernels",
    "products": "the machine's cuBLAS",
    "suite": "the differential suite of expressions",
    "digits": "training on the GPU",
    "memcheck": "compute-sanitizer: accesses to memory",
    "racecheck": "compute-sanitizer: races in shared memory",
}
programs = ["list_gpus", "test_device_with_driver", "describe_devices", "use_kernel", "break_gpu", "test_memory", "test_gpu",
            "test_kernels", "test_kernels_of_arrays", "test_cublas", "test_expr", "digits"]


def without(*suites):
    return "--test-suite-exclude=" + ",".join(suites)


def find_sanitizer():
    prefix = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
    for name in ("compute-sanitizer", prefix / "bin/compute-sanitizer", prefix / "compute-sanitizer/compute-sanitizer"):
        if found := shutil.which(name):
            return found
    return None


class Machine:
    """The GPUs, and the programs that test them."""

    def __init__(self, folder):
        self.bin = pathlib.Path(folder).resolve()
        listed = subprocess.run([self.bin / "list_gpus"], capture_output=True, text=True)
        self.reason = listed.stderr.strip()
        self.gpus = listed.stdout.splitlines()
        self.excluded = only_fake if len(self.gpus) > 1 else (*only_fake, "two GPUs")

    def tests(self, program, *arguments):
        return [self.bin / program, *arguments]

    def commands(self, stage):
        """The stage's commands with what they add to the environment; a text instead if it cannot run here."""
        ordinary = without(*self.excluded)
        if stage in sanitizers:
            tool = find_sanitizer()
            if tool is None:
                return "compute-sanitizer is neither on PATH nor under CUDA's prefix"
            return [([tool, "--tool", stage, "--error-exitcode", "99", *self.tests(gpu_tests, ordinary)], {})]
        return {
            "device": [(self.tests("test_device_with_driver", ordinary), {})],
            "faults": [(self.tests("test_device_with_driver", "--test-suite=real"), {})],
            "memory": [(self.tests("test_memory"), {})],
            "arrays": [(self.tests(gpu_tests, ordinary), {})],
            "kernels": [(self.tests("test_kernels", "--test-suite=compiled"), {}),
                        (self.tests("test_kernels_of_arrays", ordinary), {}),
                        (self.tests("test_kernels_of_arrays", ordinary), {"TESSERA_GPU_MEMORY": "pool"})],
            "products": [(self.tests("test_cublas", "--test-suite=installed"), {})],
            "suite": [(self.tests("test_expr", "--test-suite=any place"), {"TESSERA_TEST_PLACE": "gpu:0"})],
            "digits": [([python, "-B", root / "tests/digits/gpu_test.py", self.bin / "digits", self.bin / "list_gpus"], {})],
        }[stage]


def cases_of(output):
    """How many test cases a doctest program ran; None if it is none."""
    found = re.search(r"\[doctest\] test cases: *(\d+)", output)
    return int(found[1]) if found else None


class Runner:
    """Runs commands with their output in logs; says what, how long, and why if one fails. Each has passed, FAILED or was skipped."""

    def __init__(self, bin, logs, environment, limit):
        self.bin, self.logs, self.environment, self.limit = bin, logs, environment, limit
        logs.mkdir(parents=True, exist_ok=True)

    def run(self, stage, number, command, more):
        log = self.logs / f"{stage}{number or ''}.log"
        name = " ".join([pathlib.Path(command[0]).name, *map(str, command[1:])])
        begin = time.monotonic()
        with open(log, "w") as file:
            try:
                status = subprocess.run([str(word) for word in command], stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                        env={**self.environment, **more}, timeout=self.limit).returncode
                problem = f"ended with status {status}" if status else ""
            except subprocess.TimeoutExpired:
                problem = f"was stopped after {self.limit} s"
            except OSError as error:
                problem = f"cannot be run: {error.strerror}"
        output = log.read_text(errors="replace")
        cases = cases_of(output)
        if not problem and cases == 0:
            problem = "ran no test"
        seconds = time.monotonic() - begin
        shown = name.replace(str(root) + "/", "").replace(str(self.bin) + "/", "")
        print(f"  {shown[:86]:<86} {seconds:7.1f} s" + (f"  {cases} tests" if cases else ""), flush=True)
        if problem and stage in sanitizers and cases is None and no_sanitizer in output:
            print(f"  skipped: compute-sanitizer says that it does not support this machine's GPU, in {log}", flush=True)
            return "skipped"
        if problem:
            print(f"  {problem}; the end of {log}:")
            print("\n".join("    " + line[:400] for line in output.splitlines()[-40:]), flush=True)
        return "FAILED" if problem else "passed"


def print_table(results):
    print(f"\n{'stage':<10} {'result':<8} {'seconds':>8}")
    for stage, result, seconds in results:
        print(f"{stage:<10} {result:<8} {seconds:8.0f}")
    failed = any(result == "FAILED" for _, result, _ in results)
    print(f"{'all':<10} {'FAILED' if failed else 'passed':<8} {sum(seconds for *_, seconds in results):8.0f}")
    return 1 if failed else 0


def run_stages(machine, stages, runner):
    results = []
    for stage in stages:
        print(f"== {stage}: {stage_texts[stage]}", flush=True)
        begin = time.monotonic()
        commands = machine.commands(stage)
        if isinstance(commands, str):
            print(f"  skipped: {commands}", flush=True)
            results.append((stage, "skipped", 0))
            continue
        outcomes = {runner.run(stage, number, command, more) for number, (command, more) in enumerate(commands)}
        outcome = "FAILED" if "FAILED" in outcomes else "skipped" if "skipped" in outcomes else "passed"
        results.append((stage, outcome, time.monotonic() - begin))
    return results


def parse():
    parser = argparse.ArgumentParser(description="Runs the tests on the machine's GPU.",
                                     epilog="stages: " + "; ".join(f"{name}: {text}" for name, text in stage_texts.items()))
    parser.add_argument("bin", nargs="?", help="folder of the programs")
    parser.add_argument("stages", nargs="*", metavar="STAGE", help="all of them unless some are named")
    parser.add_argument("--programs", action="store_true", help="print the programs that are needed")
    parser.add_argument("--logs", default=root / "build/logs/gpu", type=pathlib.Path, help="folder for what the programs say")
    parser.add_argument("--limit", default=3600, type=float, metavar="SECONDS", help="of each program (3600)")
    arguments = parser.parse_intermixed_args()
    if not arguments.programs and arguments.bin is None:
        parser.error("the folder of the programs is missing")
    for stage in arguments.stages:
        if stage not in stage_texts:
            parser.error(f"there is no stage '{stage}'; there are {', '.join(stage_texts)}")
    return arguments


def main():
    arguments = parse()
    if arguments.programs:
        print("\n".join(programs))
        return 0
    cuda_libraries.add_to_environment(python)
    machine = Machine(arguments.bin)
    if not machine.gpus:
        print(f"gpu-test: no GPU can be used: {machine.reason}", file=sys.stderr)
        return 2
    for ordinal, gpu in enumerate(machine.gpus):
        print(f"gpu:{ordinal}: {gpu} (architecture, MiB, name)")
    with tempfile.TemporaryDirectory(prefix="tessera_kernels_") as kernels:
        # Kernels are compiled once for all stages, and the user's cache is left alone unless it is named.
        runner = Runner(machine.bin, arguments.logs, {"TESSERA_CACHE_DIR": kernels, **os.environ}, arguments.limit)
        return print_table(run_stages(machine, arguments.stages or list(stage_texts), runner))


if __name__ == "__main__":
    sys.exit(main())
