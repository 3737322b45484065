"""The tables on pages: which rows .ci/tables.py makes of a test, how they look, and what it complains of.

tables_test.py TABLES; TABLES is .ci/tables.py.
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TABLES = pathlib.Path(sys.argv.pop()).resolve()

SOURCE = """\
// --8<-- [start:sums]
  // NumPy: x.sum(axis=1)
  CHECK(text(sum<1>(x)) == "[ 3. 12.]");
  // NumPy: x | y
  const auto z = x |
                 y;
  CHECK(z[0] == 1);
  // NumPy: np.zeros((2, 3))
  CHECK(shape(zeros<float>(2, 3)) == "(2, 3)");
  // NumPy: x[9]  # IndexError
  CHECK_THROWS_AS(x[9], IndexError);
// --8<-- [end:sums]
// --8<-- [start:none]
int after;
// --8<-- [end:none]
"""

MARKER = "<!-- table: sums.cpp:sums -->"
TABLE = f"""{MARKER}

| NumPy | Tessera |
| --- | --- |
| `x.sum(axis=1)` | `sum<1>(x)` |
| `x \\| y` | `const auto z = x \\| y;` |
| `np.zeros((2, 3))` | `zeros<float>(2, 3)` |
| `x[9]  # IndexError` | `x[9]  // IndexError` |
"""


class Tables(unittest.TestCase):
    """Each test has a folder with a source and a page of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "docs").mkdir()
        (self.root / "sums.cpp").write_text(SOURCE)

    def run_script(self, mode, text):
        page = self.root / "docs/page.md"
        page.write_text(text)
        done = subprocess.run([sys.executable, "-B", TABLES, mode], cwd=self.root, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr, "")
        return done, page.read_text()

    def test_a_table_is_made_under_its_marker(self):
        for tail in ["", "\nText.\n"]:
            done, page = self.run_script("write", f"# Page\n\n{MARKER}\n{tail}")
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertEqual(page, f"# Page\n\n{TABLE}{tail}")

    def test_a_table_that_is_right_stays(self):
        text = f"# Page\n\n{TABLE}\nText.\n"
        done, page = self.run_script("write", text)
        self.assertEqual((done.returncode, page), (0, text))
        self.assertEqual(self.run_script("check", text)[0].returncode, 0)

    def test_a_changed_row_is_complained_of_and_made_again(self):
        text = f"{TABLE}\nText.\n"
        changed = text.replace("sum<1>", "sum<0>")
        done, page = self.run_script("check", changed)
        self.assertEqual((done.returncode, page), (1, changed))
        self.assertEqual(done.stdout, "docs/page.md:1: the table is not that of sums.cpp:sums: ./dev docs makes it\n")
        self.assertEqual(self.run_script("write", changed)[1], text)

    def test_what_is_not_there_is_complained_of(self):
        for region, problem in [("none", "sums.cpp:none has no row"), ("other", "sums.cpp has no region other")]:
            text = f"<!-- table: sums.cpp:{region} -->\n"
            done, page = self.run_script("write", text)
            self.assertEqual((done.returncode, page), (1, text))
            self.assertIn(f"docs/page.md:1: {problem}", done.stdout)


unittest.main()
