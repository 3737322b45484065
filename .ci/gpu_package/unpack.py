"""Unpacks the programs and libraries beside this file that travel compressed, in their places; the second time there is nothing to do."""
import contextlib
import lzma
import os
import pathlib
import shutil

root = pathlib.Path(__file__).resolve().parent
for packed in [*root.glob("bin/*.xz"), *root.glob("lib/*.xz")]:
    target = packed.with_suffix("")
    partial = pathlib.Path(f"{target}.{os.getpid()}.part")
    with lzma.open(packed) as source, open(partial, "wb") as file:
        shutil.copyfileobj(source, file, 1 << 20)
    partial.rename(target)
    packed.unlink(missing_ok=True)
for program in root.glob("bin/*"):  # some ways of copying forget what may be run
    with contextlib.suppress(OSError):
        program.chmod(0o755)
