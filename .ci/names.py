"""Writes docs/names.md, the index of all names that users may call, and docs/reference/ (reference.py): names.py write. Complains where they
are not up to date, and of names without a comment: check.

The index lists what `import tessera;` reaches in modules/, with the first sentence of the `///` comment. Overloads are one row. A name links
to its declarations and to the page that has it in code font most often.
"""

import html
import pathlib
import re
import sys

import reference
from declarations import File, declarations, name_and_kind, without_template
from reference import explained, qualified

PAGE = pathlib.Path("docs/names.md")
MAIN_CLASSES = ["Array", "ArrayView", "Dim", "DDim", "Var", "Scheduler"]

# ------------------------------------------------------------------------------------------------------------------ the house


def reached():
    """Files that `import tessera;` reaches, each with its room, in the order of the rooms."""
    files = {}
    for path in sorted(pathlib.Path("modules").rglob("*.cppm")):
        text = path.read_text(encoding="utf-8")
        if match := re.search(r"^export module ([\w.]+(?::[\w.]+)?);", text, re.M):
            files[match[1]] = path, re.findall(r"^export import ([\w.]*(?::[\w.]+)?);", text, re.M)
    result, todo = [], ["tessera"]
    while todo:
        name = todo.pop(0)
        if name not in files or any(name == other for other, _ in result):
            continue
        path, imports = files[name]
        result.append((name, path))
        room = name.partition(":")[0]
        todo = [room + other if other.startswith(":") else other for other in imports] + todo
    return [(name.partition(":")[0].removeprefix("tessera."), path) for name, path in result]


# ------------------------------------------------------------------------------------------------------------------- the tables


def first_sentence(doc):
    return re.split(r"(?<=[^.]\.)\s+(?=[A-Z`(])", doc, maxsplit=1)[0]


def cell(text):
    """Text of a doc comment as a table's cell: outside of code font nothing is markup."""
    parts = re.split(r"`([^`]*)`", text)
    return "".join(code(part) if index % 2 else plain_text(part) for index, part in enumerate(parts))


def plain_text(text):
    escaped = re.sub(r"[*|]|(?<!\w)_|_(?!\w)|(?<=\])\(", lambda match: "\\" + match[0], text.replace("&", "&amp;"))
    return escaped.replace("<", "&lt;")


def code(text):
    """Code font; a table's cell can have a `|` in it only as HTML."""
    return f"<code>{html.escape(text).replace('|', '&#124;')}</code>" if "|" in text else f"`{text}`"


def row(*cells):
    return "| " + " | ".join(cells) + " |"


def is_listed(item):
    return reference.is_public(item) or item.exported and item.scope[:1] == ("std",)


def link(page):
    return f"[{page[1]}]({page[0]})" if page else ""


def merged(rows):
    """Overloads as one: the first summary that is one."""
    result = {}
    for key, doc in rows:
        result[key] = result.get(key) or first_sentence(doc)
    return result


def names_table(all_items):
    rows = merged(((qualified(item), item.kind, room), item.doc) for room, item in all_items if is_listed(item))
    yield row("name", "is a", "room", "summary", "explained in")
    yield row("---", "---", "---", "---", "---")
    for (name, kind, room), summary in sorted(rows.items(), key=lambda pair: (pair[0][0].lower(), pair[0])):
        shown = code(name) if name.startswith("std::") else f"[{code(name)}](reference/{room}.md#{reference.anchor(name)})"
        yield row(shown, kind, room, cell(summary), "" if "operator" in name else link(explained(name, room)))


def public_members(item, by_name):
    """Public members of a class and of the bases that are classes of the library."""
    for base in re.findall(r"\bpublic\s+([\w:]+)", item.head):
        if base in by_name:
            yield from public_members(by_name[base], by_name)
    public = not re.search(r"\bclass\b", without_template(item.head))
    for doc, head, _, _, _ in declarations(item.file.text, item.file.plain, item.begin + 1, item.begin + len(item.body) - 1):
        if head in ("public:", "private:", "protected:"):
            public = head == "public:"
        elif public and not re.search(r"=\s*delete\s*;$", head) and (declared := name_and_kind(head)):
            name, kind = declared
            if not name.startswith("~"):
                yield name, "constructor" if name == item.name else kind, doc


def members_table(all_items):
    by_name = {item.name: item for _, item in all_items if item.kind == "class" and item.body}
    rooms = {item.name: room for room, item in all_items}
    yield row("member", "is a", "summary", "explained in")
    yield row("---", "---", "---", "---")
    for name in MAIN_CLASSES:
        if name not in by_name:
            continue
        rows = merged(((member, kind), doc) for member, kind, doc in public_members(by_name[name], by_name))
        for (member, kind), summary in sorted(rows.items(), key=lambda pair: (pair[0][1] != "constructor", pair[0][0].lower())):
            found = "" if kind == "constructor" or "operator" in member else link(explained(member, rooms[name], name))
            yield row(code(f"{name}::{member}"), kind, cell(summary), found)


def page(all_items):
    return "\n".join([
        "# Index of all names", "",
        "All names that `import tessera;` gives users, in the namespace `tessera`, each with a link to its declarations in the reference; the",
        "second table has the public members of the main classes. A summary is the first sentence of the name's comment in the source.",
        "`./dev docs` writes this page.", "",
        "Other namespaces of `tessera` (" + ", ".join(f"`{name}`" for name in sorted(reference.INNER)) + ") hold",
        "what its rooms offer to each other. Nothing promises that it stays.", "",
        "## Names", "", *names_table(all_items), "",
        "## Members of the main classes", "", *members_table(all_items), ""])


def main(mode):
    all_items, found = [], []
    for room, path in reached():
        file = File(path)
        all_items += [(room, item) for item in file.items]
        found += file.problems
    pages = {PAGE: page(all_items), **reference.reference(all_items)}
    found = found or list(reference.complaints(all_items))
    old = [path for path in sorted(reference.FOLDER.glob("*.md")) if path not in pages]
    if mode == "write":
        reference.FOLDER.mkdir(exist_ok=True)
        for path, text in pages.items():
            path.write_text(text, encoding="utf-8")
        for path in old:
            path.unlink()
    else:
        found += [f"{path} is not what the sources say: ./dev docs writes it" for path, text in pages.items()
                  if not path.exists() or path.read_text(encoding="utf-8") != text]
        navigation = pathlib.Path("mkdocs.yml").read_text(encoding="utf-8")
        found += [f"mkdocs.yml does not name {path}" for path in pages if f" {path.relative_to(PAGE.parent)}\n" not in navigation]
        found += [f"{path} is of no room: ./dev docs removes it" for path in old]
    count = len(re.findall(r"^\| \[?(?:`|<code>)", pages[PAGE], re.M))
    print("\n".join(found) or f"{PAGE} has {count} names, in {len(pages) - 1} pages of {reference.FOLDER}")
    return 1 if found else 0


if len(sys.argv) != 2 or sys.argv[1] not in ("write", "check"):
    sys.exit("usage: names.py write|check")
sys.exit(main(sys.argv[1]))
