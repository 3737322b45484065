// searchsorted, digitize and isin against plain loops: every type with an order, layouts, lengths, and what can go wrong.
#include "awkward.hpp"

using namespace tessera;
using namespace support;

namespace {

/// By insertion, which takes elements of bool too.
template <class T>
std::vector<T> sorted_vector(std::vector<T> values) {
  for (std::size_t i = 1; i < values.size(); ++i) {
    for (std::size_t j = i; j > 0 && awkward::is_before<T>(values[j], values[j - 1]); --j) {
      const T moved = values[j];
      values[j] = values[j - 1];
      values[j - 1] = moved;
    }
  }
  return values;
}

/// Before which element a value goes.
template <class T>
std::int64_t place_in(const std::vector<T>& sorted, T value, bool is_right) {
  std::int64_t at = 0;
  for (const T element : sorted) {
    at += awkward::is_before<T>(element, value) || (is_right && awkward::is_same<T>(element, value)) ? 1 : 0;
  }
  return at;
}

template <class T>
Array<T, 1> as_array(const std::vector<T>& values) {
  Array<T, 1> array(Dim<1>{std::ssize(values)});
  for (std::size_t i = 0; i < values.size(); ++i) array(static_cast<std::ptrdiff_t>(i)) = values[i];
  return array;
}

}  // namespace

TEST_CASE_TEMPLATE("searchsorted puts values where a loop does", T, bool, std::int8_t, std::uint16_t, std::int32_t,
                   std::uint64_t, std::int64_t, float16, bfloat16, float, double) {
  Random random(sizeof(T));
  INFO(random.how_to_repeat());
  for (const Arrangement kind : all_arrangements) {
    for (const std::ptrdiff_t length : {0, 1, 2, 3, 15, 16, 17, 100}) {
      CAPTURE(name_of(kind));
      CAPTURE(length);
      const auto sorted = sorted_vector(elements(awkward::array<T>(Dim<1>{length}, kind, random)));
      const auto values = awkward::array<T>(Dim{3, 7}, kind, random);
      for (const bool is_right : {false, true}) {
        std::vector<std::int64_t> expected;
        for (const T value : elements(values)) expected.push_back(place_in<T>(sorted, value, is_right));
        const auto side = is_right ? SearchSide::right : SearchSide::left;
        CHECK(difference(elements(searchsorted(as_array(sorted), values, side)), expected) == "");
      }
    }
  }
}

TEST_CASE("many values in few elements and few in many, with any number of threads") {
  const Array<double, 1> long_vector = sort(random::uniform<double>(random::Key{1}, Dim{200'000}));
  const Array<double, 1> few = random::uniform<double>(random::Key{2}, Dim{50});
  const Array<double, 1> short_vector = sort(few);
  for (const int threads : {1, 2, 3}) {
    const Threads restore(threads);
    const auto found = elements(searchsorted(short_vector, long_vector));
    const auto sorted = elements(short_vector);
    std::vector<std::int64_t> expected;
    for (const double value : elements(long_vector))
      expected.push_back(std::ranges::lower_bound(sorted, value) - sorted.begin());
    CHECK(difference(found, expected) == "");
    std::vector<std::int64_t> places;
    const auto all_sorted = elements(long_vector);
    for (const double value : elements(few))
      places.push_back(std::ranges::upper_bound(all_sorted, value) - all_sorted.begin());
    CHECK(difference(elements(searchsorted(long_vector, few, SearchSide::right)), places) == "");
  }
}

TEST_CASE("searchsorted takes one value, expressions, and other types") {
  const Array<int, 1> x{1, 3, 3, 7};
  CHECK(searchsorted(x, 3) == 1);
  CHECK(searchsorted(x, 3, SearchSide::right) == 3);
  CHECK(to_string(searchsorted(x * 2, Array<std::int8_t, 1>{6, 7})) == "[1 3]");
  CHECK(to_string(searchsorted(cast<double>(x), Array<float, 1>{2.5f, 8.0f})) == "[1 4]");
  CHECK(item(searchsorted(x, full(Dim<0>{}, 7))) == 3);
  CHECK(searchsorted(Array<float, 1>{0.5f, 1.5f}, 1) == 1);
}

TEST_CASE("digitize finds bins of edges that ascend or descend, as NumPy says") {
  const Array<double, 1> x{0.2, 6.4, 3.0, 1.6, 1.0, 10.0, -1.0, 99.0};
  const Array<double, 1> edges{0.0, 1.0, 2.5, 4.0, 10.0};
  CHECK(to_string(digitize(x, edges)) == "[1 4 3 2 2 5 0 5]");
  CHECK(to_string(digitize(x, edges, SearchSide::right)) == "[1 4 3 2 1 4 0 5]");
  CHECK(to_string(digitize(x, flip(edges))) == "[4 1 2 3 3 0 5 0]");
  CHECK(to_string(digitize(x, flip(edges), SearchSide::right)) == "[4 1 2 3 4 1 5 0]");
  CHECK(to_string(digitize(x, Array<double, 1>())) == "[0 0 0 0 0 0 0 0]");
  CHECK(to_string(digitize(Array<double, 1>{std::nan("")}, edges)) == "[5]");
  const auto message =
      message_of<std::invalid_argument>([&] { static_cast<void>(digitize(x, Array<double, 1>{0.0, 1.5, 1.25, 2.0})); });
  CHECK(contains(message, "digitize: the edges neither ascend nor descend: edge 2 is 1.25 after 1.5"));
  CHECK(contains(message, "search_test.cpp"));
  CHECK_THROWS_AS(digitize(x, Array<double, 1>{3.0, 1.0, 2.0}), std::invalid_argument);
}

TEST_CASE_TEMPLATE("isin is true where a loop finds an equal element", T, bool, std::int8_t, std::uint16_t,
                   std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float16, float, double) {
  Random random(100 + sizeof(T));
  INFO(random.how_to_repeat());
  for (const Arrangement kind : all_arrangements) {
    for (const std::ptrdiff_t length : {0, 1, 2, 17, 60}) {
      CAPTURE(name_of(kind));
      CAPTURE(length);
      const auto values = awkward::array<T>(Dim{4, 9}, kind, random);
      const auto among = awkward::array<T>(Dim<1>{length}, kind, random);
      std::vector<bool> expected;
      const auto others = elements(among);
      for (const T value : elements(values)) expected.push_back(std::ranges::find(others, value) != others.end());
      CHECK(difference(elements(isin(values, among)), expected) == "");
    }
  }
}

TEST_CASE("isin of many elements with any number of threads") {
  const Array<std::int64_t, 1> x = cast<std::int64_t>(random::uniform<double>(random::Key{3}, Dim{100'000}) * 5000.0);
  const Array<std::int64_t, 1> even = arange<std::int64_t>(0, 6000, 2);
  for (const int threads : {1, 2, 3}) {
    const Threads restore(threads);
    CHECK(array_equal(isin(x, even), x % 2 == 0));
  }
  CHECK(array_equal(isin(x, full(Dim<0>{}, std::int64_t{7})), x == 7));
}

TEST_CASE("searching waits for the ops that write its operands") {
  const Array<int, 1> x{5, 3, 1};
  Scheduler scheduler({.workers = 1});
  const Async on(scheduler);
  const Array<int, 1> shifted = x + 1;
  CHECK(to_string(searchsorted(flip(shifted), shifted)) == "[2 1 0]");
  CHECK(to_string(isin(shifted, x - 1)) == "[False  True  True]");
}
