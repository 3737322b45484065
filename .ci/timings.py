"""Measures what building with Tessera costs, against the budgets, and writes docs/benchmarks/build.md.

Usage: timings.py [CMAKE-OPTION...]; `timings.py --expressions BUILD...` measures only the files of many expressions with the
compilers and modules of existing builds, `timings.py --rooms BUILD` only the rooms of one; they write nothing.
"""

import collections
import datetime
import json
import os
import pathlib
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import time

import expressions

BUILD = pathlib.Path("build/timings")
PAGE = pathlib.Path("docs/benchmarks/build.md")
JOBS = 2
REPEATS = 11

BUILD_BUDGET_S = 6 * 60
IMPORT_BUDGET_S = 0.5
BMI_BUDGET_BYTES = 10 * 10**6
EXPRESSIONS = 100
EXPRESSIONS_BUDGET_S = 20
EXPRESSIONS_BUDGET_BYTES = 10**9
EXPRESSIONS_REPEATS = 3
PRODUCTS = 20
PRODUCTS_BUDGET_S = 12
DYNAMIC_EXPRESSIONS = 20
DYNAMIC_EXPRESSIONS_BUDGET_S = 25
DYNAMIC_ROOMS = ("darray", "io")
DYNAMIC_ROOMS_BUDGET_S = 120
DYNAMIC_ROOMS_BUDGET_OBJECT_BYTES = 15 * 10**6
FILE_BUDGET_BYTES = 2 * 10**9
OLDEST_COMPILER = "clang++-19"  # measured too where it is there
OLDEST_BUILD = pathlib.Path("build/timings-clang19")


def run(*command):
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{(result.stdout + result.stderr)[-4000:]}")
    return result.stdout


def seconds(*command):
    begin = time.perf_counter()
    run(*command)
    return time.perf_counter() - begin


def cached(name, build=BUILD):
    """The value of a variable in the build's CMakeCache.txt."""
    return re.search(rf"^{name}:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M).group(1)


def compiler_of(build):
    """Name and version of the compiler of a build."""
    line = run(cached("CMAKE_CXX_COMPILER", build), "--version").splitlines()[0]
    return re.search(r"clang version [\d.]+", line).group(0).replace(" version", "")


def clean_build(compiler_options):
    shutil.rmtree(BUILD, ignore_errors=True)
    run("cmake", "--preset", "release", "-B", BUILD, "-D", "TESSERA_BENCH=OFF", "-D", "TESSERA_EXAMPLES=OFF", *compiler_options)
    library = seconds("cmake", "--build", BUILD, "-j", str(JOBS), "--target", "tessera")
    return library, library + seconds("cmake", "--build", BUILD, "-j", str(JOBS))


def oldest_builds():
    """The library by the oldest compiler, if that is there."""
    if not shutil.which(OLDEST_COMPILER):
        return []
    run("cmake", "--preset", "release", "-B", OLDEST_BUILD, "-D", f"CMAKE_CXX_COMPILER={OLDEST_COMPILER}", "-D", "TESSERA_TESTS=OFF",
        "-D", "TESSERA_BENCH=OFF", "-D", "TESSERA_EXAMPLES=OFF")
    run("cmake", "--build", OLDEST_BUILD, "-j", str(JOBS), "--target", "tessera")
    return [OLDEST_BUILD]


def bmis(build=BUILD):
    """Module name and BMI of every interface; CMake writes tessera.core:dim as tessera.core-dim.pcm."""
    files = sorted(build.glob("modules/CMakeFiles/tessera.dir/*.pcm"))
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


def compile_cost(command, folder=None):
    """Seconds of processor time and peak bytes of a compiler that works in one process: what it costs on an idle machine."""
    process = subprocess.Popen([str(part) for part in command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def source_cost(build, text):
    """Median seconds and peak bytes of compiling one file; bytes of its code."""
    modules = bmis(build)
    if "tessera" not in modules:
        sys.exit(f"no BMI of the module tessera under {build}")
    source, target = build / "expressions.cpp", build / "expressions.o"
    source.write_text(text)
    command = [cached("CMAKE_CXX_COMPILER", build), "-fintegrated-cc1", "-std=c++20", "-O3", "-DNDEBUG", "-c", source, "-o", target]
    command += [f"-fmodule-file={name}={path}" for name, path in modules.items()]
    costs = [compile_cost(command) for _ in range(EXPRESSIONS_REPEATS)]
    return statistics.median(cost[0] for cost in costs), max(cost[1] for cost in costs), target.stat().st_size


def expression_rows(builds):
    rows = []
    for build in builds:
        elapsed, memory, size = source_cost(build, expressions.source(EXPRESSIONS))
        what = f"{EXPRESSIONS} different fused expressions in one file, {compiler_of(build)}"
        rows += [(what, f"{elapsed:.1f} s", f"{EXPRESSIONS_BUDGET_S} s", verdict(elapsed, EXPRESSIONS_BUDGET_S)),
                 (f"memory of the compiler for it (object file: {size / 1e6:.1f} MB)", f"{memory / 1e6:.0f} MB",
                  f"{EXPRESSIONS_BUDGET_BYTES // 10**6} MB", verdict(memory, EXPRESSIONS_BUDGET_BYTES))]
        elapsed, _, _ = source_cost(build, expressions.products(PRODUCTS))
        rows += [(f"{PRODUCTS} different matrix products with work around them in one file, {compiler_of(build)}", f"{elapsed:.1f} s",
                  f"{PRODUCTS_BUDGET_S} s", verdict(elapsed, PRODUCTS_BUDGET_S))]
        elapsed, memory, size = source_cost(build, expressions.dynamic(DYNAMIC_EXPRESSIONS))
        rows += [(f"{DYNAMIC_EXPRESSIONS} different expressions of DArrays in one file, {compiler_of(build)} ({memory / 1e6:.0f} MB; object "
                  f"file: {size / 1e6:.1f} MB)", f"{elapsed:.1f} s", f"{DYNAMIC_EXPRESSIONS_BUDGET_S} s",
                  verdict(elapsed, DYNAMIC_EXPRESSIONS_BUDGET_S))]
        elapsed, _, _ = source_cost(build, expressions.MOVED_ABOUT)
        rows += [(f"a file that makes, slices and hands on DArrays, {compiler_of(build)}", f"{elapsed:.2f} s", "", "")]
    return rows


Room = collections.namedtuple("Room", "files seconds largest objects")


def rooms(build):
    """Files, seconds of processor time, peak bytes of the compiler and bytes of object files of each room, its files compiled one by one.
    A folder with tables for DArrays, expr/program, counts for itself."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"]).resolve()
        if not path.is_relative_to(pathlib.Path("modules").resolve()):
            continue
        parts = path.relative_to(pathlib.Path("modules").resolve()).parts
        name = "expr/program" if parts[:2] == ("expr", "program") else parts[0]
        command = shlex.split(entry["command"])
        target = pathlib.Path(entry["directory"], command[command.index("-o") + 1])
        elapsed, memory = compile_cost([command[0], "-fintegrated-cc1", *command[1:]], entry["directory"])
        room = found.get(name, Room(0, 0.0, 0, 0))
        found[name] = Room(room.files + 1, room.seconds + elapsed, max(room.largest, memory), room.objects + target.stat().st_size)
    return found


def room_rows(found):
    """What the rooms for arrays of run-time types cost, against their budgets."""
    dynamic = [found[name] for name in DYNAMIC_ROOMS]
    elapsed, memory = sum(room.seconds for room in dynamic), max(room.largest for room in dynamic)
    objects = sum(room.objects for room in dynamic)
    what = f"the rooms {' and '.join(DYNAMIC_ROOMS)}"
    return [(f"{what}, processor time", f"{elapsed:.0f} s", f"{DYNAMIC_ROOMS_BUDGET_S} s", verdict(elapsed, DYNAMIC_ROOMS_BUDGET_S)),
            (f"{what}, memory of the compiler for the largest file", f"{memory / 1e6:.0f} MB", f"{FILE_BUDGET_BYTES // 10**6} MB",
             verdict(memory, FILE_BUDGET_BYTES)),
            (f"{what}, object files", f"{objects / 1e6:.1f} MB", f"{DYNAMIC_ROOMS_BUDGET_OBJECT_BYTES // 10**6} MB",
             verdict(objects, DYNAMIC_ROOMS_BUDGET_OBJECT_BYTES))]


def room_table(found):
    return ["| room | files | processor time | largest memory | object files |", "|---|---:|---:|---:|---:|",
            *(f"| {name} | {room.files} | {room.seconds:.0f} s | {room.largest / 1e6:.0f} MB | {room.objects / 1e6:.1f} MB |"
              for name, room in sorted(found.items()))]


def processor():
    names = re.findall(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    return f"{names[0] if names else os.uname().machine}, {len(os.sched_getaffinity(0))} cores"


def verdict(value, budget):
    return "within" if value <= budget else "**over**"


def page(rows, found, modules, compiler):
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
        "The expressions are written by `.ci/expressions.py`: no two are the same tree over the same element types and ranks.",
        "",
        "What the library's rooms cost, their files compiled one by one:",
        "",
        *room_table(found),
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
    if sys.argv[1:2] == ["--expressions"]:
        print("\n".join(f"| {' | '.join(row)} |" for row in expression_rows([pathlib.Path(build) for build in sys.argv[2:]])))
        return 0
    if sys.argv[1:2] == ["--rooms"]:
        found = rooms(pathlib.Path(sys.argv[2]))
        print("\n".join([*(f"| {' | '.join(row)} |" for row in room_rows(found)), "", *room_table(found)]))
        return 0
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
    print(f"a file with {EXPRESSIONS} expressions, median of {EXPRESSIONS_REPEATS} ...", flush=True)
    rows += expression_rows([BUILD, *oldest_builds()])
    print("the rooms, file by file ...", flush=True)
    found = rooms(BUILD)
    rows += room_rows(found)
    text = page(rows, found, modules, compiler_of(BUILD))
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(text)
    print(text)
    return 1 if any("over" in row[3] for row in rows) else 0


sys.exit(main())
