"""gdb prints Tessera's arrays, shapes, places and half-width numbers. Load it with: source <prefix>/share/tessera/debuggers/tessera_gdb.py"""

import pathlib
import sys

import gdb
import gdb.printing

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import tessera_values as values  # noqa: E402


def longs(value, count):
    """The numbers of type std::ptrdiff_t that begin where the value does, whether gdb knows its members or not."""
    pointer = value.address.cast(gdb.lookup_type("long").pointer())
    return [int(pointer[i]) for i in range(count)]


def place_of(value):
    """Text of a place of any of the four types."""
    name = values.class_name(str(value.type.strip_typedefs()))
    if name == "GpuPlace":
        return values.place_text(values.KINDS.index("gpu"), int(value["ordinal"]))
    if name in values.PLACES:
        return values.PLACES[name]
    return values.place_text(int(value["kind_"]), int(value["ordinal_"]))


class ArrayPrinter:
    """Array and ArrayView: shape and place, then the elements by their indices."""

    def __init__(self, value):
        rank = int(value.type.template_argument(1))
        layout = value["layout_"]
        self.data = value["data_"]
        self.extents = longs(layout["shape"], rank)
        self.strides = longs(layout["strides"], rank)
        self.place = place_of(value["place_"])

    def to_string(self):
        return values.array_text(self.extents, self.place, int(self.data) != 0)

    def children(self):
        if int(self.data) == 0 or not values.can_read(self.place):
            return
        for name, offset in values.elements(self.extents, self.strides):
            yield name, self.data[offset]


class TextPrinter:
    """A value that is one text."""

    def __init__(self, text):
        self.text = text

    def to_string(self):
        return self.text


def dim_text(value):
    return values.shape_text(longs(value["extents_"], int(value.type.template_argument(0))))


def ddim_text(value):
    return values.shape_text(longs(value["extents_"], int(value["rank_"])))


# The members by which a class is Tessera's, and what prints it.
PRINTERS = {
    "Array": ({"data_", "layout_", "place_"}, ArrayPrinter),
    "ArrayView": ({"data_", "layout_", "place_"}, ArrayPrinter),
    "Dim": ({"extents_"}, lambda value: TextPrinter(dim_text(value))),
    "DDim": ({"extents_", "rank_"}, lambda value: TextPrinter(ddim_text(value))),
    "Place": ({"kind_", "ordinal_"}, lambda value: TextPrinter(place_of(value))),
    "CpuPlace": (set(), lambda value: TextPrinter(place_of(value))),
    "PinnedPlace": (set(), lambda value: TextPrinter(place_of(value))),
    "GpuPlace": ({"ordinal"}, lambda value: TextPrinter(place_of(value))),
    "float16": ({"bits_"}, lambda value: TextPrinter(values.float16_text(int(value["bits_"])))),
    "bfloat16": ({"bits_"}, lambda value: TextPrinter(values.bfloat16_text(int(value["bits_"])))),
}


class TesseraPrinters(gdb.printing.PrettyPrinter):
    def __init__(self):
        super().__init__("tessera")

    def __call__(self, value):
        type_ = value.type.strip_typedefs()
        if type_.code != gdb.TYPE_CODE_STRUCT or not type_.name:
            return None
        members, printer = PRINTERS.get(values.class_name(type_.name), (None, None))
        if members is None or not members <= {field.name for field in type_.fields()} or value.address is None:
            return None
        return printer(value.cast(type_))


gdb.printing.register_pretty_printer(gdb.current_objfile(), TesseraPrinters(), replace=True)
