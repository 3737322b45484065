// Differences, slopes, areas, convolution, interpolation and running scans against plain loops and against what NumPy 2 gives.
#include "awkward.hpp"

using namespace tessera;
using namespace support;

TEST_CASE("diff subtracts neighbours") {
  const Array<int, 2> x{{1, 2, 4, 7}, {0, -3, 5, 5}};
  CHECK(to_string(diff(x)) == "[[ 1  2  3]\n [-3  8  0]]");
  CHECK(to_string(diff<0>(x)) == "[[-1 -5  1 -2]]");
  CHECK(to_string(diff(x, 2)) == "[[ 1  1]\n [11 -8]]");
  CHECK(to_string(diff(x, 0)) == to_string(x));
  CHECK(to_string(diff(x, 1, 0)) == to_string(diff<0>(x)));
  CHECK(diff(x, 9).shape() == Dim{2, 0});
  CHECK(to_string(diff(x * 2)(0, all)) == "[2 4 6]");
  CHECK(to_string(diff(Array<bool, 1>{true, false, false})) == "[ True False]");
  CHECK(to_string(diff(Array<std::uint8_t, 1>{3, 1})) == "[254]");
  CHECK(evaluate(diff(Array<float, 1>())).shape() == Dim{0});
  CHECK(evaluate(diff(Array<float, 1>{1.f})).shape() == Dim{0});
  CHECK(contains(message_of<std::invalid_argument>([&] { static_cast<void>(diff(x, -2)); }),
                 "differences are asked for -2 times"));
  CHECK_THROWS_AS(diff(x, 1, 2), IndexError);
}

TEST_CASE("gradient has the slopes of NumPy") {
  const Array<double, 1> x{1.0, 2.0, 4.0, 7.0, 11.0, 16.0};
  CHECK(to_string(gradient(x)) == "[1.  1.5 2.5 3.5 4.5 5. ]");
  CHECK(to_string(gradient(x, 2)) == "[0.5  0.75 1.25 1.75 2.25 2.5 ]");
  CHECK(to_string(gradient(Array<int, 1>{1, 4})) == "[3. 3.]");
  const Array<double, 1> at{0.0, 1.0, 1.5, 3.5, 4.0, 6.0};
  CHECK(distance(elements(gradient(x, at)), {1.0, 3.0, 3.5, 6.7, 6.9, 2.5}, 1e-14, 1e-14) == "");
  const Array<float, 2> m{{1.f, 2.f, 6.f}, {3.f, 4.f, 5.f}};
  CHECK(to_string(gradient<0>(m)) == "[[ 2.  2. -1.]\n [ 2.  2. -1.]]");
  CHECK(to_string(gradient(m)) == "[[1.  2.5 4. ]\n [1.  1.  1. ]]");
  CHECK(to_string(gradient<0>(m, Array<float, 1>{0.f, 2.f})(0, all)) == "[ 1.   1.  -0.5]");
  CHECK(to_string(gradient(x, 1, EdgeOrder::second)) == "[0.5 1.5 2.5 3.5 4.5 5.5]");
  CHECK(distance(elements(gradient(x, at, EdgeOrder::second)), {-1.0, 3.0, 3.5, 6.7, 6.9, -1.9}, 1e-14, 1e-14) == "");
  CHECK(
      contains(message_of<ShapeError>([&] { static_cast<void>(gradient(Array<int, 1>{1, 4}, 1, EdgeOrder::second)); }),
               "axis 0 has extent 2"));
  CHECK(contains(message_of<ShapeError>([&] { static_cast<void>(gradient<0>(Array<double, 2>(Dim{1, 3}))); }),
                 "gradient: axis 0 has extent 1"));
  CHECK(contains(message_of<ShapeError>([&] { static_cast<void>(gradient(x, Array<double, 1>{1.0})); }),
                 "there are 1 coordinates for axis 0 with extent 6"));
}

TEST_CASE("trapezoid has the area") {
  CHECK(item(trapezoid(Array<int, 1>{1, 2, 3})) == 4);
  CHECK(item(trapezoid(Array<int, 1>{1, 2, 3}, 2)) == 8);
  CHECK(item(trapezoid(Array<float, 1>{1.f, 2.f, 3.f}, Array<int, 1>{4, 6, 8})) == 8);
  CHECK(to_string(trapezoid(reshape(arange(6), 2, 3))) == "[2. 8.]");
  CHECK(to_string(trapezoid<0>(reshape(arange(6), 2, 3))) == "[1.5 2.5 3.5]");
  CHECK(item(trapezoid(Array<double, 1>())) == 0);
  CHECK(item(trapezoid(Array<double, 1>{7.0})) == 0);
  CHECK_THROWS_AS(trapezoid(Array<double, 1>{7.0}, Array<double, 1>{7.0, 8.0}), ShapeError);
}

TEST_CASE_TEMPLATE("convolve adds up products as a loop does", T, std::int8_t, std::uint16_t, std::int32_t,
                   std::int64_t, float16, float, double, std::complex<float>, std::complex<double>) {
  Random random(sizeof(T));
  INFO(random.how_to_repeat());
  for (const std::ptrdiff_t n : {1, 2, 7, 1500}) {
    for (const std::ptrdiff_t m : {1, 2, 5, 9}) {
      CAPTURE(n);
      CAPTURE(m);
      const auto a = random_array<T>(Dim<1>{n}, Arrangement::sliced, random),
                 b = random_array<T>(Dim<1>{m}, Arrangement::negative, random);
      const auto full_one = convolve(a, b), same_one = convolve(a, b, ConvolveMode::same),
                 valid = convolve(a, b, ConvolveMode::valid);
      const std::ptrdiff_t longer = std::max(n, m), shorter = std::min(n, m);
      REQUIRE(full_one.shape() == Dim<1>{n + m - 1});
      REQUIRE(array_equal(same_one, full_one(range((shorter - 1) / 2, (shorter - 1) / 2 + longer))));
      REQUIRE(array_equal(valid, full_one(range(shorter - 1, longer))));
      for (std::ptrdiff_t i = 0; i < n + m - 1; ++i) {
        if constexpr (Integer<T>) {
          std::uint64_t sum = 0;
          for (std::ptrdiff_t j = 0; j < n; ++j) {
            if (i - j >= 0 && i - j < m)
              sum += static_cast<std::uint64_t>(T(a(j))) * static_cast<std::uint64_t>(T(b(i - j)));
          }
          REQUIRE(full_one(i) == static_cast<T>(sum));
        } else {
          std::complex<double> sum = 0;
          const auto wide = [](T value) {
            if constexpr (Complex<T>)
              return std::complex<double>(value);
            else
              return std::complex<double>(static_cast<double>(value));
          };
          for (std::ptrdiff_t j = 0; j < n; ++j) {
            if (i - j >= 0 && i - j < m) sum += wide(a(j)) * wide(b(i - j));
          }
          REQUIRE(std::abs(wide(full_one(i)) - sum) <= (sizeof(T) == 2 ? 0.1 : 1e-4));
        }
      }
    }
  }
}

TEST_CASE("convolve promotes, is the same for any number of threads, and refuses nothing") {
  CHECK(to_string(convolve(Array<std::int8_t, 1>{1, 2, 3}, Array<int, 1>{0, 1})) == "[0 1 2 3]");
  const Array<float, 1> x = random::normal<float>(random::Key{1}, Dim{100'000}),
                        y = random::normal<float>(random::Key{2}, Dim{40});
  const auto wanted = convolve(x, y);
  for (const int threads : {1, 2, 3}) {
    const Threads restore(threads);
    CHECK(array_equal(convolve(x, y), wanted));
    CHECK(array_equal(convolve(y, x), wanted));
  }
  CHECK(contains(message_of<ShapeError>([] { static_cast<void>(convolve(Array<float, 1>(), Array<float, 1>{1.f})); }),
                 "convolve: a has no elements"));
  CHECK(contains(message_of<ShapeError>([] { static_cast<void>(convolve(Array<float, 1>{1.f}, Array<float, 1>())); }),
                 "convolve: b has no elements"));
}

TEST_CASE("interp is on the lines between points") {
  const Array<double, 1> at{1.0, 2.0, 3.0}, of{3.0, 2.0, 0.0};
  CHECK(to_string(interp(Array<double, 2>{{0.0, 1.0, 1.5}, {2.72, 3.14, 3.0}}, at, of)) ==
        "[[3.   3.   2.5 ]\n [0.56 0.   0.  ]]");
  CHECK(to_string(interp(Array<double, 1>{0.0, 1.0, 3.14}, at, of, -1, 99)) == "[-1.  3. 99.]");
  CHECK(to_string(interp(Array<float, 1>{2.5f}, Array<int, 1>{2, 3}, Array<int, 1>{10, 20})) == "[15.]");
  CHECK(std::isnan(item(interp(full(Dim<0>{}, std::nan("")), at, of))));
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(to_string(interp(Array<double, 1>{-infinity, infinity}, at, of)) == "[3. 0.]");
  CHECK(to_string(interp(Array<double, 1>{5.0}, Array<double, 1>{5.0}, Array<double, 1>{7.0})) == "[7.]");
  CHECK(contains(
      message_of<std::invalid_argument>([&] { static_cast<void>(interp(at, Array<double, 1>{1.0, 3.0, 2.0}, of)); }),
      "interp: the abscissas do not ascend: number 2 is 2 after 3"));
  CHECK(contains(message_of<ShapeError>([&] { static_cast<void>(interp(at, at, Array<double, 1>{1.0})); }),
                 "the curve has 3 abscissas and 1 ordinates"));
  CHECK_THROWS_AS(interp(at, Array<double, 1>(), Array<double, 1>()), ShapeError);
}

TEST_CASE_TEMPLATE("running extreme values are those of a loop", T, bool, std::int8_t, std::uint32_t, std::int64_t,
                   float16, float, double) {
  Random random(40 + sizeof(T));
  INFO(random.how_to_repeat());
  for (const Arrangement kind : all_arrangements) {
    CAPTURE(name_of(kind));
    const auto x = awkward::array<T>(Dim{3, 20, 4}, kind, random);
    const auto highest = cumulative_max<1>(x), lowest = cumulative_min(x, 1);
    for (std::ptrdiff_t i = 0; i < 3; ++i) {
      for (std::ptrdiff_t k = 0; k < 4; ++k) {
        T high = x(i, 0, k), low = high;
        for (std::ptrdiff_t j = 0; j < 20; ++j) {
          const T value = x(i, j, k);
          if (awkward::is_nan(value)) high = low = value;
          if (high < value) high = value;
          if (value < low) low = value;
          REQUIRE(awkward::is_same<T>(highest(i, j, k), high));
          REQUIRE(awkward::is_same<T>(lowest(i, j, k), low));
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE("running sums of exponentials are those of logsumexp", T, float16, float, double) {
  const Array<T, 2> x = cast<T>(random::normal<float>(random::Key{6}, Dim{3, 30}) * 40.0f);
  const auto sums = cumulative_logsumexp<1>(x);
  for (std::ptrdiff_t j = 1; j <= 30; ++j) {
    const Array<double, 1> wanted = logsumexp<1>(cast<double>(x(all, range(0, j))));
    for (std::ptrdiff_t i = 0; i < 3; ++i)
      CHECK(static_cast<double>(T(sums(i, j - 1))) ==
            doctest::Approx(double(wanted(i))).epsilon(sizeof(T) == 2 ? 1e-2 : 1e-5));
  }
  const double infinity = std::numeric_limits<double>::infinity();
  const Array<double, 1> hard{-infinity, -infinity, 1.0, infinity, infinity, std::nan(""), infinity};
  CHECK(to_string(cumulative_logsumexp(hard)) == "[-inf -inf   1.  inf  inf  nan  nan]");
}

TEST_CASE("scans go backwards, exclusive, and with what they start from") {
  const Array<int, 2> x{{1, 2, 3}, {4, 5, 6}};
  CHECK(to_string(cumulative_sum<1>(x, {.include_initial = true})) == "[[ 0  1  3  6]\n [ 0  4  9 15]]");
  CHECK(to_string(cumulative_sum<1>(x, {.exclusive = true})) == "[[0 1 3]\n [0 4 9]]");
  CHECK(to_string(cumulative_sum<1>(x, {.reverse = true})) == "[[ 6  5  3]\n [15 11  6]]");
  CHECK(to_string(cumulative_sum(x, 0, {.exclusive = true, .reverse = true})) == "[[4 5 6]\n [0 0 0]]");
  CHECK(to_string(cumulative_prod<1>(x, {.include_initial = true, .reverse = true})) ==
        "[[  6   6   3   1]\n [120  30   6   1]]");
  CHECK(to_string(cumulative_prod(x, -1, {.exclusive = true})) == "[[ 1  1  2]\n [ 1  4 20]]");
  CHECK(to_string(cumulative_max<0>(x, {.exclusive = true})(0, all)) == "[-2147483648 -2147483648 -2147483648]");
  CHECK(to_string(cumulative_min(Array<float, 1>{2.f, 1.f}, {.include_initial = true})) == "[inf  2.  1.]");
  CHECK(to_string(cumulative_logsumexp(Array<float, 1>{0.f}, 0, {.include_initial = true, .reverse = true})) ==
        "[  0. -inf]");
  CHECK(to_string(cumulative_sum(Array<int, 1>(), {.include_initial = true})) == "[0]");
  CHECK(cumulative_sum(Array<int, 1>(), {.exclusive = true}).shape() == Dim{0});
  const auto message = message_of<std::invalid_argument>(
      [&] { static_cast<void>(cumulative_sum<0>(x, {.include_initial = true, .exclusive = true})); });
  CHECK(contains(message, "cumulative_sum: include_initial and exclusive exclude each other"));
  CHECK_THROWS_AS(cumulative_max(x, 2), IndexError);
}
