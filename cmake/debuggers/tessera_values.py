"""What the printers for gdb and for lldb share: texts of Tessera's values from their bits, and the order of elements."""

import itertools
import struct

PLACES = {"CpuPlace": "cpu", "PinnedPlace": "pinned"}
KINDS = ["cpu", "pinned", "gpu"]


def float16_text(bits):
    """IEEE 754 binary16, with digits enough to tell all numbers apart."""
    return format(struct.unpack("<e", struct.pack("<H", bits))[0], ".5g")


def bfloat16_text(bits):
    """The upper half of a binary32."""
    return format(struct.unpack("<f", struct.pack("<I", bits << 16))[0], ".4g")


def shape_text(extents):
    """(2, 3), (3,) and (), as the library prints shapes."""
    return str(tuple(extents))


def place_text(kind, ordinal):
    """cpu, pinned, gpu:0, as the library prints places."""
    if not 0 <= kind < len(KINDS):
        return f"invalid place {kind}"
    return f"gpu:{ordinal}" if KINDS[kind] == "gpu" else KINDS[kind]


def class_name(type_name):
    """Array of tessera::Array<float, 2, tessera::Place>; clang may leave the namespace of a module's class out."""
    return type_name.split("<")[0].removeprefix("tessera::")


def array_text(extents, place, has_storage):
    return f"{shape_text(extents)} at {place}" if has_storage else f"{shape_text(extents)} without storage"


def can_read(place):
    """A debugger reads the host's memory."""
    return not place.startswith("gpu")


def element_count(extents):
    """Number of elements; 0 for extents that no array has: those of one that is not constructed yet."""
    count = 1
    for extent in extents:
        if extent < 0:
            return 0
        count *= extent
    return count


def elements(extents, strides):
    """The name and the offset of each element, in row-major order: ("[0, 1]", 1)."""
    if element_count(extents) == 0:
        return
    for index in itertools.product(*(range(extent) for extent in extents)):
        yield str(list(index)), sum(i * stride for i, stride in zip(index, strides))


def element(extents, strides, number):
    """The name and the offset of the element with a number in row-major order."""
    index = []
    for extent in reversed(extents):
        index.insert(0, number % extent)
        number //= extent
    return str(index), sum(i * stride for i, stride in zip(index, strides))
