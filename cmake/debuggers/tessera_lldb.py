"""lldb prints Tessera's arrays, shapes, places and half-width numbers. Load it with:
command script import <prefix>/share/tessera/debuggers/tessera_lldb.py
"""

import pathlib
import struct
import sys

import lldb

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import tessera_values as values  # noqa: E402

LONG = 8


def member(value, name):
    return value.GetNonSyntheticValue().GetChildMemberWithName(name)


def longs(value, count):
    """The numbers of type std::ptrdiff_t that begin where the value does."""
    if count == 0:
        return []
    error = lldb.SBError()
    memory = value.GetProcess().ReadMemory(value.GetLoadAddress(), count * LONG, error)
    return list(struct.unpack(f"<{count}q", memory)) if error.Success() else []


def rank_of(name):
    """Rank of the shape with the type Dim<rank>."""
    return int(name.split("<")[1].rstrip("> "))


def place_text(value, _=None):
    """Text of a place of any of the four types."""
    name = values.class_name(value.GetType().GetUnqualifiedType().GetCanonicalType().GetName())
    if name == "GpuPlace":
        return values.place_text(values.KINDS.index("gpu"), member(value, "ordinal").GetValueAsSigned())
    if name in values.PLACES:
        return values.PLACES[name]
    return values.place_text(member(value, "kind_").GetValueAsUnsigned(), member(value, "ordinal_").GetValueAsSigned())


def dim_text(value, _=None):
    name = value.GetType().GetUnqualifiedType().GetCanonicalType().GetName()
    return values.shape_text(longs(member(value, "extents_"), rank_of(name)))


def ddim_text(value, _=None):
    return values.shape_text(longs(member(value, "extents_"), member(value, "rank_").GetValueAsSigned()))


def float16_text(value, _=None):
    return values.float16_text(member(value, "bits_").GetValueAsUnsigned())


def bfloat16_text(value, _=None):
    return values.bfloat16_text(member(value, "bits_").GetValueAsUnsigned())


class ArrayElements:
    """The elements of an Array or ArrayView by their indices."""

    def __init__(self, value, _=None):
        self.value = value
        self.update()

    def update(self):
        layout = member(self.value, "layout_")
        shape = layout.GetChildMemberWithName("shape")
        rank = rank_of(shape.GetType().GetUnqualifiedType().GetCanonicalType().GetName())
        self.extents = longs(shape, rank)
        self.strides = longs(layout.GetChildMemberWithName("strides"), rank)
        self.place = place_text(member(self.value, "place_"))
        data = member(self.value, "data_")
        self.type = data.GetType().GetPointeeType()
        self.address = data.GetValueAsUnsigned()
        return False

    def text(self):
        return values.array_text(self.extents, self.place, self.address != 0)

    def has_children(self):
        return True

    def num_children(self):
        return values.element_count(self.extents) if self.address != 0 and values.can_read(self.place) else 0

    def get_child_at_index(self, number):
        name, offset = values.element(self.extents, self.strides, number)
        return self.value.CreateValueFromAddress(name, self.address + offset * self.type.GetByteSize(), self.type)

    def get_child_index(self, name):
        for number, (element, _) in enumerate(values.elements(self.extents, self.strides)):
            if element == name:
                return number
        return -1


def array_text(value, _=None):
    return ArrayElements(value).text()


SUMMARIES = {
    "(Array|ArrayView)<.+>": "array_text",
    "Dim<.+>": "dim_text",
    "DDim": "ddim_text",
    "(Place|CpuPlace|PinnedPlace|GpuPlace)": "place_text",
    "float16": "float16_text",
    "bfloat16": "bfloat16_text",
}


def __lldb_init_module(debugger, _):
    # clang may leave the namespace of a module's class out.
    for name, function in SUMMARIES.items():
        children = "--expand " if function == "array_text" else ""
        debugger.HandleCommand(f'type summary add {children}--category tessera --python-function {__name__}.{function} -x "^(tessera::)?{name}$"')
    debugger.HandleCommand(
        f'type synthetic add --category tessera --python-class {__name__}.ArrayElements -x "^(tessera::)?(Array|ArrayView)<.+>$"')
    debugger.HandleCommand("type category enable tessera")
