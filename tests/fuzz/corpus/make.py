"""Writes the files with which fuzzing begins, by NumPy, zipfile and the safetensors package: make.py, in this folder. make_torch.py adds those of PyTorch."""
import io
import json
import pathlib
import zipfile

import ml_dtypes
import numpy as np
import safetensors.numpy

here = pathlib.Path(__file__).parent
for path in [p for kind in ("npy", "zip", "safetensors") for p in (here / kind).iterdir()]:
    path.unlink()


def npy(array, version=None):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version)
    return out.getvalue()


some = {t: np.arange(1, 4).astype(t) for t in ("bool", "i1", "<i2", ">i4", "<u8", "<f2", ">f4", "<f8", "<c8", ">c16", ml_dtypes.bfloat16)}
for name, array in some.items():
    name = name if isinstance(name, str) else "bfloat16"
    (here / "npy" / (name.replace("<", "le_").replace(">", "be_") + ".npy")).write_bytes(npy(array))
(here / "npy/scalar.npy").write_bytes(npy(np.array(2.5)))
(here / "npy/empty.npy").write_bytes(npy(np.zeros((3, 0, 2), "i4")))
(here / "npy/fortran.npy").write_bytes(npy(np.asfortranarray(np.arange(6, dtype="i2").reshape(2, 3))))
(here / "npy/nine_axes.npy").write_bytes(npy(np.zeros((1, 2) * 4 + (1,), "u1")))
(here / "npy/version_2.npy").write_bytes(npy(np.arange(3), (2, 0)))
(here / "npy/version_3.npy").write_bytes(npy(np.arange(3), (3, 0)))
(here / "npy/structured.npy").write_bytes(npy(np.zeros(2, "i4,f4")))

np.savez(here / "zip/stored.npz", a=np.arange(3), b=np.float32(1))
np.savez_compressed(here / "zip/deflated.npz", a=np.zeros(100), b=np.arange(5, dtype="u1"))
np.savez(here / "zip/none.npz")


class Unseekable(io.RawIOBase):
    def __init__(self, out):
        self.out = out

    def writable(self):
        return True

    def write(self, data):
        return self.out.write(data)


with open(here / "zip/described.npz", "wb") as out, zipfile.ZipFile(Unseekable(out), "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("\u00e4.npy", npy(np.arange(3)))
    archive.comment = b"comment"
with zipfile.ZipFile(here / "zip/zip64.npz", "w") as archive, archive.open(zipfile.ZipInfo("a.npy"), "w", force_zip64=True) as entry:
    entry.write(npy(np.arange(3, dtype="i1")))

safetensors.numpy.save_file({"a": np.zeros((2, 3), "f4"), "b": np.ones(3, "i1"), "c": np.array(1.0), "d": np.zeros((0, 2), "u2")}, here / "safetensors/four.safetensors",
                            metadata={"format": "np", "\u00e4": "\n"})
safetensors.numpy.save_file({"a": np.zeros(2, ml_dtypes.bfloat16), "b": np.zeros(1, bool)}, here / "safetensors/two.safetensors")
safetensors.numpy.save_file({}, here / "safetensors/none.safetensors")
(here / "safetensors/index.json").write_text(json.dumps({"metadata": {"total_size": 12}, "weight_map": {"a": "none.safetensors"}}))
