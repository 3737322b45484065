"""Lets programs find CUDA's libraries where a python's packages brought them: NVIDIA's wheels keep them out of the loader's sight."""
import json
import os
import pathlib
import subprocess
import sys

LIST = """
import importlib.util, json
found = importlib.util.find_spec("nvidia")
print(json.dumps(list(found.submodule_search_locations or []) if found else []))
"""


def folders(python=sys.executable):
    """Folders of NVIDIA's wheels that hold libraries, of one interpreter: cu13/lib, or a folder for each library up to CUDA 12."""
    try:
        done = subprocess.run([python, "-c", LIST], capture_output=True, text=True, timeout=60)
        packages = json.loads(done.stdout) if done.returncode == 0 else []
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return []
    return [str(folder) for package in packages for folder in sorted(pathlib.Path(package).glob("*/lib")) if any(folder.glob("lib*.so*"))]


def add_to_environment(python=sys.executable):
    """Puts them behind what LD_LIBRARY_PATH names, for the programs that this process starts."""
    known = [folder for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") if folder]
    more = [folder for folder in folders(python) if folder not in known]
    if more:
        os.environ["LD_LIBRARY_PATH"] = ":".join(known + more)
