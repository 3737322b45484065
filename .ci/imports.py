"""Checks the house: each file belongs to its room's module, imports only rooms above and, inside its room, folders above; a root file only
re-exports, and each body stands beside its interface.

Interfaces include only headers that are small: the others' declarations would be in the BMI of each of them.

A body sees all of its room, whatever its interface imports. It calls functions of folders that stand behind its own only where HANDED_ON says so. What is
looked at are names of several words: others are variables and members, too.
"""

import collections
import pathlib
import re
import sys

import declarations

# A room may import only rooms that stand before it.
ROOMS = ["standard", "core", "device", "memory", "schedule", "array", "expr", "algorithm", "darray", "io", "collective", "tessera"]

# The folders of a room. A partition may import only those of its own folder and of folders that stand before it.
FOLDERS = {
    "expr": ["math", "plan", "plan/reducers", "cpu", "cpu/reduce", "cpu/normalise", "cpu/product/kernels", "cpu/product", "cpu/product/vectors", "gpu", "gpu/picking", "gpu/product", "nodes", "functions", "operations", "assign", "explain", "program/tables", "program"],
    "array": ["layout", "handle", "views", "copy", "make"],
    "schedule": ["op", "engine", "executors", "ops", "pictures", "replay", "scheduler"],
    "memory": ["blocks", "checks", "pool", "use"],
    "device": ["places", "streams", "kernels"],
    "darray": ["", "operations", "searching", "indexing"],
    "collective": ["wire", "reduction", "turns", "protocols", "group", "sharded"],
    "io": ["files", "npy", "zip", "safetensors", "arrays", "dlpack"],
    "algorithm": ["rows", "scan", "select", "index", "sort", "einsum", "search", "sets", "counting", "selection", "statistics", "differences", "random", "refusals"],
}
MOST_FILES = 24  # in a folder

# Functions that bodies of earlier folders call: work or a question is handed on to what is made of the caller's own parts.
HANDED_ON = {
    "array/handle": {"views_mutex", "reunite_views", "footprint_of", "copy_with_device"},  # a buffer that goes asks whether views of it are about
    "darray/operations": {"require_vector", "taken_along"},
    "device/places": {"copy_async", "first_unproven_launch"},  # a driver's copies go by its streams; an error names the launch that may have failed
    "expr/cpu": {"run_on_device"},  # what is not on the host
    "expr/cpu/normalise": {"run_normalised_on_device"},
    "expr/cpu/product": {"plan_on_device", "run_on_device", "is_cut_by_depth", "multiply_by_depth", "multiply_few", "multiply_few_sums", "multiply_vector", "multiply_vector_alone"},
    "expr/cpu/reduce": {"run_on_device"},
    "memory/pool": {"pending_figures", "collect_freed"},  # what streams still use is not free
    "schedule/engine": {"is_join", "end_recorded", "check_not_recording", "record_submission", "run_recorded"},
    "schedule/ops": {"record_failure"},
}

SMALL_HEADERS = {"climits", "cmath", "cstddef", "cstdint", "cstdlib", "cstring", "math.h", "new"}

MODULE = re.compile(r"^(?:export )?module ([\w.]+)(?::\w+)?;", re.M)
PARTITION = re.compile(r"^(?:export )?import :(\w+);", re.M)
UNIT = re.compile(r"^export module [\w.]+:(\w+);", re.M)
IMPORT = re.compile(r"^(?:export )?import ([\w.]+);", re.M)
INCLUDE = re.compile(r"^#include [<\"](.+)[>\"]", re.M)
ROOT_LINE = re.compile(r"^(//.*|export module [\w.]+;|export import [\w.]*(:\w+)?;|)$")


def module_name(room):
    return "tessera" if room == "tessera" else f"tessera.{room}"


def room_and_folder(path):
    _, room, *folder, _ = path.parts
    return room, "/".join(folder)


def folder_complaints(path, folders_of_units):
    """What is wrong with where a file of a room with folders lies."""
    room, folder = room_and_folder(path)
    order = FOLDERS.get(room, [""])
    if path.name == f"{room}.cppm":
        return
    if folder not in order:
        yield f"the folders of {room} are {', '.join(order)}" if room in FOLDERS else f"{room} has no folders"
        return
    unit = UNIT.search(path.read_text())
    if unit and unit[1] not in (path.stem, f"{path.parent.name}_{path.stem}"):
        yield f"partition {unit[1]} is neither named as its file nor as its folder and file"
    for name in PARTITION.findall(path.read_text()):
        other = folders_of_units.get((room, name))
        if other is not None and other in order and order.index(other) > order.index(folder):
            yield f"imports :{name} of {other}, which stands behind {folder}"


def body_complaints(path):
    """A body x.cpp stands beside the interface x.cppm that declares what it defines."""
    if path.suffix == ".cpp" and not path.with_suffix(".cppm").exists():
        yield f"there is no {path.stem}.cppm beside it to declare what it defines"


def declared_in_folders(paths):
    """{room: {name: folders whose interfaces declare it}}"""
    found = collections.defaultdict(lambda: collections.defaultdict(set))
    for path in paths:
        room, folder = room_and_folder(path)
        if path.suffix == ".cppm" and room in FOLDERS and path.name != f"{room}.cppm":
            for item in declarations.File(path).items:
                found[room][item.name].add(folder)
    return found


NAMED = re.compile(r"([\w>&*]+)\s+(\w+)\s*[({=;,)]")
CALLED = re.compile(r"(?<![\w.>:])((?:[a-z]\w*::)*)(\w*[a-z0-9]_\w+)\s*[({<]")
WORDS_BEFORE_CALLS = {"return", "throw", "co_await", "co_return", "else", "new", "and", "or", "not", "&&", "&", "*", ">"}


def call_complaints(path, declared):
    """What a body calls of folders that stand behind its own."""
    room, folder = room_and_folder(path)
    if path.suffix != ".cpp" or room not in FOLDERS:
        return
    order, text = FOLDERS[room], declarations.blanked(path.read_text())
    own = {name for before, name in NAMED.findall(text) if before not in WORDS_BEFORE_CALLS}
    called = {name for scope, name in CALLED.findall(text) if not scope.startswith("std::")}
    for name in sorted(called - own - HANDED_ON.get(f"{room}/{folder}", set()) - {"to_string"}):
        folders = {other for other in declared[room].get(name, ()) if other in order}
        if folders and all(order.index(other) > order.index(folder) for other in folders):
            yield f"calls {name} of {' and '.join(sorted(folders))}, behind {folder}"


def unused_handed_on():
    """Entries of HANDED_ON that nothing needs."""
    for folder, names in HANDED_ON.items():
        text = "".join(path.read_text() for path in pathlib.Path("modules", folder).glob("*.cpp"))
        for name in sorted(names):
            if not re.search(rf"\b{name}\b", text):
                yield f".ci/imports.py: nothing in {folder} calls {name}"


def complaints(path):
    room, _ = room_and_folder(path)
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
    paths = sorted(pathlib.Path("modules").rglob("*.cpp*"))
    folders_of_units = {}
    files = collections.Counter()
    for path in paths:
        room, folder = room_and_folder(path)
        files[room, folder] += 1
        if unit := UNIT.search(path.read_text()):
            folders_of_units[room, unit[1]] = folder
    declared = declared_in_folders(paths)
    found = [f"{path}: {text}" for path in paths
             for text in (*complaints(path), *folder_complaints(path, folders_of_units), *body_complaints(path), *call_complaints(path, declared))]
    found += unused_handed_on()
    found += [f"modules/{room}/{folder}: {count} files are more than {MOST_FILES}"
              for (room, folder), count in files.items() if count > MOST_FILES]
    print("\n".join(found))
    return 1 if found else 0


sys.exit(main())
