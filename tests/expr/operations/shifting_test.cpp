// roll, flip of expressions, pad, tile, repeat: each position of the result against the position it comes from.
#include <functional>

#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

/// Position in an axis of `extent` elements from which a position of the result comes; -1 for none.
using Source = std::function<std::ptrdiff_t(int axis, std::ptrdiff_t position, std::ptrdiff_t extent)>;

std::ptrdiff_t modulo(std::ptrdiff_t a, std::ptrdiff_t n) { return ((a % n) + n) % n; }

/// Element by element what `shape` holds when each position comes from `source`.
template <class T, int Rank>
std::vector<T> gathered(const Array<T, Rank>& from, const Dim<Rank>& shape, const Source& source, T fill = {}) {
  std::vector<T> values;
  for_each_position(shape, [&](auto at) {
    bool inside = true;
    for (int axis = 0; axis < Rank; ++axis) {
      auto& position = at[static_cast<std::size_t>(axis)];
      position = source(axis, position, from.shape()[axis]);
      inside = inside && position >= 0;
    }
    values.push_back(inside ? element(from, at) : fill);
  });
  return values;
}

/// `make(operand)` assigned to a fresh array, to every writable layout, computed from an expression, and inside a larger one.
template <class T, int Rank, class Make>
void check(const std::string& what, const Array<T, Rank>& a, const Make& make, const std::vector<T>& expected,
           Random& random) {
  INFO(what << " of " << a.shape());
  const Array<T, Rank> operand = there(a);
  const Array<T, Rank> plain = evaluate(make(operand));
  CHECK(difference(elements(plain), expected) == "");
  for (const Arrangement kind : target_arrangements) {
    const Array<T, Rank> target = there(storage_like<T>(plain.shape(), kind, T(0), random, false));
    assign(target, make(operand));
    INFO("into " << name_of(kind));
    CHECK(difference(elements(target), expected) == "");
  }
  if constexpr (Numeric<T>) {
    const T one(1);
    CHECK(array_equal(evaluate(make(operand * one) * one + a.data()[0] * T(0)), evaluate(plain * one)));
  }
}

template <int Rank>
Dim<Rank> random_shape(Random& random, std::ptrdiff_t least = 0) {
  Dim<Rank> shape;
  for (int axis = 0; axis < Rank; ++axis) shape = shape.with(axis, random.between(least, Rank > 4 ? 2 : 6));
  return shape;
}

template <class T, int Rank>
Array<T, Rank> whole_numbers(const Dim<Rank>& shape, Random& random) {
  const Array<T, Rank> a = storage_like<T>(shape, all_arrangements[random.below(6)], T(0), random);
  for_each_position(shape, [&](const auto& at) { element(a, at) = T(static_cast<int>(random.below(100))); });
  return a;
}

template <class T>
void check_roll(Random& random) {
  const auto a = whole_numbers<T>(random_shape<3>(random), random);
  const std::ptrdiff_t shift = random.between(-9, 9);
  const std::ptrdiff_t other = random.between(-9, 9);
  const auto from = [&](std::array<std::ptrdiff_t, 3> shifts) {
    return gathered<T>(a, a.shape(), [=](int axis, std::ptrdiff_t i, std::ptrdiff_t extent) {
      return modulo(i - shifts[static_cast<std::size_t>(axis)], extent);
    });
  };
  check("roll<0>", a, [=](const auto& x) { return roll<0>(x, shift); }, from({shift, 0, 0}), random);
  check("roll<-1>", a, [=](const auto& x) { return roll<-1>(x, shift); }, from({0, 0, shift}), random);
  check("roll<2, 1>", a, [=](const auto& x) { return roll<2, 1>(x, shift, other); }, from({0, other, shift}), random);
}

/// NumPy's four ways of padding, position by position.
std::ptrdiff_t unpadded(std::ptrdiff_t position, std::ptrdiff_t extent, const std::string& mode) {
  if (position >= 0 && position < extent) return position;
  if (mode == "constant") return -1;
  if (mode == "edge") return position < 0 ? 0 : extent - 1;
  if (mode == "wrap") return modulo(position, extent);
  if (extent == 1) return 0;
  const std::ptrdiff_t phase = modulo(position, 2 * (extent - 1));
  return phase < extent ? phase : 2 * (extent - 1) - phase;
}

template <class T>
void check_pad(Random& random) {
  const auto a = whole_numbers<T>(random_shape<2>(random, 1), random);
  const PadWidth widths[] = {{random.between(0, 9), random.between(0, 3)},
                             {random.between(0, 3), random.between(0, 9)}};
  INFO("widths " << widths[0].before << ", " << widths[0].after << "; " << widths[1].before << ", " << widths[1].after);
  const Dim<2> shape{a.shape()[0] + widths[0].before + widths[0].after,
                     a.shape()[1] + widths[1].before + widths[1].after};
  const auto expected = [&](const std::string& mode) {
    return gathered<T>(
        a, shape,
        [&](int axis, std::ptrdiff_t i, std::ptrdiff_t extent) {
          return unpadded(i - widths[axis].before, extent, mode);
        },
        T(7));
  };
  check("pad", a, [&](const auto& x) { return pad(x, widths, T(7)); }, expected("constant"), random);
  check("edge", a, [&](const auto& x) { return pad(x, widths, PadMode::edge); }, expected("edge"), random);
  check("reflect", a, [&](const auto& x) { return pad(x, widths, PadMode::reflect); }, expected("reflect"), random);
  check("wrap", a, [&](const auto& x) { return pad(x, widths, PadMode::wrap); }, expected("wrap"), random);
}

template <class T>
void check_repeats(Random& random) {
  const auto a = whole_numbers<T>(random_shape<2>(random), random);
  const std::ptrdiff_t times[] = {random.between(0, 4), random.between(0, 4)};
  const Dim<2> tiled{a.shape()[0] * times[0], a.shape()[1] * times[1]};
  const auto wrapped = [](int, std::ptrdiff_t i, std::ptrdiff_t extent) { return i % extent; };
  check("tile", a, [&](const auto& x) { return tile(x, times); }, gathered<T>(a, tiled, wrapped), random);
  const auto divided = [&](int axis, std::ptrdiff_t i, std::ptrdiff_t) { return axis == 1 ? i / times[0] : i; };
  check(
      "repeat", a, [&](const auto& x) { return repeat<-1>(x, times[0]); },
      gathered<T>(a, Dim{a.shape()[0], a.shape()[1] * times[0]}, divided), random);
}

template <class T>
void check_type(std::uint64_t salt) {
  Random random(salt);
  INFO(random.how_to_repeat() << ", " << name(dtype_of<T>));
  for (int trial = 0; trial < few_of(20); ++trial) {
    check_roll<T>(random);
    check_pad<T>(random);
    check_repeats<T>(random);
  }
}

}  // namespace

TEST_CASE("roll, pad, tile and repeat put elements where NumPy does") {
  // --8<-- [start:shift]
  const Array<float, 1> a = make_array<float>({1, 2, 3, 4});
  CHECK(to_string(evaluate(roll<0>(a, 1))) == "[4. 1. 2. 3.]");
  CHECK(to_string(evaluate(pad(a, {{1, 2}}, 0))) == "[0. 1. 2. 3. 4. 0. 0.]");
  CHECK(to_string(evaluate(pad(a, {{1, 2}}, PadMode::edge))) == "[1. 1. 2. 3. 4. 4. 4.]");
  CHECK(to_string(evaluate(pad(a, {{1, 2}}, PadMode::reflect))) == "[2. 1. 2. 3. 4. 3. 2.]");
  CHECK(to_string(evaluate(pad(a, {{1, 2}}, PadMode::symmetric))) == "[1. 1. 2. 3. 4. 4. 3.]");
  CHECK(to_string(evaluate(pad(a, {{1, 2}}, PadMode::wrap))) == "[4. 1. 2. 3. 4. 1. 2.]");
  CHECK(to_string(evaluate(tile(a, {2}))) == "[1. 2. 3. 4. 1. 2. 3. 4.]");
  CHECK(to_string(evaluate(repeat<0>(a, 2))) == "[1. 1. 2. 2. 3. 3. 4. 4.]");
  CHECK(to_string(evaluate(flip(a * a))) == "[16.  9.  4.  1.]");
  // --8<-- [end:shift]
  // --8<-- [start:pad_width]
  const PadWidth none{0, 0}, border{.before = 1, .after = 1};
  const Array<float, 2> image = ones<float>(Dim{2, 3});
  CHECK(evaluate(pad(image, {border, border}, 0)).shape() == Dim{4, 5});
  CHECK(evaluate(pad(image, {none, border}, PadMode::edge)).shape() == Dim{2, 5});
  // --8<-- [end:pad_width]
  const Array<float, 2> frame = pad(make_array<float>({{1}}), 1, 0);
  CHECK(array_equal(frame, make_array<float>({{0, 0, 0}, {0, 1, 0}, {0, 0, 0}})));
  CHECK(array_equal(pad(frame, 0, PadMode::wrap), frame));
}

TEST_CASE("every layout and types of every size, against a walk over all positions" *
          doctest::test_suite("any place")) {
  check_type<float>(910);
  check_type<std::int8_t>(911);
  check_type<bfloat16>(912);
  check_type<std::complex<double>>(913);
  check_type<std::int64_t>(914);
}

TEST_CASE("flip of an expression reverses the axes that flip of an array reverses" * doctest::test_suite("any place")) {
  Random random(915);
  INFO(random.how_to_repeat());
  for (int trial = 0; trial < 20; ++trial) {
    const auto a = there(whole_numbers<float>(random_shape<3>(random), random));
    CHECK(array_equal(flip(a + 1), flip(a) + 1));
    CHECK(array_equal(flip<1>(a + 1), flip<1>(a) + 1));
    CHECK(array_equal(flip<-1, 0>(a + 1), flip<2, 0>(a) + 1));
  }
}

TEST_CASE("rank 9, rank 0 and zero extents" * doctest::test_suite("any place")) {
  Random random(916);
  INFO(random.how_to_repeat());
  const auto a = whole_numbers<float>(random_shape<9>(random, 1), random);
  check(
      "roll of rank 9", a, [](const auto& x) { return roll<8, 3>(x, 1, 1); },
      gathered<float>(a, a.shape(),
                      [](int axis, std::ptrdiff_t i, std::ptrdiff_t extent) {
                        return axis == 3 || axis == 8 ? modulo(i - 1, extent) : i;
                      }),
      random);
  CHECK(item(flip(there(full(Dim<0>{}, 2.0f)) * 2)) == 4);
  const Array<float, 2> empty = there(zeros<float>(Dim{0, 3}));
  CHECK(evaluate(roll<0>(empty, 5)).shape() == Dim{0, 3});
  CHECK(evaluate(roll<1>(Array<float, 2>(), -1)).shape() == Dim{0, 0});
  CHECK(array_equal(pad(empty, {{1, 1}, {0, 1}}, 5), there(full(Dim{2, 4}, 5.0f))));
  CHECK(evaluate(pad(empty, {{0, 0}, {2, 2}}, PadMode::reflect)).shape() == Dim{0, 7});
  CHECK(evaluate(tile(empty, {3, 2})).shape() == Dim{0, 6});
}

TEST_CASE("rolled without an axis, elements go on into the next row" * doctest::test_suite("any place")) {
  Random random(918);
  INFO(random.how_to_repeat());
  for (int trial = 0; trial < few_of(20); ++trial) {
    const auto a = there(whole_numbers<float>(random_shape<3>(random), random));
    const std::ptrdiff_t shift = random.between(-20, 20);
    const auto expected = reshape(evaluate(roll<0>(flatten(a), shift)), a.shape());
    CHECK(array_equal(roll(a, shift), expected));
    CHECK(array_equal(roll(a + 1, shift), expected + 1));
    CHECK(array_equal(roll(a.T(), shift), roll(copy(a.T()), shift)));
    CHECK(array_equal(roll(a(ellipsis, range(none, none, -1)), shift),
                      roll(copy(a(ellipsis, range(none, none, -1))), shift)));
  }
  CHECK(item(roll(there(full(Dim<0>{}, 2.0f)), 3)) == 2);
}

TEST_CASE("shifts of any size and integer type" * doctest::test_suite("any place")) {
  const Array<int, 1> a = there(arange(5));
  CHECK(array_equal(roll<0>(a, std::numeric_limits<std::ptrdiff_t>::min()), roll<0>(a, -3)));
  CHECK(array_equal(roll<0>(a, std::numeric_limits<std::uint64_t>::max()), roll<0>(a, 0)));
  CHECK(array_equal(roll<0>(a, std::int8_t{-1}), there(make_array<int>({1, 2, 3, 4, 0}))));
}

TEST_CASE("a destination that is the operand sees it as it was, also in a periodic stencil" *
          doctest::test_suite("any place")) {
  for (const std::ptrdiff_t n : {2, 5, 300}) {
    CAPTURE(n);
    const Array<float, 2> start = reshape(there(arange(static_cast<float>(n * n))), Dim{n, n});
    Array<float, 2> a = start.clone();
    a = roll<0>(a, 1);
    CHECK(array_equal(a, roll<0>(start, 1)));
    a = start.clone();
    a = flip(a * 2);
    CHECK(array_equal(a, flip(start) * 2));
    a = start.clone();
    a = a + 0.25f * (roll<0>(a, 1) + roll<0>(a, -1) + roll<1>(a, 1) + roll<1>(a, -1) - 4 * a);
    const Array<float, 2> up = roll<0>(start, 1), down = roll<0>(start, -1);
    const Array<float, 2> left = roll<1>(start, 1), right = roll<1>(start, -1);
    CHECK(array_equal(a, evaluate(start + 0.25f * (up + down + left + right - 4 * start))));
    Array<float, 2> framed = there(zeros<float>(Dim{n + 2, n + 2}));
    framed(range(1, -1), range(1, -1)) = start;
    framed(all, all) = pad(framed(range(1, -1), range(1, -1)), 1, PadMode::wrap);
    CHECK(array_equal(framed, pad(start, 1, PadMode::wrap)));
  }
}

TEST_CASE("shifts and pads of any size do not depend on the number of threads") {
  Random random(917);
  const Array<float, 2> a = random_array<float>(Dim{401, 303}, Arrangement::contiguous, random);
  const auto all_of_it = [&] { return evaluate(pad(roll<0, 1>(exp(a), 77, -5), 20, PadMode::reflect) + 1); };
  const Threads one(1);
  const auto reference = elements(all_of_it());
  for (const int threads : {2, 4}) {
    const Threads restore(threads);
    CHECK(difference(elements(all_of_it()), reference) == "");
  }
}

TEST_CASE("the operand's work is done on the way, without memory of its own") {
  const Array<float, 1> a = arange(1000.0f);
  const Array<float, 1> b(Dim{1000});
  const Array<float, 1> wide(Dim{1010});
  const auto before = memory::stats(CpuPlace{}).allocations;
  assign(b, roll<0>(exp(a) + 1, 3));
  assign(wide, pad(a * a, 5, 0));
  assign(wide, pad(a * a, {{3, 7}}, PadMode::edge));
  CHECK(memory::stats(CpuPlace{}).allocations == before);
}

TEST_CASE("widths and times below 0, and axes without elements to repeat, are a ShapeError") {
  const Array<float, 2> a(Dim{2, 3});
  CHECK(contains(message_of<ShapeError>([&] { pad(a, {{0, 0}, {1, -2}}, 0); }),
                 "pad: axis 1 of (2, 3) is padded by 1 and -2"));
  CHECK(contains(message_of<ShapeError>([&] { pad(zeros<float>(Dim{2, 0}), 1, PadMode::edge); }),
                 "pad: axis 1 of (2, 0) has no elements that could be repeated"));
  CHECK(contains(message_of<ShapeError>([&] { pad(a, {{0, PTRDIFF_MAX}, {0, 0}}, 0); }), "does not fit in 64 bits"));
  CHECK(contains(message_of<ShapeError>([&] { tile(a, {1, -1}); }), "tile: axis 1 is repeated -1 times"));
  CHECK(contains(message_of<ShapeError>([&] { repeat<0>(a, -4); }), "repeat: axis 0 is repeated -4 times"));
  CHECK(contains(message_of<ShapeError>([&] { tile(a, {PTRDIFF_MAX, 1}); }), "does not fit in 64 bits"));
}

TEST_CASE("the axis may be known at run time") {
  const Array<int, 2> a = reshape(arange(0, 12), 3, 4);
  for (int axis : {1, -1}) {
    CHECK(array_equal(roll(a, 1, axis), roll<1>(a, 1)));
    CHECK(array_equal(flip(a * 2, axis), flip<1>(a * 2)));
  }
  CHECK(array_equal(roll(a + a, -5, 0), roll<0>(a + a, -5)));
  CHECK_THROWS_AS(roll(a, 1, 2), IndexError);
  CHECK_THROWS_AS(flip(a * 2, -3), IndexError);
}
