"""The rows of the CPU table: which kernel of ours stands beside which of the peers', and the goal of each comparison."""

import dataclasses

OURS = "tessera"
BEST = "best peer"


@dataclasses.dataclass(frozen=True)
class Goal:
    """The time of the row's kernel, divided by that of another one or (`nanoseconds`) in ns, is to be at most `limit`; without
    a limit the ratio is shown and not judged."""

    limit: float | None
    library: str = BEST
    kernel: str = ""  # of `library`; the row's own where it is empty
    nanoseconds: bool = False


@dataclasses.dataclass(frozen=True)
class Row:
    """One line: our kernel, the name under which the peers have it, and goals."""

    kernel: str
    title: str
    goals: tuple
    peers: str = ""  # the peers' name of the kernel, if it is another
    also: tuple = ()  # (library, kernel): more programs that do the same work

    @property
    def peer_kernel(self):
        return self.peers or self.kernel


FASTEST = Goal(1.10)
COPY = Goal(1.15, "loop", "copy")
COPY_HALF = Goal(None, "loop", "copy_half")  # moves as many bytes as the sum reads


def update(size, text):
    return Row(f"update_{size}", f"w = -eta * (g + lambda * w), {text}", (Goal(1.03, "loop"),))


def eight(kind, text, limit):
    return Row(f"eight_{kind}", f"c = a + 2b, 8 elements, {text}", (Goal(limit, nanoseconds=True),), "eight")


# What peers do as well: matrices of 2048 x 2048 f32 unless the title says otherwise, one thread.
PEER_ROWS = (
    Row("stencil", "5-point stencil through views", (FASTEST,)),
    Row("outer", "outer sum r(i) + c(j)", (FASTEST,)),
    Row("bias_relu", "bias + relu (row broadcast)", (FASTEST,)),
    Row("transpose", "transposed copy", (Goal(0.70, "loop"), FASTEST)),
    Row("row_sums", "row sums", (FASTEST, COPY, COPY_HALF)),
    Row("column_sums", "column sums", (FASTEST, COPY, COPY_HALF)),
    Row("softmax", "softmax of rows", (Goal(0.25, "Eigen"), FASTEST), also=(("Eigen", "softmax_by_rows"),)),
    eight("views", "`ArrayView`", 5),
    eight("static", "`Array<float, 1, CpuPlace>`", 30),
    eight("dynamic", "`Array<float, 1>`", 40),
    update("4K", "4 KiB"),
    update("256K", "256 KiB"),
    update("64M", "64 MiB"),
)


def narrow(operation, text, size, limit):
    return tuple(
        Row(f"{operation}_{dtype}_{size}", f"{text}, {size} elements, {dtype}", (Goal(limit, OURS, f"{operation}_f32_{size}"),))
        for dtype in ("f16", "bf16"))


# Half-width storage beside f32, the same number of elements: in L1, where memory is no limit, in L2 and in memory.
NARROW_ROWS = tuple(row for operation, text in (("plus", "c = a + b"), ("update", "w = -eta * (g + lambda * w)"))
                    for size, limit in (("2K", None), ("64K", 1.00), ("16M", 1.00)) for row in narrow(operation, text, size, limit))


def threads(kernel, text, size, limit):
    return Row(f"{kernel}_{size}_t2", f"{text}, {size} elements", (Goal(limit, OURS, f"{kernel}_{size}_t1"),))


CHAINS = (("exponentials", "y = exp(x) + exp(-x)"), ("chain", "y = exp(sin(x) * cos(x)) + sin(exp(x))"), ("total", "sum(exp(x))"))

# Two threads beside one: a speed-up of 1.8 is a time of 1 / 1.8; small arrays are not to be slowed.
THREAD_ROWS = (*(threads(kernel, text, "1M", 1 / 1.8) for kernel, text in CHAINS),
               *(threads(kernel, text, size, 1.03) for size in ("4K", "16K") for kernel, text in (("plus", "c = a + b"), *CHAINS)))

ALL_ROWS = PEER_ROWS + NARROW_ROWS + THREAD_ROWS
