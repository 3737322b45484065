// Aliasing: an expression sees its operands as they were, whatever they share with the destination. Each case is computed
// a second time from copies of the operands, which share nothing.
#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

Array<float, 2> counted(std::ptrdiff_t rows, std::ptrdiff_t columns) {
  return reshape(there(arange(static_cast<float>(rows * columns))), Dim{rows, columns});
}

/// Sizes whose evaluation takes one block, several, and several threads.
constexpr std::ptrdiff_t sides[] = {1, 2, 5, 33, 130, 300};

}  // namespace

TEST_CASE("a = copy(a.T()) transposes in place") {
  // --8<-- [start:aliasing]
  Array<float, 2> a = make_array<float>({{1, 2}, {3, 4}});
  a = a + a.T();  // read as it was, though it is being written: the result goes through a temporary
  CHECK(array_equal(a, make_array<float>({{2, 5}, {5, 8}})));
  // --8<-- [end:aliasing]
  for (const auto side : sides) {
    CAPTURE(side);
    Array<float, 2> b = counted(side, side);
    const Array<float, 2> expected = b.clone().T();
    b = copy(b.T());
    CHECK(array_equal(b, expected));
    b = b - 2 * b.T();
    const Array<float, 2> difference = expected - 2 * expected.T();
    CHECK(array_equal(b, difference));
  }
}

TEST_CASE("shifted views: each side of the overlap is read before it is written" * doctest::test_suite("any place")) {
  for (const std::ptrdiff_t n : {2, 7, 1000, 5000, 100000}) {
    CAPTURE(n);
    Array<float, 1> forward = there(arange(static_cast<float>(n)));
    const Array<float, 1> shifted = forward(range(0, n - 1)).clone();
    forward(range(1, n)) = forward(range(0, n - 1));
    CHECK(array_equal(forward(range(1, n)), shifted));
    Array<float, 1> backward = there(arange(static_cast<float>(n)));
    const Array<float, 1> later = backward(range(1, n)).clone();
    backward(range(0, n - 1)) = backward(range(1, n)) * 1;
    CHECK(array_equal(backward(range(0, n - 1)), later));
    Array<float, 1> smooth = there(arange(static_cast<float>(n)));
    smooth(range(1, n)) += smooth(range(0, n - 1));
    const Array<float, 1> sums = 2 * there(arange(1.0f, static_cast<float>(n))) - 1;
    CHECK(array_equal(smooth(range(1, n)), sums));
  }
}

TEST_CASE("reversing in place" * doctest::test_suite("any place")) {
  for (const std::ptrdiff_t n : {1, 2, 3, 1025, 70000}) {
    CAPTURE(n);
    Array<float, 1> a = there(arange(static_cast<float>(n)));
    const Array<float, 1> expected = a(range(none, none, -1)).clone();
    a = copy(a(range(none, none, -1)));
    CHECK(array_equal(a, expected));
    Array<float, 2> rows = counted(n, 3);
    const Array<float, 2> reversed = rows(range(none, none, -1), all).clone();
    rows(all, all) = rows(range(none, none, -1), all);
    CHECK(array_equal(rows, reversed));
  }
}

TEST_CASE("overlapping rows and steps" * doctest::test_suite("any place")) {
  Array<float, 2> a = counted(50, 40);
  const Array<float, 2> reference = a.clone();
  a(range(1, 50), all) = a(range(0, 49), all) + a(range(1, 50), all);
  const Array<float, 2> expected = reference(range(0, 49), all) + reference(range(1, 50), all);
  CHECK(array_equal(a(range(1, 50), all), expected));
  CHECK(array_equal(a(0, all), reference(0, all)));

  Array<float, 1> line = there(arange(100.0f));
  line(range(0, 50)) = line(range(0, 100, 2));  // the second half is read before the first overwrites it
  CHECK(array_equal(line(range(0, 50)), there(arange(0.0f, 100.0f, 2.0f))));
}

TEST_CASE("a broadcast of the destination's own row, column or element" * doctest::test_suite("any place")) {
  for (const auto side : sides) {
    CAPTURE(side);
    const Array<float, 2> start = counted(side, side);
    Array<float, 2> a = start.clone();
    a = a + a(0, all);
    CHECK(array_equal(a, evaluate(start + start(0, all).clone())));
    a = start.clone();
    a = a - a(all, range(side - 1, side));
    CHECK(array_equal(a, evaluate(start - start(all, range(side - 1, side)).clone())));
    a = start.clone();
    a -= a(range(0, 1), range(0, 1)) + 1;
    CHECK(array_equal(a, evaluate(start - 1)));
    a = start.clone();
    a += broadcast_to(a(side - 1, all), Dim{side, side});
    CHECK(array_equal(a, evaluate(start + start(side - 1, all).clone())));
  }
}

TEST_CASE("w = dot(w, w), also transposed and with an epilogue that reads w" * doctest::test_suite("any place")) {
  for (const auto side : sides) {
    if (is_short_run() && side > 33) return;
    CAPTURE(side);
    const Array<double, 2> start = evaluate(cast<double>(counted(side, side)) / double(side * side));
    const Array<double, 2> other = start.clone();
    Array<double, 2> w = start.clone();
    w = dot(w, w);
    CHECK(array_equal(w, evaluate(dot(start, other))));
    w = start.clone();
    w = dot(w.T(), w) - w;
    CHECK(array_equal(w, evaluate(dot(start.T(), other) - other)));
    w = start.clone();
    w(0, all) = dot(w, w(0, all));
    CHECK(array_equal(w(0, all), evaluate(dot(start, other(0, all)))));
  }
}

TEST_CASE("a reduction into its own operand" * doctest::test_suite("any place")) {
  for (const auto side : sides) {
    CAPTURE(side);
    const Array<double, 2> start = cast<double>(counted(side, side));
    Array<double, 2> a = start.clone();
    a(0, all) = sum<0>(a);
    CHECK(array_equal(a(0, all), evaluate(sum<0>(start))));
    Array<double, 2> b = start.clone();
    b(all, 0) = max<1>(b);
    CHECK(array_equal(b(all, 0), evaluate(max<1>(start))));
    Array<double, 2> c = start.clone();
    c = c - sum<1>(c, keepdims);
    CHECK(array_equal(c, evaluate(start - sum<1>(start.clone(), keepdims))));
    c = start.clone();
    c(ellipsis) = sum<0>(c, keepdims);  // broadcast over the destination
    CHECK(array_equal(c(side - 1, all), evaluate(sum<0>(start))));
    Array<double, 2> d = start.clone();
    d(0, 0, ellipsis) = sum(d);
    CHECK(d[{0, 0}] == item(sum(cast<double>(counted(side, side)))));
  }
}

TEST_CASE("an expression that is only read at the index being written needs no temporary") {
  Array<float, 2> a = counted(64, 64);
  const auto peak = memory::stats(CpuPlace{}).allocations;
  a = a * 2 + a;
  a(range(0, 10), all) += 1;
  a.T()(all, all) = a.T() + 1;
  CHECK(memory::stats(CpuPlace{}).allocations == peak);
}

TEST_CASE("what has an element more than once cannot be written" * doctest::test_suite("any place")) {
  for (const std::ptrdiff_t repeats : {2, 200, 5000}) {
    CAPTURE(repeats);
    Array<float, 1> a = there(arange(static_cast<float>(repeats + 2)));
    const Array<float, 1> before = a.clone();
    const auto windows = [&] { return sliding_window(a, Dim{3}); };
    CHECK_THROWS_WITH_AS(broadcast_to(a, Dim{repeats, repeats + 2}) += 1,
                         doctest::Contains("has elements more than once; its strides are (0, 1)"), ShapeError);
    CHECK_THROWS_AS(broadcast_to(a, Dim{repeats, repeats + 2}) = 1, ShapeError);
    CHECK_THROWS_AS(windows() += 1, ShapeError);
    Array<float, 2> w = windows();
    const void* const shared = w.data();
    w = w * 2;  // a name gets storage of its own
    CHECK(w.data() != shared);
    CHECK(array_equal(a, before));
  }
}

TEST_CASE("views whose axes interleave are written if no element is in them twice" * doctest::test_suite("any place")) {
  // Positions 3 i + 2 j: all different for i < 2 and j < 4, and not for i < 3.
  for (const std::ptrdiff_t rows : {2, 3}) {
    const Array<float, 1> storage = there(zeros<float>(Dim{20}));
    Array<float, 2> view(storage.buffer(), Layout<2>{.shape = Dim{rows, 4}, .strides = {3, 2}, .offset = 0},
                         storage.place());
    if (rows == 3) {
      CHECK_THROWS_AS(view(all, all) = 1, ShapeError);
    } else {
      view(all, all) = 1;
      CHECK(double(sum(storage)) == 8);
    }
  }
}

TEST_CASE("random overlapping views of one storage agree with copies" * doctest::test_suite("any place")) {
  Random random(7);
  INFO(random.how_to_repeat());
  for (int trial = 0; trial < 300; ++trial) {
    const Array<float, 1> storage = there(arange(600.0f));
    const auto window = [&] {
      const Layout<2> layout{.shape = Dim{6, 9},
                             .strides = {random.between(1, 40), random.between(1, 12)},
                             .offset = random.between(0, 100)};
      Array<float, 2> view(storage.buffer(), layout, storage.place());
      if (random.below(3) == 0) return Array<float, 2>(view(range(none, none, -1), all));
      if (random.below(3) == 0) return Array<float, 2>(view(all, range(none, none, -1)));
      return view;
    };
    const Layout<2> rows{.shape = Dim{6, 9}, .strides = {random.between(9, 40), 1}, .offset = random.between(0, 100)};
    const Array<float, 2> destination(storage.buffer(), rows, storage.place());
    const auto a = window();
    const auto b = window();
    const Array<float, 2> expected = a.clone() + 10 * b.clone() - max<0>(a.clone());
    assign(destination, a + 10 * b - max<0>(a));
    CHECK(array_equal(destination, expected));
  }
}
