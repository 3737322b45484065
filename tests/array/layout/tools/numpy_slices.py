#!/usr/bin/env python3
"""Writes ../numpy_slices.hpp: what NumPy selects with basic slices of one axis. Run by hand; needs numpy."""

import pathlib

import numpy as np

LOWEST, HIGHEST = -(2**63), 2**63 - 1
NAMES = {None: "open", LOWEST: "lowest", HIGHEST: "highest"}


def bounds(extent):
    return [None, LOWEST, -extent - 1, -extent, -1, 0, 1, extent - 1, extent, extent + 1, HIGHEST]


def cases():
    for extent, steps in [(0, [1, -1, HIGHEST]), (1, [1, -2, LOWEST]), (2, [1, -1]), (5, [2, -1, -3, HIGHEST]), (7, [3, -2])]:
        values = np.arange(extent)
        chosen = list(dict.fromkeys(bounds(extent)))
        for step in steps:
            for start in chosen:
                for stop in chosen:
                    yield extent, start, stop, step, values[start:stop:step]


def name(value):
    return NAMES.get(value, str(value))


def row(extent, start, stop, step, selected):
    text = " ".join(str(value) for value in selected)
    return f'    {{{extent}, {name(start)}, {name(stop)}, {name(step)}, "{text}"}},'


HEADER = """// What NumPy {version} selects with numpy.arange(extent)[start:stop:step]. Written by tools/numpy_slices.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

struct NumpySlice {{
  std::ptrdiff_t extent;
  std::optional<std::ptrdiff_t> start, stop;
  std::ptrdiff_t step;
  std::string_view selected;
}};

inline constexpr std::nullopt_t open = std::nullopt;
inline constexpr std::ptrdiff_t lowest = PTRDIFF_MIN;
inline constexpr std::ptrdiff_t highest = PTRDIFF_MAX;

inline constexpr NumpySlice numpy_slices[] = {{
    // clang-format off
{rows}
    // clang-format on
}};
"""

if __name__ == "__main__":
    rows = [row(*case) for case in cases()]
    target = pathlib.Path(__file__).parent.parent / "numpy_slices.hpp"
    target.write_text(HEADER.format(version=np.__version__, rows="\n".join(rows)))
    print(f"{target.name}: {len(rows)} slices")
