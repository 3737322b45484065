"""Makes the pages' tables of two columns, theirs and ours, out of tests: tables.py write. Complains where they differ: check.

A line before a table names the region that it shows:

    <!-- table: tests/pages/from_numpy_test.cpp:reductions -->

Each row is a comment in that region and the statement under it, which the test runs. The comment's first word is the header of its column:

    // NumPy: x.sum(axis=1)
    CHECK(text(sum<1>(x)) == "[ 3. 12.]");

Of a check the table shows what is checked, here `sum<1>(x)`, by its text or its shape, with the error's name where one is thrown; any other
statement as it stands.
"""

import pathlib
import re
import sys
import textwrap

import snippets

MARKER = re.compile(r"<!-- table: (?P<path>\S+):(?P<region>[\w-]+) -->\s*")
THEIRS = re.compile(r"// (?P<column>[A-Z]\w+): (?P<code>.+)")
OURS = [
    (re.compile(r'CHECK\((?:text|shape)\((?P<code>.+)\) == "[^"]*"\);', re.DOTALL), "{code}"),
    (re.compile(r"CHECK_THROWS_AS\((?P<code>.+), (?P<error>\w+)\);", re.DOTALL), "{code}  // {error}"),
    (re.compile(r"(?P<code>.+;)", re.DOTALL), "{code}"),
]


def shown(statement, where):
    """What the table has of a statement."""
    for pattern, form in OURS:
        if match := pattern.fullmatch(statement):
            return re.sub(r"\s*\n\s*", " ", form.format(**match.groupdict()))
    raise snippets.Missing(f"{where}: not a statement: {statement}")


def rows(lines, where):
    """The header of the other column, and pairs of their code and ours."""
    column, pairs, index = None, [], 0
    lines = textwrap.dedent("\n".join(line for line in lines if not snippets.EDGE.search(line))).split("\n")
    while index < len(lines):
        match = THEIRS.fullmatch(lines[index].strip())
        index += 1
        if not match:
            continue
        column, statement = match["column"], ""
        while index < len(lines) and not statement.endswith(";"):
            statement = f"{statement}\n{lines[index]}".strip()
            index += 1
        pairs.append((match["code"], shown(statement, where)))
    if not pairs:
        raise snippets.Missing(f"{where} has no row: a comment such as // NumPy: x.sum() and a statement under it")
    return column, pairs


def cell(code):
    return "`" + code.replace("|", "\\|") + "`"


def table(path, region):
    column, pairs = rows(snippets.cut(snippets.read(path), region, path), f"{path}:{region}")
    return [f"| {column} | Tessera |", "| --- | --- |", *(f"| {cell(theirs)} | {cell(ours)} |" for theirs, ours in pairs)]


def walk(lines):
    """The page's lines as they should be, and the complaints: pairs of a line's index and a text."""
    result, found, index = [], [], 0
    while index < len(lines):
        result.append(lines[index])
        match = MARKER.fullmatch(lines[index])
        index += 1
        if not match:
            continue
        end = index + 1  # an empty line, without which the table is text to some readers
        while end < len(lines) and lines[end].startswith("|"):
            end += 1
        if end == index + 1:
            end = index
        try:
            new = ["", *table(match["path"], match["region"])]
        except snippets.Missing as error:
            new = lines[index:end]
            found.append((index - 1, str(error)))
        else:
            if new != lines[index:end]:
                found.append((index - 1, f"the table is not that of {match['path']}:{match['region']}: ./dev docs makes it"))
        result += new
        index = end
    return result, found


def main(mode):
    pages = list(snippets.pages())
    if mode == "write":
        for path in pages:
            old = path.read_text(encoding="utf-8")
            new = "\n".join(walk(old.split("\n"))[0])
            if new != old:
                path.write_text(new, encoding="utf-8")
                print(f"{path}: tables made")
    texts = {path: path.read_text(encoding="utf-8").split("\n") for path in pages}
    found = [f"{path}:{index + 1}: {text}" for path, lines in texts.items() for index, text in walk(lines)[1]]
    print("\n".join(found) or f"{sum(bool(MARKER.fullmatch(line)) for lines in texts.values() for line in lines)} tables show what the tests run")
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in ("write", "check"):
        sys.exit("usage: tables.py write|check")
    sys.exit(main(sys.argv[1]))
