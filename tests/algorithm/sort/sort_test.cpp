// sort and argsort against the standard library's sort: every type with an order, layout, axis and direction.
#include "../../expr/support.hpp"

using namespace tessera;
using namespace support;

namespace {

template <class T>
bool is_nan(T value) {
  if constexpr (Floating<T>) return static_cast<double>(value) != static_cast<double>(value);
  return false;
}

/// Whether one element comes before another: NaN last; -0 equals 0.
template <class T>
bool is_before(T a, T b, bool is_descending) {
  if (is_nan(a) || is_nan(b)) return !is_nan(a) && is_nan(b);
  return is_descending ? b < a : a < b;
}

template <class T>
std::vector<std::int64_t> expected_positions(const std::vector<T>& row, bool is_descending) {
  std::vector<std::int64_t> positions(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) positions[i] = static_cast<std::int64_t>(i);
  std::ranges::sort(positions, [&](std::int64_t a, std::int64_t b) {
    const T x = row[static_cast<std::size_t>(a)];
    const T y = row[static_cast<std::size_t>(b)];
    return is_before<T>(x, y, is_descending) || (!is_before<T>(y, x, is_descending) && a < b);
  });
  return positions;
}

/// As sort() says: zeros by sign.
template <class T>
std::vector<T> expected_values(std::vector<T> row, bool is_descending) {
  std::sort(row.begin(), row.end(), [&](T a, T b) {
    if constexpr (Floating<T>) {
      if (a == b) {
        const bool a_first = std::signbit(static_cast<double>(a)) && !std::signbit(static_cast<double>(b));
        const bool b_first = std::signbit(static_cast<double>(b)) && !std::signbit(static_cast<double>(a));
        return is_descending ? b_first : a_first;
      }
    }
    return is_before<T>(a, b, is_descending);
  });
  return row;
}

/// A few values that are hard to sort among random ones.
template <class T>
T awkward_value(Random& random) {
  if constexpr (Floating<T>) {
    const double infinity = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double hard[] = {0.0, -0.0, infinity, -infinity, nan, -nan, 1.0, -1.0, 6e-8, -6e-8};
    if (random.below(2) == 0) return T(hard[random.below(10)]);
  }
  return random_value<T>(random);
}

template <class T, int Rank>
Array<T, Rank> awkward_array(const Dim<Rank>& shape, Arrangement kind, Random& random) {
  const Array<T, Rank> array = storage_like<T>(shape, kind, T(0), random);
  for_each_position(shape, [&](const auto& position) { element(array, position) = awkward_value<T>(random); });
  return array;
}

/// The row through `position` along an axis.
template <class T, int Rank, class Position>
std::vector<T> row_of(const Array<T, Rank>& array, Position position, int axis) {
  std::vector<T> row;
  for (std::ptrdiff_t j = 0; j < array.shape()[axis]; ++j) {
    position[static_cast<std::size_t>(axis)] = j;
    row.push_back(element(array, position));
  }
  return row;
}

/// The first row of `values` whose sorted elements or positions are not as expected, in words.
template <class T, int Rank>
std::string first_error(const Array<T, Rank>& values, const Array<T, Rank>& sorted,
                        const Array<std::int64_t, Rank>& positions, int axis, bool is_descending) {
  std::string error;
  for_each_position(values.shape().with(axis, std::min<std::ptrdiff_t>(1, values.shape()[axis])), [&](auto position) {
    if (!error.empty()) return;
    const auto row = row_of(values, position, axis);
    error = difference(row_of(sorted, position, axis), expected_values(row, is_descending));
    if (error.empty()) error = difference(row_of(positions, position, axis), expected_positions(row, is_descending));
  });
  return error;
}

template <int Axis, class T, int Rank>
void check_axis(const Array<T, Rank>& values) {
  constexpr int axis = Axis < 0 ? Axis + Rank : Axis;
  CAPTURE(axis);
  CHECK(first_error(values, sort<Axis>(values), argsort<Axis>(values), axis, false) == "");
  CHECK(first_error(values, sort<Axis>(values, descending), argsort<Axis>(values, descending), axis, true) == "");
}

template <class T>
void check_layouts() {
  Random random(sizeof(T));
  INFO(random.how_to_repeat());
  for (const Arrangement kind : all_arrangements) {
    for (const Dim<3>& shape : {Dim{3, 4, 5}, Dim{1, 70, 2}, Dim{2, 0, 3}, Dim{90, 3, 1}, Dim{0, 4, 2}}) {
      const auto values = awkward_array<T>(shape, kind, random);
      CAPTURE(name_of(kind));
      CAPTURE(to_string(shape));
      check_axis<0>(values);
      check_axis<1>(values);
      check_axis<-1>(values);
    }
  }
}

/// A row in one direction: its elements and positions in order.
template <class T>
struct Expected {
  std::vector<T> values;
  std::vector<std::int64_t> positions;
};

template <class T, class... Direction>
std::string first_error(const Array<T, 1>& values, const Expected<T>& expected, Direction... direction) {
  const std::string error = difference(elements(sort(values, direction...)), expected.values);
  return error.empty() ? difference(elements(argsort(values, direction...)), expected.positions) : error;
}

template <class T>
void check_long_rows() {
  Random random(2 * sizeof(T));
  INFO(random.how_to_repeat());
  for (const std::ptrdiff_t length : {33, 5000, 140001, 300000}) {
    const auto values = awkward_array<T>(Dim<1>{length}, Arrangement::random, random);
    const auto row = elements(values);
    const Expected<T> up{expected_values(row, false), expected_positions(row, false)};
    const Expected<T> down{expected_values(row, true), expected_positions(row, true)};
    for (const int threads : {1, 2, 3}) {
      const Threads restore(threads);
      CAPTURE(length);
      CAPTURE(threads);
      CHECK(first_error(values, up) == "");
      CHECK(first_error(values, down, descending) == "");
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("sort and argsort agree with a stable sort in every layout, axis and direction", T, bool,
                   std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t, float16, bfloat16, float, double) {
  check_layouts<T>();
}

TEST_CASE_TEMPLATE("long rows, which threads share, are sorted as short ones are", T, bool, std::int16_t, std::uint32_t,
                   bfloat16, float, double) {
  check_long_rows<T>();
}

TEST_CASE("many rows are sorted along either axis of a matrix") {
  Random random(3);
  for (const int threads : {1, 2}) {
    const Threads restore(threads);
    const auto values = awkward_array<float>(Dim{300, 257}, Arrangement::contiguous, random);
    check_axis<0>(values);
    check_axis<1>(values);
    check_axis<0>(values.T());
  }
}

TEST_CASE("sort_into sorts an array in place") {
  Random random(4);
  for (const Arrangement kind : target_arrangements) {
    const auto values = storage_like<float>(Dim{20, 30}, kind, 0.0f, random, false);
    for_each_position(values.shape(), [&](const auto& at) { element(values, at) = random_value<float>(random); });
    const auto rows = sort(values);
    const auto columns = sort<0>(values, descending);
    const auto expected = argsort(values);
    const Array<std::int64_t, 2> positions(values.shape());
    argsort_into(positions, values);
    CHECK(array_equal(positions, expected));
    const auto copied = values.clone();
    sort_into<0>(values, values, descending);
    CHECK(difference(elements(values), elements(columns)) == "");
    sort_into(values, copied);
    CHECK(difference(elements(values), elements(rows)) == "");
  }
}

TEST_CASE("sort_into reads overlapping elements before it writes them") {
  const Array<int, 1> numbers = make_array(std::vector{5, 3, 8, 1, 9, 2, 7});
  sort_into(numbers(range(2, none)), numbers(range(none, 5)));
  CHECK(array_equal(numbers, make_array(std::vector{5, 3, 1, 3, 5, 8, 9})));
  const Array<std::int64_t, 1> indices = make_array(std::vector<std::int64_t>{5, 3, 8, 1});
  argsort_into(indices, indices);
  CHECK(array_equal(indices, make_array(std::vector<std::int64_t>{3, 1, 0, 2})));
  const Array<std::int64_t, 1> reversed = make_array(std::vector<std::int64_t>{5, 3, 8, 1});
  sort_into(reversed(range(none, none, -1)), reversed);
  CHECK(array_equal(reversed, make_array(std::vector<std::int64_t>{8, 5, 3, 1})));
}

TEST_CASE("expressions, views and asynchronous arrays can be sorted") {
  const Array<float, 1> x = make_array(std::vector{3.0f, -4.0f, 1.0f});
  CHECK(array_equal(sort(x * x), make_array(std::vector{1.0f, 9.0f, 16.0f})));
  CHECK(array_equal(argsort(abs(x), descending), make_array(std::vector<std::int64_t>{1, 0, 2})));
  CHECK(array_equal(sort(make_view(x)), make_array(std::vector{-4.0f, 1.0f, 3.0f})));
  CHECK(array_equal(x, make_array(std::vector{3.0f, -4.0f, 1.0f})));
  Scheduler scheduler;
  const Async on(scheduler);
  Array<float, 1> later = x + 1.0f;
  CHECK(array_equal(sort(later), make_array(std::vector{-3.0f, 2.0f, 4.0f})));
}

TEST_CASE("the bits of NaN survive sorting, and order NaN among each other") {
  const std::uint32_t bits[] = {0xffc00001u, 0x7fc00002u, 0x3f800000u, 0xff800000u, 0x7f800000u, 0x7f800001u};
  std::vector<float> values;
  for (const std::uint32_t each : bits) values.push_back(std::bit_cast<float>(each));
  const auto sorted = elements(sort(make_array(values)));
  const std::uint32_t expected[] = {0xff800000u, 0x3f800000u, 0x7f800000u, 0x7f800001u, 0x7fc00002u, 0xffc00001u};
  std::vector<std::uint32_t> got;
  for (const float each : sorted) got.push_back(std::bit_cast<std::uint32_t>(each));
  std::sort(got.begin() + 3, got.end());
  CHECK(difference(got, std::vector<std::uint32_t>(std::begin(expected), std::end(expected))) == "");
}

TEST_CASE("sort_into of another shape says both shapes and the caller, and writes nothing") {
  const Array<float, 1> result = full(Dim{3}, 7.0f);
  const auto message = message_of<ShapeError>([&] { sort_into(result, ones<float>(Dim{4})); });
  CHECK(contains(message, "the result has shape (3,) instead of (4,)"));
  CHECK(contains(message, "sort_test.cpp"));
  CHECK(array_equal(result, full(Dim{3}, 7.0f)));
}

TEST_CASE("a sort that cannot get its memory changes nothing") {
  for (const int threads : {1, 2}) {
    const Threads restore(threads);
    for (const std::ptrdiff_t length : {10000, 200000}) {
      const Array<float, 1> values = random::uniform<float>(random::Key{1}, Dim<1>{length});
      const Array<std::int64_t, 1> positions = zeros<std::int64_t>(values.shape());
      const auto before = values.clone();
      const auto live = memory::stats(CpuPlace{}).live;
      memory::trim(CpuPlace{});
      memory::set_limit(CpuPlace{}, memory::stats(CpuPlace{}).allocated);
      CHECK_THROWS_AS(sort_into(values, values), OutOfMemory);
      CHECK_THROWS_AS(argsort_into(positions, values), OutOfMemory);
      CHECK_THROWS_AS(static_cast<void>(sort(values)), OutOfMemory);
      memory::set_limit(CpuPlace{}, PTRDIFF_MAX);
      CHECK(memory::stats(CpuPlace{}).live == live);
      CHECK(array_equal(values, before));
      CHECK(array_equal(positions, zeros<std::int64_t>(values.shape())));
      sort_into(values, values);
      CHECK(!array_equal(values, before));
    }
  }
}

TEST_CASE("the axis may be known at run time") {
  const Array<float, 3> a = random::uniform<float>(random::Key{3}, Dim{4, 5, 6});
  CHECK(array_equal(sort(a, 0), sort<0>(a)));
  CHECK(array_equal(sort(a * 2, -2, descending), sort<1>(a * 2, descending)));
  CHECK(array_equal(argsort(a.T(), 1), argsort<1>(a.T())));
  CHECK(array_equal(argsort(a, 2u, descending), argsort(a, descending)));
  CHECK(sort(a, 0).is_contiguous());
  CHECK_THROWS_AS(sort(a, 3), IndexError);
  CHECK_THROWS_AS(argsort(a, -4), IndexError);
  CHECK_THROWS_AS(sort(a, std::size_t(-1)), IndexError);
}
