// Positions, logarithms of sums and variances of sharded arrays against those of the same arrays whole, along every axis and every layout.
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "support.hpp"

using namespace tessera;

namespace {

/// For arrays of more rows than ranks, of fewer, and of one element, in each layout.
template <class Check>
void for_layouts(const Check& check) {
  for (const Dim<2> shape : {Dim{12, 20}, Dim{7, 3}, Dim{2, 5}, Dim{1, 1}}) {
    for (const ShardLayout layout : {ShardLayout::replicated(), ShardLayout::split(0), ShardLayout::split(1)}) {
      CAPTURE(to_string(shape));
      CAPTURE(to_string(layout));
      check(shape, layout);
    }
  }
}

/// The result is that of the whole array; `exactly` says by how much it may differ.
template <class T, class F>
void compare(const Array<T, 2>& whole, ShardLayout layout, double tolerance, const F& f) {
  const Sharded<Array<T, 2>> x(ranks::world(), whole, layout);
  const auto result = f(x);
  const auto all = result.gather();
  const auto expected = evaluate(f(whole));
  CHECK(result.shape() == expected.shape());
  REQUIRE(all.shape() == expected.shape());
  using R = typename std::remove_cvref_t<decltype(all)>::value_type;
  if constexpr (Floating<R>) {
    CHECK(allclose(cast<double>(all), cast<double>(expected), tolerance, tolerance, true));
  } else {
    CHECK(all_of(all == expected));
  }
}

template <class T, class F>
void compare_axes(const Array<T, 2>& whole, ShardLayout layout, double tolerance, const F& f) {
  compare(whole, layout, tolerance, [&](const auto& x) { return f.template operator()<0>(x); });
  compare(whole, layout, tolerance, [&](const auto& x) { return f.template operator()<1>(x); });
  compare(whole, layout, tolerance, [&](const auto& x) { return f.template operator()<-2>(x); });
  compare(whole, layout, tolerance, [&](const auto& x) { return f(x); });
}

template <class T>
Array<T, 2> some(Dim<2> shape, std::uint64_t seed, float scale) {
  return evaluate(cast<T>((random::uniform<float>(random::Key{seed}, shape) - 0.5f) * scale));
}

}  // namespace

TEST_CASE_TEMPLATE("positions are those of the first of the best elements of all ranks", T, bool, std::int8_t,
                   std::uint16_t, std::int64_t, float16, float, double) {
  for_layouts([](Dim<2> shape, ShardLayout layout) {
    for (const float scale : {3.f, 100.f}) {  // with many equal ones, and few
      const auto x = some<T>(shape, 11, scale);
      compare_axes(x, layout, 0, []<int... Axis>(const auto& a) { return argmin<Axis...>(a); });
      compare_axes(x, layout, 0, []<int... Axis>(const auto& a) { return argmax<Axis...>(a); });
    }
    const auto same = full<T>(shape, T(1));
    compare_axes(same, layout, 0, []<int... Axis>(const auto& a) { return argmax<Axis...>(a, keepdims); });
    compare_axes(same, layout, 0, []<int... Axis>(const auto& a) { return argmin<Axis...>(a, keepdims); });
  });
}

TEST_CASE("the first NaN is the best element, and infinite ones are elements as others") {
  static constexpr float infinity = std::numeric_limits<float>::infinity();
  for_layouts([](Dim<2> shape, ShardLayout layout) {
    auto x = some<float>(shape, 12, 8);
    const auto check = [&] {
      compare_axes(x, layout, 1e-6, []<int... Axis>(const auto& a) { return argmin<Axis...>(a); });
      compare_axes(x, layout, 1e-6, []<int... Axis>(const auto& a) { return argmax<Axis...>(a); });
      compare_axes(x, layout, 1e-6, []<int... Axis>(const auto& a) { return logsumexp<Axis...>(a); });
    };
    x.data()[x.size() - 1] = infinity;
    check();
    x(all) = -infinity;
    check();
    x(all) = infinity;
    check();
    x.data()[x.size() / 2] = std::numeric_limits<float>::quiet_NaN();
    x.data()[x.size() - 1] = std::numeric_limits<float>::quiet_NaN();
    check();
  });
}

TEST_CASE("logarithms of sums do not overflow on their way from rank to rank") {
  for_layouts([](Dim<2> shape, ShardLayout layout) {
    for (const float scale : {1.f, 1000.f, 1e30f}) {
      compare_axes(some<float>(shape, 13, scale), layout, 1e-5,
                   []<int... Axis>(const auto& a) { return logsumexp<Axis...>(a); });
      compare_axes(some<double>(shape, 13, scale), layout, 1e-12,
                   []<int... Axis>(const auto& a) { return logsumexp<Axis...>(a, keepdims); });
    }
    compare_axes(some<float16>(shape, 13, 20), layout, 2e-3,
                 []<int... Axis>(const auto& a) { return logsumexp<Axis...>(a); });
  });
}

TEST_CASE_TEMPLATE("variances and deviations are those of all elements, however far from 0", T, bool, std::int32_t,
                   bfloat16, float, double, std::complex<double>) {
  for_layouts([](Dim<2> shape, ShardLayout layout) {
    auto x = some<T>(shape, 14, 9);
    if constexpr (std::same_as<T, float> || std::same_as<T, double>) x += T(1000);
    constexpr double tolerance = std::same_as<T, bfloat16> ? 1e-2 : std::same_as<T, float> ? 1e-4 : 1e-9;
    for (const Correction correction : {Correction{0}, Correction{1}, Correction{0.5}}) {
      compare_axes(x, layout, tolerance, [=]<int... Axis>(const auto& a) { return var<Axis...>(a, correction); });
      compare_axes(x, layout, tolerance, [=]<int... Axis>(const auto& a) { return stddev<Axis...>(a, correction); });
    }
    compare_axes(x, layout, tolerance, []<int... Axis>(const auto& a) { return var<Axis...>(a, keepdims); });
    compare_axes(x, layout, tolerance, []<int... Axis>(const auto& a) { return stddev<Axis...>(a, keepdims); });
  });
}

TEST_CASE("reductions keep their axes, and the result goes with the operand where its layout allows") {
  for_layouts([](Dim<2> shape, ShardLayout layout) {
    const auto whole = some<float>(shape, 15, 8);
    compare_axes(whole, layout, 1e-5, []<int... Axis>(const auto& a) { return sum<Axis...>(a, keepdims); });
    compare_axes(whole, layout, 1e-5, []<int... Axis>(const auto& a) { return prod<Axis...>(a, keepdims); });
    compare_axes(whole, layout, 0, []<int... Axis>(const auto& a) { return min<Axis...>(a, keepdims); });
    compare_axes(whole, layout, 0, []<int... Axis>(const auto& a) { return max<Axis...>(a, keepdims); });
    compare_axes(whole, layout, 1e-5, []<int... Axis>(const auto& a) { return mean<Axis...>(a, keepdims); });
    compare_axes(whole, layout, 1e-5, []<int... Axis>(const auto& a) { return norm<Axis...>(a, keepdims); });
    compare_axes(evaluate(whole > 0.f), layout, 0,
                 []<int... Axis>(const auto& a) { return any_of<Axis...>(a, keepdims); });
    compare_axes(evaluate(whole > 0.f), layout, 0,
                 []<int... Axis>(const auto& a) { return all_of<Axis...>(a, keepdims); });
    const Sharded<Array<float, 2>> x(ranks::world(), whole, layout);
    const Sharded<Array<float, 2>> standard = (x - mean<0>(x, keepdims)) / (stddev<0>(x, keepdims) + 1.f);
    CHECK(standard.layout() == layout);
    CHECK(allclose(standard.gather(), evaluate((whole - mean<0>(whole, keepdims)) / (stddev<0>(whole, keepdims) + 1.f)),
                   1e-4, 1e-5));
  });
}

TEST_CASE("nothing has no best element and no variance, on every rank alike") {
  const Sharded<Array<float, 2>> none_along_0(ranks::world(), zeros<float>(Dim{0, 3}), ShardLayout::split(0));
  CHECK_THROWS_AS(argmin<0>(none_along_0), ShapeError);
  CHECK_THROWS_AS(argmax(none_along_0), ShapeError);
  CHECK_THROWS_AS(var<0>(none_along_0), ShapeError);
  CHECK_THROWS_AS(stddev(none_along_0), ShapeError);
  CHECK(argmin<1>(none_along_0).gather().shape() == Dim{0});
  CHECK(var<1>(none_along_0, keepdims).gather().shape() == Dim{0, 1});
}
