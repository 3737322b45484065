// Searching, counting, selecting, statistics and differences take every kind of operand: a read-only array, one on a known place, a slice, a view, borrowed
// memory, an expression. The results are those of the array.
#include "../../expr/support.hpp"

using namespace tessera;

namespace {

const Array<double, 2>& values() {
  static const Array<double, 2> a = reshape(cast<double>(arange(0, 12) * 5 % 12) / 4 + 0.25, Dim{3, 4});
  return a;
}

/// Calls the function with each kind of operand whose elements are those of values().
template <class Function>
void check(const char* name, const Function& function) {
  CAPTURE(name);
  const std::string expected = to_string(evaluate(function(values())));
  const auto agrees = [&](const char* kind, const auto& operand) {
    CAPTURE(kind);
    CHECK(to_string(evaluate(function(operand))) == expected);
  };
  Array<double, 2> a = values().clone();
  Array<double, 3> stacked = zeros<double>(3, 2, 4);
  stacked(all, 1, all) = a;
  agrees("a slice", stacked(all, 1, all));
  agrees("a read-only array", Array<const double, 2>(a));
  agrees("an array on a known place", Array<double, 2, CpuPlace>(a));
  agrees("a view", make_view(a));
  agrees("borrowed memory", borrow(a.data(), Dim{3, 4}));
  agrees("an expression", a + 0);
  agrees("a view of an expression", (a.T() * 1).T());
}

#define CHECK_FUNCTION(...) check(#__VA_ARGS__, [](const auto& x) { return __VA_ARGS__; })

}  // namespace

TEST_CASE("searching, counting and selecting take every kind of operand") {
  CHECK_FUNCTION(searchsorted(values()(0, all), x));
  CHECK_FUNCTION(searchsorted(flatten(evaluate(x)), values()));
  CHECK_FUNCTION(isin(x, values()(1, all)));
  CHECK_FUNCTION(isin(values(), x));
  CHECK_FUNCTION(unique(x));
  CHECK_FUNCTION(unique_all(x).inverse);
  CHECK_FUNCTION(unique<0>(x).values);
  CHECK_FUNCTION(union1d(x, x));
  CHECK_FUNCTION(histogram(x, 3).counts);
  CHECK_FUNCTION(histogram(values(), 3, x).counts);
  CHECK_FUNCTION(segment_sum(x, Array<int, 1>{0, 1, 0}, 2));
  CHECK_FUNCTION(bincount(Array<int, 1>{0, 1, 0, 2}, x(0, all)));
  CHECK_FUNCTION(partition(x, 1));
  CHECK_FUNCTION(top_k<0>(x, 2).values);
  CHECK_FUNCTION(median<1>(x));
  CHECK_FUNCTION(median(x));
  CHECK_FUNCTION(quantile<0>(x, Array<double, 1>{0.25, 0.5}));
}

TEST_CASE("statistics, differences and scans take every kind of operand") {
  CHECK_FUNCTION(nanmean<1>(x));
  CHECK_FUNCTION(nanargmin<0>(x));
  CHECK_FUNCTION(nanvar(x));
  CHECK_FUNCTION(ptp<0>(x));
  CHECK_FUNCTION(average<1>(x, x));
  CHECK_FUNCTION(moment<0>(x, 3));
  CHECK_FUNCTION(moments(x).variance);
  CHECK_FUNCTION(nanpercentile(x, 30));
  CHECK_FUNCTION(cov(x));
  CHECK_FUNCTION(corrcoef(x));
  CHECK_FUNCTION(diff(x));
  CHECK_FUNCTION(diff(x, 2, 0));
  CHECK_FUNCTION(gradient<0>(x));
  CHECK_FUNCTION(gradient(x, values()(0, all)));
  CHECK_FUNCTION(trapezoid(x, 2));
  CHECK_FUNCTION(convolve(x(0, all), x(1, all)));
  CHECK_FUNCTION(interp(x, Array<double, 1>{0.0, 3.0}, Array<double, 1>{1.0, 9.0}));
  CHECK_FUNCTION(cumulative_max<1>(x));
  CHECK_FUNCTION(cumulative_logsumexp<0>(x, {.reverse = true}));
  CHECK_FUNCTION(cumulative_sum<1>(x, {.exclusive = true}));
}
