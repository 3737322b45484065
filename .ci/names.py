"""Writes docs/names.md, the index of all names that the library exports: names.py write. Complains where it is not up to date: check.

It lists what `import tessera;` reaches in modules/, with the first sentence of the `///` comment. Overloads are one row. A name links to the
page that has it in code font most often.
"""

import functools
import html
import pathlib
import re
import sys

from declarations import File, declarations, name_and_kind, without_template

PAGE = pathlib.Path("docs/names.md")
MAIN_CLASSES = ["Array", "ArrayView", "Dim", "DDim", "Var", "Scheduler"]
# Pages that are no explanations.
NOT_LINKED = ("index.md", "names.md", "decisions/", "benchmarks/", "first-steps.md", "from-numpy.md", "from-pytorch.md", "from-eigen.md")

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


# ------------------------------------------------------------------------------------------------------------------ the pages


@functools.cache
def page_spans():
    """(page, its title, what it has in code font, all in one text) in the order of the site's navigation."""
    order = re.findall(r"[\w./-]+\.md", pathlib.Path("mkdocs.yml").read_text(encoding="utf-8"))
    pages = []
    for name in order:
        path = PAGE.parent / name
        if name.startswith(NOT_LINKED) or not path.exists():
            continue
        text = re.sub(r"^([ \t]*)(`{3,}|~{3,}).*?^[ \t]*\2", "", path.read_text(encoding="utf-8"), flags=re.S | re.M)
        title = re.search(r"^# (.*)", text, re.M)
        pages.append((name, title[1] if title else name, "\n".join(re.findall(r"`([^`\n]+)`", text))))
    return pages


def mention(name, member_of=None):
    """What finds a name in code font: alone or behind its scope, and a member behind an object's dot too."""
    scope, _, short = name.rpartition("::")
    before = r"(?<![\w:])" if member_of else r"(?<![\w.:])"
    scope = member_of or scope
    behind_scope = rf"|(?<=\b{re.escape(scope)}::)" if scope else ""
    return re.compile(rf"(?:{before}{behind_scope}){re.escape(short)}(?!\w)")


def explained(name, room, member_of=None):
    """A link to the page that mentions the name most often: of equals the room's, then the first. A member's page mentions its class too."""
    best = (0, False, "")
    for page, title, spans in page_spans():
        count = len(mention(name, member_of).findall(spans))
        if count == 0 or member_of and not mention(member_of).search(spans):
            continue
        if (count, page == f"{room}.md") > best[:2]:
            best = count, page == f"{room}.md", f"[{title}]({page})"
    return best[2]


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


def qualified(item):
    scope = item.scope[1:] if item.scope[:1] == ("tessera",) else item.scope
    return "::".join([*scope, item.name])


def merged(rows):
    """Overloads as one: the first summary that is one."""
    result = {}
    for key, doc in rows:
        result[key] = result.get(key) or first_sentence(doc)
    return result


def names_table(all_items):
    rows = merged(((qualified(item), item.kind, room), item.doc) for room, item in all_items if item.exported)
    yield row("name", "is a", "room", "summary", "explained in")
    yield row("---", "---", "---", "---", "---")
    for (name, kind, room), summary in sorted(rows.items(), key=lambda pair: (pair[0][0].lower(), pair[0])):
        yield row(code(name), kind, room, cell(summary), "" if "operator" in name else explained(name, room))


def public_members(item, by_name):
    """Public members of a class and of the bases that are classes of the library."""
    for base in re.findall(r"\bpublic\s+([\w:]+)", item.head):
        if base in by_name:
            yield from public_members(by_name[base], by_name)
    public = not re.search(r"\bclass\b", without_template(item.head))
    for doc, head, _, _ in declarations(item.file.text, item.file.plain, item.begin + 1, item.begin + len(item.body) - 1):
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
            link = "" if kind == "constructor" or "operator" in member else explained(member, rooms[name], name)
            yield row(code(f"{name}::{member}"), kind, cell(summary), link)


def page(all_items):
    return "\n".join([
        "# Index of all names", "",
        "All names that `import tessera;` gives, in the namespace `tessera`; the second table has the public members of the main classes. A",
        "summary is the first sentence of the name's comment in the source. `./dev docs` writes this page.", "",
        "## Names", "", *names_table(all_items), "",
        "## Members of the main classes", "", *members_table(all_items), ""])


def main(mode):
    all_items, found = [], []
    for room, path in reached():
        file = File(path)
        all_items += [(room, item) for item in file.items]
        found += file.problems
    text = page(all_items)
    if mode == "write":
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        found.append(f"{PAGE} is not what the sources say: ./dev docs writes it")
    count = len(re.findall(r"^\| (?:`|<code>)", text, re.M))
    print("\n".join(found) or f"{PAGE} has {count} names")
    return 1 if found else 0


if len(sys.argv) != 2 or sys.argv[1] not in ("write", "check"):
    sys.exit("usage: names.py write|check")
sys.exit(main(sys.argv[1]))
