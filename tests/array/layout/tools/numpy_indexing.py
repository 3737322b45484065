#!/usr/bin/env python3
"""Writes ../numpy_indexing.inc: shapes and elements that NumPy selects with several indexers. Run by hand; needs numpy."""

import pathlib
import random

import numpy as np

SHAPES = {"v": (5,), "m": (3, 4), "c": (2, 3, 4), "h": (2, 3, 1, 4)}
FIXED = {
    "v": ["::-1", "None", "None, ::2", "...", "..., None", "-1, ..."],
    "m": ["1", "...", "..., -1", "1, ...", ":, None", "None, 1, None", "::-1, ::-1", "5:, 0", "1:1, ..., None", "-1, -1"],
    "c": ["1", "..., 0", "0, ..., 1", "None, ..., None", ":, 1", "..., ::-2", "1, None, :, 2", "1:0:-1, :, None, -3:", "0, 1, 2"],
    "h": ["..., 0, :", "1, ..., ::-1", ":, 0:2, None, 0", "..., None, 1:3", "0, 1, 0, 2", "None, 1, ..., None, -1", "::-1, ::-1, ::-1, ::-1"],
}


def random_index(rank, chance):
    parts = []
    for _ in range(chance.randint(0, rank)):
        parts.append(chance.choice(["0", "-1", ":", "None", "1:", "::-1", ":-1", "::2", "-2::-1", "9:", ":1:3"]))
    while sum(part != "None" for part in parts) > rank:
        parts.remove(next(part for part in parts if part != "None"))
    if chance.random() < 0.4:
        parts.insert(chance.randint(0, len(parts)), "...")
    return ", ".join(parts) or "..."


def to_cpp(part):
    if part in ("...", "None", ":"):
        return {"...": "ellipsis", "None": "newaxis", ":": "all"}[part]
    if ":" not in part:
        return part
    bounds = (part.split(":") + ["", ""])[:3] if part.count(":") == 2 else part.split(":") + ["1"]
    return "range(" + ", ".join(bound or ("none" if at < 2 else "1") for at, bound in enumerate(bounds)) + ")"


def line(name, index):
    array = np.arange(np.prod(SHAPES[name])).reshape(SHAPES[name])
    selected = np.asarray(eval(f"array[{index}]", {"array": array}))
    arguments = ", ".join(to_cpp(part) for part in index.split(", "))
    values = " ".join(str(value) for value in selected.ravel())
    return f'{{"{name}[{index}]", described({name}({arguments})), "{selected.shape} {values}"}},'


if __name__ == "__main__":
    chance = random.Random(7)
    lines = []
    for name, shape in SHAPES.items():
        indices = FIXED[name] + [random_index(len(shape), chance) for _ in range(6)]
        lines += [line(name, index) for index in dict.fromkeys(indices)]
    text = f"// What NumPy {np.__version__} selects: the index in Python, ours, NumPy's answer. Written by tools/numpy_indexing.py.\n"
    target = pathlib.Path(__file__).parent.parent / "numpy_indexing.inc"
    target.write_text(text + "\n".join(lines) + "\n")
    print(f"{target.name}: {len(lines)} indices")
