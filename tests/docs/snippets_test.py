"""The code on pages: what .ci/snippets.py copies, how it looks on the page, and what it complains of.

snippets_test.py SNIPPETS; SNIPPETS is .ci/snippets.py.
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SNIPPETS = pathlib.Path(sys.argv.pop()).resolve()

SOURCE = """\
int before;
// --8<-- [start:sum]
int sum(int a, int b) {
  // --8<-- [start:body]
  int result = a;

  result += b;
  return result;
  // --8<-- [end:body]
}
// --8<-- [end:sum]
// --8<-- [start:open]
int after;
"""

SUM = "int sum(int a, int b) {\n  int result = a;\n\n  result += b;\n  return result;\n}\n"
BODY = "int result = a;\n\nresult += b;\nreturn result;\n"


class Snippets(unittest.TestCase):
    """Each test has a folder with a source and a page of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "docs").mkdir()
        (self.root / "sum.cpp").write_text(SOURCE)

    def page(self, text=None):
        page = self.root / "docs/page.md"
        if text is not None:
            page.write_text(text)
        return page.read_text()

    def run_script(self, mode):
        done = subprocess.run([sys.executable, "-B", SNIPPETS, mode], cwd=self.root, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr, "")
        return done

    def written(self, text):
        """The page after `write`, which `check` then accepts and a second `write` leaves alone."""
        self.page(text)
        done = self.run_script("write")
        self.assertEqual(done.returncode, 0, done.stdout)
        result = self.page()
        self.assertEqual(self.run_script("check").returncode, 0)
        self.run_script("write")
        self.assertEqual(self.page(), result)
        return result

    def complaints(self, text):
        """What `check` says of a page, which it does not touch."""
        self.page(text)
        done = self.run_script("check")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual(self.page(), text)
        return done.stdout.splitlines()

    def test_a_page_that_shows_the_source_is_accepted(self):
        text = f"# Page\n\n<!-- snippet: sum.cpp:sum -->\n```cpp\n{SUM}```\n\nText.\n"
        self.assertEqual(self.written(text), text)

    def test_changed_code_is_named_by_page_line_and_region(self):
        text = f"# Page\n\n<!-- snippet: sum.cpp:sum -->\n```cpp\n{SUM}```\n"
        found = self.complaints(text.replace("result += b", "result -= b"))
        self.assertEqual(found, ["docs/page.md:3: the code is not that of sum.cpp:sum: ./dev docs copies it"])
        self.assertEqual(self.written(text.replace("result += b", "result -= b")), text)

    def test_of_two_snippets_in_a_block_the_changed_one_is_named(self):
        (self.root / "other.cpp").write_text("int other;\n")
        text = f"<!-- snippet: other.cpp -->\n<!-- snippet: sum.cpp:body -->\n```cpp\nint other;\n\n{BODY}```\n"
        self.assertEqual(self.written(text), text)
        found = self.complaints(text.replace("result += b", "result -= b"))
        self.assertEqual(found, ["docs/page.md:2: the code is not that of sum.cpp:body: ./dev docs copies it"])

    def test_a_line_that_is_dropped_is_not_shown(self):
        (self.root / "drawn.cpp").write_text("int a = 1;\n// --8<-- [drop]\ndraw(a);\na = 2;\n")
        text = "<!-- snippet: drawn.cpp -->\n```cpp\nint a = 1;\na = 2;\n```\n"
        self.assertEqual(self.written(text), text)

    def test_a_region_within_is_shown_without_its_edges_and_indentation(self):
        text = "<!-- snippet: sum.cpp:body -->\n```cpp\n```\n"
        self.assertEqual(self.written(text), f"<!-- snippet: sum.cpp:body -->\n```cpp\n{BODY}```\n")

    def test_a_missing_region_is_complained_of_and_its_code_is_kept(self):
        text = "\n<!-- snippet: sum.cpp:product -->\n```cpp\nint kept;\n```\n"
        self.assertEqual(self.complaints(text), ["docs/page.md:2: sum.cpp has no region product"])
        self.assertEqual(self.run_script("write").returncode, 1)
        self.assertEqual(self.page(), text)

    def test_a_region_without_an_end_is_complained_of(self):
        found = self.complaints("<!-- snippet: sum.cpp:open -->\n```cpp\nint after;\n```\n")
        self.assertEqual(found, ["docs/page.md:1: sum.cpp: the region open has no end"])

    def test_a_missing_file_is_complained_of(self):
        found = self.complaints("<!-- snippet: gone.cpp:sum -->\n```cpp\n```\n")
        self.assertEqual(found, ["docs/page.md:1: there is no file gone.cpp"])

    def test_in_a_list_the_code_is_indented_as_the_block_is(self):
        text = "1. First:\n\n    <!-- snippet: sum.cpp:body -->\n    ```cpp\n    ```\n\n    More.\n"
        code = "    int result = a;\n\n    result += b;\n    return result;\n"
        self.assertEqual(self.written(text), f"1. First:\n\n    <!-- snippet: sum.cpp:body -->\n    ```cpp\n{code}    ```\n\n    More.\n")

    def test_in_a_quotation_every_line_is_quoted(self):
        text = "> <!-- snippet: sum.cpp:body -->\n> ```cpp\n> ```\n"
        code = "> int result = a;\n>\n> result += b;\n> return result;\n"
        self.assertEqual(self.written(text), f"> <!-- snippet: sum.cpp:body -->\n> ```cpp\n{code}> ```\n")

    def test_a_file_with_fences_gets_a_longer_fence(self):
        (self.root / "fences.md").write_text("Text:\n\n```cpp\nint x;\n```\n")
        text = "<!-- snippet: fences.md -->\n```md\n```\n\nAfter.\n"
        self.assertEqual(self.written(text), "<!-- snippet: fences.md -->\n````md\nText:\n\n```cpp\nint x;\n```\n````\n\nAfter.\n")

    def test_names_within_a_fence_become_lines_before_it(self):
        text = 'Text.\n\n```cpp\n--8<-- "sum.cpp:body"\n\n--8<-- "sum.cpp:sum"\n```\n'
        self.assertEqual(self.written(text),
                         f"Text.\n\n<!-- snippet: sum.cpp:body -->\n<!-- snippet: sum.cpp:sum -->\n```cpp\n{BODY}\n{SUM}```\n")

    def test_code_beside_names_is_not_thrown_away(self):
        text = '```cpp\n--8<-- "sum.cpp:sum"\nint by_hand;\n```\n'
        self.assertEqual(self.complaints(text), ["docs/page.md:1: the fenced block has code beside lines that name code"])
        self.run_script("write")
        self.assertEqual(self.page(), text)

    def test_a_name_without_a_block_and_a_block_without_an_end_are_complained_of(self):
        found = self.complaints("<!-- snippet: sum.cpp:sum -->\nText.\n\n```cpp\nint x;\n")
        self.assertEqual(found, ["docs/page.md:1: no fenced block follows", "docs/page.md:4: the fenced block has no end"])

    def test_blocks_without_a_name_stay_as_they_are(self):
        text = "```sh\nmake  \n```\n\n````md\n<!-- snippet: gone.cpp -->\n```cpp\n```\n````\nno newline at the end"
        self.assertEqual(self.written(text), text)

    def test_the_readme_is_a_page_too(self):
        self.page("# Page\n")
        (self.root / "README.md").write_text("<!-- snippet: sum.cpp:body -->\n```cpp\n```\n")
        self.assertIn("README.md:1: ", self.run_script("check").stdout)
        self.assertEqual(self.run_script("write").returncode, 0)
        self.assertEqual((self.root / "README.md").read_text(), f"<!-- snippet: sum.cpp:body -->\n```cpp\n{BODY}```\n")


unittest.main()
