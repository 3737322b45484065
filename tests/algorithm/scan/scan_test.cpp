// cumulative_sum and cumulative_prod against a loop over long double: every type, layout and axis.
#include "../../expr/support.hpp"

using namespace tessera;
using namespace support;

namespace {

template <class T>
using Sum = value_of<decltype(cumulative_sum(std::declval<Array<T, 1>>()))>;

/// A running total of any type: integers modulo 2^64, numbers in extended precision.
template <class T>
using Total = std::conditional_t<Complex<T>, std::complex<long double>,
                                 std::conditional_t<Floating<T>, long double, std::uint64_t>>;

template <class T>
Total<T> widened(T x) {
  if constexpr (Complex<T>) {
    return {x.real(), x.imag()};
  } else if constexpr (Floating<T>) {
    return static_cast<long double>(static_cast<double>(x));
  } else {
    return static_cast<std::uint64_t>(x);
  }
}

/// Distance of a result from the total, in units of the last place of what was added up; 0 for the same integers.
template <class T>
double error_of(Sum<T> got, Total<T> expected, long double magnitude) {
  if constexpr (Complex<T>) {
    const auto epsilon = std::numeric_limits<typename T::value_type>::epsilon();
    const auto distance = std::complex<long double>(got.real(), got.imag()) - expected;
    return static_cast<double>(std::abs(distance) / (magnitude * epsilon + 1e-300L));
  } else if constexpr (Floating<T>) {
    const double digits = sizeof(T) == 8             ? 0x1p-52
                          : sizeof(T) == 4           ? 0x1p-23
                          : std::same_as<T, float16> ? 0x1p-10
                                                     : 0x1p-7;
    const auto distance = static_cast<long double>(static_cast<double>(got)) - expected;
    return static_cast<double>(std::fabs(distance) / (magnitude * digits + 1e-300L));
  } else {
    return static_cast<std::uint64_t>(got) == expected ? 0 : std::numeric_limits<double>::infinity();
  }
}

/// Magnitude of x, whose error counts in a result: 0 for integers, which have none.
template <class T>
long double magnitude_of(const Total<T>& x) {
  if constexpr (Floating<T> || Complex<T>) return std::abs(x);
  return 0;
}

/// The largest magnitude that elements of T and their products are compared up to.
template <class T>
constexpr long double most_of() {
  if constexpr (std::same_as<T, float16>) return 6e4L;
  return std::same_as<T, double> || std::same_as<T, std::complex<double>> ? 1e300L : 1e38L;
}

/// total + x, with what the addition loses added to `lost`: a plain loop over long double is too coarse for long rows.
template <class Number>
Number exact_sum(Number total, Number x, Number& lost) {
  const Number sum = total + x;
  const Number added = sum - total;
  lost += (total - (sum - added)) + (x - added);
  return sum;
}

/// The largest error of running sums, relative to the sum of magnitudes, or of running products, relative to the largest.
template <bool IsProduct, class T, int Rank>
double largest_error(const Array<T, Rank>& values, const Array<Sum<T>, Rank>& results, int axis) {
  double largest = 0;
  for_each_position(values.shape().with(axis, std::min<std::ptrdiff_t>(1, values.shape()[axis])), [&](auto at) {
    Total<T> total = static_cast<Total<T>>(IsProduct ? 1 : 0);
    Total<T> lost{};
    long double magnitude = 0;
    for (std::ptrdiff_t j = 0; j < values.shape()[axis]; ++j) {
      at[static_cast<std::size_t>(axis)] = j;
      const Total<T> x = widened<T>(element(values, at));
      total = IsProduct ? total * x : exact_sum(total, x, lost);
      magnitude = IsProduct ? std::max(magnitude, magnitude_of<T>(total)) : magnitude + magnitude_of<T>(x);
      if (IsProduct && magnitude > most_of<T>()) return;
      largest = std::max(largest, error_of<T>(element(results, at), total + lost, magnitude));
    }
  });
  return largest;
}

template <int Axis, class T, int Rank>
void check_axis(const Array<T, Rank>& values) {
  constexpr int axis = Axis < 0 ? Axis + Rank : Axis;
  CAPTURE(axis);
  CHECK(largest_error<false>(values, cumulative_sum<Axis>(values), axis) <= 1);
  CHECK(largest_error<true>(values, cumulative_prod<Axis>(values), axis) <= (sizeof(T) >= 8 ? 60 : 1));
}

template <class T>
bool same_bits(const Array<T, 1>& a, const Array<T, 1>& b) {
  return difference(elements(a), elements(b)).empty();
}

}  // namespace

TEST_CASE_TEMPLATE("running sums and products agree with a loop in every layout and along every axis", T, bool,
                   std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t, float16, bfloat16, float, double, std::complex<float>, std::complex<double>) {
  Random random(sizeof(T));
  INFO(random.how_to_repeat());
  for (const Arrangement kind : all_arrangements) {
    for (const Dim<3>& shape : {Dim{3, 4, 5}, Dim{1, 40, 2}, Dim{2, 0, 3}, Dim{90, 3, 1}, Dim{0, 4, 2}}) {
      const auto values = random_array<T>(shape, kind, random);
      CAPTURE(name_of(kind));
      CAPTURE(to_string(shape));
      check_axis<0>(values);
      check_axis<1>(values);
      check_axis<-1>(values);
    }
  }
}

TEST_CASE_TEMPLATE("long rows give the same bits with any number of threads, and small errors", T, std::int32_t,
                   bfloat16, float, double, std::complex<float>, std::complex<double>) {
  Random random(7);
  for (const std::ptrdiff_t length : {8191, 100000, 600001}) {
    CAPTURE(length);
    const auto values = random_array<T>(Dim<1>{length}, Arrangement::random, random);
    const Threads one(1);
    const auto expected = cumulative_sum(values);
    CHECK(largest_error<false>(values, expected, 0) <= 1);
    for (const int threads : {2, 3, 5}) {
      set_num_threads(threads);
      CAPTURE(threads);
      CHECK(same_bits(cumulative_sum(values), expected));
    }
  }
}

TEST_CASE("sums of float and double are as good as pairwise ones, and better") {
  const std::ptrdiff_t count = 1 << 22;
  const Array<float, 1> tenths = full(Dim{count}, 0.1f);
  CHECK(cumulative_sum(tenths)[{count - 1}] == static_cast<float>(static_cast<double>(0.1f) * (1 << 22)));
  const Array<double, 1> fine = full(Dim{count}, 0.1);
  CHECK(cumulative_sum(fine)[{count - 1}] == 0.1 * (1 << 22));
  const auto cancelled = cumulative_sum(make_array(std::vector{1.0, 1e100, 1.0, -1e100}));
  CHECK(cancelled[{3}] == 2.0);
}

TEST_CASE("running sums keep infinities, NaN and the sign of zero") {
  const double infinity = std::numeric_limits<double>::infinity();
  using Doubles = std::vector<double>;
  const auto check = [](const Doubles& values, const Doubles& expected) {
    CHECK(difference(elements(cumulative_sum(make_array(values))), expected) == "");
  };
  check(Doubles{-0.0, -0.0, 0.0}, Doubles{-0.0, -0.0, 0.0});
  check(Doubles{-0.0, 1.0}, Doubles{-0.0, 1.0});
  check(Doubles{1.0, infinity, 2.0}, Doubles{1.0, infinity, infinity});
  check(Doubles{infinity, -infinity, 1.0}, Doubles{infinity, NAN, NAN});
  check(Doubles{1.7e308, 1.7e308, -1.0}, Doubles{1.7e308, infinity, infinity});
  check(Doubles{NAN, 1.0}, Doubles{NAN, NAN});
}

TEST_CASE("integers and bool are summed in 64 bits, modulo 2^64") {
  static_assert(std::same_as<Sum<bool>, std::int64_t> && std::same_as<Sum<std::int8_t>, std::int64_t>);
  static_assert(std::same_as<Sum<std::uint16_t>, std::uint64_t> && std::same_as<Sum<float16>, float16>);
  const auto counted = cumulative_sum(make_array(std::vector{true, false, true, true}));
  CHECK(array_equal(counted, make_array(std::vector<std::int64_t>{1, 1, 2, 3})));
  const auto most = std::numeric_limits<std::int64_t>::max();
  const auto wrapped = cumulative_sum(make_array(std::vector<std::int64_t>{most, 1}));
  CHECK(wrapped[{1}] == std::numeric_limits<std::int64_t>::min());
  const auto powers = cumulative_prod(full(Dim{3}, std::int8_t{100}));
  CHECK(array_equal(powers, make_array(std::vector<std::int64_t>{100, 10000, 1000000})));
}

TEST_CASE("scans write in place, into views and of expressions") {
  const Array<double, 2> matrix = reshape(arange(12.0), Dim{3, 4});
  const auto columns = cumulative_sum<0>(matrix);
  const auto of_reversed = cumulative_sum<1>(matrix(all, range(none, none, -1)));
  const auto working = matrix.clone();
  cumulative_sum_into<0>(working, working);
  CHECK(array_equal(working, columns));
  cumulative_sum_into<1>(working, matrix(all, range(none, none, -1)));
  CHECK(array_equal(working, of_reversed));
  const auto reversed = matrix.clone();
  cumulative_sum_into<1>(reversed, reversed(all, range(none, none, -1)));
  CHECK(array_equal(reversed, of_reversed));
  const Array<double, 1> numbers = arange(6.0);
  cumulative_sum_into(numbers(range(1, none)), numbers(range(none, 5)));
  CHECK(array_equal(numbers, make_array(std::vector{0.0, 0.0, 1.0, 3.0, 6.0, 10.0})));
  CHECK(array_equal(cumulative_prod(arange(5.0) + 1.0), make_array(std::vector{1.0, 2.0, 6.0, 24.0, 120.0})));
  cumulative_prod_into(numbers, full(Dim{6}, 2.0));
  CHECK(numbers[{5}] == 64.0);
}

TEST_CASE("a scan that cannot get its memory changes nothing") {
  const Threads restore(2);
  const Array<double, 1> values = ones<double>(Dim{400000});
  const auto live = memory::stats(CpuPlace{}).live;
  memory::trim(CpuPlace{});
  memory::set_limit(CpuPlace{}, memory::stats(CpuPlace{}).allocated);
  CHECK_THROWS_AS(static_cast<void>(cumulative_sum(values)), OutOfMemory);
  CHECK_THROWS_AS(cumulative_sum_into(values, values), OutOfMemory);
  memory::set_limit(CpuPlace{}, PTRDIFF_MAX);
  CHECK(memory::stats(CpuPlace{}).live == live);
  CHECK(array_equal(values, ones<double>(Dim{400000})));
  CHECK_THROWS_AS(cumulative_sum_into(values, ones<double>(Dim{3})), ShapeError);
  CHECK(array_equal(values, ones<double>(Dim{400000})));
}

TEST_CASE("the axis may be known at run time") {
  const Array<int, 3> a = reshape(arange(0, 24), 2, 3, 4);
  for (int axis : {0, -3}) CHECK(array_equal(cumulative_sum(a, axis), cumulative_sum<0>(a)));
  CHECK(array_equal(cumulative_prod(a + 1, 1), cumulative_prod<1>(a + 1)));
  CHECK_THROWS_AS(cumulative_sum(a, 3), IndexError);
}
