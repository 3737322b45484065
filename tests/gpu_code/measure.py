"""The machine code of the kernels of a fixed list of expressions, for sm_90: what it shows is held against budgets, or made a page.

measure.py PROGRAM LIBRARIES check          compares with budgets.txt; status 77 where there is no NVRTC or no nvdisasm
measure.py PROGRAM LIBRARIES page FILE      writes the table
measure.py PROGRAM LIBRARIES budgets        writes budgets.txt: what is measured becomes the bound
measure.py PROGRAM LIBRARIES keep FOLDER    keeps texts and listings

PROGRAM is gpu_code_expressions, LIBRARIES the folder of the stand-in driver and the stand-in NVRTC, which only collects the kernels' texts here.
nvdisasm is looked for in TESSERA_NVDISASM, on PATH, beside nvcc's prefix, and in .toolchain (./dev installs it there). The folder GPU_CODE_KNOWN keeps what
the two tools said of each text, so that only texts that have changed since the last time are compiled.
"""
import concurrent.futures
import ctypes
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import sass

HERE = pathlib.Path(__file__).resolve().parent
BUDGETS = HERE / "budgets.txt"
ARCHITECTURE = 90
OPTIONS = (f"--gpu-architecture=sm_{ARCHITECTURE}", "--std=c++17", "-fmad=true", "--ptxas-options=--verbose")
SKIPPED = 77
# name of the column, whether more is better
COLUMNS = (("registers", False), ("local", False), ("shared", False), ("load", True), ("store", True), ("together", True), ("each", False),
           ("branches", False), ("instructions", False))


class Missing(Exception):
    """A tool that is not here."""


def find_disassembler():
    named = os.environ.get("TESSERA_NVDISASM")
    toolchain = HERE.parents[1] / ".toolchain"
    candidates = [named] if named else [shutil.which("nvdisasm"), *(str(pathlib.Path(os.environ[name]) / "bin/nvdisasm")
                                                                    for name in ("CUDA_HOME", "CUDA_PATH") if name in os.environ),
                                        "/usr/local/cuda/bin/nvdisasm", *map(str, toolchain.glob("nvdisasm/lib/*/site-packages/nvidia/*/bin/nvdisasm"))]
    for candidate in candidates:
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    raise Missing("nvdisasm is not here; TESSERA_NVDISASM can name it")


class Nvrtc:
    """CUDA's compiler, by its C interface."""

    def __init__(self):
        named = os.environ.get("TESSERA_NVRTC")
        for name in [named] if named else ["libnvrtc.so.13", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so"]:
            try:
                self.library = ctypes.CDLL(name)
                return
            except OSError:
                continue
        raise Missing("libnvrtc is not here; TESSERA_NVRTC can name it")

    def version(self):
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        return f"{major.value}.{minor.value}"

    def compile(self, text):
        """(cubin, log) with the options of modules/device/kernels/find_kernel.cpp."""
        program = ctypes.c_void_p()
        self.library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"expression.cu", 0, None, None)
        options = [option.encode() for option in OPTIONS]
        failed = self.library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
        log = self._bytes(program, "ProgramLog").decode(errors="replace")
        cubin = b"" if failed else self._bytes(program, "CUBIN")
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        if failed:
            raise RuntimeError(log)
        return cubin, log

    def _bytes(self, program, what):
        size = ctypes.c_size_t()
        getattr(self.library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        getattr(self.library, f"nvrtcGet{what}")(program, buffer)
        return buffer.raw


def expressions(program):
    """[(name, bytes read, bytes written, what it is)]"""
    listed = subprocess.run([program, "--list"], check=True, capture_output=True, text=True).stdout
    return [(name, int(read), int(written), what) for name, read, written, what in (line.split("\t") for line in listed.splitlines())]


def texts_of(program, libraries, name):
    """The texts of the kernels that an expression launches; those that merge partial results come after those that make them."""
    with tempfile.TemporaryDirectory(prefix="tessera_code_") as folder:
        environment = {**os.environ,
                       "TESSERA_CUDA_DRIVER": str(libraries / "libfake_cuda.so"), "TESSERA_NVRTC": str(libraries / "libfake_nvrtc.so"),
                       "TESSERA_CUBLAS": "none", "TESSERA_CACHE_DIR": "/dev/null", "FAKE_CUDA_DEVICES": "1", "FAKE_CUDA_MEMORY": "16384",
                       "FAKE_CUDA_CAPABILITY": str(ARCHITECTURE), "FAKE_NVRTC_COLLECT": "1", "FAKE_NVRTC_SOURCES": folder}
        done = subprocess.run([program, name], env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{name}: {done.stdout}{done.stderr}")
        texts = [file.read_text() for file in sorted(pathlib.Path(folder).glob("*.cu"))]
    if not texts:
        raise RuntimeError(f"{name} launched no kernel")
    return sorted(texts, key=lambda text: (re.search(r"\bfrom\[p(art)?\]", text) is not None, text))  # what reads partial results


class Listings:
    """The machine code of texts as nvdisasm prints it, and what the assembler says of it; equal texts are compiled once."""

    def __init__(self, nvrtc, disassembler):
        self.nvrtc, self.disassembler = nvrtc, disassembler
        status = os.stat(disassembler)
        self.tools = f"{nvrtc.version()} {' '.join(OPTIONS)} {disassembler} {status.st_size} {status.st_mtime_ns}"
        self.folder = pathlib.Path(os.environ["GPU_CODE_KNOWN"]) if os.environ.get("GPU_CODE_KNOWN") else None
        self.used, self.compiled = set(), 0

    def of(self, text):
        """(listing, log)"""
        key = hashlib.sha256(f"{self.tools}\0{text}".encode()).hexdigest()
        self.used.add(key)
        if self.folder:
            try:
                return tuple(json.loads((self.folder / key).read_text()))
            except (OSError, ValueError):  # it was not there, or not to its end
                pass
        found = self.make(text)
        self.compiled += 1
        if self.folder:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", dir=self.folder, delete=False) as file:
                json.dump(found, file)
            os.replace(file.name, self.folder / key)
        return found

    def make(self, text):
        cubin, log = self.nvrtc.compile(text)
        with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
            file.write(cubin)
            file.flush()
            listing = subprocess.run([self.disassembler, "-c", "-ndf", file.name], check=True, capture_output=True, text=True).stdout
        return listing, log

    def forget_unused(self):
        for file in self.folder.iterdir() if self.folder and self.folder.exists() else ():
            if file.name not in self.used:
                file.unlink()


def number_before(log, words):
    found = re.search(rf"(\d+) {words}", log)
    return int(found.group(1)) if found else 0


def threads_of(text):
    bounds = re.search(r"__launch_bounds__\((\d+)", text)
    return int(bounds.group(1)) if bounds else 256


def warps_of(registers, shared, threads):
    """Warps that a multiprocessor of sm_90 runs at once."""
    warps = (threads + 31) // 32
    of_a_warp = (registers * 32 + 255) // 256 * 256
    blocks = min(32, 64 // warps, 65536 // of_a_warp // warps, 233472 // (shared + 1024))
    return blocks * warps


def results(program, libraries, keep=None):
    """{name of a kernel: what its code shows}, in the order of the list; of an expression with several kernels name/0, name/1."""
    disassembler, nvrtc = find_disassembler(), Nvrtc()
    listings = Listings(nvrtc, disassembler)

    def one(entry):
        name, read, written, what = entry
        found = {}
        texts = texts_of(program, libraries, name)
        for number, text in enumerate(texts):
            kernel = name if len(texts) == 1 else f"{name}/{number}"
            listing, log = listings.of(text)
            if keep:
                (keep / f"{kernel.replace('/', '.')}.cu").write_text(text)
                (keep / f"{kernel.replace('/', '.')}.sass").write_text(listing)
            seen = sass.measure(listing, read, written)
            seen |= {"what": what if number == 0 else f"{what}: second kernel", "threads": threads_of(text),
                     "registers": number_before(log.replace("Used ", ""), "registers"),
                     "local": number_before(log, "bytes stack frame") + number_before(log, "bytes spill stores"),
                     "shared": number_before(log, "bytes smem")}
            seen["warps"] = warps_of(seen["registers"], seen["shared"], seen["threads"])
            found[kernel] = seen
        return found

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        measured = {name: seen for found in pool.map(one, expressions(program)) for name, seen in found.items()}
    listings.forget_unused()
    print(f"{listings.compiled} of {len(measured)} kernels were compiled now")
    return nvrtc.version(), measured


def budgets():
    """(version of NVRTC, {name: {column: bound}})"""
    lines = [line for line in BUDGETS.read_text().splitlines() if line and not line.startswith("#")]
    version = lines[0].split()[-1]
    names = lines[1].split()[1:]
    return version, {words[0]: dict(zip(names, map(float, words[1:]))) for words in map(str.split, lines[2:])}


def exceeded(seen, bounds):
    """What is worse than its bound, in words."""
    worse = []
    for column, more in COLUMNS:
        value, bound = seen[column], bounds[column]
        if value < bound if more else value > bound:
            worse.append(f"{column} {value:g}, which should be at {'least' if more else 'most'} {bound:g}")
    return worse


def check(version, measured):
    wanted, bounds = budgets()
    if version != wanted:
        raise Missing(f"the budgets are for NVRTC {wanted}, and here is {version}")
    problems = [f"{name} is measured and has no budget" for name in measured if name not in bounds]
    problems += [f"{name} has a budget and is not measured" for name in bounds if name not in measured]
    for name, seen in measured.items():
        problems += [f"{name}: {words}" for words in exceeded(seen, bounds.get(name, {column: seen[column] for column, _ in COLUMNS}))]
    print(f"{len(measured)} kernels compiled by NVRTC {version} for sm_{ARCHITECTURE}")
    for problem in problems:
        print("  " + problem)
    return 1 if problems else 0


def write_budgets(version, measured):
    width = max(map(len, measured)) + 2
    rows = [["kernel", *(column for column, _ in COLUMNS)]]
    rows += [[name, *(f"{seen[column]:g}" for column, _ in COLUMNS)] for name, seen in measured.items()]
    head = [line for line in BUDGETS.read_text().splitlines() if line.startswith("#")] if BUDGETS.exists() else []
    body = ["".join([row[0].ljust(width), *(cell.rjust(14) for cell in row[1:])]).rstrip() for row in rows]
    BUDGETS.write_text("\n".join([*head, f"NVRTC {version}", *body]) + "\n")
    return 0


def write_page(version, measured, page):
    begin, end = "<!-- measured -->\n", "<!-- end -->\n"
    text = page.read_text()
    head = (f"{len(measured)} kernels, NVRTC {version}, sm_{ARCHITECTURE}.\n\n"
            "| expression | registers | shared, bytes | warps | widest load, store, bits | loads together | instructions an element | branches |\n"
            "|---|---|---|---|---|---|---|---|\n")
    rows = [f"| {seen['what']} | {seen['registers']}{' + ' + str(seen['local']) + ' bytes local' if seen['local'] else ''} | {seen['shared']} "
            f"| {seen['warps']} | {seen['load'] or '-'}, {seen['store'] or '-'} | {seen['together']} "
            f"| {seen['each']:g} | {seen['branches']} |\n" for seen in measured.values()]
    before, after = text.split(begin)[0], text.split(end)[-1]
    page.write_text(before + begin + "\n" + head + "".join(rows) + "\n" + end + after)
    return 0


def main():
    program, libraries, action = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    keep = pathlib.Path(sys.argv[4]) if action == "keep" else None
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
    try:
        version, measured = results(program, libraries, keep)
        if action == "check":
            return check(version, measured)
    except Missing as missing:
        print(f"skipped: {missing}")
        return SKIPPED
    if action == "budgets":
        return write_budgets(version, measured)
    if action == "page":
        return write_page(version, measured, pathlib.Path(sys.argv[4]))
    for name, seen in measured.items():
        print(name, *(f"{column} {seen[column]:g}" for column in ("registers", "local", "shared", "warps", "load", "store", "together", "each", "main", "elements", "branches", "instructions")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
