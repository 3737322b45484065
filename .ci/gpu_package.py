"""Makes the folder of ./dev gpu-package: tests and benchmarks for a machine with a GPU, its driver, CUDA's libraries and python3.

gpu_package.py BUILD [FOLDER] [OPTION...]   BUILD is a build folder with the targets built; --help lists the options
gpu_package.py --targets, --programs        the targets that it needs, the programs that it packs
"""
import argparse
import concurrent.futures
import lzma
import pathlib
import re
import shutil
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "tests/gpu"))
import run_on_gpu  # noqa: E402: the list of test programs

kernels = "libtessera_cuda_kernels.so"
fashion = pathlib.Path("/usr/share/datasets/fashion-mnist")
marker = ".tessera-gpu-package"
# A part of glibc cannot travel without the others, and every machine has it.
glibc = re.compile(r"(linux-vdso|ld-linux-x86-64|libc|libm|libpthread|libdl|librt|libresolv|libutil|libanl|libmvec)\.so")
# The benchmarks: their target, their programs, and a script of another folder that they call.
bench = root / "bench/gpu"
bench_target = "bench_gpu"
bench_programs = ["gpu_tessera", "gpu_reference", "gpu_by_hand"]
bench_scripts = [root / "bench/pytorch_digits.py"]
programs = run_on_gpu.programs + bench_programs


class Problem(Exception):
    """Why there is no package, in one line."""


def call(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise Problem(f"{command[0]} failed: {done.stderr.strip()}")
    return done.stdout


def megabytes(*paths):
    files = [file for path in paths for file in ([path] if path.is_file() else path.rglob("*"))]
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


def fresh(folder):
    if folder.exists() and any(folder.iterdir()) and not (folder / marker).exists():
        raise Problem(f"'{folder}' is there and is no such package; name another folder")
    shutil.rmtree(folder, ignore_errors=True)
    for inner in ("bin", "lib", "tests/gpu", "tests/digits", "bench/gpu"):
        (folder / inner).mkdir(parents=True)
    (folder / marker).touch()


def strip(source, target):
    tool = next(filter(None, map(shutil.which, ("strip", "llvm-strip", "llvm-strip-22"))), None)
    if tool is None:
        raise Problem("there is neither strip nor llvm-strip")
    call(tool, "-o", target, source)
    target.chmod(0o755)


def copy_programs(binaries, folder):
    missing = [name for name in [*programs, kernels] if not (binaries / name).exists()]
    if missing:
        raise Problem(f"not built: {', '.join(missing)}" + (" (nvcc builds it)" if kernels in missing else ""))
    for name in programs:
        strip(binaries / name, folder / "bin" / name)
    strip(binaries / kernels, folder / "lib" / kernels)


def needed(*files):
    """Libraries that the loader finds for the files: name and path, without glibc's."""
    found = {}
    for file in files:
        for name, path in re.findall(r"^\s*(\S+) => (not found|/\S+)", call("ldd", file), re.MULTILINE):
            if path == "not found":
                raise Problem(f"{file} needs {name}, which is not found")
            if not glibc.match(name):
                found[name] = pathlib.Path(path)
    return found


def copy_libraries(folder):
    libraries = needed(*sorted((folder / "bin").iterdir()), folder / "lib" / kernels)
    for name, path in sorted(libraries.items()):
        strip(path.resolve(), folder / "lib" / name)


def check_libraries(folder):
    """Every program finds all but glibc in the folder."""
    for program in sorted((folder / "bin").iterdir()):
        for name, path in needed(program).items():
            if folder / "lib" not in path.resolve().parents:
                raise Problem(f"{program.name} would take {name} from {path}, not from the package")


def newest_glibc(folder):
    versions = set()
    for file in [*(folder / "bin").iterdir(), *(folder / "lib").iterdir()]:
        versions |= {tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_(\d+\.\d+)\b", file.read_bytes().decode("latin-1"))}
    return ".".join(map(str, max(versions)))


def copy_scripts(folder):
    shutil.copy(root / "tests/gpu/run_on_gpu.py", folder / "tests/gpu")
    shutil.copy(root / "tests/digits/gpu_test.py", folder / "tests/digits")
    parts = root / ".ci/gpu_package"
    for name in ("gpu-test", "bench-gpu", "unpack.py"):
        shutil.copy(parts / name, folder / name)
    for script in bench.glob("*.py"):
        shutil.copy(script, folder / "bench/gpu")
    for script in bench_scripts:
        shutil.copy(script, folder / "bench")


def write_readme(folder, architectures, has_fashion, unpacked, glibc_version):
    parts = {"GLIBC": glibc_version,
             "ARCHITECTURES": ", ".join("sm_" + number for number in architectures),
             "UNPACKED": f"{unpacked:.0f}",
             "FASHION": "\nFashion-MNIST is in `data/fashion-mnist`: `bin/digits --gpu --fashion=data/fashion-mnist`.\n" if has_fashion else ""}
    text = (root / ".ci/gpu_package/README.md").read_text()
    for name, value in parts.items():
        text = text.replace(f"@{name}@", value)
    (folder / "README.md").write_text(text)


def compress(path):
    with open(path, "rb") as file:
        packed = lzma.compress(file.read(), preset=1)
    path.with_name(path.name + ".xz").write_bytes(packed)
    path.unlink()


def compress_all(folder):
    files = [file for file in [*(folder / "bin").iterdir(), *(folder / "lib").iterdir()] if file.stat().st_size > 100_000]
    with concurrent.futures.ThreadPoolExecutor() as threads:
        list(threads.map(compress, files))


def copy_fashion(folder, room):
    """Fashion-MNIST's files, if they are here and fit. Returns whether they are in."""
    if not fashion.exists():
        print("  without Fashion-MNIST, which is not installed here")
        return False
    size = megabytes(fashion)
    if size > room:
        print(f"  without Fashion-MNIST: {size:.1f} MB, and there is room for {room:.1f}")
        return False
    shutil.copytree(fashion, folder / "data/fashion-mnist")
    return True


def make(binaries, folder, architectures, wants_fashion, limit, compresses):
    fresh(folder)
    copy_programs(binaries, folder)
    copy_libraries(folder)
    copy_scripts(folder)
    check_libraries(folder)
    unpacked = megabytes(folder)
    glibc_version = newest_glibc(folder)  # before the files are compressed
    if compresses or unpacked > limit:
        compress_all(folder)
    has_fashion = wants_fashion and copy_fashion(folder, limit - megabytes(folder) - 0.01)
    write_readme(folder, architectures, has_fashion, unpacked, glibc_version)
    report(folder, unpacked, limit)


def report(folder, unpacked, limit):
    parts = {"programs": folder / "bin", "libraries": folder / "lib", "data": folder / "data"}
    sizes = ", ".join(f"{name} {megabytes(path):.1f}" for name, path in parts.items() if path.exists())
    total = megabytes(folder)
    print(f"  {folder}: {total:.1f} MB of at most {limit:g} ({sizes}); {unpacked:.1f} MB when unpacked")
    if total > limit:
        raise Problem(f"the folder has {total:.1f} MB, more than {limit:g}; --architectures takes fewer")
    print("  copy it to a machine with an NVIDIA driver, CUDA's libraries and python3, and run there:")
    print(f"    {folder.name}/gpu-test")
    print(f"    {folder.name}/bench-gpu")


def parse():
    parser = argparse.ArgumentParser(description="Makes a folder of tests and benchmarks for a machine with a GPU.")
    parser.add_argument("build", nargs="?", type=pathlib.Path)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=root / "build/gpu-package")
    parser.add_argument("--targets", action="store_true", help="print the targets that are needed")
    parser.add_argument("--programs", action="store_true", help="print the programs that are packed")
    parser.add_argument("--architectures", default="80,90,100,120", help="those of the compiled kernels")
    parser.add_argument("--no-fashion", action="store_true", help="without Fashion-MNIST, which is taken if it fits")
    parser.add_argument("--compress", action="store_true", help="programs and libraries travel compressed even if they fit without")
    parser.add_argument("--limit", type=float, default=60, metavar="MB", help="size of the folder at most (60)")
    arguments = parser.parse_intermixed_args()
    if not (arguments.targets or arguments.programs) and arguments.build is None:
        parser.error("the build folder is missing")
    return arguments


def main():
    arguments = parse()
    if arguments.targets:
        print("\n".join([*run_on_gpu.programs, "cuda_kernels", bench_target]))
        return 0
    if arguments.programs:
        print("\n".join(programs))
        return 0
    try:
        make(arguments.build.resolve() / "bin", arguments.folder.resolve(), re.split("[,;]", arguments.architectures),
             not arguments.no_fashion, arguments.limit, arguments.compress)
        return 0
    except Problem as problem:
        print(f"gpu-package: {problem}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
