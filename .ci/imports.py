"""Checks the house: each file belongs to its room's module, imports only rooms above, and a root file only re-exports.

Interfaces include only headers that are small: the others' declarations would be in the BMI of each of them.
"""

import pathlib
import re
import sys

# A room may import only rooms that stand before it.
ROOMS = ["standard", "core", "device", "memory", "schedule", "array", "expr", "algorithm", "darray", "io", "tessera"]

SMALL_HEADERS = {"climits", "cmath", "cstddef", "cstdint", "cstdlib", "cstring", "math.h", "new"}

MODULE = re.compile(r"^(?:export )?module ([\w.]+)(?::\w+)?;", re.M)
IMPORT = re.compile(r"^(?:export )?import ([\w.]+);", re.M)
INCLUDE = re.compile(r"^#include [<\"](.+)[>\"]", re.M)
ROOT_LINE = re.compile(r"^(//.*|export module [\w.]+;|export import [\w.]*(:\w+)?;|)$")


def module_name(room):
    return "tessera" if room == "tessera" else f"tessera.{room}"


def complaints(path):
    room = path.parent.name
    text = path.read_text()
    if room not in ROOMS:
        yield f"there is no room '{room}'; there are {', '.join(ROOMS)}"
        return
    declared = MODULE.findall(text)
    if declared != [module_name(room)]:
        yield f"declares {declared or 'no module'}, its folder says {module_name(room)}"
    above = {module_name(other) for other in ROOMS[: ROOMS.index(room)]}
    for name in IMPORT.findall(text):
        if name not in above:
            yield f"imports {name}, which is not above {room}"
    if path.suffix == ".cppm" and room != "standard":
        for header in INCLUDE.findall(text):
            if header not in SMALL_HEADERS:
                yield f"includes <{header}>: an interface imports tessera.standard instead"
    if path.name == f"{room}.cppm":
        for number, line in enumerate(text.splitlines(), 1):
            if not ROOT_LINE.match(line):
                yield f"line {number}: the root file of a room only re-exports, this has: {line}"


def main():
    found = [f"{path}: {text}" for path in sorted(pathlib.Path("modules").glob("*/*.cpp*")) for text in complaints(path)]
    print("\n".join(found))
    return 1 if found else 0


sys.exit(main())
