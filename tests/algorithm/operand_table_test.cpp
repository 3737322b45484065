#include "../expr/support.hpp"

// Every function that takes an array takes every kind of operand: an array, a read-only one, a slice, a view, borrowed memory, an expression.
// The results are those of the array.

using namespace tessera;

namespace {

const Array<double, 2>& values() {
  static const Array<double, 2> a = reshape(cast<double>(arange(0, 12) * 5 % 12) / 4 + 0.25, Dim{3, 4});
  return a;
}

template <class Result>
std::string text_of(const Result& result) {
  if constexpr (std::is_same_v<Result, std::string>) {
    return result;
  } else if constexpr (requires { to_string(result); }) {
    return to_string(result);
  } else {
    return std::to_string(result);
  }
}

/// Calls the function with each kind of operand whose elements are those of values().
template <class Function>
void check(const char* name, const Function& function) {
  CAPTURE(name);
  const std::string expected = text_of(function(values()));
  const auto agrees = [&](const char* kind, const auto& operand) {
    CAPTURE(kind);
    CHECK(text_of(function(operand)) == expected);
  };
  Array<double, 2> a = values().clone();
  Array<double, 3> stacked = zeros<double>(3, 2, 4);
  stacked(all, 1, all) = a;
  agrees("a slice", stacked(all, 1, all));
  agrees("borrowed memory", borrow(a.data(), Dim{3, 4}));
  agrees("a view of an expression", (a.T() * 1).T());
  if constexpr (!support::is_sanitized) {
    agrees("an array", a);
    agrees("a read-only array", Array<const double, 2>(a));
    agrees("an array on a known place", Array<double, 2, CpuPlace>(a));
    agrees("a view", make_view(a));
    agrees("a view that reads only", make_view(values()));
    agrees("an expression", a + 0);
  }
}

}  // namespace

#define CHECK_FUNCTION(...) check(#__VA_ARGS__, [](const auto& x) { return __VA_ARGS__; })

TEST_CASE("shapes and views take every kind of operand") {
  CHECK_FUNCTION(evaluate(x(1, all)));
  CHECK_FUNCTION(evaluate(x(range(none, none, -1), newaxis, 2)));
  CHECK_FUNCTION(evaluate(x.T()));
  CHECK_FUNCTION(evaluate(slice(x, {0, 1}, {3, 4}, {2, 2})));
  CHECK_FUNCTION(evaluate(transpose(x)));
  CHECK_FUNCTION(evaluate(transpose(x, {1, 0})));
  CHECK_FUNCTION(evaluate(reshape(x, Dim{2, 6})));
  CHECK_FUNCTION(evaluate(reshape(x, 4, -1)));
  CHECK_FUNCTION(evaluate(x.reshape({6, 2})));
  CHECK_FUNCTION(evaluate(moveaxis(x, 0, 1)));
  CHECK_FUNCTION(evaluate(swapaxes(x, 0, 1)));
  CHECK_FUNCTION(evaluate(matrix_transpose(x)));
  CHECK_FUNCTION(evaluate(expand_dims<1>(x)));
  CHECK_FUNCTION(evaluate(squeeze<0>(expand_dims<0>(x))));
  CHECK_FUNCTION(evaluate(flip<0>(x)));
  CHECK_FUNCTION(evaluate(broadcast_to(x, Dim{2, 3, 4})));
  CHECK_FUNCTION(evaluate(sliding_window<1>(x, Dim{2})));
  CHECK_FUNCTION(copy(x));
  CHECK_FUNCTION(to_string(x));
  CHECK_FUNCTION(zeros_like(x));
  CHECK_FUNCTION(ones_like<int>(x));
  CHECK_FUNCTION(full_like(x, 2));
  CHECK_FUNCTION(empty_like(x).shape()[1]);
}

TEST_CASE("elementwise functions, joins and products take every kind of operand") {
  CHECK_FUNCTION(evaluate(x + x * 2 - x / 3));
  CHECK_FUNCTION(evaluate(exp(-x)));
  CHECK_FUNCTION(evaluate(where(x > 1, x, 0.5)));
  CHECK_FUNCTION(evaluate(clip(x, 0.5, 1.5)));
  CHECK_FUNCTION(evaluate(cast<int>(x)));
  CHECK_FUNCTION(evaluate(maximum(x, 1)));
  CHECK_FUNCTION(evaluate(roll<0>(x, 1)));
  CHECK_FUNCTION(evaluate(pad(x, 1, 0)));
  CHECK_FUNCTION(evaluate(tile(x, {2, 1})));
  CHECK_FUNCTION(evaluate(repeat<0>(x, 2)));
  CHECK_FUNCTION(evaluate(concat<0>(x, x)));
  CHECK_FUNCTION(evaluate(stack<0>(x, x)));
  CHECK_FUNCTION(evaluate(dot(x, x.T())));
  CHECK_FUNCTION(evaluate(matmul(x.T(), x)));
  CHECK_FUNCTION(evaluate(vecdot(x, x)));
  CHECK_FUNCTION(evaluate(outer(x(0, all), x(1, all))));
  CHECK_FUNCTION(evaluate(softmax<1>(x)));
  CHECK_FUNCTION(evaluate(layernorm(x)));
  CHECK_FUNCTION(array_equal(x, x + 0) ? 1 : 0);
  CHECK_FUNCTION(allclose(x, x + 0) ? 1 : 0);
}

TEST_CASE("reductions and algorithms take every kind of operand") {
  CHECK_FUNCTION(evaluate(sum(x)));
  CHECK_FUNCTION(evaluate(sum<0>(x)));
  CHECK_FUNCTION(evaluate(sum(x, axis<1>, keepdims)));
  CHECK_FUNCTION(evaluate(mean(x, 1)));
  CHECK_FUNCTION(evaluate(x.template max<0>()));
  CHECK_FUNCTION(evaluate(var(x)));
  CHECK_FUNCTION(evaluate(norm(x)));
  CHECK_FUNCTION(evaluate(argmin<1>(x)));
  CHECK_FUNCTION(item(any(x > 2)) ? 1 : 0);
  CHECK_FUNCTION(item(all(x > 2)) ? 1 : 0);
  CHECK_FUNCTION(sort(x));
  CHECK_FUNCTION(sort<0>(x, descending));
  CHECK_FUNCTION(argsort(x));
  CHECK_FUNCTION(cumulative_sum<1>(x));
  CHECK_FUNCTION(cumulative_prod<0>(x));
  CHECK_FUNCTION(compress(x > 1, x));
  CHECK_FUNCTION(take(x, Array<int, 1>{2, 0, -1}));
  CHECK_FUNCTION(take(values(), cast<int>(x(0, all))));
  CHECK_FUNCTION(take(values(), argsort(x(range(0, 2), 0))));
}

TEST_CASE("indices of every kind") {
  const Array<float, 2> rows = reshape(arange(0.f, 12.f), 4, 3);
  std::int64_t mine[] = {3, 0};
  CHECK(to_string(take(rows, borrow(mine, Dim{2}))) == to_string(take(rows, Array<int, 1>{3, 0})));
  CHECK(to_string(take(rows, Array<std::uint8_t, 1>{1, 2})) == to_string(rows(range(1, 3), all)));
  CHECK_THROWS_WITH_AS(take(rows, Array<std::uint64_t, 1>{0, ~std::uint64_t{0}}),
                       doctest::Contains("index 18446744073709551615 at position 1"), IndexError);
  CHECK_THROWS_AS(take(rows, Array<std::int8_t, 1>{-5}), IndexError);
}
