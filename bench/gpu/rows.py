"""The rows of the GPU table: which work at which shape, how many bytes it moves at least, and the goals that it is held to."""

import dataclasses
import typing

OURS = "Tessera"
HAND = "by hand"
ITEM_BYTES = {"f32": 4, "f16": 2, "bf16": 2}


@dataclasses.dataclass(frozen=True)
class Goal:
    """What is judged, and its limit. Shares are to be at least the limit, everything else at most."""

    kind: str  # a key of GOAL_TEXTS
    limit: float

    @property
    def at_least(self):
        return self.kind in ("copy", "own limit")

    @property
    def digits(self):
        """Decimal places that are shown and judged: two that are equally fast differ by chance."""
        return 2 if self.kind == "peers" else 3


GOAL_TEXTS = {"copy": "of the copy's bandwidth", "own limit": "of its own limit", "peers": "of the best peer's time",
              "hand": "of the time by hand", "us": "us of the host's time"}

# (relative, absolute) distance to the result in double precision.
EXACT = (0.0, 0.0)
FLOAT = (2e-6, 1e-6)
NARROW = {"bf16": (1e-2, 4e-3), "f16": (2e-3, 1e-3)}


@dataclasses.dataclass(frozen=True)
class Row:
    """One line of the table. Vectors have one row; `items` says how many elements the work must move, given rows and columns."""

    kernel: str
    title: str
    rows: int
    columns: int
    items: typing.Callable[[int, int], float]
    goals: tuple = ()
    dtype: str = "f32"
    tolerance: tuple | None = None
    unit: str = "GB/s"
    peers: str = ""  # the peers' name of the kernel, if it is another
    section: str = ""  # of the page

    def known_as(self, library):
        return self.peers if self.peers and library != OURS else self.kernel

    @property
    def text(self):
        """The title with the shape: that of the matrix, or what a vector of the operands takes."""
        shape = f"{self.rows} x {self.columns}" if self.rows > 1 else size_text(self.columns * ITEM_BYTES[self.dtype])
        return f"{self.title}, {shape}{'' if self.dtype == 'f32' else ', ' + self.dtype}"

    @property
    def key(self):
        return f"{self.kernel} {self.dtype} {self.rows}x{self.columns}"

    @property
    def allowed(self):
        return self.tolerance or NARROW.get(self.dtype, FLOAT)

    @property
    def bytes(self):
        return self.items(self.rows, self.columns) * ITEM_BYTES[self.dtype]

    def rate(self, nanoseconds):
        """In `unit`: a billion bytes, operations (TFLOP/s: a thousand billion) or elements a second."""
        if self.unit == "TFLOP/s":
            return 2 * self.rows * self.columns * self.columns / nanoseconds / 1e3
        if self.unit == "G elements/s":
            return self.rows * self.columns / nanoseconds
        return self.bytes / nanoseconds


def size_text(size):
    """Bytes in the largest unit that is not larger."""
    for unit, power in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if size >= 1 << power:
            return f"{size / (1 << power):.4g} {unit}"
    return f"{size} bytes"


GIB = 1 << 28  # floats in 1 GiB
SIDE = 16384
TALL = (1 << 20, 64)
OPTION_GOALS, OPTION_ERROR = (Goal("own limit", 0.92), Goal("peers", 1.00)), (1e-4, 1e-3)
FUSED = (Goal("copy", 0.92), Goal("peers", 1.00))
BY_ROWS = (Goal("copy", 0.85),)
MOVED = (Goal("copy", 0.80),)
AS_BY_HAND = (Goal("hand", 1.02),)


def times(factor):
    return lambda rows, columns: factor * rows * columns


MEASURE = "Copies that are the measure"
COPY = Row("copy", "copy by one memcpy", 1, GIB, times(2), tolerance=EXACT, section=MEASURE)
ARITHMETIC = Row("black_scholes_arithmetic", "Black-Scholes without memory", 1, GIB, times(0), unit="G elements/s")
LAUNCH = Row("launch", "c = a + 2b", 1, 1024, times(3), (Goal("us", 6),))

ELEMENTWISE = (
    Row("sgd", "p -= eta * (g + lambda * p)", 1, GIB, times(3), FUSED),
    Row("sgd", "p -= eta * (g + lambda * p)", 1, 2 * GIB, times(3), FUSED, "bf16"),
    Row("sgd_momentum", "the update with momentum (two assignments)", 1, GIB, times(5)),
    Row("bias_relu", "relu(x + bias)", SIDE, SIDE, times(2), FUSED),
    Row("bias_relu", "relu(x + bias)", SIDE, SIDE, times(2), FUSED, "bf16"),
    Row("black_scholes", "Black-Scholes as a formula", 1, GIB, times(4), OPTION_GOALS, tolerance=OPTION_ERROR),
    Row("black_scholes_operation", "Black-Scholes as one operation `F<Op>`", 1, GIB, times(4), OPTION_GOALS,
        tolerance=OPTION_ERROR, peers="black_scholes"),
)

# Relative errors of a sum of 16384 or a million positive numbers.
SUMMED = (2e-5, 1e-6)


def by_rows(kernel, title, items, tolerance, dtype="f32", shapes=((SIDE, SIDE), TALL)):
    return tuple(Row(kernel, title, *shape, items, BY_ROWS, dtype, tolerance) for shape in shapes)


REDUCTIONS = (
    *by_rows("row_sums", "row sums", lambda rows, columns: rows * columns + rows, SUMMED),
    *by_rows("column_sums", "column sums", lambda rows, columns: rows * columns + columns, SUMMED),
    *by_rows("softmax", "softmax of rows", times(2), (2e-5, 0.0)),
    *by_rows("softmax", "softmax of rows", times(2), (1e-2, 0.0), "bf16", ((SIDE, SIDE),)),
    *by_rows("layernorm", "layernorm of rows", times(2), (2e-5, 2e-5)),
)

MOVING = (
    Row("window_copy", "copy of all but the outermost rows and columns", SIDE, SIDE, lambda r, c: 2 * (r - 2) * (c - 2), MOVED,
        tolerance=EXACT),
    Row("step_copy", "copy of every second column (the others are in the lines that are read)", SIDE, SIDE, times(1.5), MOVED,
        tolerance=EXACT),
    Row("transposed_copy", "transposed copy", SIDE, SIDE, times(2), MOVED, tolerance=EXACT),
    Row("transposed_copy", "transposed copy", *TALL, times(2), MOVED, tolerance=EXACT),
    Row("transposed_copy", "transposed copy", SIDE, SIDE, times(2), MOVED, "bf16", EXACT),
    Row("sort", "sort", 1, GIB // 2, times(2), AS_BY_HAND, tolerance=EXACT, unit="G elements/s"),
    Row("argsort", "argsort (stable, int64)", 1, GIB // 4, times(3), AS_BY_HAND, tolerance=EXACT, unit="G elements/s"),
    Row("scan", "running sum", 1, GIB, times(2), AS_BY_HAND, tolerance=(1e-4, 1e-4)),
)

EVERYDAY = (Goal("peers", 1.00),)
PIXELS = (1 << 26, 3)
ODD = (16383, 16381)
BLOCKS = (1 << 13, 64 * 128)


def everyday(kernel, title, shape, items, tolerance=FLOAT):
    return Row(kernel, title, *shape, items, EVERYDAY, tolerance=tolerance)


PATTERNS = (
    everyday("reversed", "a vector from its end", (1, GIB // 2), times(2), EXACT),
    everyday("every_third", "every third element (the others are in the lines that are read)", (1, GIB // 2), times(4 / 3), EXACT),
    everyday("transposed_copy", "pixels to planes", PIXELS, times(2), EXACT),
    everyday("transposed_copy", "planes to pixels", PIXELS[::-1], times(2), EXACT),
    everyday("axes_reversed", "three axes in the opposite order, the middle one of 64", BLOCKS, times(2), EXACT),
    everyday("weighted_channels", "pixels times a weight a channel", PIXELS, times(2)),
    everyday("bias_relu", "relu(x + bias)", ODD, times(2)),
    everyday("column_and_row", "column + row", ODD, times(1)),
    everyday("neighbours", "sum of an element and its four neighbours", (SIDE, SIDE), times(2)),
    everyday("choosing", "where(x > 0.5, x, z)", (1, GIB // 2), times(3), EXACT),
    everyday("from_bytes", "cast<float>(bytes) / 255", (1, GIB), times(1.25)),
    everyday("row_sums", "sums of a pixel's channels", PIXELS, lambda r, c: r * c + r, SUMMED),
    everyday("row_sums", "row sums", (1 << 22, 37), lambda r, c: r * c + r, SUMMED),
    everyday("row_sums", "row sums", ODD, lambda r, c: r * c + r, SUMMED),
    everyday("row_sums", "sums of long rows", (3, 1 << 26), lambda r, c: r * c + r, SUMMED),
    everyday("column_sums", "sums of each channel", PIXELS, lambda r, c: r * c + c, (1e-4, 0.0)),
    everyday("column_sums", "column sums", (37, 1 << 22), lambda r, c: r * c + c, SUMMED),
    everyday("total", "sum of all", (1, GIB), times(1), (1e-4, 0.0)),
    everyday("maxima_of_middles", "maxima along a middle axis of 64", BLOCKS, times(65 / 64), EXACT),
    everyday("variances", "variances of rows", (SIDE, SIDE), lambda r, c: r * c + r, (1e-4, 0.0)),
    everyday("softmax", "softmax of rows", (1 << 24, 10), times(2), (2e-5, 0.0)),
    everyday("softmax", "softmax of rows", (1 << 17, 1001), times(2), (2e-5, 0.0)),
    everyday("layernorm", "layernorm of rows", (1 << 20, 100), times(2), (2e-5, 2e-5)),
    everyday("picked_rows", "rows by an index array", (1 << 20, 64), lambda r, c: 2 * r * c + 2 * r, EXACT),
    everyday("picked_elements", "elements by an index array (bytes of the elements, not of lines)", (1, 1 << 26), times(4), EXACT),
)

PRODUCTS = tuple(Row("matmul", "matmul", 8192, 8192, times(3), AS_BY_HAND, dtype,
                     (5e-5, 1e-5) if dtype == "f32" else None, "TFLOP/s") for dtype in ("f32", "f16", "bf16"))


def section(title, table):
    return title, tuple(dataclasses.replace(row, section=title) for row in table)


EVERYDAY_TITLE = "Everyday access"
SECTIONS = (section("Fused elementwise work", ELEMENTWISE), section("Reductions and normalisations", REDUCTIONS),
            section("Copies, sorting and running sums", MOVING), section(EVERYDAY_TITLE, PATTERNS), section("Matrix products", PRODUCTS),
            (MEASURE, (COPY,)))
ALL_ROWS = (COPY, ARITHMETIC, *(row for _, table in SECTIONS[:-1] for row in table), LAUNCH)
ALWAYS = (COPY, ARITHMETIC)  # what shares are shares of

# Milliseconds of the first use of an expression, later ones in a process: without a cache on disk, and with it.
COMPILE_LIMIT, DISK_LIMIT = 60.0, 2.0


def tiny(row):
    """The same work at a shape that the fake driver computes in no time."""
    if row.kernel == "matmul":
        return dataclasses.replace(row, rows=48, columns=48)
    if row.rows == 1:
        return dataclasses.replace(row, columns=min(row.columns, 5000))
    if row.section == EVERYDAY_TITLE:  # keeps short axes, and whether 64 divides the long ones
        few_columns = row.columns < 1000
        columns = row.columns if few_columns else 640 if row.columns % 64 == 0 else 633
        return dataclasses.replace(row, rows=min(row.rows, 301 if few_columns else 61), columns=columns)
    return dataclasses.replace(row, rows=300 if row.columns == 64 else 96, columns=64 if row.columns == 64 else 160)
