"""Measures what building with Tessera costs, against the budgets, and writes docs/benchmarks/build.md."""

import datetime
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

BUILD = pathlib.Path("build/timings")
PAGE = pathlib.Path("docs/benchmarks/build.md")
JOBS = 2
REPEATS = 11

BUILD_BUDGET_S = 6 * 60
IMPORT_BUDGET_S = 0.5
BMI_BUDGET_BYTES = 10 * 10**6


def run(*command):
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{(result.stdout + result.stderr)[-4000:]}")
    return result.stdout


def seconds(*command):
    begin = time.perf_counter()
    run(*command)
    return time.perf_counter() - begin


def cached(name):
    """The value of a variable in the build's CMakeCache.txt."""
    return re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M).group(1)


def clean_build(compiler_options):
    shutil.rmtree(BUILD, ignore_errors=True)
    run("cmake", "--preset", "release", "-B", BUILD, "-D", "TESSERA_BENCH=OFF", "-D", "TESSERA_EXAMPLES=OFF", *compiler_options)
    library = seconds("cmake", "--build", BUILD, "-j", str(JOBS), "--target", "tessera")
    return library, library + seconds("cmake", "--build", BUILD, "-j", str(JOBS))


def bmis():
    """Module name and BMI of every interface; CMake writes tessera.core:dim as tessera.core-dim.pcm."""
    files = sorted(BUILD.glob("modules/CMakeFiles/tessera.dir/*.pcm"))
    return {path.stem.replace("-", ":"): path for path in files}


def import_cost(modules):
    """Median seconds that a translation unit with nothing but the import takes longer than an empty one."""
    compiler = [cached("CMAKE_CXX_COMPILER"), "-std=c++20", "-O3", "-DNDEBUG", "-c", "-o", os.devnull]
    mapping = [f"-fmodule-file={name}={path}" for name, path in modules.items()]
    empty, importing = BUILD / "empty.cpp", BUILD / "import.cpp"
    empty.write_text("")
    importing.write_text("import tessera;\n")
    without, with_import = [], []
    for _ in range(REPEATS):
        without.append(seconds(*compiler, empty))
        with_import.append(seconds(*compiler, *mapping, importing))
    return statistics.median(with_import) - statistics.median(without)


def processor():
    names = re.findall(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    return f"{names[0] if names else os.uname().machine}, {len(os.sched_getaffinity(0))} cores"


def verdict(value, budget):
    return "within" if value <= budget else "**over**"


def page(rows, modules, compiler):
    lines = [
        "# What a build costs",
        "",
        "`./dev build --timings` measures these figures, checks them against their budgets and writes this page.",
        "",
        f"{datetime.date.today()}, {compiler}, {processor()}.",
        "",
        "| what | measured | budget | |",
        "|---|---:|---:|---|",
        *(f"| {' | '.join(row)} |" for row in rows),
        "",
        "A BMI is what the compiler keeps of a module interface, and what every importer reads.",
        "",
        "| module | BMI, kB |",
        "|---|---:|",
        *(f"| `{name}` | {path.stat().st_size / 1000:.0f} |" for name, path in modules.items()),
        "",
    ]
    return "\n".join(lines)


def main():
    busy = os.getloadavg()[0]
    if busy > 0.5:
        print(f"the machine is busy (load {busy:.1f}): the times will be too long")
    print(f"clean build of the library and the tests, {JOBS} jobs ...", flush=True)
    library, everything = clean_build(sys.argv[1:])
    modules = bmis()
    if "tessera" not in modules:
        sys.exit(f"no BMI of the module tessera under {BUILD}")
    print(f"import tessera; in a file of its own, median of {REPEATS} ...", flush=True)
    cost = import_cost(modules)
    largest = max(path.stat().st_size for path in modules.values())
    rows = [
        (f"clean build of the library, {JOBS} jobs", f"{library:.0f} s", "", ""),
        (f"clean build of library and tests, {JOBS} jobs", f"{everything:.0f} s", f"{BUILD_BUDGET_S} s", verdict(everything, BUILD_BUDGET_S)),
        ("`import tessera;` in a translation unit", f"{cost:.3f} s", f"{IMPORT_BUDGET_S} s", verdict(cost, IMPORT_BUDGET_S)),
        ("largest BMI", f"{largest / 1e6:.2f} MB", f"{BMI_BUDGET_BYTES // 10**6} MB", verdict(largest, BMI_BUDGET_BYTES)),
    ]
    compiler = run(cached("CMAKE_CXX_COMPILER"), "--version").splitlines()[0]
    text = page(rows, modules, re.search(r"clang version [\d.]+", compiler).group(0).replace(" version", ""))
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(text)
    print(text)
    return 1 if any("over" in row[3] for row in rows) else 0


sys.exit(main())
