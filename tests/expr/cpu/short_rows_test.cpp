// Reductions of rows of every length around the widths of vectors, of the largest and smallest integers, of NaN in every place, and of several
// axes of which the last one is short.
#include <numeric>

#include "../../product/guarded.hpp"

using namespace tessera;
using namespace support;
using product_test::GuardedMemory;

namespace {

/// Rows of `n` values that end at a page which may not be touched.
template <class T>
struct Rows {
  std::ptrdiff_t rows, n;
  GuardedMemory memory;
  T* first;

  Rows(std::ptrdiff_t number, std::ptrdiff_t length)
      : rows(number),
        n(length),
        memory(static_cast<std::size_t>(number * length) * sizeof(T)),
        first(memory.elements<T>(number * length, true)) {}

  ArrayView<T, 2> view() const { return {first, Layout<2>{.shape = Dim{rows, n}, .strides = {n, 1}}, CpuPlace{}}; }
};

template <class T>
void check_numbers() {
  Random random(sizeof(T) + (std::is_signed_v<T> ? 10 : 0));
  using Limits = std::numeric_limits<T>;
  using Sum = typename std::remove_cvref_t<decltype(sum<1>(std::declval<ArrayView<T, 2>>()))>::value_type;
  for (std::ptrdiff_t n = 1; n <= 140; ++n) {
    const Rows<T> x(n < 20 ? 37 : 5, n);
    for (std::ptrdiff_t i = 0; i < x.rows * n; ++i) {
      const auto drawn = random.below(4);
      x.first[i] = drawn == 0 ? Limits::max() : drawn == 1 ? Limits::lowest() : static_cast<T>(random.between(0, 99));
    }
    CAPTURE(n);
    CAPTURE(random.how_to_repeat());
    const auto xv = x.view();
    const Array<Sum, 1> sums = sum<1>(xv), computed = sum<1>(xv ^ T(0));
    const Array<T, 1> largest = max<1>(xv), smallest = min<1>(xv);
    bool is_right = true;
    for (std::ptrdiff_t r = 0; r < x.rows; ++r) {
      const std::span<const T> row(x.first + r * n, static_cast<std::size_t>(n));
      std::uint64_t total = 0;
      for (const T value : row) total += static_cast<std::uint64_t>(static_cast<Sum>(value));
      is_right = is_right && static_cast<std::uint64_t>(Sum(sums(r))) == total &&
                 static_cast<std::uint64_t>(Sum(computed(r))) == total &&
                 T(largest(r)) == *std::ranges::max_element(row) && T(smallest(r)) == *std::ranges::min_element(row);
    }
    CHECK(is_right);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("rows of integers of every length", T, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                   std::int32_t, std::uint32_t, std::int64_t, std::uint64_t) {
  check_numbers<T>();
}

TEST_CASE_TEMPLATE("sums of the largest and smallest narrow integers do not overflow on their way", T, std::int8_t,
                   std::uint8_t, std::int16_t, std::uint16_t) {
  using Limits = std::numeric_limits<T>;
  for (const std::ptrdiff_t n : {255, 256, 4096, 16'384, 32'768, 40'001, 5'000'000}) {
    for (const T value : {Limits::lowest(), Limits::max()}) {
      Array<T, 1> x(Dim<1>{n});
      x(ellipsis) = value;
      CHECK(sum(x).item() == static_cast<std::int64_t>(value) * n);
      CHECK(sum(x ^ T(0)).item() == static_cast<std::int64_t>(value) * n);
      Array<T, 2> columns(Dim{std::min<std::ptrdiff_t>(n, 40'001), 3});
      columns(ellipsis) = value;
      const auto sums = evaluate(sum<0>(columns)), computed = evaluate(sum<0>(columns ^ T(0)));
      CHECK(computed(2) == static_cast<std::int64_t>(value) * columns.shape()[0]);
      CHECK(sums(1) == static_cast<std::int64_t>(value) * columns.shape()[0]);
    }
  }
}

namespace {

/// Row k of n values has NaN in place `places[k]`; the last row has none.
template <class T>
void check_nan_in(std::ptrdiff_t n, std::span<const std::ptrdiff_t> places) {
  CAPTURE(n);
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const auto last = static_cast<std::ptrdiff_t>(places.size());
  const Rows<T> x(last + 1, n);
  for (std::ptrdiff_t r = 0; r <= last; ++r) {
    for (std::ptrdiff_t i = 0; i < n; ++i) x.first[r * n + i] = static_cast<T>((i * 7 + r) % 31 - 15);
    if (r < last) x.first[r * n + places[static_cast<std::size_t>(r)]] = nan;
  }
  const auto xv = x.view();
  const Array<T, 1> sums = sum<1>(xv), largest = max<1>(xv), smallest = min<1>(xv), computed = max<1>(-xv);
  bool is_right = true;
  for (std::ptrdiff_t r = 0; r < last; ++r) {
    is_right = is_right && std::isnan(T(sums(r))) && std::isnan(T(largest(r))) && std::isnan(T(smallest(r))) &&
               std::isnan(T(computed(r)));
  }
  const std::span<const T> row(x.first + last * n, static_cast<std::size_t>(n));
  is_right = is_right && T(sums(last)) == std::accumulate(row.begin(), row.end(), T(0)) &&
             T(largest(last)) == *std::ranges::max_element(row) &&
             T(smallest(last)) == *std::ranges::min_element(row) &&
             T(computed(last)) == -*std::ranges::min_element(row);
  CHECK(is_right);
}

}  // namespace

TEST_CASE_TEMPLATE("rows of numbers with NaN in every place", T, float, double) {
  for_each_isa([](device::Isa) {
    std::vector<std::ptrdiff_t> places;
    for (std::ptrdiff_t n = 1; n <= (is_sanitized ? 100 : 170); ++n) {
      places.push_back(n - 1);
      check_nan_in<T>(n, places);
    }
    Random random(5);
    for (const std::ptrdiff_t n : {511, 1000, 1025, 4097, 20'000}) {
      places = {0, 1, n - 2, n - 1};
      for (int k = 0; k < 8; ++k) places.push_back(random.below(n));
      check_nan_in<T>(n, places);
    }
  });
}

TEST_CASE_TEMPLATE("rows of nothing but infinities have infinite extremes", T, float, double) {
  const T infinity = std::numeric_limits<T>::infinity();
  for_each_isa([&](device::Isa) {
    for (const std::ptrdiff_t n : {1, 7, 8, 15, 17, 40, 63, 64, 79, 80, 81, 300, 2000}) {
      const Rows<T> x(2, n);
      std::fill_n(x.first, n, -infinity);
      std::fill_n(x.first + n, n, infinity);
      CAPTURE(n);
      const Array<T, 1> largest = max<1>(x.view()), smallest = min<1>(x.view());
      CHECK(T(largest(0)) == -infinity);
      CHECK(T(largest(1)) == infinity);
      CHECK(T(smallest(0)) == -infinity);
      CHECK(T(smallest(1)) == infinity);
    }
  });
}

TEST_CASE("a short last axis and others are reduced together, whatever lies between") {
  Random random(3);
  for (int number = 0; number < (is_sanitized ? 40 : 200); ++number) {
    const Dim<4> shape{random.between(1, 40), random.between(1, 9), random.between(1, 90), random.between(1, 70)};
    const Array<double, 4> x(shape);
    const Array<double, 2> row(Dim{shape[2], shape[3]});
    for (double& value : std::span(x.data(), static_cast<std::size_t>(x.size())))
      value = static_cast<double>(random.between(-50, 50));
    for (double& value : std::span(row.data(), static_cast<std::size_t>(row.size())))
      value = static_cast<double>(random.between(-5, 5));
    CAPTURE(shape);
    CAPTURE(random.how_to_repeat());
    Array<double, 2> outer(Dim{shape[1], shape[2]}), largest(outer.shape()), halves(outer.shape());
    outer(ellipsis) = 0;
    largest(ellipsis) = -1e9;
    halves(ellipsis) = 0;
    const double *element = x.data(),
                 *factors = row.data();  // bare: an access through an array looks for ops that are pending
    for (std::ptrdiff_t a = 0; a < shape[0]; ++a)
      for (std::ptrdiff_t i = 0; i < outer.size(); ++i)
        for (std::ptrdiff_t d = 0; d < shape[3]; ++d, ++element) {
          const double value = *element;
          outer.data()[i] += value * factors[i % shape[2] * shape[3] + d];
          largest.data()[i] = std::max(largest.data()[i], value);
          halves.data()[i] += (value + 50) / 2;
        }
    CHECK(array_equal(evaluate(sum<0, 3>(x * row)), outer));
    CHECK(array_equal(evaluate(max<0, 3>(x)), largest));
    CHECK(array_equal(evaluate(sum<0, 3>((x + 50) / 2)), halves));
  }
}
