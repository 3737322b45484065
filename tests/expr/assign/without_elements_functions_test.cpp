// Reductions, views, joins, products and algorithms with arrays without storage: what has no value and no elements to make one says so, what
// is empty is.
#include "without_elements.hpp"

using namespace tessera;
using namespace support;

#define CALL(...) [](auto& x) -> decltype(__VA_ARGS__) { return __VA_ARGS__; }
#define CHECK_FLOAT(name, ...) check<float>(#name, __VA_ARGS__, CALL(tessera::name(x)));
#define CHECK_AXIS(name, ...) check<float>(#name "<0>", __VA_ARGS__, CALL(tessera::name<0>(x)));
#define CHECK_RUN_TIME_AXIS(name, ...) check<float>(#name "(x, -1)", __VA_ARGS__, CALL(tessera::name(x, -1)));
#define CHECK_KEEPDIMS(name, ...) check<float>(#name " keepdims", __VA_ARGS__, CALL(tessera::name(x, keepdims)));

TEST_CASE("reductions of arrays without storage") {
  const auto over_nothing = [](const std::string& value) { return Wanted{"no storage", value, value}; };
  const auto along_nothing = [](const std::string& value) { return Wanted{"", value, "empty"}; };
  CHECK_FLOAT(sum, over_nothing("0.0"))
  CHECK_FLOAT(prod, over_nothing("1.0"))
  CHECK_FLOAT(any, over_nothing("False"))
  CHECK_FLOAT(any_of, over_nothing("False"))
  CHECK_FLOAT(all_of, over_nothing("True"))
  CHECK_FLOAT(all, over_nothing("True"))
  CHECK_FLOAT(count_nonzero, over_nothing("0"))
  CHECK_FLOAT(norm, over_nothing("0.0"))
  CHECK_AXIS(sum, along_nothing("0.0"))
  CHECK_AXIS(prod, along_nothing("1.0"))
  CHECK_AXIS(any, along_nothing("False"))
  CHECK_AXIS(any_of, along_nothing("False"))
  CHECK_AXIS(all_of, along_nothing("True"))
  CHECK_AXIS(count_nonzero, along_nothing("0"))
  CHECK_AXIS(norm, along_nothing("0.0"))
#define REDUCTIONS(X, ...) \
  X(min, __VA_ARGS__)      \
  X(max, __VA_ARGS__)      \
  X(mean, __VA_ARGS__)     \
  X(var, __VA_ARGS__) X(stddev, __VA_ARGS__) X(argmin, __VA_ARGS__) X(argmax, __VA_ARGS__) X(logsumexp, __VA_ARGS__)
  REDUCTIONS(CHECK_FLOAT, {"no storage", "nothing", "nothing"})
  REDUCTIONS(CHECK_AXIS, {"", "nothing", "nothing"})
  REDUCTIONS(CHECK_RUN_TIME_AXIS, {"", "nothing", "nothing"})
  REDUCTIONS(CHECK_KEEPDIMS, {"no storage", "nothing", "nothing"})
#undef REDUCTIONS
  check<float>("norm of order 3", {"no storage", "0.0", "0.0"}, CALL(norm(x, 3)));
  check<float>("var less 1", {"no storage", "nothing", "nothing"}, CALL(var(x, correction(1))));
}

TEST_CASE("normalisations and products of arrays without storage") {
#define NORMALISATIONS(X, ...) X(softmax, __VA_ARGS__) X(log_softmax, __VA_ARGS__)
  NORMALISATIONS(CHECK_FLOAT, {"no storage", "nothing", "nothing"})
  NORMALISATIONS(CHECK_AXIS, {"", "nothing", "nothing"})
#undef NORMALISATIONS
  check<float>("standardise", {"no storage", "nothing", "nothing"}, CALL(standardise(x, 1e-5)));
  check<float>("layernorm", {"", "nothing", "nothing"}, CALL(layernorm(x)));
  check<float>("dot", {"", "0.0", "empty"}, CALL(dot(x, x)));
  check<float>("matmul", {"", "0.0", "empty"}, CALL(matmul(x, x)));
  check<float>("vecdot", {"", "0.0", "empty"}, CALL(vecdot(x, x)));
  check<float>("outer", {"", "empty", ""}, CALL(outer(x, x)));
}

TEST_CASE("arrays without storage joined and moved") {
  check<float>("concat", {"", "empty", "empty"}, CALL(concat<0>(x, x)));
  check<float>("stack", {"no storage", "empty", "empty"}, CALL(stack<0>(x, x)));
  check<float>("roll", {"", "empty", "empty"}, CALL(roll<0>(x, 1)));
  check<float>("flip", {"no storage", "empty", "empty"}, CALL(flip(x)));
  check<float>("flip of an expression", {"no storage", "empty", "empty"}, CALL(flip(x + 1)));
  check<float>("pad", {"no storage", "[0. 0.]", "[[0. 0.]\n [0. 0.]]"}, CALL(pad(x, 1, 0)));
  check<float>("pad at the edge", {"no storage", "nothing", "nothing"}, CALL(pad(x, 1, PadMode::edge)));
  check<float>("repeat", {"", "empty", "empty"}, CALL(repeat<0>(x, 3)));
  check<float>("tile", {"", "empty", ""}, CALL(tile(x, {3})));
  check<float>("tile of a matrix", {"", "", "empty"}, CALL(tile(x, {3, 2})));
}

TEST_CASE("views of arrays without storage") {
  const Wanted of_any{"no storage", "empty", "empty"}, of_axes{"", "empty", "empty"}, of_matrices{"", "", "empty"};
  check<float>("transpose", of_any, CALL(transpose(x)));
  check<float>("matrix_transpose", of_matrices, CALL(matrix_transpose(x)));
  check<float>("swapaxes", {"no axis", "empty", "empty"}, CALL(swapaxes(x, 0, -1)));
  check<float>("moveaxis", {"no axis", "empty", "empty"}, CALL(moveaxis(x, 0, -1)));
  check<float>("expand_dims", of_any, CALL(expand_dims<0>(x)));
  check<float>("squeeze", {"", "nothing", "nothing"}, CALL(squeeze<0>(x)));
  check<float>("flatten", of_any, CALL(flatten(x)));
  check<float>("reshape", {"no storage", "empty", "empty"}, CALL(reshape(x, x.shape())));
  check<float>("reshape to one element", {"no storage", "nothing", "nothing"}, CALL(reshape(x, 1)));
  check<float>("reshape to none", {"no storage", "empty", "empty"}, CALL(reshape(x, 0)));
  check<float>("slice", of_axes, [](auto& x) -> decltype(x(all)) { return slice(x, {x.shape()}, {x.shape()}); });
  check<float>("range", of_axes, CALL(x(range(0, 2))));
  check<float>("an index", {"", "nothing", "nothing"}, CALL(x(0, ellipsis)));
  check<float>("newaxis", of_any, CALL(x(newaxis, ellipsis)));
  check<float>("broadcast_to", {"no storage", "empty", "empty"}, CALL(broadcast_to(x, x.shape())));
  check<float>("broadcast_to three", {"no storage", "nothing", ""}, CALL(broadcast_to(x, Dim{3})));
  check<float>("sliding_window", {"", "nothing", ""}, CALL(sliding_window(x, Dim{1})));
  check<float>("make_view", of_any, CALL(make_view(x)));
}

TEST_CASE("answers, copies and arrays like arrays without storage") {
  const Wanted copies{"no storage", "empty", "empty"};
  check<float>("evaluate", copies, CALL(evaluate(x)));
  check<float>("copy", copies, CALL(copy(x)));
  check<float>("item", {"no storage", "nothing", "nothing"}, CALL(to_string(full(Dim<0>(), item(x)))));
  check<float>("array_equal", {"no storage", "True", "True"}, CALL(array_equal(x, x) ? "True" : "False"));
  check<float>("allclose", {"no storage", "True", "True"}, CALL(allclose(x, x) ? "True" : "False"));
  check<float>("to_string", {"(no storage)", "(no storage)", "(no storage)"}, CALL(to_string(x)));
  check<float>("to_string of an expression", {"no storage", "[]", "[]"}, CALL(to_string(x + 1)));
  check<float>("zeros_like", {"0.0", "empty", "empty"}, CALL(zeros_like(x)));
  check<float>("ones_like", {"1.0", "empty", "empty"}, CALL(ones_like(x)));
  check<float>("full_like", {"2.0", "empty", "empty"}, CALL(full_like(x, 2)));
  check<float>("empty_like", {"done", "done", "done"}, CALL((empty_like(x), "done")));
  check<float>("explain", {"no storage", "done", "done"}, CALL((explain(x + 1), "done")));
  check<float>("begin", {"done", "done", "done"}, CALL((x.begin() == x.end() ? "done" : "an element")));
  check<float>("clone", {"empty handle", "empty handle", "empty handle"},
               CALL(x.clone().has_storage() ? "storage" : "empty handle"));
  check<float>("to", {"empty handle", "empty handle", "empty handle"},
               CALL(x.to(CpuPlace{}).has_storage() ? "storage" : "empty handle"));
  check<float>("var", {"no storage", "no storage", "no storage"}, CALL((x.var(), "done")));
  check<float>("data", {"null", "null", "null"}, CALL(x.data() == nullptr ? "null" : "storage"));
  check<float>("strides", {"done", "done", "done"}, CALL((static_cast<void>(x.strides()), "done")));
  check<float>("make_iterator", {"done", "done", "done"},
               CALL((static_cast<void>(make_iterator(x.data(), x.shape())), "done")));
  check<float>("assign", {"no storage", "no storage", "no storage"}, CALL((assign(x, 1.0f), "done")));
  check<float>("a scalar for a name", {"done", "no storage", "no storage"}, CALL((x = 1.0f, "done")));
}

TEST_CASE("algorithms on arrays without storage") {
  const Wanted along_an_axis{"", "empty", "empty"};
  check<float>("sort", along_an_axis, CALL(sort(x)));
  check<float>("sort descending", along_an_axis, CALL(sort(x, descending)));
  check<float>("argsort", along_an_axis, CALL(argsort(x)));
  check<float>("cumulative_sum", along_an_axis, CALL(cumulative_sum<0>(x)));
  check<float>("cumulative_prod", along_an_axis, CALL(cumulative_prod<0>(x)));
  check<float>("take", {"", "nothing", "nothing"}, CALL(take(x, Array<int, 1>{0})));
  check<float>("take nothing", along_an_axis, CALL(take(x, Array<int, 1>())));
  check<float>("picked", {"", "nothing", "nothing"}, CALL(picked(x, Array<int, 1>{0}, ellipsis)));
  check<float>("picked nothing", along_an_axis, CALL(picked(x, Array<int, 1>(), ellipsis)));
  check<float>("compress", {"no storage", "empty", "empty"}, CALL(compress(x > 0, x)));
  check<bool>("compress by itself", {"no storage", "empty", "empty"}, CALL(compress(x, x)));
  const Wanted done{"", "done", "done"};
  check<float>("sort_into", done, CALL((sort_into(x, x), "done")));
  check<std::int64_t>("argsort_into", done, CALL((argsort_into(x, x), "done")));
  check<float>("cumulative_sum_into", done, CALL((cumulative_sum_into<0>(x, x), "done")));
  check<float>("cumulative_prod_into", done, CALL((cumulative_prod_into<0>(x, x), "done")));
  check<float>("take_into", done, CALL((take_into(x, x, Array<int, 1>()), "done")));
  check<bool>("compress_into", {"", "done", ""}, CALL((compress_into(x, x, x), "done")));
}
