"""Writes a pattern's loops as one writes them by hand: axes that continue each other are one, the order of the axes is the best of a few, what
is short or close in memory is a constant, and destinations are __restrict."""

import math

from pattern import TYPES

CONSTANT_EXTENT = 8  # shorter axes have a constant extent: pixels of three channels
CONSTANT_STRIDE = 16


class Axis:
    def __init__(self, extent, strides, reduced):
        self.extent, self.strides, self.reduced = extent, strides, reduced  # a stride for each operand, the target first


def axes_of(pattern):
    """The axes with more than one element, slowest first; those along which the target runs backwards turned round. And each operand's offset."""
    operands = [pattern.target, *pattern.leaves]
    offsets = [-operand.reach[0] for operand in operands]
    axes = []
    for axis, extent in enumerate(pattern.extents):
        if extent == 1:
            continue
        strides = [operand.strides[axis] for operand in operands]
        if sum((s > 0) - (s < 0) for s in strides) < 0 or (strides[0] < 0 and sum((s > 0) - (s < 0) for s in strides) == 0):
            offsets = [offset + s * (extent - 1) for offset, s in zip(offsets, strides)]
            strides = [-s for s in strides]
        axes.append(Axis(extent, strides, axis in pattern.reduced))
    return axes or [Axis(1, [0] * len(operands), False)], offsets


def merged(axes):
    """The same with axes that all operands continue merged."""
    result = [axes[0]]
    for axis in axes[1:]:
        last = result[-1]
        if last.reduced == axis.reduced and all(a == b * axis.extent for a, b in zip(last.strides, axis.strides)):
            result[-1] = Axis(last.extent * axis.extent, axis.strides, axis.reduced)
        else:
            result.append(axis)
    return result


def orders(pattern, axes):
    """The orders of axes that are worth trying, slowest first."""
    weights = [TYPES[operand.dtype][2] for operand in (pattern.target, *pattern.leaves)]
    near = lambda axis: sum(min(abs(s) * w, 64) for s, w in zip(axis.strides, weights))
    ways = [sorted(axes, key=lambda axis: (-abs(axis.strides[0]), -near(axis))),
            sorted(axes, key=lambda axis: (-near(axis), -sum(map(abs, axis.strides)))),
            sorted(axes, key=lambda axis: -max(abs(s) for s in axis.strides[1:]))]
    if pattern.reduced:
        inner_first = [sorted(ways[1], key=lambda axis: axis.reduced), sorted(ways[1], key=lambda axis: not axis.reduced),
                       sorted(ways[2], key=lambda axis: axis.reduced)]
        ways = [ways[2], *inner_first, ways[1]]
    if len(axes) > 1 and min(axes, key=near).extent <= CONSTANT_EXTENT:  # a longer loop inside may pay more than neighbours do
        long = min((axis for axis in axes if axis.extent > CONSTANT_EXTENT), key=near, default=None)
        if long is not None:
            ways.append([axis for axis in ways[1] if axis is not long] + [long])
    unique = []
    for way in map(merged, ways):
        shape = [(axis.extent, axis.strides) for axis in way]
        if shape not in [[(axis.extent, axis.strides) for axis in other] for other in unique]:
            unique.append(way)
    return unique


def value_text(expression, pattern, computed):
    """A scalar expression of x0, x1, ...; its type is `computed` unless a cast says otherwise."""
    head = expression[0]
    if head == "leaf":
        return f"x{expression[1]}"
    if head == "scalar":
        return f"{TYPES[computed][1]}({expression[1]})"
    if head == "cast":
        return f"to<{TYPES[expression[1]][1]}>({value_text(expression[2], pattern, computed)})"
    parts = [value_text(part, pattern, computed) for part in expression[1:]]
    if head == "where":
        return f"({parts[0]} > {parts[1]} ? {parts[1]} : {parts[2]})"
    name = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "abs": "absolute", "sqrt": "root", "maximum": "larger", "minimum": "smaller"}[head]
    return f"{name}({', '.join(parts)})"


class Writer:
    def __init__(self, pattern, axes):
        self.pattern, self.axes = pattern, axes
        self.numbers = []  # run-time extents and strides

    def number(self, value):
        self.numbers.append(value)
        return f"n{len(self.numbers) - 1}"

    def extent(self, axis):
        return str(axis.extent) if axis.extent <= CONSTANT_EXTENT else self.number(axis.extent)

    def index(self, operand, upto=None):
        terms = []
        for k, axis in enumerate(self.axes[:upto]):
            stride = axis.strides[operand]
            if stride == 0:
                continue
            text = str(stride) if abs(stride) <= CONSTANT_STRIDE else self.number(stride)
            terms.append(f"i{k}" if stride == 1 else f"i{k} * {text}")
        return " + ".join(terms) or "0"

    def loop(self, k, indent):
        return f"{indent}for (long i{k} = 0; i{k} < {self.extent(self.axes[k])}; ++i{k})"

    def elementwise(self):
        lines = [self.loop(k, "  " * (k + 1)) + " {" for k in range(len(self.axes))]
        pad = "  " * (len(self.axes) + 1)
        lines += self.loads(pad)
        lines.append(f"{pad}y[{self.index(0)}] = to<{TYPES[self.pattern.target.dtype][1]}>({value_text(self.pattern.expression, self.pattern, self.pattern.computed)});")
        return lines + ["  " * (k + 1) + "}" for k in reversed(range(len(self.axes)))]

    def loads(self, pad):
        return [f"{pad}const auto x{k} = p{k}[{self.index(k + 1)}];" for k in range(len(self.pattern.leaves))]

    def reduction(self):
        """Values are added up in a local variable along the innermost reduced axes, and in the target along others."""
        pattern = self.pattern
        dtype = TYPES[pattern.target.dtype][1]
        kept = [k for k, axis in enumerate(self.axes) if not axis.reduced]
        inner = kept[-1] + 1 if kept else 0  # from here on all axes are reduced
        again = any(axis.reduced for axis in self.axes[:inner])
        local = inner < len(self.axes)
        start = {"sum": "0", "mean": "0", "max": f"lowest<{dtype}>", "min": f"highest<{dtype}>"}[pattern.operation]
        combine = {"sum": "add", "mean": "add", "max": "larger", "min": "smaller"}[pattern.operation]
        count = math.prod(axis.extent for axis in self.axes if axis.reduced)
        lines = []
        if again:
            lines += self.over_kept(kept, f"= {start};")
        lines += [self.loop(k, "  " * (k + 1)) + " {" for k in range(inner)]
        pad = "  " * (inner + 1)
        if local:
            lines.append(f"{pad}{dtype} sum = {start};")
        lines += [self.loop(k, "  " * (k + 1)) + " {" for k in range(inner, len(self.axes))]
        deep = "  " * (len(self.axes) + 1)
        if TYPES[pattern.target.dtype][3]:
            lines.append(f'{deep}_Pragma("clang fp reassociate(on)")')
        lines += self.loads(deep)
        value = f"to<{dtype}>({value_text(pattern.expression, pattern, pattern.computed)})"
        into = "sum" if local else f"y[{self.index(0, inner)}]"
        lines.append(f"{deep}{into} = {self.combined(combine, into, value)};")
        lines += ["  " * (k + 1) + "}" for k in reversed(range(inner, len(self.axes)))]
        at = f"y[{self.index(0, inner)}]"
        if local and again:
            lines.append(f"{pad}{at} = {combine}({at}, sum);")
        elif local:
            lines.append(f"{pad}{at} = sum{f' / {dtype}({count})' if pattern.operation == 'mean' else ''};")
        lines += ["  " * (k + 1) + "}" for k in reversed(range(inner))]
        if again and pattern.operation == "mean":
            lines += self.over_kept(kept, f"/= {dtype}({count});")
        return lines

    def combined(self, combine, into, value):
        floating = TYPES[self.pattern.target.dtype][3]
        return f"{into} + {value}" if combine == "add" and floating else f"{combine}({into}, {value})"

    def over_kept(self, kept, action):
        loops = " ".join(self.loop(k, "") for k in kept)
        return [f"  {loops} y[{' + '.join(self.kept_terms(kept)) or '0'}] {action}"]

    def kept_terms(self, kept):
        return [f"i{k} * {self.number(self.axes[k].strides[0])}" if abs(self.axes[k].strides[0]) > CONSTANT_STRIDE else f"i{k} * {self.axes[k].strides[0]}" for k in kept]


def write_loops(pattern, name):
    """The source of all loops of a pattern, and for each of them its name and its run-time numbers; and the offsets of the operands."""
    axes, offsets = axes_of(pattern)
    sources, loops = [], []
    for number, order in enumerate(orders(pattern, axes)):
        writer = Writer(pattern, order)
        body = writer.reduction() if pattern.reduced else writer.elementwise()
        parameters = [f"{TYPES[pattern.target.dtype][1]}* __restrict y"]
        arguments = [f"static_cast<{TYPES[pattern.target.dtype][1]}*>(p[0])"]
        for k, leaf in enumerate(pattern.leaves):
            parameters.append(f"const {TYPES[leaf.dtype][1]}* __restrict p{k}")
            arguments.append(f"static_cast<const {TYPES[leaf.dtype][1]}*>(p[{k + 1}])")
        loop = f"{name}_{number}"
        sources.append(f"static void body_{loop}({', '.join(parameters)}, const long* __restrict numbers) {{\n"
                       + "".join(f"  const long n{k} = numbers[{k}];\n" for k in range(len(writer.numbers)))
                       + "\n".join(body) + "\n}\n")
        sources.append(f'extern "C" void {loop}(void* const* p, const long* numbers) {{\n  body_{loop}({", ".join(arguments)}, numbers);\n}}\n')
        loops.append((loop, writer.numbers))
    return "\n".join(sources), loops, offsets
