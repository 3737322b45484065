// unique and the functions of sets against std::map: types, layouts, few and many different elements, threads.
#include <map>

#include "awkward.hpp"

using namespace tessera;
using namespace support;

namespace {

template <class T>
struct Before {
  bool operator()(T a, T b) const { return awkward::is_before<T>(a, b); }
};

struct Found {
  std::vector<std::int64_t> indices, inverse, counts;
};

template <class T>
Found found_in(const std::vector<T>& values) {
  std::map<T, std::vector<std::int64_t>, Before<T>> places;
  for (std::size_t i = 0; i < values.size(); ++i) places[values[i]].push_back(static_cast<std::int64_t>(i));
  Found found;
  found.inverse.resize(values.size());
  for (const auto& [value, positions] : places) {
    for (const std::int64_t at : positions)
      found.inverse[static_cast<std::size_t>(at)] = static_cast<std::int64_t>(found.indices.size());
    found.indices.push_back(positions.front());
    found.counts.push_back(static_cast<std::int64_t>(positions.size()));
  }
  return found;
}

/// All results of the family for one array, checked against the map.
template <class T, int Rank>
void check(const Array<T, Rank>& x) {
  const std::vector<T> values = elements(x);
  const Found found = found_in(values);
  const auto all = unique_all(x);
  CHECK(difference(elements(all.indices), found.indices) == "");
  CHECK(difference(elements(all.inverse), found.inverse) == "");
  CHECK(difference(elements(all.counts), found.counts) == "");
  CHECK(all.inverse.shape() == x.shape());
  const std::vector<T> distinct = elements(all.values);
  REQUIRE(distinct.size() == found.indices.size());
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    const T first = values[static_cast<std::size_t>(found.indices[i])];
    REQUIRE(awkward::is_same<T>(distinct[i], first));
    if constexpr (Floating<T>)
      REQUIRE((static_cast<double>(first) != 0 || !std::signbit(static_cast<double>(distinct[i]))));
  }
  CHECK(difference(elements(unique(x)), distinct) == "");
  const auto counted = unique_counts(x);
  CHECK(difference(elements(counted.values), distinct) == "");
  CHECK(difference(elements(counted.counts), found.counts) == "");
  const auto inverted = unique_inverse(x);
  CHECK(difference(elements(inverted.values), distinct) == "");
  CHECK(difference(elements(inverted.inverse), found.inverse) == "");
}

}  // namespace

TEST_CASE_TEMPLATE("unique finds what a map finds", T, bool, std::int8_t, std::uint8_t, std::int16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t, float16, bfloat16, float, double) {
  Random random(sizeof(T));
  INFO(random.how_to_repeat());
  for (const Arrangement kind : all_arrangements) {
    CAPTURE(name_of(kind));
    check(awkward::array<T>(Dim{0}, kind, random));
    check(awkward::array<T>(Dim{1}, kind, random));
    check(awkward::array<T>(Dim{5, 20}, kind, random));
  }
  check(Array<T, 0>(full(Dim<0>{}, T(1))));
}

TEST_CASE("many different elements, which do not fit the table, with any number of threads") {
  for (const int threads : {1, 2, 3}) {
    const Threads restore(threads);
    for (const std::ptrdiff_t length : {20'000, 70'000, 150'000}) {
      if (is_sanitized && length != 70'000) continue;
      CAPTURE(threads);
      CAPTURE(length);
      check(Array<float, 1>(random::normal<float>(random::Key{4}, Dim<1>{length})));
      check(Array<std::int64_t, 1>(
          cast<std::int64_t>(random::uniform<double>(random::Key{5}, Dim<1>{length}) * 40'000.0)));
      check(Array<std::uint16_t, 1>(
          cast<std::uint16_t>(random::uniform<double>(random::Key{6}, Dim<1>{length}) * 65'535.0)));
    }
  }
}

TEST_CASE("the results of unique make the array again") {
  const Array<int, 2> x{{3, 1, 3}, {2, 1, 3}};
  const auto [values, indices, inverse, counts] = unique_all(x);
  CHECK(to_string(values) == "[1 2 3]");
  CHECK(to_string(indices) == "[1 3 0]");
  CHECK(to_string(counts) == "[2 1 3]");
  CHECK(array_equal(reshape(take(values, flatten(inverse)), x.shape()), x));
}

TEST_CASE("unique slices along an axis are those of NumPy") {
  const Array<int, 2> x{{1, 0, 0}, {1, 0, 0}, {2, 3, 4}, {-1, 9, 9}};
  const auto rows = unique<0>(x);
  CHECK(to_string(rows.values) == "[[-1  9  9]\n [ 1  0  0]\n [ 2  3  4]]");
  CHECK(to_string(rows.indices) == "[3 0 2]");
  CHECK(to_string(rows.inverse) == "[1 1 2 0]");
  CHECK(to_string(rows.counts) == "[1 2 1]");
  const auto columns = unique<-1>(x.T());
  CHECK(array_equal(columns.values, rows.values.T()));
  CHECK(array_equal(columns.inverse, rows.inverse));
  const auto none = unique<1>(Array<float, 2>(Dim{3, 0}));
  CHECK(none.values.shape() == Dim{3, 0});
  const auto nothing = unique<0>(Array<float, 2>(Dim{3, 0}));  // three rows of nothing are one
  CHECK(nothing.values.shape() == Dim{1, 0});
  CHECK(to_string(nothing.counts) == "[3]");
}

TEST_CASE("unique slices are found among many") {
  Random random(9);
  INFO(random.how_to_repeat());
  const auto x = awkward::array<double>(Dim{300, 2}, Arrangement::random, random);
  const auto found = unique<0>(x);
  CHECK(item(sum(found.counts)) == 300);
  for (std::ptrdiff_t i = 0; i < 300; ++i) {
    const auto own = found.values(found.inverse(i), all);
    for (std::ptrdiff_t j = 0; j < 2; ++j) REQUIRE(awkward::is_same<double>(own(j), x(i, j)));
  }
  for (std::ptrdiff_t i = 1; i < found.values.shape()[0]; ++i) {
    const double a = found.values(i - 1, 0), b = found.values(i, 0);
    const double c = found.values(i - 1, 1), d = found.values(i, 1);
    REQUIRE((awkward::is_before(a, b) || (awkward::is_same(a, b) && awkward::is_before(c, d))));
  }
}

TEST_CASE("functions of sets") {
  const Array<int, 1> a{5, 1, 3, 1, 5}, b{3, 4, 5, 3};
  CHECK(to_string(intersect1d(a, b)) == "[3 5]");
  CHECK(to_string(union1d(a, b)) == "[1 3 4 5]");
  CHECK(to_string(setdiff1d(a, b)) == "[1]");
  CHECK(to_string(setxor1d(a, b)) == "[1 4]");
  CHECK(to_string(union1d(reshape(arange(4), 2, 2), Array<std::int64_t, 1>{9})) == "[0 1 2 3 9]");
  CHECK(intersect1d(a, Array<int, 1>()).shape() == Dim{0});
  CHECK(to_string(setdiff1d(a, Array<int, 1>())) == "[1 3 5]");
  const Array<double, 1> with_nan{1.0, std::nan("")};
  CHECK(to_string(setdiff1d(with_nan, with_nan)) == "[nan]");  // NaN equals nothing
}
