"""Reads declarations out of the text of a C++ module interface: what names.py makes an index and a reference of.

It knows brackets, literals, comments and what a declaration begins with; it is no parser of C++. So it tells of every `export` that it
cannot make a name of, or that it would read as part of another declaration.
"""

import collections
import re

Item = collections.namedtuple("Item", "name kind exported doc scope head start begin body end file")

# -------------------------------------------------------------------------------------------------- declarations of a text

COMMENT_OR_LITERAL = re.compile(
    r'R"(?P<tag>[^()\s\\]*)\(.*?\)(?P=tag)"'
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)+'"
    r"|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*"
    r"|^[ \t]*[A-Z][A-Z0-9]*_[A-Z0-9_]*\([^\n]*\)[ \t]*$", re.S | re.M)  # the last: calls of macros


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
            if not ends_in_requirements(simplified(without_template(head))):
                body = index if body is None else body
                if is_over(head, text[end : end + 200].lstrip()):
                    return end, body
            index = end - 1
        index += 1
    return len(text), body


def ends_in_requirements(head):
    """`requires (T a)`, whose block is no body; but the clause behind a function's parameters is followed by its body."""
    if not re.search(r"\brequires\s*(\(\)\s*)?$", head):
        return False
    return not re.search(rf"(?<![\w:]){NOT_NAMES}~?\w+\s*\(\)(\s|const|volatile|noexcept|&)*requires\s*\(\)\s*$", head)


def is_over(head, after):
    """A block ends its declaration, unless it is an initialiser, a class or an element of a constructor's list."""
    if after.startswith((";", ",", "{")):
        return False
    return "=" not in re.sub(r"[=!<>]=", "", simplified(without_template(head)))


def declarations(text, plain, begin, end):
    """(doc, head, offset of the body or None, offset, offset behind it) of the declarations in text[begin:end]; `plain` is the blanked text."""
    index = begin
    while match := re.compile(r"[^\s;]").search(plain, index, end):
        start = match.start()
        label = re.compile(r"(public|private|protected)\s*:(?!:)").match(plain, start)
        if label:
            yield "", label[1] + ":", None, start, label.end()
            index = label.end()
            continue
        if plain[start] == "}":
            index = start + 1
            continue
        opened = re.compile(r"(export\s*)?((inline\s+)?namespace\b[^;{=]*|extern\s*)?\{").match(plain, start)
        if opened:
            index = closing(plain, opened.end() - 1) + 1
            yield comment_before(text, start), plain[start : opened.end() - 1], opened.end() - 1, start, index
            continue
        index, body = declaration_end(plain, start)
        yield comment_before(text, start), plain[start : body if body is not None else index], body, start, index


def comment_lines(text, offset):
    """The `///` lines right above, without the slashes and the space behind them."""
    lines = []
    for line in reversed(text[:offset].split("\n")[:-1]):
        if not line.strip().startswith("///"):
            break
        lines.append(line.strip()[3:].removeprefix(" ").rstrip())
    return lines[::-1]


def comment_before(text, offset):
    """The same as one line."""
    return " ".join(line.strip() for line in comment_lines(text, offset))


# ------------------------------------------------------------------------------------------------------ what they declare

NAMESPACE = re.compile(r"(?:export\s*)?(?:(?:inline\s+)?(?P<keyword>namespace)\b\s*(?P<name>[\w:]*)\s*|extern\s*)?")
NOT_NAMES = r"(?!(?:requires|noexcept|decltype|explicit|alignas|sizeof|and|or|not|if|const)\b)"
OPERATOR = re.compile(r"\boperator\s*(\(\s*\)|\[\s*\]|co_await\b|[^\s\w(]+|[\w:]+(?:\s*<[^()]*>)?[\s*&]*(?=\())")
FUNCTION = re.compile(rf"(?<![\w:]){NOT_NAMES}(~?\w+)\s*\(\)")
VARIABLE = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)?(?:=|\{|;|$)")


def simplified(head):
    """The head with all parentheses and requirements empty and without template arguments."""
    head = re.sub(r"\boperator\s*(\(\s*\)|[^\s\w(]+)", "operator_", head)
    result, index = [], 0
    while index < len(head):
        if head[index] == "(" or head[index] == "{" and re.search(r"\brequires\s*(\(\)\s*)?$", "".join(result)):
            result.append("()" if head[index] == "(" else "{}")
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
    if match := re.match(r"using\s+[\w:]*::(operator[^\w\s;]+)\s*;", bare):
        return match[1], "function"
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


# ----------------------------------------------------------------------------------------------------- what macros declare

MACRO = re.compile(r"(?P<doc>(?:^///[^\n]*\n)*)(?:^// clang-format off\n)?^#define (?P<name>\w+)\((?P<parameters>[\w, ]*)\)(?P<body>(?:[^\n]*\\\n)*[^\n]*)"
                   r"|^#undef (?P<undefined>\w+)|(?P<own>(?:^///[^\n]*\n)*)^(?P<call>[A-Z][A-Z0-9]*_[A-Z0-9_]*)\((?P<arguments>[^\n]*)\)$", re.M)


def made_by_macros(text):
    """The exported declarations that calls of the text's macros make; not those that only refuse."""
    macros, made = {}, []
    for match in MACRO.finditer(text):
        if match["name"]:
            body = "\n".join(line.rstrip("\\ ").removeprefix("  ") for line in match["body"].split("\n")).strip("\n")
            macros[match["name"]] = [name.strip() for name in match["parameters"].split(",")], match["doc"], body
        elif match["undefined"]:
            macros.pop(match["undefined"], None)
        elif match["call"] in macros:
            made += expansions(match["call"], match["arguments"], macros, match["own"])
    return "\n".join(made)


def expansions(call, arguments, macros, own=""):
    """What a call makes, those of macros that it hands to another one too. Its comment is that above the call, or above the macro."""
    parameters, doc, body = macros[call]
    doc = own or doc
    given = dict(zip(parameters, (argument.strip() for argument in arguments.split(","))))
    text = re.sub(r"\b\w+\b", lambda word: given.get(word[0], word[0]), body)
    text = re.sub(r"\s*##\s*", "", text)
    if re.search(r"\bexport\b", text):
        if not re.search(r"=\s*delete\s*;", text):
            yield doc + re.sub(r"\boperator\s+(?=\W)", "operator", text) + "\n"
        return
    for inner, inside in re.findall(r"^(\w+)\(([^()\n]*)\)", text, re.M):
        if inner in macros:
            yield from expansions(inner, inside, macros, own)


# ------------------------------------------------------------------------------------------------------------ a file's names


class File:
    """The items of one file, and what is wrong with it."""

    def __init__(self, path):
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.text += f"\nnamespace tessera {{\n{made}\n}}\n" if (made := made_by_macros(self.text)) else ""
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
        for doc, head, body, start, stop in declarations(self.text, self.plain, begin, end):
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
                self.items.append(Item(*declared, is_exported, doc, scope, head, start, body, text, stop, self))
            elif is_exported and not names_nothing(head):
                self.problems.append(f"{self.where(start)}: no name is found in this exported declaration")
