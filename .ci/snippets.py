"""Copies code into the pages, so that they can be read in the repository: snippets.py write. Complains where it has changed since: check.

A line before a fenced block names what the block shows, a region of a file or a whole file; of several, in as many lines:

    <!-- snippet: tests/core/dim_test.cpp:dim -->

The file marks a region by lines with `--8<-- [start:dim]` and `--8<-- [end:dim]`; what all its lines are indented by is left out, and so is a
line under `--8<-- [drop]`, such as one that draws a picture of what the others did. Whoever
writes a page may also give the lines `--8<-- "tests/core/dim_test.cpp:dim"` in a fence: `write` turns them into the above.
"""

import functools
import pathlib
import re
import sys
import textwrap

INDENT = r"(?P<indent>[ \t>]*)"
MARKER = re.compile(INDENT + r"<!-- snippet: (?P<name>\S+) -->\s*")
OPENING = re.compile(INDENT + r"(?P<fence>`{3,}|~{3,})(?P<info>[^`]*)")
SCISSORS = re.compile(r'[ \t>]*--8<-- "(?P<name>[^"]+)"\s*')
EDGE = re.compile(r"--8<-- \[(?P<edge>start|end):(?P<region>[\w-]+)\]")
DROPPED = "--8<-- [drop]"


class Missing(Exception):
    """What a page names is not there."""


@functools.cache
def read(path):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise Missing(f"there is no file {path}") from error


def cut(lines, region, path):
    """The lines between the region's edges."""
    edges = {match["edge"]: number for number, line in enumerate(lines) if (match := EDGE.search(line)) and match["region"] == region}
    if "start" not in edges:
        raise Missing(f"{path} has no region {region}")
    if edges.get("end", -1) < edges["start"]:
        raise Missing(f"{path}: the region {region} has no end")
    return lines[edges["start"] + 1 : edges["end"]]


def snippet(name):
    """Lines of what `name` names, without the edges of regions within and without lines that are not to be shown."""
    path, _, region = name.partition(":")
    lines = read(path)
    if region:
        lines = cut(lines, region, path)
    shown = [line for before, line in zip(["", *lines], lines) if DROPPED not in before and DROPPED not in line]
    kept = "\n".join(line.rstrip() for line in shown if not EDGE.search(line))
    return (textwrap.dedent(kept) if region else kept).strip("\n").split("\n")


class Block:
    """A fenced block and the markers before it: lines[begin:end] of a page."""

    def __init__(self, lines, begin):
        self.names = []  # (index of the line, what it names)
        self.problem = None
        index = begin
        while index < len(lines) and (match := MARKER.fullmatch(lines[index])):
            self.names.append((index, match["name"]))
            index += 1
        self.end = index
        self.opening = OPENING.fullmatch(lines[index]) if index < len(lines) else None
        if self.opening:
            self.read_fence(lines, index)
        elif self.names:
            self.problem = "no fenced block follows"

    def read_fence(self, lines, first):
        fence = self.opening["fence"]
        closing = re.compile(r"[ \t>]{0,%d}%s{%d,}\s*" % (len(self.opening["indent"]) + 3, re.escape(fence[0]), len(fence)))
        last = next((index for index in range(first + 1, len(lines)) if closing.fullmatch(lines[index])), None)
        if last is None:
            self.problem = "the fenced block has no end"
            self.end = len(lines)
            return
        self.end = last + 1
        self.code = lines[first + 1 : last]
        scissors = [(first + 1 + offset, match["name"]) for offset, line in enumerate(self.code) if (match := SCISSORS.fullmatch(line))]
        if scissors and len(scissors) < sum(1 for line in self.code if line.strip(" \t>")):
            self.problem = "the fenced block has code beside lines that name code"
        self.names += scissors

    def written(self):
        """Its lines with the code as it is in the sources: snippets are separated by an empty line."""
        pieces = [snippet(name) for _, name in self.names]
        code = [line for piece in pieces for line in ["", *piece]][1:]
        indent, fence = self.opening["indent"], self.opening["fence"]
        runs = [len(run[0]) for line in code if (run := re.match(re.escape(fence[0]) + "+", line.lstrip()))]
        fence = fence[0] * max(3, *(length + 1 for length in runs), 0)
        markers = [f"<!-- snippet: {name} -->" for _, name in self.names]
        return [(indent + line).rstrip() for line in [*markers, fence + self.opening["info"].rstrip(), *code, fence]]


def renew(block, begin, lines):
    """The block's lines as they should be, and what is wrong with them as they are: pairs of a line's index and a text."""
    old = lines[begin : block.end]
    if block.problem:
        return old, [(begin, block.problem)]
    missing = []
    for index, name in block.names:
        try:
            snippet(name)
        except Missing as error:
            missing.append((index, str(error)))
    if missing:
        return old, missing
    new = block.written()
    if new == old:
        return new, []
    text = "\n".join(line[len(block.opening["indent"]) :] for line in block.code)
    stale = [pair for pair in block.names if "\n".join(snippet(pair[1])) not in text] or block.names
    return new, [(index, f"the code is not that of {name}: ./dev docs copies it") for index, name in stale]


def walk(lines):
    """The page's lines as they should be, and the complaints."""
    result, found, begin = [], [], 0
    while begin < len(lines):
        block = Block(lines, begin)
        if block.names or block.problem:
            new, problems = renew(block, begin, lines)
            result += new
            found += problems
        else:
            block.end = max(block.end, begin + 1)
            result += lines[begin : block.end]
        begin = block.end
    return result, found


def pages():
    return [path for path in [pathlib.Path("README.md"), *sorted(pathlib.Path("docs").rglob("*.md"))] if path.exists()]


def complaints(path):
    _, found = walk(path.read_text(encoding="utf-8").split("\n"))
    return [f"{path}:{index + 1}: {text}" for index, text in found]


def write(path):
    old = path.read_text(encoding="utf-8")
    new = "\n".join(walk(old.split("\n"))[0])
    if new != old:
        path.write_text(new, encoding="utf-8")
        print(f"{path}: code copied")


def main(mode):
    if mode == "write":
        for path in pages():
            write(path)
    found = [text for path in pages() for text in complaints(path)]
    print("\n".join(found) or f"{len(pages())} pages show the code of the sources")
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in ("write", "check"):
        sys.exit("usage: snippets.py write|check")
    sys.exit(main(sys.argv[1]))
