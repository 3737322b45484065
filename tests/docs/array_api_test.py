"""Every function of the array API standard is on docs/array-api.md: in a table of calls, or among the differences.

array_api_test.py PAGE LIST; LIST has a section's names on a line.
"""
import pathlib
import re
import sys
import unittest

PAGE, LIST = (pathlib.Path(argument) for argument in sys.argv[1:3])
del sys.argv[1:]


def standard_names():
    lines = LIST.read_text(encoding="utf-8").splitlines()
    return [name for line in lines if not line.startswith("#") for name in line.split(":", 1)[1].split()]


def named_on(page):
    """Names that are called in a table's first cell, and names that such a cell is made of."""
    found = set()
    for line in page.splitlines():
        if not line.startswith("| `"):
            continue
        first = line[2:].split(" | ")[0]
        found.update(re.findall(r"xp\.(?:linalg\.)?(\w+)", first))
        found.update(re.findall(r"`(\w+)`", first))
    return found


class Complete(unittest.TestCase):
    def test_every_name_is_on_the_page(self):
        missing = [name for name in standard_names() if name not in named_on(PAGE.read_text(encoding="utf-8"))]
        self.assertEqual(missing, [])

    def test_the_list_is_whole(self):
        names = standard_names()
        self.assertEqual(len(names), len(set(names)))
        self.assertGreater(len(names), 170)

    def test_a_missing_name_is_seen(self):
        self.assertNotIn("cholesky", named_on("| `xp.sum(x)` | `sum(x)` |\n| `det` | not here |"))
        self.assertEqual(named_on("| `xp.linalg.trace(s)` | `trace(s)` |\n| `det`, `inv` | not here |"), {"trace", "det", "inv"})


unittest.main()
