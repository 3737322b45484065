// sort and argsort of complex numbers against the standard library's sort: types, layouts, axes, directions, NaN and zeros.
#include "../../expr/support.hpp"

using namespace tessera;
using namespace support;

namespace {

/// Whether a real number comes before another: NaN last; -0 equals 0.
template <class R>
bool is_before(R a, R b, bool descends) {
  if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  return descends ? b < a : a < b;
}

template <class R>
bool is_before(std::complex<R> a, std::complex<R> b, bool descends) {
  if (is_before(a.real(), b.real(), descends)) return true;
  return !is_before(b.real(), a.real(), descends) && is_before(a.imag(), b.imag(), descends);
}

template <class R>
R part(Random& random) {
  const R nan = std::numeric_limits<R>::quiet_NaN(), infinity = std::numeric_limits<R>::infinity();
  const R hard[] = {R(0), -R(0), infinity, -infinity, nan, -nan, R(1), R(-1)};
  return hard[random.below(8)];
}

template <class T>
bool has_same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// What is wrong with the rows of `sorted` and `positions`, which sort() and argsort() gave for those of `values`, or nothing.
template <class T, int Rank>
std::string first_error(const Array<T, Rank>& values, const Array<T, Rank>& sorted,
                        const Array<std::int64_t, Rank>& positions, int axis, bool descends) {
  std::string error;
  const std::ptrdiff_t length = values.shape()[axis];
  for_each_position(values.shape().with(axis, std::min<std::ptrdiff_t>(1, length)), [&](auto at) {
    const auto place = static_cast<std::size_t>(axis);
    std::vector<std::int64_t> order;
    for (std::ptrdiff_t i = 0; i < length; ++i) order.push_back(i);
    const auto value = [&](std::int64_t i) {
      auto position = at;
      position[place] = i;
      return element(values, position);
    };
    std::ranges::sort(order, [&](auto a, auto b) {
      return is_before(value(a), value(b), descends) || (!is_before(value(b), value(a), descends) && a < b);
    });
    for (std::ptrdiff_t i = 0; i < length && error.empty(); ++i) {
      at[place] = i;
      const std::int64_t expected = order[static_cast<std::size_t>(i)];
      if (element(positions, at) != expected) error = "position " + std::to_string(i);
      if (!has_same_bits(element(sorted, at), value(expected))) error = "element " + std::to_string(i);
    }
  });
  return error;
}

}  // namespace

TEST_CASE_TEMPLATE("complex numbers are sorted by their real parts, then by their imaginary ones", T,
                   std::complex<float>, std::complex<double>) {
  using R = typename T::value_type;
  Random random(77);
  for (const Arrangement kind : target_arrangements) {
    for (const Dim<2> shape : {Dim{3, 40}, Dim{40, 3}, Dim{1, 1}, Dim{0, 3}}) {
      const Array<T, 2> values = storage_like<T>(shape, kind, T(0), random);
      for_each_position(shape,
                        [&](const auto& position) { element(values, position) = T(part<R>(random), part<R>(random)); });
      CAPTURE(shape);
      CHECK(first_error(values, sort(values), argsort(values), 1, false) == "");
      CHECK(first_error(values, sort<0>(values, descending), argsort<0>(values, descending), 0, true) == "");
      CHECK(first_error(values, sort(values, 0), argsort(values, -2), 0, false) == "");
      CHECK(first_error(values, sort(values, 1, descending), argsort(values, 1, descending), 1, true) == "");
      const Array<T, 2> result = values.clone();
      const Array<std::int64_t, 2> positions(shape);
      argsort_into(positions, result, descending);
      sort_into(result, result, descending);
      CHECK(first_error(values, result, positions, 1, true) == "");
      const DArray dynamic = values;
      CHECK(first_error(values, get<Array<T, 2>>(sort(dynamic)), get<Array<std::int64_t, 2>>(argsort(dynamic)), 1,
                        false) == "");
      CHECK(first_error(values, get<Array<T, 2>>(sort(dynamic, 0, descending)),
                        get<Array<std::int64_t, 2>>(argsort(dynamic, 0, descending)), 0, true) == "");
    }
  }
}

TEST_CASE("complex expressions are sorted, in place and into parts of arrays, and wrong results are refused") {
  using Z = std::complex<float>;
  const Array<Z, 1> z{{2, 1}, {1, 5}, {2, -1}, {1, 4}};
  CHECK(array_equal(sort(conj(z)), Array<Z, 1>{{1, -5}, {1, -4}, {2, -1}, {2, 1}}));
  const Array<Z, 1> twice = zeros<Z>(Dim{8});
  sort_into(twice(range(none, none, 2)), z);
  CHECK(array_equal(twice, Array<Z, 1>{{1, 4}, 0, {1, 5}, 0, {2, -1}, 0, {2, 1}, 0}));
  sort_into(z, z(range(none, none, -1)), descending);
  CHECK(array_equal(z, Array<Z, 1>{{2, 1}, {2, -1}, {1, 5}, {1, 4}}));
  CHECK_THROWS_AS(sort_into(twice, z), ShapeError);
  CHECK_THROWS_AS(argsort_into(Array<std::int64_t, 1>(Dim{3}), z), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(sort(z, 1)), IndexError);
}
