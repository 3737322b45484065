"""Slices: what stands between the parentheses of a(...), in C++ and as an index of NumPy."""

from terms import Term


def slice_range(random, extent, count):
    """A random range that picks `count` elements of an axis, as (text, slice)."""
    if count == 0 or extent < count:
        return None
    if count == extent and random.random() < 0.5:
        return "all", slice(None)
    steps = [s for s in (1, 1, 1, 2, 3, -1, -1, -2) if (count - 1) * abs(s) < extent]
    step = random.choice(steps)
    reach = (count - 1) * abs(step)
    low = random.randrange(extent - reach)
    if step > 0:
        start, stop = low, low + reach + 1 + random.randrange(min(step, extent - low - reach))
        texts = ["none" if start == 0 and random.random() < 0.5 else str(start), "none" if stop >= extent else str(stop)]
    else:
        start, stop = low + reach, low - 1
        texts = ["none" if start == extent - 1 else str(start), "none" if stop < 0 else str(stop)]
    if random.random() < 0.3:  # counted from the end
        texts[0] = str(start - extent) if texts[0] != "none" else "none"
    if step == 1 and random.random() < 0.7:
        return f"range({', '.join(texts)})", slice(start, stop)
    return f"range({', '.join(texts)}, {step})", slice(start, stop if stop >= 0 else None, step)


def one_position(random, extent):
    """A random integer index, as (text, index)."""
    position = random.randrange(-extent, extent)
    return str(position), position


def indexed(operand, texts, index):
    """The term a(...). All integers would be the element itself and no view: an ellipsis makes it one."""
    texts = list(texts)
    while len(texts) > 1 and texts[-1] == "all" and texts[-2] == "all":
        texts.pop()
    if texts and texts[-1] == "all" and len(texts) > 1:
        texts[-1] = "ellipsis"
    if all(text.lstrip("-").isdigit() for text in texts):
        texts.append("ellipsis")
    value = operand.value.moved(lambda x: x[(*index, ...)])  # also without axes a view
    return Term(f"{operand.text}({', '.join(texts)})", value, operand.is_array)


def slice_to(random, operand, shape):
    """A random slice of this shape of an operand, or None where its axes are too few or too short."""
    extents = operand.value.shape
    if len(extents) < len(shape) or 0 in extents or not extents:
        return None
    kept = sorted(random.sample(range(len(extents)), len(shape)))
    texts, index = [], []
    for axis, extent in enumerate(extents):
        pick = slice_range(random, extent, shape[kept.index(axis)]) if axis in kept else one_position(random, extent)
        if pick is None:
            return None
        texts.append(pick[0])
        index.append(pick[1])
    return indexed(operand, texts, index)


def operand_extents(random, shape, largest):
    """The shape of an operand of which a slice has the given shape: longer axes, and some more."""
    extents = []
    for extent in shape:
        longer = extent + random.choice((0, 0, 1, 2)) if random.random() < 0.6 else (extent - 1) * random.choice((1, 2)) + 1
        extents.append(max(longer, extent))
    if random.random() < 0.3 or not extents:
        extents.insert(random.randrange(len(extents) + 1), random.randrange(1, 4))
    size = 1
    for extent in extents:
        size *= extent
    return tuple(extents) if size <= largest else None
