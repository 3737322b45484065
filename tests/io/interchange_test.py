"""Files go from NumPy and the safetensors package to the library and back: what each of them writes, the others read as the same.

interchange_test.py CONVERT; CONVERT is the program of convert.cpp. Skipped (77) where Python has no NumPy; what needs safetensors or ml_dtypes is
left out where they are missing.
"""
import io
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

try:
    import numpy as np
except ImportError:
    print("skipped: Python has no NumPy; `pip install numpy safetensors ml_dtypes` makes this test run")
    sys.exit(77)
try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None
try:
    import safetensors
    import safetensors.numpy
except ImportError:
    safetensors = None

CONVERT = sys.argv[1]
TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "complex64", "complex128"]
SHAPES = [(), (1,), (7,), (2, 3), (3, 1, 4), (0,), (3, 0), (2, 1, 2, 3), (1,) * 9, (2, 1, 2, 1, 2, 1, 2, 1, 2)]
failures = []
checks = 0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        failures.append(what)
        print("FAILED " + what)


def convert(source, target, mode="load"):
    """What the program prints when it refuses; empty when it has converted."""
    result = subprocess.run([CONVERT, mode, str(source), str(target)], capture_output=True, text=True, timeout=120)
    return result.stderr.strip() if result.returncode else ""


def arrays():
    """Arrays of each type and shape, with their names."""
    random = np.random.default_rng(7)
    types = [np.dtype(t) for t in TYPES] + ([np.dtype(ml_dtypes.bfloat16)] if ml_dtypes else [])
    for dtype, shape in itertools.product(types, SHAPES):
        bits = random.integers(0, 256, (*shape, dtype.itemsize), np.uint8)
        yield f"{dtype.name} {shape}", np.asarray((bits[..., 0] & 1).astype(bool)) if dtype == bool else np.frombuffer(bits.tobytes(), dtype).reshape(shape)


def same(a, b):
    return a.shape == b.shape and a.dtype.itemsize == b.dtype.itemsize and np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes()


def test_npy(folder):
    a, b = folder / "a.npy", folder / "b.npy"
    for what, array in arrays():
        np.save(a, array)
        for mode in ("load", "map"):
            error = convert(a, b, mode)
            check(not error and a.read_bytes() == b.read_bytes(), f"{what} {mode}: the file is NumPy's byte for byte {error}")
    for what, array in arrays():
        if array.ndim != 2:
            continue
        variants = {"Fortran": np.asfortranarray(array), "big-endian": array.astype(array.dtype.newbyteorder(">")) if array.dtype.kind != "V" else array}
        for name, other in variants.items():
            np.save(a, other)
            error = convert(a, b)
            check(not error and same(np.load(b), array), f"{what} {name} {error}")
    array = np.arange(6, dtype="<i4").reshape(2, 3)
    for version in ((1, 0), (2, 0), (3, 0)):
        with open(a, "wb") as out:
            np.lib.format.write_array(out, array, version)
        error = convert(a, b)
        check(not error and same(np.load(b), array), f"version {version} {error}")
    for what, other in {"objects": np.array([None, 1]), "structured": np.zeros(3, "i4,f4"), "text": np.array(["a"]), "times": np.zeros(2, "M8[s]"),
                        "long double": np.zeros(2, np.longdouble), "ten axes": np.zeros((1,) * 10)}.items():
        np.save(a, other, allow_pickle=True)
        check("expected" in convert(a, b), f"{what} are refused")


def test_npz(folder):
    everything = {name.replace("(", "[").replace(")", "]"): array for name, array in arrays()}
    a = folder / "a.npz"
    for save in (np.savez, np.savez_compressed):
        save(a, **everything)
        for b in (folder / "b.npz", folder / "z.npz"):
            error = convert(a, b)
            check(not error, f"{save.__name__} is read {error}")
            check(zipfile.ZipFile(b).testzip() is None, f"{b.name}: zipfile finds all CRCs right")
            with np.load(b) as loaded:
                check(loaded.files == list(everything), f"{b.name}: names and their order")
                for name, array in everything.items():
                    check(same(loaded[name], array), f"{save.__name__} to {b.name}: {name}")
    check(b"\x08\x00" in (folder / "z.npz").read_bytes()[:10], "z.npz is deflated")

    content = io.BytesIO()
    np.save(content, np.arange(5))

    class Unseekable(io.RawIOBase):
        """Makes zipfile write data descriptors."""

        def __init__(self, out):
            self.out = out

        def writable(self):
            return True

        def write(self, data):
            return self.out.write(data)

    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with open(a, "wb") as out, zipfile.ZipFile(Unseekable(out), "w", method) as archive:
            archive.writestr("x.npy", content.getvalue())
            archive.writestr("\u00e4/\u65e5.npy", content.getvalue())
            archive.comment = b"a comment"
        error = convert(a, folder / "b.npz")
        check(not error and np.load(folder / "b.npz").files == ["x", "\u00e4/\u65e5"], f"data descriptors, UTF-8 and a comment {error}")
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        with zipfile.ZipFile(a, "w", method) as archive:
            archive.writestr("x.npy", content.getvalue())
        check("expected an entry that is stored or deflated" in convert(a, folder / "b.npz"), "other compression is refused")


def test_safetensors(folder):
    everything = {name: array for name, array in arrays() if array.dtype != np.complex128}
    a, b = folder / "a.safetensors", folder / "b.safetensors"
    safetensors.numpy.save_file(everything, a, metadata={"format": "test"})
    for mode in ("load", "map"):
        error = convert(a, b, mode)
        check(not error and a.read_bytes() == b.read_bytes(), f"{mode}: the file is that of the package, byte for byte {error}")
    loaded = safetensors.numpy.load_file(b)
    for name, array in everything.items():
        check(same(loaded[name], array), f"safetensors: {name}")
    half = len(everything) // 2
    names = list(everything)
    parts = {"one.safetensors": names[:half], "two.safetensors": names[half:]}
    for part, keys in parts.items():
        safetensors.numpy.save_file({key: everything[key] for key in keys}, folder / part)
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {"total_size": 1}, "weight_map": {key: part for part, keys in parts.items() for key in keys}}, indent=2))
    error = convert(index, b)
    check(not error and a.read_bytes() == b.read_bytes(), f"a sharded checkpoint {error}")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    test_npy(folder)
    test_npz(folder)
    if safetensors:
        test_safetensors(folder)
    else:
        print("left out: Python has no safetensors")
print(f"{checks} checks with NumPy {np.__version__}, {len(failures)} failed")
sys.exit(1 if failures else 0)
