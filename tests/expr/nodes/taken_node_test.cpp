#include "../support.hpp"

// Vectors of integers between the parentheses of a(...): operands that read what the indices pick, against copies of the same elements.

using namespace tessera;

namespace {

using support::Arrangement;
using support::Random;

/// `count` indices into [-extent, extent), in memory of a random step.
template <class I>
Array<I, 1> random_indices(std::ptrdiff_t count, std::ptrdiff_t extent, Random& random) {
  Array<I, 1> indices = support::storage_like<I>(
      Dim<1>{count}, random.below(2) == 0 ? Arrangement::contiguous : Arrangement::sliced, I(0), random);
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const std::ptrdiff_t index = random.below(extent);
    indices(i) = static_cast<I>(std::is_signed_v<I> && random.below(2) == 0 ? index - extent : index);
  }
  return indices;
}

/// What `indices` pick along an axis, element by element.
template <int Axis, class T, int Rank, class I>
Array<T, Rank> picked_slowly(const Array<T, Rank>& x, const Array<I, 1>& indices) {
  const Array<T, Rank> result(x.shape().with(Axis, indices.shape()[0]));
  support::for_each_position(result.shape(), [&](const auto& position) {
    auto from = position;
    auto& at = from[static_cast<std::size_t>(Axis)];
    const auto index = static_cast<std::ptrdiff_t>(I(indices(at)));
    at = index < 0 ? index + x.shape()[Axis] : index;
    support::element(result, position) = support::element(x, from);
  });
  return result;
}

template <class E, class T, int Rank>
void agrees(const std::string& what, const E& expression, const Array<T, Rank>& expected) {
  CAPTURE(what);
  static_assert(rank_of<E> == Rank);
  REQUIRE(to_string(Dim<Rank>(expression.shape())) == to_string(expected.shape()));
  CHECK(support::difference(support::elements(evaluate(expression)), support::elements(expected)) == "");
}

/// The same in loops of every kind: strided, transposed and broadcast beside it, reduced along each axis.
template <class E, class T>
void agrees_in_loops(const E& picked, const Array<T, 2>& expected, Random& random) {
  agrees("alone", picked, expected);
  const Dim<2> shape = expected.shape();
  for (const Arrangement kind : support::target_arrangements) {
    CAPTURE(support::name_of(kind));
    Array<T, 2> to = support::storage_like<T>(shape, kind, T(0), random, false);
    to(ellipsis) = picked;
    CHECK(support::difference(support::elements(to), support::elements(expected)) == "");
  }
  if constexpr (std::same_as<T, float>) {
    const auto row = support::random_array<T>(Dim<1>{shape[1]}, Arrangement::contiguous, random);
    const auto column = support::random_array<T>(Dim<2>{shape[0], 1}, Arrangement::contiguous, random);
    agrees("beside a row and a column", relu(picked) + row * column, evaluate(relu(expected) + row * column));
    const auto across = support::random_array<T>(Dim<2>{shape[1], shape[0]}, Arrangement::contiguous, random);
    agrees("beside a transposed operand", picked - across.T(), evaluate(expected - across.T()));
    agrees("twice", picked * picked, evaluate(expected * expected));
    agrees("broadcast", picked + zeros<T>(Dim<3>{2, shape[0], shape[1]}),
           evaluate(expected + zeros<T>(Dim<3>{2, shape[0], shape[1]})));
    agrees("summed along rows", sum<1>(round(picked)),
           evaluate(sum<1>(round(expected))));  // which has no rounding of its own
    agrees("summed along columns", sum<0>(round(picked * 4.0f)), evaluate(sum<0>(round(expected * 4.0f))));
    if (shape[1] > 0) agrees("the largest of each row", max<1>(picked), evaluate(max<1>(expected)));
    agrees("rolled", roll<0>(picked, 1), evaluate(roll<0>(expected, 1)));
    agrees("joined", concat<1>(picked, expected), evaluate(concat<1>(expected, expected)));
    agrees("reversed", flip<0, 1>(picked), evaluate(flip<0, 1>(expected)));
    agrees("transposed", picked.T(), evaluate(expected.T()));
    if (shape[1] > 0) agrees("normalised", softmax<1>(picked), evaluate(softmax<1>(expected)));
    if (shape[0] > 0) agrees("a row of it", picked(-1, all), evaluate(expected(-1, all) * 1));
  }
}

template <class T, class I>
void differs_nowhere(std::uint64_t salt) {
  Random random(salt);
  CAPTURE(random.how_to_repeat());
  for (int round = 0; round < (support::is_sanitized ? 2 : 12); ++round) {
    for (const Arrangement kind : support::all_arrangements) {
      CAPTURE(support::name_of(kind));
      const std::ptrdiff_t longest = random.below(4) == 0 ? 60 : 9;
      const Dim<2> shape{random.between(1, longest), random.below(longest)};
      const auto x = support::random_array<T>(shape, kind, random);
      const auto rows = random_indices<I>(random.below(longest), shape[0], random);
      const auto expected = picked_slowly<0>(x, rows);
      CHECK(support::difference(support::elements(take(x, rows)), support::elements(expected)) == "");
      agrees_in_loops(x(rows, all), expected, random);
      const auto across = x.T();
      agrees_in_loops(across(all, rows), picked_slowly<1>(Array<T, 2>(across), rows), random);
    }
  }
}

}  // namespace

// --8<-- [start:picking]
TEST_CASE("a vector of integers picks rows, columns and elements, without a copy") {
  const Array<float, 2> x = make_array<float>({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  const Array<int, 1> indices{2, 0, -1};
  CHECK(to_string(x(indices, all)) == "[[7. 8. 9.]\n [1. 2. 3.]\n [7. 8. 9.]]");
  CHECK(to_string(x(all, indices)) == "[[3. 1. 3.]\n [6. 4. 6.]\n [9. 7. 9.]]");
  const Array<float, 1> row{10, 20, 30};
  const Array<float, 2> y = relu(x(indices, all) - 2) + row;  // one pass: rows are read where they are needed
  CHECK(to_string(y) == "[[15. 26. 37.]\n [10. 20. 31.]\n [15. 26. 37.]]");
  const Array<float, 1> totals = dot(x(indices, all), row);
  CHECK(to_string(totals) == "[500. 140. 500.]");
  CHECK(to_string(row(argsort(-row))) == "[30. 20. 10.]");  // indices may be computed
}
// --8<-- [end:picking]

TEST_CASE("indices alone pick along the first axis, and may be expressions") {
  const Array<float, 2> x = make_array<float>({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  const Array<int, 1> indices{2, 0, -1};
  CHECK(to_string(x(indices)) == to_string(x(indices, all)));
  CHECK(to_string(x(indices + 1 - 1)) == to_string(x(indices, all)));
  CHECK(float(sum(x(indices, all))) == 54);
}

TEST_CASE("what indices pick is never copied wrongly, whatever the layout, the type and the loop") {
  differs_nowhere<float, std::int64_t>(1);
  differs_nowhere<float, std::int32_t>(2);
  differs_nowhere<bool, std::int16_t>(3);
  differs_nowhere<bfloat16, std::uint8_t>(4);
  differs_nowhere<double, std::uint64_t>(5);
  differs_nowhere<std::complex<double>, std::uint32_t>(6);
}

TEST_CASE("one vector of indices beside integers, ranges, new axes and an ellipsis, as NumPy places its axis") {
  const Array<int, 4> x = reshape(arange<int>(2 * 3 * 4 * 5), Dim{2, 3, 4, 5});
  const Array<int, 1> i{1, 0, -1, 1, 0, 1};
  const auto is = [](const auto& shape, const char* text) { CHECK(to_string(shape) == text); };
  is(x(i).shape(), "(6, 3, 4, 5)");
  is(x(all, i).shape(), "(2, 6, 4, 5)");
  is(x(ellipsis, i).shape(), "(2, 3, 4, 6)");
  is(x(ellipsis, i, all).shape(), "(2, 3, 6, 5)");
  is(x(0, i).shape(), "(6, 4, 5)");
  is(x(i, 0).shape(), "(6, 4, 5)");
  is(x(all, 0, i).shape(), "(2, 6, 5)");
  is(x(all, i, all, 0).shape(), "(6, 2, 4)");  // separated, so that its axis is the first
  is(x(0, all, i).shape(), "(6, 3, 5)");
  is(x(all, 0, all, i).shape(), "(6, 2, 4)");
  is(x(newaxis, 0, i).shape(), "(1, 6, 4, 5)");
  is(x(0, newaxis, i).shape(), "(6, 1, 4, 5)");
  is(x(range(0, 1), i, newaxis, range(none, none, -2)).shape(), "(1, 6, 1, 2, 5)");
  is(x(all, all, 0, ellipsis, i).shape(), "(6, 2, 3)");  // an ellipsis of no axes separates too
  const Array<int, 1> picks{-1, 2, 0};
  agrees(
      "an axis within", x(1, all, picks, range(none, none, -1)),
      picked_slowly<0>(Array<int, 3>(evaluate(moveaxis(x(1, all, all, range(none, none, -1)), {1}, {0}) + 0)), picks));
  agrees(
      "the last axis", x(range(none, none, -1), 1, range(1, 4, 2), picks),
      evaluate(moveaxis(picked_slowly<2>(Array<int, 3>(x(range(none, none, -1), 1, range(1, 4, 2))), picks), {2}, {0}) +
               0));
  agrees("an axis between others", x(all, all, picks, all), picked_slowly<2>(x, picks));
}

TEST_CASE("indices pick from the operands of an expression, not from its values") {
  Random random(11);
  const auto x = support::random_array<float>(Dim{7, 5}, Arrangement::sliced, random);
  const auto row = support::random_array<float>(Dim<1>{5}, Arrangement::contiguous, random);
  const Array<std::int64_t, 1> i{6, 0, 3, -1};
  agrees("elementwise", (x * 2 + row)(i, all), take(evaluate(x * 2 + row), i));
  agrees("with a scalar of rank 0", (x - max(x))(i, all), take(evaluate(x - max(x)), i));
  agrees("a product", dot(x, x.T())(i, all), take(evaluate(dot(x, x.T())), i));
  agrees("a reduction", sum<1>(x)(i), take(evaluate(sum<1>(x)), i));
  agrees("picked ones", x(i, all)(Array<int, 1>{1, 1, -1}, all), take(take(x, i), Array<int, 1>{1, 1, -1}));
  const auto view = make_view(row);
  agrees("a view", view(Array<int, 1>{4, -5}), Array<float, 1>{float(row(4)), float(row(0))});
  const Array<const float, 1> only_read = row;
  agrees("elements that are only read", only_read(Array<int, 1>{1}), Array<float, 1>{float(row(1))});
}

TEST_CASE("no indices pick nothing, and an axis without elements takes none") {
  const Array<int, 1> none_of_them(Dim<1>{0});
  const Array<float, 2> x = ones<float>(Dim{4, 3});
  CHECK(to_string(evaluate(x(none_of_them, all) + 1).shape()) == "(0, 3)");
  CHECK(to_string(evaluate(sum<0>(x(none_of_them, all)))) == "[0. 0. 0.]");
  CHECK(to_string(evaluate(dot(x(all, none_of_them), x(none_of_them, all))).shape()) == "(4, 3)");
  const Array<float, 2> empty(Dim{0, 3});
  CHECK(to_string(evaluate(empty(none_of_them, all)).shape()) == "(0, 3)");
  CHECK_THROWS_AS(evaluate(empty(Array<int, 1>{0}, all)), IndexError);
  CHECK_THROWS_AS(evaluate(ones<float>(Dim{4, 0})(Array<int, 1>{4}, all)), IndexError);  // of nothing too
  const Array<int, 1> one = 0 * ones<int>(Dim<1>{1});
  agrees("one index again and again", x(broadcast_to(one, Dim{5}), all), ones<float>(Dim{5, 3}));
}

TEST_CASE("an index out of range is refused before anything is written, and named with its position, axis and extent") {
  const Array<float, 3> x = ones<float>(Dim{4, 3, 2});
  const auto refusal = [&](const auto& expression) {
    Array<float, rank_of<decltype(expression)>> to =
        zeros<float>(Dim<rank_of<decltype(expression)>>(expression.shape()));
    const std::string text = support::message_of<IndexError>([&] { to(ellipsis) = expression; });
    CHECK(float(sum(to)) == 0);
    CHECK(support::contains(text, "called at taken_node_test.cpp"));
    return text.substr(0, text.find("; called at"));
  };
  CHECK(refusal(x(Array<int, 1>{0, 4, 9})) ==
        "indexing: index 4 at position 1 is out of range for axis 0 with extent 4");
  CHECK(refusal(x(0, Array<std::int64_t, 1>{-3, -4}, all)) ==
        "indexing: index -4 at position 1 is out of range for axis 1 with extent 3");
  CHECK(refusal(x(ellipsis, Array<std::uint8_t, 1>{200}) * 2.0f) ==
        "indexing: index 200 at position 0 is out of range for axis 2 with extent 2");
  CHECK(refusal(x(Array<std::uint64_t, 1>{3, 18446744073709551615u})) ==
        "indexing: index 18446744073709551615 at position 1 is out of range for axis 0 with extent 4");
  Array<std::int32_t, 1> many = zeros<std::int32_t>(Dim<1>{300'000});
  many(200'000) = 7;
  many(290'000) = 8;
  CHECK(refusal(x(many)) == "indexing: index 7 at position 200000 is out of range for axis 0 with extent 4");
  Array<float, 2> y = zeros<float>(Dim{2, 3});
  CHECK_THROWS_AS(y(ellipsis) = concat<0>(x(0, Array<int, 1>{0}, all), x(0, Array<int, 1>{5}, all))(all, range(0, 1)),
                  IndexError);
  CHECK(float(sum(y)) == 0);
}

TEST_CASE("what is written may be what is picked from, and what picks") {
  const auto fresh = [] { return Array<float, 2>(reshape(arange<float>(12), Dim{4, 3})); };
  const Array<int, 1> i{3, 0, 0, 2};
  const std::string expected = to_string(take(fresh(), i));
  Array<float, 2> x = fresh();
  x = x(i, all);
  CHECK(to_string(x) == expected);
  x = fresh();
  const Array<float, 2> same = x;
  x(ellipsis) = x(i, all);
  CHECK(to_string(same) == expected);
  x = fresh();
  x += x(i, all);
  CHECK(to_string(x) == to_string(fresh() + take(fresh(), i)));
  x = fresh();
  x(range(0, 2), all) = x(Array<int, 1>{1, 0}, all);
  CHECK(to_string(x(range(0, 2), all)) == "[[3. 4. 5.]\n [0. 1. 2.]]");
  Array<std::int64_t, 1> chain{1, 2, 0};
  chain = Array<std::int64_t, 1>{2, 0, 1}(chain);
  CHECK(to_string(chain) == "[0 1 2]");
  chain = {1, 2, 0};
  chain(ellipsis) = chain(chain);
  CHECK(to_string(chain) == "[2 0 1]");
  Array<std::int64_t, 1> backwards = chain(range(none, none, -1));
  chain(ellipsis) = Array<std::int64_t, 1>{7, 8, 9}(backwards);
  CHECK(to_string(chain) == "[8 7 9]");
}

TEST_CASE("a kept expression reads its array and its indices when it is evaluated") {
  Array<float, 1> x{1, 2, 3};
  Array<int, 1> i{0, 2};
  const auto picked = x(i) * 10;
  x(0) = 5;
  i(1) = -2;
  CHECK(to_string(evaluate(picked)) == "[50. 20.]");
  i = {2, 2};  // another value for the name; the expression has the former one
  CHECK(to_string(evaluate(picked)) == "[50. 20.]");
}

TEST_CASE("products of picked rows have the bits of products of copies") {
  Random random(21);
  for (const auto [rows, inner, columns] :
       {std::array<std::ptrdiff_t, 3>{1, 8, 5}, {6, 6, 6}, {64, 100, 32}, {200, 333, 70}, {300, 64, 1}}) {
    const auto x = support::random_array<float>(Dim{500, inner}, Arrangement::contiguous, random);
    const auto w = support::random_array<float>(Dim{inner, columns}, Arrangement::contiguous, random);
    const auto wide = support::random_array<float>(Dim{rows, 400}, Arrangement::contiguous, random);
    const auto i = random_indices<std::int64_t>(rows, 500, random);
    const auto k = random_indices<std::int32_t>(inner, 400, random);
    CAPTURE(rows);
    agrees("rows on the left", dot(x(i, all), w), evaluate(dot(take(x, i), w)));
    agrees("columns on the left", dot(wide(all, k), w), evaluate(dot(picked_slowly<1>(wide, k), w)));
    const auto left = support::random_array<float>(Dim{columns, rows}, Arrangement::contiguous, random);
    agrees("rows on the right", dot(left, x(i, all)), evaluate(dot(left, take(x, i))));
    agrees("with work around it", relu(dot(x(i, all), w)) + 1, evaluate(relu(dot(take(x, i), w)) + 1));
    agrees("with work before it", dot(x(i, all) * 2 - 1, w), evaluate(dot(take(x, i) * 2 - 1, w)));
    agrees("of each row the sum", sum<1>(dot(x(i, all), w)), evaluate(sum<1>(dot(take(x, i), w))));
    agrees("a vector on the right", dot(x(i, all), w(all, 0)), evaluate(dot(take(x, i), w(all, 0))));
    const auto halves = evaluate(cast<bfloat16>(x));
    agrees("of half the width", dot(halves(i, all), cast<bfloat16>(w)),
           evaluate(dot(take(halves, i), cast<bfloat16>(w))));
  }
}

TEST_CASE("many elements are gathered on several threads, with the same results") {
  Random random(31);
  const auto x = support::random_array<float>(Dim{1000, 37}, Arrangement::contiguous, random);
  const auto i = random_indices<std::int64_t>(20'000, 1000, random);
  const auto expected = picked_slowly<0>(x, i);
  for (const int count : {1, 2, 4}) {
    const support::Threads threads(count);
    agrees("rows", x(i, all), expected);
    agrees("beside others", x(i, all) + x(0, all), evaluate(expected + x(0, all)));
    agrees("elements", reshape(x, Dim{37'000})(i), picked_slowly<0>(Array<float, 1>(reshape(x, Dim{37'000})), i));
  }
}

TEST_CASE("in an Async scope both the array and the indices are read in turn") {
  for (const SchedulerOptions& options : std::initializer_list<SchedulerOptions>{
           {.executor = Permuting{.seed = 1}}, {.executor = Permuting{.seed = 2}}, {.workers = 4}}) {
    Scheduler scheduler(options);
    for (int round = 0; round < 20; ++round) {
      Array<float, 2> x = zeros<float>(Dim{300, 200}), y;
      Array<int, 1> i = zeros<int>(Dim<1>{250});
      {
        const Async on{scheduler};
        x(ellipsis) = 1 + round;
        i(ellipsis) = 299;
        y = x(i, all) * 2;
        i(ellipsis) = 0;
        x(ellipsis) = 0;
        x(299, all) = x(Array<int, 1>{0}, all)(0, all) + 7;
      }
      CHECK(float(min(y)) == 2 * (1 + round));
      CHECK(float(max(y)) == 2 * (1 + round));
      CHECK(float(x(299, 5)) == 7);
    }
    Array<float, 1> x = ones<float>(Dim<1>{3}), y = zeros<float>(Dim<1>{2});
    {
      const Async on{scheduler};
      y(ellipsis) = x(Array<int, 1>{0, 3});
    }
    CHECK(support::contains(support::message_of<OperationFailed>([&] { y.wait(); }),
                            "index 3 at position 1 is out of range for axis 0 with extent 3"));
  }
}

TEST_CASE("a recording picks by the indices of each replay") {
  Scheduler scheduler({.workers = 2});
  const Array<float, 2> x = reshape(arange<float>(12), Dim{4, 3});
  Array<float, 2> y = zeros<float>(Dim{2, 3});
  const auto step = scheduler.capture(
      [&](Parameter<Array<int, 1>> batch) {
        const Async on{scheduler};
        y(ellipsis) = x(batch, all) + 1;
      },
      Array<int, 1>{0, 0});
  step.replay(Array<int, 1>{3, 1});
  CHECK(to_string(y) == "[[10. 11. 12.]\n [ 4.  5.  6.]]");
  step.replay(Array<int, 1>{-1, 0});
  CHECK(to_string(y) == "[[10. 11. 12.]\n [ 1.  2.  3.]]");
}

TEST_CASE("explain names what is picked") {
  const Array<float, 2> x = ones<float>(Dim{4, 3}), y = zeros<float>(Dim{2, 3});
  const std::string text = explain(x(Array<int, 1>{1, 2}, all) + y);
  CAPTURE(text);
  CHECK(support::contains(text, "picked elements"));
}
