"""Writes the C++ sources of patterns: the library's side, the loops, and the table that the harness walks."""

from loops import write_loops
from pattern import TYPES, describe

LIBRARY_HEAD = """#include <cstddef>
#include <cstdint>
#include <optional>
import tessera;
using namespace tessera;

namespace {
template <class T, int Rank>
using View = ArrayView<T, Rank, CpuPlace>;
template <class T, int Rank>
std::optional<View<T, Rank>> viewed(void* data, const Dim<Rank>& shape, const Strides<Rank>& strides) {
  return View<T, Rank>(static_cast<T*>(data), Layout<Rank>{.shape = shape, .strides = strides, .offset = 0}, CpuPlace{});
}
}  // namespace
"""


def expression_text(expression, name):
    head = expression[0]
    if head == "leaf":
        return f"*{name}_x{expression[1]}"
    if head == "scalar":
        return str(expression[1])
    if head == "cast":
        return f"cast<{TYPES[expression[1]][0]}>({expression_text(expression[2], name)})"
    parts = [expression_text(part, name) for part in expression[1:]]
    if head == "where":
        return f"where({parts[0]} > {parts[1]}, {parts[1]}, {parts[2]})"
    if head in "+-*/":
        return f"({parts[0]} {head} {parts[1]})"
    return f"{head}({', '.join(parts)})"


def braces(values):
    return "{" + ", ".join(map(str, values)) + "}"


def library_source(pattern, name):
    """prepare() and run() of one pattern. A reduction writes a view without the reduced axes."""
    kept = [axis for axis in range(len(pattern.extents)) if axis not in pattern.reduced]
    target = pattern.target
    operands = [("y", target.dtype, [target.extents[axis] for axis in kept], [target.strides[axis] for axis in kept])]
    operands += [(f"x{k}", leaf.dtype, leaf.extents, leaf.strides) for k, leaf in enumerate(pattern.leaves)]
    lines, views = [f"// {describe(pattern)}"], []
    for k, (operand, dtype, extents, strides) in enumerate(operands):
        kind = TYPES[dtype][0]
        lines.append(f"static std::optional<View<{kind}, {len(extents)}>> {name}_{operand};")
        views.append(f"  {name}_{operand}.emplace(*viewed<{kind}, {len(extents)}>(p[{k}], Dim<{len(extents)}>{braces(extents)}, Strides<{len(extents)}>{braces(strides)}));")
    value = expression_text(pattern.expression, name)
    if pattern.reduced:
        value = f"{pattern.operation}<{', '.join(map(str, pattern.reduced))}>({value})"
    lines += [f'extern "C" void {name}_prepare(void* const* p) {{', *views, "}"]
    lines += [f'extern "C" void {name}_run() {{ *{name}_y = {value}; }}', ""]
    return "\n".join(lines)


def operand_entry(operand, loop_offset):
    return f"{{Type::{operand.dtype}, {operand.elements}, {-operand.reach[0]}, {loop_offset}}}"


def sources(patterns, per_file):
    """{file name: text}"""
    files, declarations, entries = {}, [], []
    for start in range(0, len(patterns), per_file):
        library, loops = [LIBRARY_HEAD], ['#include "loops.hpp"\n']
        for number in range(start, min(start + per_file, len(patterns))):
            pattern, name = patterns[number], f"p{number}"
            library.append(library_source(pattern, name))
            text, found, offsets = write_loops(pattern, f"{name}_loop")
            loops.append(f"// {describe(pattern)}\n{text}")
            declarations.append(f"void {name}_prepare(void* const*);\nvoid {name}_run();")
            declarations += [f"void {loop}(void* const*, const long*);" for loop, _ in found]
            operands = ", ".join(operand_entry(operand, offset) for operand, offset in zip([pattern.target, *pattern.leaves], offsets))
            shown = ", ".join(f"{{{loop}, {braces(numbers)}}}" for loop, numbers in found)
            floating = pattern.reduced and TYPES[pattern.target.dtype][3] and pattern.operation in ("sum", "mean")
            many = sum(pattern.extents[axis] for axis in pattern.reduced) > 1000
            entries.append(f'{{"{name}", {{{operands}}}, {name}_prepare, {name}_run, {{{shown}}}, {"false" if floating else "true"}, {"true" if many else "false"}}},')
        part = start // per_file
        files[f"library_{part}.cpp"] = "\n".join(library)
        files[f"loops_{part}.cpp"] = "\n".join(loops)
    files["table.cpp"] = ('#include "harness.hpp"\n\nextern "C" {\n' + "\n".join(declarations) + "\n}\n\nnamespace patterns {\n\n"
                          + "std::vector<Pattern> all() {\n  return {\n" + "\n".join(f"      {entry}" for entry in entries) + "\n  };\n}\n\n}  // namespace patterns\n")
    files["threads.cpp"] = "import tessera;\n\nnamespace patterns {\nvoid set_one_thread();\nvoid set_one_thread() { tessera::set_num_threads(1); }\n}  // namespace patterns\n"
    return files
