"""The tables of rooms in README.md and docs/index.md: each room is there, in the order in which rooms may import, with the same words, and
what stands there in code font is what the room exports.

rooms_test.py PROJECT; PROJECT is the project's folder.
"""
import pathlib
import re
import sys
import unittest

PROJECT = pathlib.Path(sys.argv.pop()).resolve()
ROW = re.compile(r"^\| \[?`(?:modules/|tessera\.)(\w+)`(?:\]\([\w/]+\))? \| ([^|]*) \|", re.M)


def table_of(page):
    """{room: what it holds}, in the order of the rows."""
    return dict(ROW.findall((PROJECT / page).read_text(encoding="utf-8")))


def rooms():
    """The rooms that exist, in the order that .ci/imports.py demands."""
    order = re.search(r"^ROOMS = \[(.*)\]", (PROJECT / ".ci/imports.py").read_text(encoding="utf-8"), re.M)[1]
    return [room for room in re.findall(r'"(\w+)"', order) if room != "tessera" and (PROJECT / "modules" / room).is_dir()]


def exported():
    """{room: names}, from the index of all names."""
    names = {}
    for name, room in re.findall(r"^\| \[?`([\w:]+)`(?:\]\(\S+\))? \| [\w ]+ \| (\w+) \|", (PROJECT / "docs/names.md").read_text(encoding="utf-8"), re.M):
        names.setdefault(room, set()).add(name.rpartition("::")[2])
    return names


class Rooms(unittest.TestCase):
    def test_every_room_has_a_row_in_the_order_of_imports(self):
        self.assertGreater(len(rooms()), 7)
        for page in ("README.md", "docs/index.md"):
            self.assertEqual(list(table_of(page)), rooms(), page)

    def test_both_tables_say_the_same(self):
        self.assertEqual(table_of("README.md"), table_of("docs/index.md"))

    def test_names_in_code_font_are_exported_by_their_room(self):
        for room, text in table_of("README.md").items():
            for name in re.findall(r"`(\w+)`s?", text):
                if name in exported().get(room, ()):
                    continue
                self.fail(f"{room} exports no {name}")


unittest.main()
