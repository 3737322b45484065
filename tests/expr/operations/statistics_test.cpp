// What statistics mean: corrections, norms without overflow, any and all, empty axes, accuracy far from zero.
#include "support.hpp"

using namespace tessera;
using namespace support;

TEST_CASE("any, all and counts along axes; all(x) beside a(all, 0)") {
  // --8<-- [start:truth]
  const Array<float, 2> a = make_array<float>({{1, 0, 3}, {4, 5, 6}});
  CHECK(item(any(a > 5)));
  CHECK(!item(all(a)));  // 0 counts as false
  CHECK(array_equal(any<1>(a > 4), make_array<bool>({false, true})));
  CHECK(array_equal(all_of<1>(a), make_array<bool>({false, true})));  // with axes it is all_of, because ...
  CHECK(array_equal(a(all, 0), make_array<float>({1, 4})));           // ... `all` is also the whole axis of a slice
  CHECK(array_equal(count_nonzero<0>(a), make_array<std::int64_t>({2, 1, 2})));
  // --8<-- [end:truth]
  CHECK(array_equal(any_of<0>(a == 0), make_array<bool>({false, true, false})));
  CHECK(evaluate(all(a, keepdims)).shape() == Dim{1, 1});
  CHECK(evaluate(all_of<0>(a, keepdims)).shape() == Dim{1, 3});
  CHECK(item(any(full(Dim{3}, std::numeric_limits<float>::quiet_NaN()))));
  static_assert(std::same_as<decltype(any(a))::value_type, bool>);
  static_assert(std::same_as<decltype(count_nonzero(a))::value_type, std::int64_t>);
}

TEST_CASE("over nothing any is false, all is true, counts and norms are 0" * doctest::test_suite("any place")) {
  const Array<float, 2> empty = there(zeros<float>(Dim{2, 0}));
  CHECK(!item(any(empty)));
  CHECK(item(all(empty)));
  CHECK(array_equal(any<1>(empty), there(make_array<bool>({false, false}))));
  CHECK(array_equal(all_of<1>(empty), there(make_array<bool>({true, true}))));
  CHECK(array_equal(count_nonzero<1>(empty), there(make_array<std::int64_t>({0, 0}))));
  CHECK(array_equal(norm<1>(empty), there(zeros<float>(Dim{2}))));
  CHECK(array_equal(norm<1>(cast<double>(empty)), there(zeros<double>(Dim{2}))));
  CHECK(contains(message_of<ShapeError>([&] { stddev<1>(empty); }), "stddev: axis 1 of the shape (2, 0)"));
  CHECK(contains(message_of<ShapeError>([&] { norm<NormOrder::infinity, 1>(empty); }), "max: axis 1"));
  CHECK(evaluate(any<0>(empty)).shape() == Dim<1>{0});
}

TEST_CASE("a correction is taken from the count of a variance") {
  // --8<-- [start:var]
  const Array<double, 1> x = make_array<double>({1, 2, 3, 4});
  CHECK(item(var(x)) == 1.25);                                     // of a population
  CHECK(item(var(x, correction(1))) == doctest::Approx(5.0 / 3));  // unbiased
  CHECK(item(stddev(x, correction(1))) == doctest::Approx(std::sqrt(5.0 / 3)));
  // --8<-- [end:var]
  CHECK(std::isinf(item(var(x, correction(4)))));
  CHECK(std::isinf(item(var(x, correction(7)))));
  CHECK(std::isnan(item(var(full(Dim{3}, 2.0), correction(3)))));
  CHECK(item(var(full(Dim{1}, 5.0f))) == 0.0f);
}

TEST_CASE("variances far from zero keep their digits, along rows and columns") {
  Random random(600);
  INFO(random.how_to_repeat());
  const std::ptrdiff_t n = 20000;
  const Array<float, 2> a = full(Dim<2>{n, 40}, 0.0f);
  for_each_position(a.shape(), [&](const auto& at) { element(a, at) = 10000.0f + static_cast<float>(random.real()); });
  for_each_isa([&](device::Isa) {
    const auto by_columns = elements(evaluate(var<0>(a)));
    const auto by_rows = elements(evaluate(var<1>(Array<float, 2>(a.T().clone()))));
    for (std::ptrdiff_t j = 0; j < 40; ++j) {
      long double sum = 0, squares = 0;
      for (std::ptrdiff_t i = 0; i < n; ++i) sum += static_cast<long double>(element(a, std::array{i, j}));
      for (std::ptrdiff_t i = 0; i < n; ++i) {
        const long double distance = static_cast<long double>(element(a, std::array{i, j})) - sum / n;
        squares += distance * distance;
      }
      const auto exact = static_cast<double>(squares / n);
      CHECK(static_cast<double>(by_columns[static_cast<std::size_t>(j)]) == doctest::Approx(exact).epsilon(2e-6));
      CHECK(static_cast<double>(by_rows[static_cast<std::size_t>(j)]) == doctest::Approx(exact).epsilon(2e-6));
    }
  });
}

TEST_CASE("norms of every order") {
  // --8<-- [start:norm]
  const Array<float, 1> x = make_array<float>({3, 0, -4});
  CHECK(item(norm(x)) == 5.0f);
  CHECK(item(norm<NormOrder::one>(x)) == 7.0f);
  CHECK(item(norm<NormOrder::infinity>(x)) == 4.0f);
  CHECK(item(norm(x, 3)) == doctest::Approx(std::cbrt(91.0)));
  // --8<-- [end:norm]
  CHECK(item(norm<NormOrder::two>(x)) == 5.0f);
  CHECK(item(norm<NormOrder::minus_infinity>(x)) == 0.0f);
  CHECK(item(norm<NormOrder::zero>(x)) == 2.0f);
  CHECK(array_equal(norm<NormOrder::one, 0>(make_array<float>({{1, 2}, {-3, 4}})), make_array<float>({4, 6})));
}

TEST_CASE("2-norms neither overflow nor vanish, by rows and by columns" * doctest::test_suite("any place")) {
  const auto check = [](auto scale) {
    using T = decltype(scale);
    INFO("values of size " << static_cast<double>(scale));
    for (const std::ptrdiff_t n : {1, 10, 3000}) {
      Array<T, 2> a = there(full(Dim<2>{n, 9}, scale));
      a[{0, 0}] = T(0);
      const double expected = std::sqrt(static_cast<double>(n));
      const auto by_columns = elements(evaluate(norm<0>(a) / scale));
      CHECK(static_cast<double>(by_columns[1]) == doctest::Approx(expected));
      CHECK(static_cast<double>(by_columns[0]) == doctest::Approx(std::sqrt(static_cast<double>(n - 1))));
      CHECK(static_cast<double>(item(norm(a(all, 1)) / scale)) == doctest::Approx(expected));
    }
  };
  for (const float scale : {1.0f, 1e36f, 1e-37f}) check(scale);
  for (const double scale : {1.0, 1e305, 1e-305, 1e-200, 1e200, 1e150}) check(scale);
  const Array<double, 1> mixed = there(make_array<double>({1e-300, 3e200, 4e200, 1.0}));
  CHECK(item(norm(mixed)) == doctest::Approx(5e200));
  CHECK(item(norm(there(make_array<double>({1.0, std::numeric_limits<double>::infinity(), 1e300})))) ==
        std::numeric_limits<double>::infinity());
  CHECK(std::isnan(item(norm(there(make_array<double>({1.0, std::numeric_limits<double>::quiet_NaN()}))))));
  using c128 = std::complex<double>;
  CHECK(item(norm(there(make_array<c128>({c128(3e300, 4e300)})))) == doctest::Approx(5e300));
}

TEST_CASE("logsumexp of infinities and of nothing but small values" * doctest::test_suite("any place")) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  CHECK(item(logsumexp(there(full(Dim{10}, -infinity)))) == -infinity);
  CHECK(item(logsumexp(there(make_array<float>({-infinity, 2, -infinity})))) == 2.0f);
  CHECK(item(logsumexp(there(make_array<float>({1, infinity})))) == infinity);
  CHECK(std::isnan(item(logsumexp(there(make_array<float>({1, std::numeric_limits<float>::quiet_NaN()}))))));
  CHECK(item(logsumexp(there(full(Dim{2}, -500.0f)))) == doctest::Approx(-500 + std::log(2.0)));
  Array<float, 1> blocks = there(full(Dim{5000}, -infinity));  // whole blocks without a finite value
  blocks[{4999}] = -200.0f;
  CHECK(item(logsumexp(blocks)) == -200.0f);
  CHECK(item(logsumexp<0>(broadcast_to(reshape(blocks, Dim{5000, 1}), Dim{5000, 9})(all, 3))) == -200.0f);
  const Array<float, 2> columns = evaluate(broadcast_to(reshape(blocks, Dim{5000, 1}), Dim{5000, 80}));
  CHECK(array_equal(logsumexp<0>(columns), there(full(Dim{80}, -200.0f))));
}
