"""docs/concepts.md has every public concept, each with somebody who models it and somebody who does not, and says of these what the compiler says.

concepts_test.py PROJECT BUILD; the compiler is asked with the command of tests/compile_command.cpp in BUILD/compile_commands.json. The
static_asserts that the page shows are in tests/pages/concepts_test.cpp; here each `!Concept<...>` of them is asserted without the `!`.
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop()).resolve()
PROJECT = pathlib.Path(sys.argv.pop()).resolve()
PAGE = (PROJECT / "docs/concepts.md").read_text(encoding="utf-8")
SOURCE = (PROJECT / "tests/pages/concepts_test.cpp").read_text(encoding="utf-8")
ROW = re.compile(r"^\| \[`([\w:]+)`\]\(reference/\w+\.md#[\w-]+\) \| ([^|]+) \| ([^|]*) \|$", re.M)


def printed_by(row):
    """The sentences of a row's last cell."""
    return re.findall(r"`([^`]+)`", row)


def rows():
    """{concept: the sentences that its failure prints}."""
    return {name: printed_by(sentences) for name, _, sentences in ROW.findall(PAGE)}


def of_every_concept(name):
    """What the compiler says of a concept that has no sentence: of one with one argument, and with more."""
    return f"does not satisfy '{name.rpartition('::')[2]}'", f"'{name}<...>' evaluated to false"


def declared():
    """{concept: the sentences of its declaration}, from the reference."""
    concepts = {}
    for page in sorted((PROJECT / "docs/reference").glob("*.md")):
        for part in re.split(r"^<a id=.*\n", page.read_text(encoding="utf-8"), flags=re.M)[1:]:
            name, code = re.search(r"### `(.+)`\n\n```cpp\n(.*?)\n```", part, re.S).groups()
            if re.search(r"^concept ", code, re.M):
                found = re.findall(r'unsatisfied<((?:\s*"[^"]*")+)\s*>', code)
                concepts[name] = ["".join(re.findall(r'"([^"]*)"', text)) for text in found]
    return concepts


def end_of_arguments(text, begin):
    """Offset behind the `>` that closes the `<` at `begin`."""
    depth = 0
    for index in range(begin, len(text)):
        depth += (text[index] in "<(") - (text[index] in ">)")
        if depth == 0:
            return index + 1
    raise ValueError(text[begin:])


def asserted():
    """(concept, "Concept<...>", whether it holds) of what the test asserts."""
    for statement in re.findall(r"^static_assert\((.*?)\);", SOURCE, re.S | re.M):
        for match in re.finditer(r"(!?)((?:\w+::)?[A-Z]\w+)<", statement):
            if match.start() > 0 and not re.search(r"(^|&& *|&&\s+)$", statement[: match.start()]):
                continue  # an argument
            yield match[2], statement[match.start(2) : end_of_arguments(statement, match.end() - 1)], not match[1]


def complaints(claims):
    """What the compiler says of each claim, asserted in a line of its own."""
    database = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
    command = next(entry["command"] for entry in database if pathlib.Path(entry["file"]).name == "compile_command.cpp")
    before = SOURCE.partition("// --8<-- [start:core]")[0] + "}  // namespace\n"
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "claims.cpp"
        source.write_text(before + "".join(f"static_assert({claim});\n" for claim in claims), encoding="utf-8")
        includes = ["-I", str(PROJECT / "tests/pages")]
        done = subprocess.run([*shlex.split(command.partition(" -o ")[0]), "-fsyntax-only", "-ferror-limit=0", "-w", *includes, str(source)], cwd=BUILD,
                              capture_output=True, text=True, timeout=300)
    first = before.count("\n") + 1
    parts = re.split(r"^\S*claims\.cpp:(\d+):\d+: (?:error|fatal error): ", done.stderr, flags=re.M)
    said = {int(line) - first: text for line, text in zip(parts[1::2], parts[2::2])}
    return {claim: said.get(number, "") for number, claim in enumerate(claims)}


def plain(text):
    """What the compiler prints, with `...` for the arguments of concepts."""
    return re.sub(r"'((?:\w+::)?[A-Z]\w*)<[^']*>' evaluated to false", r"'\1<...>' evaluated to false", text)


class Concepts(unittest.TestCase):
    maxDiff = None

    def test_every_public_concept_has_a_row(self):
        self.assertGreater(len(rows()), 50)
        self.assertEqual(sorted(rows()), sorted(declared()))

    def test_every_concept_has_who_models_it_and_who_does_not(self):
        claims = list(asserted())
        for holds in (True, False):
            self.assertEqual(sorted(set(declared()) - {name for name, _, held in claims if held == holds}), [])

    def test_a_row_has_the_sentences_of_the_declaration_or_what_is_said_of_every_concept(self):
        for name, sentences in declared().items():
            if sentences:
                self.assertEqual(rows()[name], sentences, name)
            else:
                self.assertEqual(len(rows()[name]), 1, name)
                self.assertIn(rows()[name][0], of_every_concept(name))

    def test_every_sentence_is_printed_where_the_concept_fails(self):
        refused = [(name, claim) for name, claim, holds in asserted() if not holds]
        said = complaints([claim for _, claim in refused])
        missing = [f"{name}: {sentence}" for name, sentences in rows().items() for sentence in sentences
                   if not any(sentence in plain(said[claim]) for other, claim in refused if other == name)]
        self.assertEqual(missing, [])
        silent = [claim for _, claim in refused if said[claim] == ""]
        self.assertEqual(silent, [])

    def test_what_holds_is_no_complaint_and_a_made_up_sentence_is_not_printed(self):
        said = complaints(["Element<float>", "Element<char>"])
        self.assertEqual(said["Element<float>"], "")
        self.assertIn("'char' does not satisfy 'Element'", said["Element<char>"])
        self.assertNotIn("a made-up sentence", said["Element<char>"])


unittest.main()
