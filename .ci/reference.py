"""Makes docs/reference/, a page for each room: every name that users may call, with its declarations, their comments, the errors that these
speak of, and the page that uses it. names.py writes the pages.

What a class shows is what is public in it. Bodies are left out. Namespaces in INNER hold what one room offers to others: they are on no page.
"""

import functools
import pathlib
import re
import textwrap

from declarations import comment_lines, declarations, name_and_kind, simplified, without_template

FOLDER = pathlib.Path("docs/reference")
# Plumbing between rooms; the compiler lets users see these namespaces, and nothing promises that what is in them stays.
INNER = {"blas", "collective", "compressing", "contraction", "core", "cublas", "device_kernels", "device_work", "driver_memory", "dynamic", "launching", "math", "plan", "rows", "runtime",
         "scanning", "schedule", "sorting", "storage"}
# Pages that are no explanations; LAST are taken where there is no other.
NOT_LINKED = ("index.md", "names.md", "reference/", "decisions/", "benchmarks/")
LAST = ("concepts.md", "first-steps.md", "from-numpy.md", "from-pytorch.md", "from-eigen.md")
KINDS = {"concept": "Concepts", "class": "Classes", "type": "Types", "enumeration": "Enumerations", "function": "Functions",
         "constant": "Constants", "variable": "Variables"}
WIDTH = 100  # of comments in a class
SHORT = 100  # characters of a value that is shown

# ------------------------------------------------------------------------------------------------------------------ the pages


@functools.cache
def pages():
    """(page, its title, what it has in code font, its blocks of code) in the order of the site's navigation, LAST behind the others."""
    order = re.findall(r"[\w./-]+\.md", pathlib.Path("mkdocs.yml").read_text(encoding="utf-8"))
    found = []
    for name in sorted(order, key=lambda name: name.startswith(LAST)):
        path = FOLDER.parent / name
        if name.startswith(NOT_LINKED) or not path.exists():
            continue
        blocks = []
        text = re.sub(r"^([ \t]*)(`{3,}|~{3,}).*?^[ \t]*\2", lambda match: blocks.append(match[0]) or "",
                      path.read_text(encoding="utf-8"), flags=re.S | re.M)
        title = re.search(r"^# (.*)", text, re.M)
        found.append((name, title[1] if title else name, "\n".join(re.findall(r"`([^`\n]+)`", text)), "\n".join(blocks)))
    return found


def mention(name, member_of=None):
    """What finds a name in code font: alone or behind its scope, and a member behind an object's dot too."""
    scope, _, short = name.rpartition("::")
    before = r"(?<![\w:])" if member_of else r"(?<![\w.:])"
    scope = member_of or scope
    behind_scope = rf"|(?<=\b{re.escape(scope)}::)" if scope else ""
    return re.compile(rf"(?:{before}{behind_scope}){re.escape(short)}(?!\w)")


def explained(name, room, member_of=None):
    """(page, title) of the page that mentions the name most often, or None: of equals the room's, then the first. A member's page mentions its
    class too."""
    best = (0, False, None)
    for page, title, spans, _ in pages():
        if page.startswith(LAST):
            continue
        count = len(mention(name, member_of).findall(spans))
        if count == 0 or member_of and not mention(member_of).search(spans):
            continue
        if (count, page == f"{room}.md") > best[:2]:
            best = count, page == f"{room}.md", (page, title)
    return best[2]


def used(name, room):
    """The page that explains the name or else the first whose code uses it, the room's before the others."""
    if found := explained(name, room):
        return found
    users = [(page, title) for page, title, spans, code in pages() if mention(name).search(spans) or called(name).search(code)]
    return next((user for user in users if user[0] == f"{room}.md"), users[0] if users else None)


@functools.cache
def called(name):
    """What finds a name in code: of a name with a scope, this too; of an operator its sign between or before operands."""
    if match := re.fullmatch(r"operator(\W+)", name):
        sign = re.escape(match[1])
        return re.compile(rf"(?<=[\w)] ){sign}(?= [\w(-])" + (rf"|(?<=[\s(]){sign}(?=\w)" if match[1] in "!~-" else ""))
    return re.compile(rf"(?<![\w.:]){re.escape(name)}(?!\w)" if "::" in name else rf"(?<![\w.])(?<!std::){re.escape(name)}(?!\w)")


# ------------------------------------------------------------------------------------------------------------- names and links


def qualified(item):
    scope = item.scope[1:] if item.scope[:1] == ("tessera",) else item.scope
    return "::".join([*scope, item.name])


def is_public(item):
    """What users may call."""
    return item.exported and item.scope[:1] == ("tessera",) and not INNER.intersection(item.scope[1:])


def anchor(name):
    return "name-" + re.sub(r"[^\w-]", lambda match: f"{ord(match[0]):02x}" if match[0] != ":" else "-", name)


# ----------------------------------------------------------------------------------------------------------------- declarations


def without_comments(text):
    return re.sub(r"[ \t]*(?<![\"/:])//(?!/<)[^\n]*", "", text)


def trailing(text, end):
    """The comment that stands behind a declaration, if it belongs to it: `///<`, or why it is deleted."""
    match = re.compile(r"[ \t]*(//(/<)?.*)").match(text, end)
    return "  " + match[1] if match and (match[2] or re.search(r"=\s*delete\s*;$", text[:end])) else ""


def without_initialisers(head):
    """A constructor's head without what it gives its members."""
    depth = 0
    for index, character in enumerate(head):
        depth += (character in "([{") - (character in ")]}")
        if character == ":" and depth == 0 and "::" not in (head[index - 1 : index + 1], head[index : index + 2]) \
                and re.search(r"\)\s*(noexcept\s*)?$", head[:index]):
            return head[:index]
    return head


def tidy(text, column):
    """Source as it is, moved to the left by the column at which it begins."""
    lines = [line.rstrip() for line in text.strip().split("\n")]
    moved = [line[min(column, len(line) - len(line.lstrip())) :] for line in lines[1:] if line]
    return "\n".join([lines[0], *moved])


def column_of(text, offset):
    return offset - (text.rfind("\n", 0, offset) + 1)


def signature(text, kind, name, start, body, end):
    """A declaration without its body. `text` is the source of the file."""
    if kind in ("concept", "type", "enumeration") or body is None:
        whole = without_comments(text[start:end])
    else:
        whole = without_comments(text[start:body])
        if kind == "function":
            whole = without_initialisers(whole).rstrip() + ";"
        elif kind in ("constant", "variable", "member"):
            value = text[body : end]
            whole = without_comments(text[start:end]) if len(value) <= SHORT and "\n" not in value else re.sub(r"\s*=?[^=]*$", "", whole) + ";"
    whole = re.sub(r"^export\s+", "", whole.strip())
    whole = re.sub(r"\[\[gnu::\w+\]\]\s*", "", whole)
    if kind == "function":
        whole = re.sub(r"\s*=\s*default\s*;$", ";", whole)
        whole = re.sub(r"\b(inline|friend)\s+(?=[\w\[])", "", whole, count=1) if not whole.startswith("template") else re.sub(r"^(\s*)inline\s+", r"\1", whole, flags=re.M)
    return tidy(whole, column_of(text, start)) + trailing(text, end)


def as_comment(lines):
    """A doc comment in a class: its paragraphs filled, its code as it is."""
    result = []
    for is_code, text in paragraphs(lines):
        result += text.split("\n") if is_code else textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)
    return [f"/// {line}".rstrip() for line in result]


def members(item):
    """The public members: (lines of the comment, declaration)."""
    text, plain = item.file.text, item.file.plain
    public = not re.search(r"\bclass\b", without_template(item.head))
    for _, head, body, start, end in declarations(text, plain, item.begin + 1, item.begin + len(item.body) - 1):
        if head in ("public:", "private:", "protected:"):
            public = head == "public:"
            continue
        if not public or re.search(r"=\s*delete\s*;$", head) or not (declared := name_and_kind(head)) or declared[0].startswith("~"):
            continue
        name, kind = declared
        kind = "member" if kind in ("constant", "variable") else kind
        if kind == "class":
            shown = tidy(without_comments(text[start:body]), column_of(text, start)) + ";" if body is not None else None
        else:
            shown = signature(text, kind, name, start, body, end)
        if shown:
            yield comment_lines(text, start), shown


def bases(item, hidden):
    """The classes that a class is made of and that users do not name."""
    for base in re.findall(r"\bpublic\s+([\w:]+)", item.head):
        if base in hidden:
            yield hidden[base]
            yield from bases(hidden[base], hidden)


def class_text(item, hidden):
    """A class's declaration with its public members, and those of its bases that have no entry of their own."""
    head = re.sub(r"^export\s+", "", without_comments(item.file.text[item.start : item.begin]).strip())
    lines = tidy(head, column_of(item.file.text, item.start)).split("\n")
    lines[-1] += " {"
    if re.search(r"\bclass\b", without_template(item.head)):
        lines.append(" public:")
    first = True
    for origin in (item, *bases(item, hidden)):
        found = list(members(origin))
        if origin is not item and found:
            lines += ["", f"  // as every {origin.name}:"]
            first = True
        for doc, shown in found:
            if doc and not first:
                lines.append("")
            first = False
            lines += ["  " + line for line in [*as_comment(doc), *shown.split("\n")]]
    return "\n".join([*lines, "};"])


def shown_as(item, hidden):
    if item.kind == "class" and item.begin is not None:
        return class_text(item, hidden)
    return signature(item.file.text, item.kind, item.name, item.start, item.begin, item.end)


# -------------------------------------------------------------------------------------------------------------------- comments


def paragraphs(lines):
    """(whether it is code, text) of a comment's paragraphs; code is what is indented."""
    result = []
    for line in lines:
        is_code = line.startswith("  ") and not re.match(r"\s+[-*] ", line)
        if not line.strip():
            result.append((None, ""))
        elif result and result[-1][0] == is_code and is_code is not None:
            result[-1] = is_code, result[-1][1] + ("\n" + line if is_code else " " + line.strip())
        else:
            result.append((is_code, line if is_code else line.strip()))
    return [(is_code, text) for is_code, text in result if is_code is not None]


def sentences(text):
    return re.split(r"(?<=[^.]\.)\s+(?=[A-Z`(])", text)


def speaks_of_errors(sentence):
    return re.search(r"\b(throws?|Throws?|thrown|rethrows?|terminates?)\b", sentence) is not None


def markdown(text):
    """Text of a comment: outside of code font nothing is markup."""
    parts = re.split(r"`([^`]*)`", text)
    return "".join(f"`{part}`" if index % 2 else plain(part) for index, part in enumerate(parts))


def plain(text):
    escaped = re.sub(r"[*]|(?<!\w)_|_(?!\w)|(?<=\])\(", lambda match: "\\" + match[0], text.replace("&", "&amp;"))
    return escaped.replace("<", "&lt;")


def prose(lines):
    """A comment as a page has it: what it says of errors is behind the rest."""
    blocks, errors = [], []
    for is_code, text in paragraphs(lines):
        if is_code:
            blocks.append("```cpp\n" + textwrap.dedent(text) + "\n```")
            continue
        said = sentences(text)
        errors += [sentence for sentence in said if speaks_of_errors(sentence)]
        if rest := " ".join(sentence for sentence in said if not speaks_of_errors(sentence)):
            blocks.append(markdown(rest))
    if errors:
        blocks.append("**Errors:** " + markdown(" ".join(errors)))
    return blocks


# ----------------------------------------------------------------------------------------------------------------------- pages


def entry(name, items, room, hidden):
    """A name's part of the page: overloads without a comment stand with the one before."""
    yield f'<a id="{anchor(name)}"></a>'
    yield ""
    yield f"### `{name}`"
    groups = []
    for item in items:
        doc = comment_lines(item.file.text, item.start)
        shown = shown_as(item, hidden)
        if doc or not groups:
            groups.append((doc, [shown]))
        elif shown not in groups[-1][1]:
            groups[-1][1].append(shown)
    for doc, declared in groups:
        yield from ("", "```cpp", *"\n".join(declared).split("\n"), "```")
        for block in prose(doc):
            yield from ("", *block.split("\n"))
    if found := used(name, room):
        yield from ("", f"Used in [{found[1]}](../{found[0]}).")
    yield ""


def complete(items):
    """The items without declarations of classes that are defined elsewhere."""
    defined = {item.name for item in items if item.kind == "class" and item.begin is not None}
    return [item for item in items if item.kind != "class" or item.begin is not None or item.name not in defined]


def entries(all_items):
    """{room: {name: items}} of what users may call."""
    result = {}
    everything = complete([item for _, item in all_items if is_public(item)])
    for room, item in all_items:
        if any(item is kept for kept in everything):
            result.setdefault(room, {}).setdefault(qualified(item), []).append(item)
    return result


def room_page(room, names, hidden):
    yield from (f"# Reference: {room}", "")
    yield f"What `import tessera;` gives of the room {room}, in the namespace `tessera`. `./dev docs` writes this page from the comments in the sources;"
    yield "the [index of all names](../names.md) has one line a name."
    yield ""
    for kind, title in KINDS.items():
        chosen = {name: items for name, items in names.items() if items[0].kind == kind}
        if not chosen:
            continue
        yield from (f"## {title}", "")
        for name, items in sorted(chosen.items(), key=lambda pair: (pair[0].lower(), pair[0])):
            yield from entry(name, items, room, hidden)


def reference(all_items):
    """{path: text} of all pages."""
    rooms = entries(all_items)
    hidden = {item.name: item for _, item in all_items if item.kind == "class" and item.body and not is_public(item)}
    return {FOLDER / f"{room}.md": "\n".join(room_page(room, names, hidden)) for room, names in rooms.items()}


def complaints(all_items):
    """Names without a comment."""
    for room, names in entries(all_items).items():
        for name, items in names.items():
            if not any(comment_lines(item.file.text, item.start) for item in items):
                yield f"{items[0].file.where(items[0].start)}: {name} has no comment"
