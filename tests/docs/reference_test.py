"""The compiler's list of the names in namespace tessera is that of docs/reference/, each with a comment and a row in docs/names.md.

reference_test.py PROJECT BUILD; the compiler is asked for what can stand behind `tessera::` with the command of tests/compile_command.cpp in
BUILD/compile_commands.json, which knows where the modules are.
"""
import html
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

sys.path.insert(0, str(PROJECT / ".ci"))
from reference import INNER  # noqa: E402


def command():
    """The compiler with the options of a program that imports the library."""
    database = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
    found = [entry["command"] for entry in database if pathlib.Path(entry["file"]).name == "compile_command.cpp"]
    return shlex.split(found[0].partition(" -o ")[0])


def compiled(text, *options):
    """What the compiler says of a program that imports the library; `{file}` in an option is the program's source."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "names.cpp"
        source.write_text(f"import tessera;\n{text}\n", encoding="utf-8")
        options = [option.format(file=source) for option in options]
        done = subprocess.run([*command(), "-fsyntax-only", *options, str(source)], cwd=BUILD, capture_output=True, text=True, timeout=300)
    return done.stdout, done.stderr


def namespaces_among(names, scope, more):
    """The compiler is asked to give each another name: a line of its own, about which it complains if the name is no namespace's."""
    aliases = "\n".join(f"namespace alias_{number} = {scope}::{name};" for number, name in enumerate(names))
    complaints = compiled(f"{more}\n{aliases}", "-ferror-limit=0")[1]
    wrong = {int(line) - 3 for line in re.findall(r"names\.cpp:(\d+):\d+: error: ", complaints)}
    return {name for number, name in enumerate(names) if number not in wrong}


def visible(scope="tessera", more=""):
    """(names, namespaces) that can stand behind `scope::` in a program that imports the library and has `more` in it."""
    line = f"{scope}::"
    offered = compiled(f"{more}\nvoid f() {{\n{line}\n}}", "-Xclang", f"-code-completion-at={{file}}:4:{len(line) + 1}")[0]
    found = re.findall(r"^COMPLETION: (?!<)(.+?) : (.*)$", offered, re.M)
    names = {re.sub(r"(?<=\w)<.*>$", "", name) for name, _ in found}  # without the arguments in guides of a class template
    namespaces = namespaces_among(sorted({name for name, pattern in found if name == pattern}), scope, more)
    return names - namespaces, namespaces


def everything(scope="tessera", more=""):
    """All names behind `scope`, those of namespaces inside with their scope; INNER is left out."""
    names, namespaces = visible(scope, more)
    for inner in namespaces - INNER:
        names |= {f"{inner}::{name}" for name in everything(f"{scope}::{inner}", more)}
    return names


def entries():
    """(name, what the reference says of it), for each room that has the name."""
    for page in sorted((PROJECT / "docs/reference").glob("*.md")):
        for part in re.split(r"^<a id=.*\n", page.read_text(encoding="utf-8"), flags=re.M)[1:]:
            heading = re.match(r"\n### `(.+)`\n", part)
            yield heading[1], part[heading.end() :]


def documented():
    """{name: what the reference says of it}."""
    result = {}
    for name, text in entries():
        result[name] = result.get(name, "") + text
    return result


def without_page(found):
    """Names of which no page speaks and that no page's code uses."""
    return {name for name, text in found if not re.search(r"^Used in \[.+\]\(\.\./[\w-]+\.md\)\.$", text, re.M)}


def differences(compiler, pages):
    """What one has and the other has not."""
    return sorted(f"{name} has no entry in docs/reference" for name in compiler - pages) + \
        sorted(f"the compiler sees no {name}" for name in pages - compiler)


class Reference(unittest.TestCase):
    maxDiff = None

    def test_what_the_compiler_sees_is_what_the_pages_have(self):
        self.assertEqual(differences(everything(), set(documented())), [])

    def test_a_name_more_on_either_side_is_a_difference(self):
        seen = everything(more="namespace tessera { inline int made_up; namespace memory { struct MadeUp; } namespace plan { int hidden; } }")
        self.assertGreater(len(seen), 300)
        self.assertEqual(differences(seen, set(documented()) | {"made_up_too"}),
                         ["made_up has no entry in docs/reference", "memory::MadeUp has no entry in docs/reference",
                          "the compiler sees no made_up_too"])

    def test_users_have_the_namespaces_of_these_rooms_and_the_others_are_plumbing(self):
        self.assertEqual(visible()[1] - INNER, {"device", "dlpack", "io", "memory", "random"})

    def test_every_name_has_a_declaration_and_a_comment(self):
        for name, text in documented().items():
            without_code = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
            without_link = re.sub(r"^(Used in .*|## .*)$", "", without_code, flags=re.M)
            self.assertIn("```cpp\n", text, name)
            self.assertNotEqual(without_link.strip(), "", name)

    def test_every_name_is_on_a_page(self):
        """A name that is missing here belongs into docs/, where users look for it, or out of their sight."""
        self.assertEqual(sorted(without_page(entries())), [], "no page in docs/ speaks of these or has code that uses them")

    def test_a_name_is_on_a_page_where_its_entry_says_so(self):
        self.assertEqual(without_page([("seen", "\nText.\n\nUsed in [Memory](../memory.md).\n"), ("unseen", "\nUsed in no page.\n")]), {"unseen"})

    def test_every_name_is_in_the_index(self):
        index = (PROJECT / "docs/names.md").read_text(encoding="utf-8").partition("\n## Members")[0]
        rows = {html.unescape(name) for name in re.findall(r"^\| \[(?:`|<code>)(.+?)(?:`|</code>)\]", index, re.M)}
        self.assertEqual(rows, set(documented()))


unittest.main()
