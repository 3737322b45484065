#include "../support.hpp"

// Views of expressions against the same views of their values: whatever the view and the expression are, no element may differ.

using namespace tessera;

namespace {

/// Calls `check` with every kind of expression of shape (3, 4); where sanitizers watch with those alone that read memory in ways of their own.
template <class Check>
void for_each_expression(const Check& check) {
  const Array<double, 2> a = reshape(arange(0.0, 12.0), 3, 4);
  const Array<double, 2> wide = reshape(arange(0.0, 24.0), 4, 6);
  const Array<double, 1> row{10, 20, 30, 40};
  const Array<double, 2> column = reshape(arange(1.0, 4.0), 3, 1);
  const Array<double, 0> one = 0.5;
  check("broadcasts of all kinds", a * 2 + row - column / one);
  check("a strided operand", wide(range(0, 3), range(0, none, 1))(all, range(1, 5)) + a);
  check("a transposed operand", a + reshape(arange(0.0, 12.0), 4, 3).T());
  check("a reduction below", a - mean<1>(a, keepdims));
  check("a product", dot(a, eye<double>(4)));
  check("parts side by side", concat<0>(a(range(0, 2), all), expand_dims<0>(row)));
  check("a view of borrowed memory", make_view(a) * row);
  if constexpr (!support::is_sanitized) {
    check("an array", a + 0);
    check("a row and a column alone", row * column);
    check("a reversed operand", a(range(none, none, -1), all) * row);
    check("two reductions below", (a - min<0>(a)) / (max(a) + 1));
    check("work around a product", relu(dot(a, eye<double>(4)) - row));
    check("a normalisation", softmax<1>(a));
    check("moved elements", roll<1>(a, 1) + a);
    check("random numbers", random::uniform<double>(random::Key{3}, Dim{3, 4}) * a);
    check("a condition", where(a > 5, a, -row));
    check("another type", cast<double>(cast<float>(a) > 3.f));
    check("a view of a view", (a + row)(range(none, none, -1), all) * 2);
    check("a reshaped one", reshape(arange(0.0, 12.0) + 1, Dim{3, 4}) + a);
  }
}

template <class E>
void agree(const char* what, const E& seen, const auto& expected) {
  CAPTURE(what);
  static_assert(rank_of<E> == rank_of<decltype(expected)>);
  CHECK(to_string(Dim<rank_of<E>>(seen.shape())) == to_string(Dim<rank_of<E>>(expected.shape())));
  CHECK(array_equal(evaluate(seen), expected));
  CHECK(array_equal(evaluate(seen + 1), evaluate(expected + 1)));  // as a part of a larger expression
}

}  // namespace

TEST_CASE("slices of expressions") {
  for_each_expression([](const char* what, const auto& e) {
    CAPTURE(what);
    const auto values = evaluate(e);
    agree("a row", e(1, all), values(1, all));
    agree("the last column", e(all, -1), values(all, -1));
    agree("every second, backwards", e(range(none, none, -1), range(3, none, -2)),
          values(range(none, none, -1), range(3, none, -2)));
    agree("nothing", e(range(2, 2), all), values(range(2, 2), all));
    agree("a new axis", e(all, newaxis, all), values(all, newaxis, all));
    agree("everything", e(ellipsis), values(ellipsis));
    CHECK(double(e(2, 3)) == values(2, 3));
    CHECK(double(e(-3, -4)) == values(0, 0));
    CHECK_THROWS_AS(e(3, all), IndexError);
  });
}

TEST_CASE("other axes of expressions") {
  for_each_expression([](const char* what, const auto& e) {
    CAPTURE(what);
    const auto values = evaluate(e);
    agree("T", e.T(), values.T());
    agree("transpose", transpose(e, {1, 0}), values.T());
    agree("moveaxis", moveaxis(e, 0, 1), moveaxis(values, 0, 1));
    agree("expand_dims", expand_dims<0, 2>(e), expand_dims<0, 2>(values));
    agree("squeeze", squeeze<0>(e(range(1, 2), all)), values(1, all));
    agree("flip", flip<1>(e), flip<1>(values));
    agree("flip all", flip(e), flip(values));
  });
}

TEST_CASE("other shapes of expressions") {
  for_each_expression([](const char* what, const auto& e) {
    CAPTURE(what);
    const auto values = evaluate(e);
    agree("reshape", reshape(e, Dim{2, 6}), reshape(values, Dim{2, 6}));
    agree("reshape with -1", reshape(e, {-1, 2}), reshape(values, 6, 2));
    agree("a member", e.reshape(12), reshape(values, Dim<1>{12}));
    agree("flatten", flatten(e.T()), flatten(values.T()));
    agree("broadcast_to", broadcast_to(e, Dim{2, 3, 4}), broadcast_to(values, Dim{2, 3, 4}));
    agree("windows", sliding_window(e, Dim{2, 3}), sliding_window(values, Dim{2, 3}));
    CHECK_THROWS_AS(reshape(e, Dim{5, 2}), ShapeError);
  });
}

TEST_CASE("views of expressions are compared and reduced without being computed first") {
  const Array<double, 2> a = reshape(arange(0.0, 12.0), 3, 4);
  const Array<double, 1> row{10, 20, 30, 40};
  const auto e = a * 2 + row - mean<1>(a, keepdims);
  const Array<double, 2> values = e;
  CHECK(array_equal(e(1, all), values(1, all)));
  CHECK(array_equal(e(range(none, none, -1), range(3, none, -2)), values(range(none, none, -1), range(3, none, -2))));
  CHECK(array_equal(e.T(), values.T()));
  CHECK(array_equal(moveaxis(e, 0, 1) + 1, moveaxis(values, 0, 1) + 1));
  CHECK(array_equal(flip<1>(e), flip<1>(values)));
  CHECK(array_equal(reshape(e, Dim{2, 6}), reshape(values, Dim{2, 6})));
  CHECK(array_equal(broadcast_to(e, Dim{2, 3, 4}), broadcast_to(values, Dim{2, 3, 4})));
  CHECK(array_equal(sliding_window(e, Dim{2, 3}), sliding_window(values, Dim{2, 3})));
}

TEST_CASE("a view of an expression sees the names that the expression keeps") {
  Array<float, 1> a{1, 2, 3};
  const auto e = (a * 2)(range(1, 3));
  a = a + 10;
  CHECK(array_equal(e, Array<float, 1>{4, 6}));
}

TEST_CASE("a view of an expression of a destination's own elements reads them as they were") {
  Array<double, 2> a = reshape(arange(0.0, 9.0), 3, 3);
  const Array<double, 2> before = a.clone();
  a(ellipsis) = (a + 1).T();
  CHECK(array_equal(a, evaluate(before.T() + 1)));
  a(ellipsis) = (a - min<0>(a, keepdims))(range(none, none, -1), all);
  const Array<double, 2> moved = before.T() + 1;
  CHECK(array_equal(a, flip<0>(evaluate(moved - min<0>(moved, keepdims)))));
}

TEST_CASE("expressions are ranges and texts") {
  const Array<int, 1> a{1, 2, 3};
  std::string text;
  for (const int value : a * 10) text += std::to_string(value) + ' ';
  CHECK(text == "10 20 30 ");
  CHECK(to_string(a + 1) == "[2 3 4]");
  CHECK(to_string(mean(a)) == "2.0");
  for (const bool never : Array<bool, 1>() & Array<bool, 1>()) CHECK(never);
}

TEST_CASE("axes as arguments are axes as template arguments") {
  const Array<double, 3> x = reshape(cast<double>(arange(0, 24) * 7 % 11), Dim{2, 3, 4});
  agree("sum", sum(x, axis<1>), evaluate(sum<1>(x)));
  agree("sum, two axes", sum(x, axis<0, 2>, keepdims), evaluate(sum<0, 2>(x, keepdims)));
  for (int which = -3; which < 3; ++which) {
    CAPTURE(which);
    const auto by_axis = [&](const auto& function) {
      const int at = which < 0 ? which + 3 : which;
      return at == 0 ? function(axis<0>) : at == 1 ? function(axis<1>) : function(axis<2>);
    };
    agree("sum", sum(x, which), by_axis([&](auto at) { return Array<double, 2>(sum(x, at)); }));
    agree("max, kept", max(x, which, keepdims),
          by_axis([&](auto at) { return Array<double, 3>(max(x, at, keepdims)); }));
    agree("mean", mean(x * 2, which), by_axis([&](auto at) { return Array<double, 2>(mean(x * 2, at)); }));
    agree("argmin", argmin(x, which), by_axis([&](auto at) { return Array<std::int64_t, 2>(argmin(x, at)); }));
    agree("softmax", softmax(x, which), by_axis([&](auto at) { return Array<double, 3>(softmax(x, at)); }));
    agree("var", var(x, which, correction(1)),
          by_axis([&](auto at) { return Array<double, 2>(var(x, at, correction(1))); }));
  }
  CHECK_THROWS_AS(sum(x, 3), IndexError);
  CHECK_THROWS_AS(sum(x, -4), IndexError);
}

TEST_CASE("members are the functions of their names") {
  const Array<float, 2> a{{1, 5}, {3, 2}};
  CHECK(a.sum() == 11);
  CHECK(a.max() == 5);
  CHECK((a * 2).min() == 2);
  CHECK(a.mean() == 2.75f);
  CHECK(array_equal(a.mean<1>(), Array<float, 1>{3, 2.5}));
  CHECK(array_equal(a.sum(1, keepdims), Array<float, 2>{{6}, {5}}));
  CHECK(array_equal(a.argmax<0>(), Array<std::int64_t, 1>{1, 0}));
  CHECK((a > 4).any());
  CHECK_FALSE((a > 4).all());
  CHECK(array_equal(a.reshape({4, 1}), a.reshape(4, 1)));
  CHECK(array_equal((a + 1).reshape({1, -1}), Array<float, 2>{{2, 6, 4, 3}}));
  CHECK(array_equal(a.flatten(), Array<float, 1>{1, 5, 3, 2}));
  CHECK(a.sum().item() == 11);
}
