// The page "What a line means": its code, and its pictures, which are drawn from the arrays of this test.
#include <type_traits>
#include <utility>
#include <vector>

#include "picture.hpp"
#include "support.hpp"

using namespace tessera;
using picture::Name;
using picture::Picture;
using support::text;

namespace {

TEST_CASE("= gives a name a value and never changes what another name sees") {
  Picture drawn("meaning-names.svg");
  // --8<-- [start:names]
  Array<float, 1> a{1, 2, 3};
  auto b = a;  // one more name for the same elements
  // --8<-- [drop]
  drawn.look({Name("a", a), Name("b", b)});
  a = a + 1;  // b sees them too: the sum goes into new storage
  // --8<-- [drop]
  drawn.look({Name("a", a), Name("b", b)});
  a = a * 10;  // nobody else sees a's storage: the product goes into it
  // --8<-- [drop]
  drawn.look({Name("a", a), Name("b", b)});
  b = a;  // the old elements have no name left and are freed
  // --8<-- [drop]
  drawn.look({Name("a", a), Name("b", b)});
  // --8<-- [end:names]
  CHECK(text(a) == "[20. 30. 40.]");
  CHECK(a.data() == b.data());
}

TEST_CASE("a name that is alone with its storage keeps it") {
  // --8<-- [start:steady]
  Array<float, 2> w = ones<float>(100, 100);
  const float* storage = w.data();
  for (int step = 0; step < 10; ++step) w = 0.5f * w + 1;  // allocates nothing
  CHECK(w.data() == storage);
  // --8<-- [end:steady]
}

TEST_CASE("elements are written through an index, a view or a compound operator") {
  Picture drawn("meaning-elements.svg");
  // --8<-- [start:elements]
  Array<int, 2> a{{1, 2, 3}, {4, 5, 6}};
  auto b = a;
  auto row = a(1, ellipsis);  // a view is a name too: for a part of the storage
  // --8<-- [drop]
  drawn.look({Name("a", a), Name("b", b), Name("row", row)});
  a += 10;  // everyone who shares the elements sees it
  // --8<-- [drop]
  drawn.look({Name("a", a), Name("b", b), Name("row", row)});
  a(all, 0) = 0;  // a column
  row[2] = 7;     // an element
  // --8<-- [drop]
  drawn.look({Name("a", a), Name("b", b), Name("row", row)});
  row = row * 2;  // `=` on a name: row has a value of its own now
  // --8<-- [drop]
  drawn.look({Name("a", a), Name("b", b), Name("row", row)});
  // --8<-- [end:elements]
  CHECK(text(a) == "[[ 0 12 13]\n [ 0 15  7]]");
  CHECK(text(row) == "[ 0 30 14]");
}

// --8<-- [start:matpow]
Array<long, 2> matpow(Array<long, 2> a, int n) {
  Array<long, 2> power = eye<long>(a.shape()[0]);
  for (; n > 0; n /= 2) {
    if (n % 2 == 1) power = dot(power, a);
    a = dot(a, a);  // a is this function's name: the caller's sees nothing of it
  }
  return power;
}
// --8<-- [end:matpow]

TEST_CASE("an array that is passed by value is one more name for its elements") {
  Picture drawn("meaning-passing.svg");
  // --8<-- [start:passing]
  Array<long, 2> m{{1, 1}, {1, 0}};
  auto power = matpow(m, 10);
  // --8<-- [drop]
  drawn.look({Name("m", m), Name("power", power)});
  // --8<-- [end:passing]
  CHECK(text(m) == "[[1 1]\n [1 0]]");
  CHECK(text(power) == "[[89 55]\n [55 34]]");
}

// --8<-- [start:fill]
void clear(Array<float, 1> out) { out = 0; }  // a new value for this function's name: the caller sees nothing
void clear_elements(Array<float, 1> out) { out(all) = 0; }  // its elements, which are the caller's
void clear_name(Array<float, 1>& out) { out = 0; }          // the caller's name
// --8<-- [end:fill]

TEST_CASE("a function writes elements through a view, or takes a name by reference") {
  // --8<-- [start:functions]
  Array<float, 1> x{1, 2, 3};
  clear(x);
  CHECK(text(x) == "[1. 2. 3.]");
  clear_elements(x);
  CHECK(text(x) == "[0. 0. 0.]");
  // --8<-- [end:functions]
  x = ones<float>(3);
  const auto other = x;
  clear_name(x);
  CHECK(text(x) == "[0. 0. 0.]");
  CHECK(text(other) == "[1. 1. 1.]");
}

TEST_CASE("what was put into a container keeps its value") {
  Picture drawn("meaning-history.svg");
  // --8<-- [start:history]
  Array<float, 1> x{1, 1};
  std::vector<Array<float, 1>> history;
  for (int step = 0; step < 2; ++step) {
    x = x * 2;
    history.push_back(x);
  }
  // --8<-- [drop]
  drawn.look({Name("x", x), Name("history[0]", history[0]), Name("history[1]", history[1])});
  x = x + 1;
  // --8<-- [drop]
  drawn.look({Name("x", x), Name("history[0]", history[0]), Name("history[1]", history[1])});
  // --8<-- [end:history]
  CHECK(text(history[0]) == "[2. 2.]");
  CHECK(text(history[1]) == "[4. 4.]");
  CHECK(text(x) == "[5. 5.]");
}

TEST_CASE("many names for one storage are not many arrays") {
  // --8<-- [start:many]
  std::vector<Array<float, 1>> rows(3, zeros<float>(2));  // three names for one storage
  rows[0] = rows[0] + 1;                                  // a value of its own
  rows[1] += 5;                                           // elements, which rows[2] sees as well
  CHECK(text(rows[0]) == "[1. 1.]");
  CHECK(text(rows[2]) == "[5. 5.]");
  for (auto& row : rows) row = zeros<float>(2);  // three arrays
  rows[1] += 5;
  CHECK(text(rows[2]) == "[0. 0.]");
  // --8<-- [end:many]
}

TEST_CASE("a kept expression holds its operands by name") {
  Picture drawn("meaning-expressions.svg");
  // --8<-- [start:kept]
  Array<float, 1> w{1, 2, 3};
  auto e = w * 2;  // not computed: e is a name for w's elements
  // --8<-- [drop]
  drawn.look({Name("w", w), Name("e", e.template argument<0>().array())});
  w = w + 1;              // so the sum goes into new storage
  Array<float, 1> y = e;  // twice what w was
  // --8<-- [drop]
  drawn.look({Name("w", w), Name("e", e.template argument<0>().array()), Name("y", y)});
  // --8<-- [end:kept]
  CHECK(text(y) == "[2. 4. 6.]");
}

TEST_CASE("a kept expression sees elements that are written") {
  Array<float, 1> w{2, 3, 4};
  // --8<-- [start:kept_written]
  auto f = w * 2;
  w += 10;  // elements are written, and f sees them
  CHECK(text(f) == "[24. 26. 28.]");
  // --8<-- [end:kept_written]
}

TEST_CASE("an expression is no array that could be assigned to") {
  Array<float, 1> a{1, 2, 3};
  // --8<-- [start:kept_type]
  auto lazy = a + 1;               // an expression: lazy = lazy * 2 does not compile
  Array<float, 1> values = a + 1;  // an array
  auto same = evaluate(a + 1);     // an array as well
  values = values * 2;
  // --8<-- [end:kept_type]
  static_assert(!std::is_assignable_v<decltype((lazy)), decltype(lazy * 2)>);
  static_assert(std::is_same_v<decltype(same), Array<float, 1>>);
  CHECK(text(values) == "[4. 6. 8.]");
}

TEST_CASE("a scalar fills, a shape is never changed in silence") {
  // --8<-- [start:shapes]
  Array<float, 2> a = zeros<float>(2, 3);
  Array<float, 1> row{1, 2, 3};
  a = 4;              // a scalar fills the shape that a has
  a(ellipsis) = row;  // elements: the row is broadcast
  CHECK(text(a) == "[[1. 2. 3.]\n [1. 2. 3.]]");
  a = dot(a, a.T());  // another shape, which the name takes
  CHECK(a.shape() == Dim{2, 2});
  auto column = ones<float>(2, 1);
  CHECK_THROWS_AS(a = column + 0, ShapeError);  // (2, 1) would broadcast to (2, 2): a(ellipsis) = ... does that,
  a = evaluate(column + 0);                     // and this takes the shape
  CHECK(a.shape() == Dim{2, 1});
  // --8<-- [end:shapes]
}

TEST_CASE("what has no axis is its value") {
  // --8<-- [start:scalars]
  Array<float, 1> x{1, 2, 6};
  double average = mean(x);        // a reduction of all axes has rank 0
  if (any(x > 5)) average += 100;  // a bool of rank 0 is a condition
  float first = x(0);              // an integer for each axis is an element
  Array<float, 0> total = sum(x);  // kept as an array of rank 0, for instance on a GPU
  CHECK(average == 103);
  CHECK(first == 1);
  CHECK(total == 9);
  CHECK(text(mean(x)) == "3.0");
  // --8<-- [end:scalars]
  // --8<-- [start:truth]
  static_assert(!std::is_constructible_v<bool, Array<float, 1>>);  // if (x): all of it, or any? The compiler asks
  CHECK(x.has_storage());
  // --8<-- [end:truth]
}

TEST_CASE("an expression of rank 0 that is kept computes when it is asked") {
  // --8<-- [start:late]
  Array<float, 1> x{1, 2, 6};
  auto late = mean(x);
  double average = mean(x);
  x -= average;
  CHECK(average == 3);
  CHECK(double(late) == 0);  // of -2, -1, 3
  // --8<-- [end:late]
}

TEST_CASE("borrowed memory is seen through a window") {
  Picture drawn("meaning-borrow.svg");
  // --8<-- [start:borrow]
  std::vector<float> mine{1, 2, 3, 4};
  auto window = borrow(mine.data(), Dim{2, 2});
  // --8<-- [drop]
  drawn.look({Name("window", window), Name(picture::Storage::of(mine.data(), 4, "your vector"))});
  window = window * 10;  // a window is no name: its `=` writes
  window(0, ellipsis) = 0;
  // --8<-- [drop]
  drawn.look({Name("window", window), Name(picture::Storage::of(mine.data(), 4, "your vector"))});
  // --8<-- [end:borrow]
  CHECK(mine == std::vector<float>{0, 0, 30, 40});
}

TEST_CASE("a copy is made at once") {
  Picture drawn("meaning-copies.svg");
  // --8<-- [start:copy]
  Array<float, 1> a{1, 2, 3, 4};
  auto c = copy(a);
  auto d = copy(a(range(0, 4, 2)));
  a += 5;
  // --8<-- [drop]
  drawn.look({Name("a", a), Name("c", c), Name("d", d)});
  // --8<-- [end:copy]
  CHECK(text(c) == "[1. 2. 3. 4.]");
  CHECK(text(d) == "[1. 3.]");
}

TEST_CASE("a const array only reads") {
  Picture drawn("meaning-const.svg");
  // --8<-- [start:const]
  Array<float, 1> a{1, 2, 3};
  const Array<float, 1> fixed = a;   // this name keeps its value and writes no element
  Array<const float, 1> reader = a;  // writes no element, and may be given another value
  a = a + 1;                         // the others keep theirs
  // --8<-- [drop]
  drawn.look({Name("a", a), Name("fixed", fixed), Name("reader", reader)});
  a = fixed;
  a += 10;  // elements that all three see
  // --8<-- [drop]
  drawn.look({Name("a", a), Name("fixed", fixed), Name("reader", reader)});
  // --8<-- [end:const]
  CHECK(text(reader) == "[11. 12. 13.]");
  auto part = fixed(range(0, 2));
  part += 10;
  CHECK(text(reader) == "[21. 22. 13.]");
  // --8<-- [start:const_types]
  static_assert(!std::is_assignable_v<const Array<float, 1>&, float>);           // fixed = 0
  static_assert(!std::is_assignable_v<decltype(fixed(all)), float>);             // fixed(all) = 0
  static_assert(!std::is_assignable_v<decltype(reader(all)), float>);            // reader(all) = 0
  static_assert(std::is_assignable_v<Array<const float, 1>&, Array<float, 1>>);  // reader = a
  // --8<-- [end:const_types]
}

TEST_CASE("in an Async scope a line means the same") {
  Picture drawn("meaning-async.svg");
  Scheduler scheduler({.workers = 2});
  // --8<-- [start:async]
  Array<float, 1> x{1, 2, 3};
  Array<float, 1> y;
  // --8<-- [drop]
  drawn.look({Name("x", x)});
  {
    const Async on{scheduler};
    y = x + 1;   // submitted: the op holds x's storage, but it is no name
    x = x * 10;  // so this goes into x's storage, when the op before has read it
  }
  // --8<-- [drop]
  drawn.look({Name("x", x), Name("y", y)});
  // --8<-- [end:async]
  CHECK(text(y) == "[2. 3. 4.]");
  CHECK(text(x) == "[10. 20. 30.]");
}

}  // namespace
