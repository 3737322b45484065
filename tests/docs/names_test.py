"""The index of names and the reference: which declarations .ci/names.py finds in module interfaces, what it says of them, and what it
complains of.

names_test.py NAMES; NAMES is .ci/names.py, which reads with .ci/declarations.py.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

NAMES = pathlib.Path(sys.argv.pop()).resolve()

HOUSE = {
    "tessera/tessera.cppm": "export module tessera;\nexport import tessera.core;\nexport import tessera.array;\n",
    "core/core.cppm": "export module tessera.core;\nexport import :shapes;\n",
    "core/shapes.cppm": "export module tessera.core:shapes;\n",
    "core/hidden.cppm": "export module tessera.core:hidden;\nnamespace tessera {\n/// Of the room only.\nexport int hidden();\n}\n",
    "array/array.cppm": "export module tessera.array;\nexport import :handle;\n",
    "array/handle.cppm": "export module tessera.array:handle;\n",
}

SHAPES = '''\
module;
#include <new>
#define BRACE {
export module tessera.core:shapes;

namespace tessera {

/// Highest rank. It is a limit.
export inline constexpr int max_rank = 9;

/// Integers, e.g. int.
export template <class T>
concept Integral = requires(T a) { a % a; } && sizeof(T) > 0;

int not_exported();

/// The sum of a | b in
/// `int<8>`, with * and Dim<2>. The second sentence.
export template <class A, int N = (1 < 2)>
  requires(N >= 0) && requires(A a) { a + a; }
auto add(A a, A b = A{}) -> decltype(a + b) {
  return [](auto x) { return x; }(a) + b;
}
export int add(int a, int b);

/// What is seen.
export enum class Colour : int { red, green };
/// Four of them.
export using Words = int[4];
/// Writes.
export int& operator<<(int& out, const char* text = "}");
/// Both.
export [[nodiscard]] bool operator|(Colour a, Colour b) noexcept;

namespace plan {
export int plumbing();
}

namespace raw {
/// Bytes of memory.
export inline void* take(int bytes) { const char* text = R"(})"; return nullptr; }  // }
}  // namespace raw

namespace {
int local;
}

export struct Point;
/// A point.
export struct Point {
  int x = 0;
};
export Point(int) -> Point;

}  // namespace tessera
'''

HANDLE = """\
module;
export module tessera.array:handle;
namespace tessera {

template <class Derived>
class Shared {
 public:
  /// From the base.
  int size() const { return 0; }
};

/// A handle.
export template <class T>
  requires(sizeof(T) > 0)
class Array : public Shared<Array<T>> {
 public:
  using value_type = T;
  static constexpr int rank = int{1} + 1;

  /// No storage.
  Array() = default;
  Array(const Array&) = delete;
  explicit Array(int n) : size_{n}, more_{n} {}
  ~Array() {}

  /// The element.
  T& operator[](int i) const { return data_[i]; }
  explicit operator bool() const { return true; }

  /// Waits.
  template <class F>
  void wait(F f = F{}) const {}

  friend bool operator==(const Array&, const Array&) = default;

 private:
  void secret();
  int size_, more_;
};

}  // namespace tessera
"""


class Names(unittest.TestCase):
    """Each test has a folder with a small house of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, text in {**HOUSE, "core/shapes.cppm": SHAPES, "array/handle.cppm": HANDLE}.items():
            self.put(f"modules/{name}", text)
        self.put("mkdocs.yml", "nav:\n  - Core: core.md\n  - array.md\n  - decisions/one.md\n"
                 "  - names.md\n  - A: reference/core.md\n  - B: reference/array.md\n")
        self.put("docs/core.md", "# The core\n\n`add(a, b)`, `std::take`, `raw::take` and `x.Point`.\n")
        self.put("docs/array.md", "# Arrays\n\n`add` `max_rank`\n\n```cpp\n`Point` `max_rank`\n```\n\n`Array`: `a.wait()`, `Scheduler::size`\n")
        self.put("docs/decisions/one.md", "# One\n\n`Words` `max_rank` `max_rank`\n")

    def put(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_script(self, mode):
        done = subprocess.run([sys.executable, "-B", NAMES, mode], cwd=self.root, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr, "")
        return done

    def tables(self):
        done = self.run_script("write")
        self.assertEqual(done.returncode, 0, done.stdout)
        names, members = (self.root / "docs/names.md").read_text().split("\n## ")[1:]
        rows = [[re.sub(r"^\[(.*?)\]\(reference/\w+\.md#[\w-]+\)", r"\1", line[2:-2])
                 for line in table.splitlines() if line.startswith(("| `", "| <code>", "| [`", "| [<code>"))] for table in (names, members)]
        return rows

    def reference(self, name, room="core"):
        """What the reference says of a name."""
        done = self.run_script("write")
        self.assertEqual(done.returncode, 0, done.stdout)
        parts = re.split(r"^<a id=.*\n", (self.root / f"docs/reference/{room}.md").read_text(), flags=re.M)
        found = [part for part in parts if part.startswith(f"\n### `{name}`\n\n")]
        self.assertEqual(len(found), 1, parts)
        return re.sub(r"^## .*", "", found[0].split("\n\n", 1)[1], flags=re.M).strip()

    def row(self, name):
        found = [row for row in self.tables()[0] if row.startswith(f"`{name}` ")]
        self.assertEqual(len(found), 1, found)
        return found[0]

    def test_exactly_what_users_see_is_listed_in_order(self):
        names = [row.split(" | ")[0].strip("`") for row in self.tables()[0]]
        self.assertEqual(names, ["add", "Array", "Colour", "Integral", "max_rank", "operator<<", "<code>operator&#124;</code>", "Point", "raw::take", "Words"])

    def test_a_row_says_kind_room_and_first_sentence(self):
        self.assertEqual(self.row("max_rank"), "`max_rank` | constant | core | Highest rank. | [Arrays](array.md)")
        self.assertEqual(self.row("Integral"), "`Integral` | concept | core | Integers, e.g. int. | ")
        self.assertEqual(self.row("Colour"), "`Colour` | enumeration | core | What is seen. | ")
        self.assertEqual(self.row("Words"), "`Words` | type | core | Four of them. | ")

    def test_overloads_are_one_row_whose_text_is_no_markup(self):
        self.assertEqual(self.row("add"),
                         "`add` | function | core | The sum of a \\| b in `int<8>`, with \\* and Dim&lt;2>. | [The core](core.md)")

    def test_a_name_links_to_pages_that_mean_it(self):
        self.assertTrue(self.row("raw::take").endswith("| [The core](core.md)"))
        self.assertTrue(self.row("Point").endswith("| A point. | "))
        self.put("docs/core.md", "# The core\n\n`std::take`\n")
        self.assertTrue(self.row("raw::take").endswith("| Bytes of memory. | "))

    def test_public_members_of_main_classes_and_their_bases_are_listed(self):
        self.assertEqual(self.tables()[1], [
            "`Array::Array` | constructor | No storage. | ",
            "`Array::operator bool` | function |  | ",
            "`Array::operator[]` | function | The element. | ",
            "`Array::rank` | constant |  | ",
            "`Array::size` | function | From the base. | ",
            "`Array::value_type` | type |  | ",
            "`Array::wait` | function | Waits. | [Arrays](array.md)"])

    def test_what_was_written_is_up_to_date_until_a_source_changes(self):
        self.run_script("write")
        self.assertEqual(self.run_script("check").returncode, 0)
        self.put("modules/core/shapes.cppm", SHAPES.replace("Highest rank.", "Largest rank."))
        done = self.run_script("check")
        self.assertEqual((done.returncode, done.stdout), (1, "docs/names.md is not what the sources say: ./dev docs writes it\n"
                                                             "docs/reference/core.md is not what the sources say: ./dev docs writes it\n"))

    def test_an_export_in_which_no_name_is_found_is_a_complaint(self):
        self.put("modules/core/shapes.cppm", SHAPES.replace("export using Words = int[4];", "export ();"))
        done = self.run_script("write")
        self.assertEqual((done.returncode, done.stdout), (1, "modules/core/shapes.cppm:29: no name is found in this exported declaration\n"))

    def test_an_export_that_is_read_as_part_of_another_is_a_complaint(self):
        self.put("modules/core/shapes.cppm", SHAPES.replace("int not_exported();", "int not_exported()"))
        done = self.run_script("write")
        self.assertEqual((done.returncode, done.stdout), (1, "modules/core/shapes.cppm:19: this exported declaration was not read\n"))

    def test_a_bracket_that_is_not_closed_is_a_complaint(self):
        self.put("modules/array/handle.cppm", HANDLE.replace("}  // namespace tessera", ""))
        done = self.run_script("write")
        self.assertEqual(done.returncode, 1)
        self.assertIn("modules/array/handle.cppm: a bracket is not closed", done.stdout)

    def test_the_reference_has_the_declaration_the_comment_and_a_page(self):
        self.assertEqual(self.reference("Words"), "```cpp\nusing Words = int[4];\n```\n\nFour of them.")
        self.assertEqual(self.reference("max_rank"), "```cpp\ninline constexpr int max_rank = 9;\n```\n\nHighest rank. It is a limit.\n\n"
                         "Used in [Arrays](../array.md).")
        self.assertEqual(self.reference("raw::take"), "```cpp\nvoid* take(int bytes);\n```\n\nBytes of memory.\n\nUsed in [The core](../core.md).")

    def test_overloads_stand_under_one_name_and_without_their_bodies(self):
        self.assertEqual(self.reference("add").replace("\n", "|"),
                         "```cpp|template <class A, int N = (1 < 2)>|  requires(N >= 0) && requires(A a) { a + a; }|"
                         "auto add(A a, A b = A{}) -> decltype(a + b);|int add(int a, int b);|```||"
                         "The sum of a | b in `int<8>`, with \\* and Dim&lt;2>. The second sentence.||Used in [The core](../core.md).")

    def test_a_class_shows_what_is_public_also_from_bases_that_users_do_not_name(self):
        shown = self.reference("Array", "array")
        for line in ("  /// No storage.\n  Array();", "  explicit Array(int n);", "  T& operator[](int i) const;", "  void wait(F f = F{}) const;",
                     "  // as every Shared:\n  /// From the base.\n  int size() const;"):
            self.assertIn(line, shown)
        for text in ("secret", "size_", "delete", "~Array", "return"):
            self.assertNotIn(text, shown)

    def test_what_a_comment_says_of_errors_is_behind_the_rest(self):
        self.put("modules/core/shapes.cppm", SHAPES.replace("/// Four of them.", "/// Four. Throws ShapeError if five. All `int`."))
        self.assertIn("\n\nFour. All `int`.\n\n**Errors:** Throws ShapeError if five.", self.reference("Words"))

    def test_a_page_whose_code_uses_a_name_is_taken_where_no_page_speaks_of_it(self):
        self.put("docs/core.md", "# The core\n\n```cpp\nWords words;\n```\n")
        self.assertTrue(self.reference("Words").endswith("\n\nUsed in [The core](../core.md)."))

    def test_the_body_behind_a_requires_clause_is_one(self):
        self.put("modules/array/handle.cppm", HANDLE.replace("  /// The element.", "  /// Fills.\n  void fill(T value) &&\n    requires(sizeof(T) > 1)\n"
                                                             "  {\n    data_ = value;\n  }\n  /// The element."))
        self.assertIn("  void fill(T value) &&\n    requires(sizeof(T) > 1);\n\n  /// The element.", self.reference("Array", "array"))

    def test_what_a_macro_declares_has_entries_unless_it_is_a_refusal(self):
        self.put("modules/core/shapes.cppm", SHAPES.replace("namespace raw {", """\
#define EACH_SIGN(of) \\
  of(+, Plus)         \\
  of(-, Minus)
/// With its result.
// clang-format off
#define CORE_COMPOUND(sign, Name)  \\
  export template <class A>        \\
  A& operator sign##=(A& a, Name) { return a; }
EACH_SIGN(CORE_COMPOUND)
#undef CORE_COMPOUND
#define CORE_COMPOUND(sign, Name) export void operator sign##=(int, Name) = delete;
EACH_SIGN(CORE_COMPOUND)

namespace raw {"""))
        for sign, name in (("+", "Plus"), ("-", "Minus")):
            self.assertEqual(self.reference(f"operator{sign}="), f"```cpp\ntemplate <class A>\nA& operator{sign}=(A& a, {name});\n```\n\nWith its result.")

    def test_a_function_is_not_named_as_what_it_requires(self):
        self.put("modules/core/shapes.cppm", SHAPES.replace("namespace raw {", "/// First.\nexport template <class A>\n"
                                                            "  requires requires(A& a) { a.begin(); }\nauto first(A&& a) {\n  return a;\n}\nnamespace raw {"))
        self.assertIn("auto first(A&& a);", self.reference("first"))

    def test_a_name_without_a_comment_is_a_complaint(self):
        self.put("modules/core/shapes.cppm", SHAPES.replace("/// Four of them.\n", ""))
        done = self.run_script("write")
        self.assertEqual((done.returncode, done.stdout), (1, "modules/core/shapes.cppm:28: Words has no comment\n"))

    def test_a_page_of_no_room_and_one_that_the_navigation_lacks_are_complaints(self):
        self.run_script("write")
        self.put("docs/reference/attic.md", "# Old\n")
        self.put("mkdocs.yml", (self.root / "mkdocs.yml").read_text().replace("  - B: reference/array.md\n", ""))
        done = self.run_script("check")
        self.assertEqual((done.returncode, done.stdout), (1, "mkdocs.yml does not name docs/reference/array.md\n"
                                                             "docs/reference/attic.md is of no room: ./dev docs removes it\n"))
        self.run_script("write")
        self.assertFalse((self.root / "docs/reference/attic.md").exists())


unittest.main()
