"""Writes docs/names.md, the index of all names that the library exports: names.py write. Complains where it is not up to date: check.

It reads what `import tessera;` reaches in modules/: exported declarations and the `///` comments before them. Overloads are one row. A
name links to the page that has it in code font most often. The reading is of text, not of C++: an exported declaration in which no name is
found is a complaint, so that none is left out silently.
"""

import collections
import functools
import pathlib
import re
import sys

PAGE = pathlib.Path("docs/names.md")
MAIN_CLASSES = ["Array", "ArrayView", "Dim", "DDim", "Var", "Scheduler"]
# Pages that are no explanations.
NOT_LINKED = ("index.md", "names.md", "decisions/", "benchmarks/")

Item = collections.namedtuple("Item", "name kind exported doc scope head begin body file")

# -------------------------------------------------------------------------------------------------- declarations of a text

COMMENT_OR_LITERAL = re.compile(
    r'R"(?P<tag>[^()\s\\]*)\(.*?\)(?P=tag)"'
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)+'"
    r"|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*", re.S | re.M)


def blanked(text):
    """The text with comments, literals and lines of the preprocessor as spaces: every offset and line stays."""
    return COMMENT_OR_LITERAL.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def closing(text, begin):
    """Offset of the bracket that closes the one at `begin`."""
    depth = 0
    for match in re.compile(r"[(){}\[\]]").finditer(text, begin):
        depth += 1 if match[0] in "([{" else -1
        if depth == 0:
            return match.start()
    raise ValueError(f"a bracket is not closed: {text[begin : begin + 60]!r}")


def without_template(head):
    """The head of a declaration without `template <...>`, attributes and `export`."""
    head = re.sub(r"\[\[.*?\]\]", " ", head, flags=re.S).strip()
    head = re.sub(r"^export\b\s*", "", head)
    while match := re.match(r"template\s*<", head):
        head = head[angle_end(head, match.end() - 1) :].strip()
    return head


def angle_end(text, begin):
    """Offset behind the `>` that closes the `<` at `begin`; comparisons stand in parentheses."""
    depth, index = 0, begin
    while index < len(text):
        if text[index] in "({[":
            index = closing(text, index)
        elif text[index] == "<":
            depth += 1
        elif text[index] == ">" and text[index - 1] != "-":
            depth -= 1
            if depth == 0:
                return index + 1
        index += 1
    return len(text)


def declaration_end(text, begin):
    """Where the declaration at `begin` ends, and the offset of the block that is its body, if it has one."""
    index, body = begin, None
    while index < len(text):
        character = text[index]
        if character == ";":
            return index + 1, body
        if character in "([":
            index = closing(text, index)
        elif character == "{":
            head = text[begin:index]
            end = closing(text, index) + 1
            if not re.search(r"\brequires\s*(\(\)\s*)?$", simplified(without_template(head))):
                body = index if body is None else body
                if is_over(head, text[end : end + 200].lstrip()):
                    return end, body
            index = end - 1
        index += 1
    return len(text), body


def is_over(head, after):
    """A block ends its declaration, unless it is an initialiser, a class or an element of a constructor's list."""
    if after.startswith((";", ",", "{")):
        return False
    return "=" not in re.sub(r"[=!<>]=", "", simplified(without_template(head)))


def declarations(text, plain, begin, end):
    """(doc, head, offset of the body or None, offset) of the declarations in text[begin:end]; `plain` is the blanked text."""
    index = begin
    while match := re.compile(r"[^\s;]").search(plain, index, end):
        start = match.start()
        label = re.compile(r"(public|private|protected)\s*:(?!:)").match(plain, start)
        if label:
            yield "", label[1] + ":", None, start
            index = label.end()
            continue
        if plain[start] == "}":
            index = start + 1
            continue
        opened = re.compile(r"(export\s*)?((inline\s+)?namespace\b[^;{=]*|extern\s*)?\{").match(plain, start)
        if opened:
            yield comment_before(text, start), plain[start : opened.end() - 1], opened.end() - 1, start
            index = closing(plain, opened.end() - 1) + 1
            continue
        index, body = declaration_end(plain, start)
        yield comment_before(text, start), plain[start : body if body is not None else index], body, start


def comment_before(text, offset):
    """The `///` lines right above."""
    lines = []
    for line in reversed(text[:offset].split("\n")[:-1]):
        if not line.strip().startswith("///"):
            break
        lines.append(line.strip()[3:].strip())
    return " ".join(reversed(lines))


# ------------------------------------------------------------------------------------------------------ what they declare

NAMESPACE = re.compile(r"(?:export\s*)?(?:(?:inline\s+)?(?P<keyword>namespace)\b\s*(?P<name>[\w:]*)\s*|extern\s*)?")
NOT_NAMES = r"(?!(?:requires|noexcept|decltype|explicit|alignas|sizeof|and|or|not|if|const)\b)"
OPERATOR = re.compile(r"\boperator\s*(\(\s*\)|\[\s*\]|co_await\b|[^\s\w(]+|[\w:]+(?:\s*<[^()]*>)?[\s*&]*(?=\())")
FUNCTION = re.compile(rf"(?<![\w:]){NOT_NAMES}(~?\w+)\s*\(\)")
VARIABLE = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)?(?:=|\{|;|$)")


def simplified(head):
    """The head with all parentheses empty and without template arguments."""
    head = re.sub(r"\boperator\s*(\(\s*\)|[^\s\w(]+)", "operator_", head)
    result, index = [], 0
    while index < len(head):
        if head[index] == "(":
            result.append("()")
            index = closing(head, index)
        elif head[index] == "<" and re.search(r"\w\s*$", "".join(result)):
            index = angle_end(head, index) - 1
        else:
            result.append(head[index])
        index += 1
    return "".join(result)


def name_and_kind(head):
    """('sum', 'function'), or None for what declares nothing new: friends, specialisations, guides, assertions."""
    if re.search(r"template\s*<\s*>", head):
        return None
    bare = without_template(head)
    if re.match(r"module\b|import\b|friend\b|static_assert\b|template\b|using\s+(namespace|enum)\b|asm\b", bare):
        return None
    if match := re.match(r"concept\s+(\w+)", bare):
        return match[1], "concept"
    if match := re.search(r"(?:^|requires\b.*\s)using\s+(?:[\w:]*::)?(\w+)\s*[=;]", bare, re.S):
        return match[1], "type"
    if match := OPERATOR.search(bare):
        symbol = re.sub(r"\s+", "", match[1])
        return "operator" + (" " if symbol[0].isalpha() else "") + symbol, "function"
    plain = simplified(bare)
    if match := re.search(r"(?:^|(?<=[\s)]))enum\s+(?:class\s+|struct\s+)?(\w+)", plain):
        return match[1], "enumeration"
    if match := re.search(r"(?:^|(?<=[\s)]))(?:class|struct|union)\s+(?:alignas\(\)\s*)?(\w+)(\s*<)?", plain):
        return match[1], "class"
    if "->" in plain and re.match(r"(explicit\s+)?\w+\s*\(\)\s*->", plain):
        return None
    declared = plain.split("=")[0]
    if match := FUNCTION.search(declared):
        return match[1], "function"
    if match := VARIABLE.search(plain):
        return match[1], "constant" if re.search(r"\b(constexpr|const)\b", plain[: match.start(1)]) else "variable"
    return None


def names_nothing(head):
    """Exports that need no row: guides and specialisations."""
    return bool(re.search(r"template\s*<\s*>", head)
                or re.match(r"(explicit\s+)?(\w+)\s*\(\)\s*->\s*\2", simplified(without_template(head))))


# ------------------------------------------------------------------------------------------------------------ a file's names


class File:
    """The items of one file, and what is wrong with it."""

    def __init__(self, path):
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.plain = re.sub(r"\bexport\s+(?:module|import)\b[^;]*;", lambda match: " " * len(match[0]), blanked(self.text))
        self.items = []
        self.problems = []
        exports = {match.start() for match in re.finditer(r"\bexport\b", self.plain)}
        try:
            self.collect(0, len(self.plain), (), False, exports)
        except ValueError as error:
            self.problems.append(f"{path}: {error}")
        self.problems += [f"{self.where(start)}: this exported declaration was not read" for start in sorted(exports)]

    def where(self, offset):
        return f"{self.path}:{self.plain.count(chr(10), 0, offset) + 1}"

    def collect(self, begin, end, scope, exported, unread):
        for doc, head, body, start in declarations(self.text, self.plain, begin, end):
            unread.discard(start)
            is_exported = exported or bool(re.match(r"export\b", head))
            block = NAMESPACE.fullmatch(head) if body is not None else None
            if block and block["keyword"] and not block["name"]:
                continue  # a namespace without a name
            if block:
                inner = scope + tuple(filter(None, (block["name"] or "").split("::")))
                self.collect(body + 1, closing(self.plain, body), inner, is_exported, unread)
            elif declared := name_and_kind(head):
                text = self.plain[body : closing(self.plain, body) + 1] if body is not None else ""
                self.items.append(Item(*declared, is_exported, doc, scope, head, body, text, self))
            elif is_exported and not names_nothing(head):
                self.problems.append(f"{self.where(start)}: no name is found in this exported declaration")


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
        if member_of and not mention(member_of).search(spans):
            continue
        if (count, page == f"{room}.md") > best[:2]:
            best = count, page == f"{room}.md", f"[{title}]({page})"
    return best[2]


# ------------------------------------------------------------------------------------------------------------------- the tables


def first_sentence(doc):
    return re.split(r"(?<=[^.]\.)\s+(?=[A-Z`(])", doc, maxsplit=1)[0]


def cell(text):
    """Text of a doc comment as a table's cell: outside of code font nothing is markup."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else plain_text(part) for part in parts).replace("|", "\\|")


def plain_text(text):
    escaped = re.sub(r"\*|(?<!\w)_|_(?!\w)|(?<=\])\(", lambda match: "\\" + match[0], text.replace("&", "&amp;"))
    return escaped.replace("<", "&lt;")


def row(*cells):
    return "| " + " | ".join(cells) + " |"


def code(name):
    return "`" + name.replace("|", "\\|") + "`"


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
    print("\n".join(found) or f"{PAGE} has {text.count(chr(10) + '| `')} names")
    return 1 if found else 0


if len(sys.argv) != 2 or sys.argv[1] not in ("write", "check"):
    sys.exit("usage: names.py write|check")
sys.exit(main(sys.argv[1]))
