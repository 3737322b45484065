// softmax, log_softmax, standardise and layernorm: against the definition in long double for every type, set of axes and layout; long
// rows, special values, larger expressions, their own destination.
#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

enum class Kind { softmax, log_softmax, standardise };

/// The definition, in long double, of the rows of `a` along the axes in `reduced`; in row-major order of the elements.
template <class T, int Rank>
std::vector<double> defined(Kind kind, const Array<T, Rank>& a, const std::vector<int>& reduced, long double epsilon) {
  const Dim<Rank> shape = a.shape();
  std::ptrdiff_t steps[Rank] = {}, rows_so_far = 1;  // from row to row along the axes that stay
  for (int axis = Rank; axis-- > 0;) {
    if (std::find(reduced.begin(), reduced.end(), axis) != reduced.end()) continue;
    steps[axis] = rows_so_far;
    rows_so_far *= shape[axis];
  }
  const auto row_of = [&](const auto& at) { return static_cast<std::size_t>(offset_of(&at[0], steps, Rank)); };
  struct Row {
    long double largest = -std::numeric_limits<long double>::infinity(), sum = 0, exponentials = 0, squares = 0,
                count = 0;
  };
  std::vector<Row> rows(static_cast<std::size_t>(product(a.shape())));
  const auto value = [&](const auto& at) { return static_cast<long double>(element(a, at)); };
  for_each_position(a.shape(), [&](const auto& at) {
    Row& row = rows[row_of(at)];
    row.largest = std::max(row.largest, value(at)), row.sum += value(at), row.count += 1;
  });
  for_each_position(a.shape(), [&](const auto& at) {
    Row& row = rows[row_of(at)];
    row.exponentials += std::exp(value(at) - row.largest);
    row.squares += (value(at) - row.sum / row.count) * (value(at) - row.sum / row.count);
  });
  std::vector<double> results;
  for_each_position(a.shape(), [&](const auto& at) {
    const Row& row = rows[row_of(at)];
    const long double x = value(at);
    const long double result = kind == Kind::softmax ? std::exp(x - row.largest) / row.exponentials
                               : kind == Kind::log_softmax
                                   ? x - row.largest - std::log(row.exponentials)
                                   : (x - row.sum / row.count) / std::sqrt(row.squares / row.count + epsilon);
    results.push_back(static_cast<double>(result));
  });
  return results;
}

template <class T>
constexpr double precision = std::same_as<T, double>    ? 1e-14
                             : std::same_as<T, float>   ? 3e-6
                             : std::same_as<T, float16> ? 1e-3
                                                        : 8e-3;

/// Checks into a target of the given layout, from the array itself and from an expression.
template <class T, int... Axis, int Rank>
void check(const Array<T, Rank>& a, Arrangement target, Random& random) {
  std::vector<int> reduced{Axis...};
  if constexpr (sizeof...(Axis) == 0) {
    for (int axis = 0; axis < Rank; ++axis) reduced.push_back(axis);
  }
  const auto into_target = [&](const auto& expression) {
    const auto stored = there(storage_like<T>(a.shape(), target, T(0), random, false));
    assign(stored, expression);
    return elements(stored);
  };
  const double close = precision<T>;
  const auto x = there(a);
  CHECK(distance(into_target(softmax<Axis...>(x)), defined(Kind::softmax, a, reduced, 0), close, 1e-7) == "");
  CHECK(distance(into_target(log_softmax<Axis...>(x)), defined(Kind::log_softmax, a, reduced, 0), close, close) == "");
  CHECK(distance(into_target(standardise<Axis...>(x, 0.25)), defined(Kind::standardise, a, reduced, 0.25L), close,
                 close) == "");
  CHECK(distance(into_target(softmax<Axis...>(x + x - x)), defined(Kind::softmax, a, reduced, 0), 4 * close, 1e-7) ==
        "");
}

template <class T>
void check_type(std::uint64_t salt, std::ptrdiff_t longest) {
  Random random(salt);
  INFO(random.how_to_repeat());
  for (const auto kind : all_arrangements) {
    const Dim<3> shape{random.between(1, 4), random.between(1, 90), random.between(1, longest)};
    const Arrangement target = target_arrangements[random.below(std::size(target_arrangements))];
    INFO(name(dtype_of<T>) << " of " << shape << ", " << name_of(kind) << " to " << name_of(target));
    const Array<T, 3> a = random_array<T>(shape, kind, random);
    check<T, 2>(a, target, random);
    check<T, 1>(a, target, random);
    if constexpr (std::same_as<T, float>) {
      check<T>(a, target, random);
      check<T, 0, 2>(a, target, random);
    }
  }
}

}  // namespace

TEST_CASE("normalisations of float along every set of axes in every layout, under every instruction set" *
          doctest::test_suite("any place")) {
  for_each_isa([](device::Isa) { check_type<float>(500, 150); });
}

TEST_CASE("normalisations of the other floating types" * doctest::test_suite("any place")) {
  check_type<double>(501, 90);
  check_type<float16>(502, 90);
  check_type<bfloat16>(503, 90);
}

TEST_CASE("rows around the lengths at which the evaluator changes its way, from arrays and from expressions" *
          doctest::test_suite("any place")) {
  Random random(504);
  INFO(random.how_to_repeat());
  for_each_isa([&](device::Isa) {
    for (const std::ptrdiff_t n : {1, 7, 8, 63, 64, 65, 1023, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 9000}) {
      INFO("rows of " << n);
      const Array<float, 2> a = random_array<float>(Dim<2>{3, n}, Arrangement::contiguous, random);
      check<float, 1>(a, Arrangement::contiguous, random);
      check<float, 1>(a, Arrangement::transposed, random);
      check<float, 0>(Array<float, 2>(a.T()), Arrangement::contiguous, random);
    }
  });
}

TEST_CASE("columns in tiles: widths and heights around the thresholds, also tiles taller than a cache" *
          doctest::test_suite("any place")) {
  Random random(505);
  INFO(random.how_to_repeat());
  for_each_isa([&](device::Isa) {
    for (const Dim<2> shape : {Dim{15, 63}, Dim{16, 64}, Dim{17, 65}, Dim{33, 129}, Dim{3, 1100}, Dim{5000, 70}}) {
      INFO("shape " << shape);
      const Array<float, 2> a = random_array<float>(shape, Arrangement::contiguous, random);
      check<float, 0>(a, Arrangement::contiguous, random);
      check<float, 0>(a, Arrangement::sliced, random);
    }
  });
}

TEST_CASE("a larger expression around a normalisation is computed with it" * doctest::test_suite("any place")) {
  Random random(506);
  INFO(random.how_to_repeat());
  for (const Dim<2> shape : {Dim{5, 40}, Dim{40, 100}, Dim{3, 5000}}) {
    INFO("shape " << shape);
    const Array<float, 2> x = there(random_array<float>(shape, Arrangement::contiguous, random));
    const Array<float, 2> y = there(random_array<float>(shape, Arrangement::transposed, random));
    const Array<float, 1> bias = there(random_array<float>(Dim{shape[1]}, Arrangement::contiguous, random));
    const Array<float, 2> rows = evaluate(softmax<1>(x));
    const Array<float, 2> columns = evaluate(softmax<0>(x));
    CHECK(array_equal(relu(softmax<1>(x) * y - bias), relu(rows * y - bias)));
    CHECK(array_equal(softmax<0>(x) * y + bias, columns * y + bias));
    CHECK(array_equal(softmax<1>(x) + softmax<0>(x), rows + columns));
    CHECK(array_equal(sum<1>(softmax<1>(x)), sum<1>(rows)));
    CHECK(array_equal(softmax<1>(softmax<1>(x)), softmax<1>(rows)));
    CHECK(array_equal(cast<double>(softmax<1>(x)), cast<double>(rows)));
    CHECK(allclose(softmax<1>(x - mean<1>(x, keepdims)), rows, 1e-5));
    const Array<float, 3> repeated = there(zeros<float>(Dim<3>{2, shape[0], shape[1]}));
    assign(repeated, softmax<1>(x));
    CHECK(array_equal(repeated(1, ellipsis), rows));
  }
}

TEST_CASE("a normalisation may be written over its operand" * doctest::test_suite("any place")) {
  Random random(507);
  INFO(random.how_to_repeat());
  for (const Dim<2> shape : {Dim{70, 30}, Dim{64, 2000}, Dim{2, 9000}}) {
    INFO("shape " << shape);
    const auto over_itself = [&](const auto& function) {
      Array<float, 2> x = there(random_array<float>(shape, Arrangement::contiguous, random));
      const Array<float, 2> expected = evaluate(function(x.clone()));
      x = function(x);
      CHECK(array_equal(x, expected));
    };
    over_itself([](const auto& x) { return softmax<1>(x); });
    over_itself([](const auto& x) { return softmax<0>(x); });
    over_itself([](const auto& x) { return log_softmax<1>(x) * x; });
    over_itself([](const auto& x) { return standardise<0>(x * 2) + x; });
    over_itself([](const auto& x) { return standardise<1>(x); });
  }
  const Array<float, 2> square = there(random_array<float>(Dim{50, 50}, Arrangement::contiguous, random));
  const Array<float, 2> expected = evaluate(softmax<1>(square.T().clone()));
  assign(square, softmax<1>(square.T()));  // overlaps otherwise than element by element
  CHECK(array_equal(square, expected));
}

TEST_CASE("infinities and NaN in a row" * doctest::test_suite("any place")) {
  for (const std::ptrdiff_t n : {5, 100, 5000}) {
    CAPTURE(n);
    Array<float, 2> x = there(zeros<float>(Dim<2>{5, n}));
    x[{0, 2}] = -infinity;
    x(1, ellipsis) = -infinity;
    x[{2, n - 1}] = infinity;
    x[{3, 0}] = not_a_number;
    x[{4, 1}] = 300.0f;
    for (const bool by_columns : {false, true}) {
      CAPTURE(by_columns);
      const Array<float, 2> wide =
          by_columns ? evaluate(broadcast_to(reshape(x, Dim<2>{5 * n, 1}), Dim<2>{5 * n, 70})) : x;
      const Array<float, 3> cut = reshape(wide, Dim<3>{5, n, by_columns ? 70 : 1});
      const Array<float, 3> soft = evaluate(softmax<1>(cut));
      const Array<float, 3> logs = evaluate(log_softmax<1>(cut));
      CHECK(soft[{0, 2, 0}] == 0.0f);
      CHECK(soft[{0, 0, 0}] == doctest::Approx(1.0 / double(n - 1)));
      CHECK(logs[{0, 2, 0}] == -infinity);
      for (const int row : {1, 2, 3}) {
        CHECK(item(all(isnan(soft(row, ellipsis)))));
        CHECK(item(all(isnan(logs(row, ellipsis)))));
      }
      CHECK(soft[{4, 1, 0}] == 1.0f);
      CHECK(soft[{4, 0, 0}] == 0.0f);
      CHECK(logs[{4, 0, 0}] == -300.0f);
    }
  }
}

TEST_CASE("layernorm over the last axes, with and without scale and bias") {
  // --8<-- [start:layernorm]
  const Array<float, 2> x = make_array<float>({{1, 2, 3, 4}, {0, 0, 8, 8}});
  const Array<float, 1> scale = make_array<float>({1, 1, 2, 2});
  const Array<float, 1> bias = make_array<float>({0, 0, 0, 1});
  const Array<float, 2> y = layernorm(x, scale, bias);  // along the last axis, in one pass
  CHECK(allclose(y(1, all), make_array<float>({-1, -1, 2, 3})));
  CHECK(array_equal(layernorm<-1>(x, 1e-5), standardise<1>(x, 1e-5)));
  // --8<-- [end:layernorm]
  CHECK(allclose(mean<1>(layernorm(x)), zeros<float>(Dim{2}), 0, 1e-6));
  CHECK(allclose(var<1>(layernorm(x)), ones<float>(Dim{2}), 1e-4));
  const Array<float16, 2> half = cast<float16>(x);
  CHECK(allclose(layernorm(half), layernorm(x), 1e-3, 1e-3));
}

TEST_CASE("a normalisation along an axis without elements is an error; without rows it has no results" *
          doctest::test_suite("any place")) {
  const Array<float, 2> empty = there(zeros<float>(Dim{3, 0}));
  CHECK(contains(message_of<ShapeError>([&] { softmax<1>(empty); }), "softmax: axis 1 of the shape (3, 0)"));
  CHECK(contains(message_of<ShapeError>([&] { layernorm(empty); }), "layernorm: axis 1 of the shape (3, 0)"));
  CHECK(evaluate(softmax<0>(empty)).shape() == Dim{3, 0});
}

TEST_CASE("normalisations do not depend on the number of threads") {
  Random random(508);
  INFO(random.how_to_repeat());
  for (const Dim<2> shape : {Dim{301, 2048}, Dim{2048, 301}, Dim{5, 40000}}) {
    const Array<float, 2> x = random_array<float>(shape, Arrangement::contiguous, random);
    const auto check_same = [&](const char* what, const auto& make) {
      INFO(what << " of " << shape);
      const auto with = [&](int threads) {
        const Threads restore(threads);
        return elements(evaluate(make()));
      };
      const auto reference = with(1);
      for (const int threads : {2, 4}) CHECK(difference(with(threads), reference) == "");
    };
    check_same("softmax<1>", [&] { return softmax<1>(x); });
    check_same("softmax<0>", [&] { return softmax<0>(x); });
    check_same("log_softmax<1> in a sum", [&] { return log_softmax<1>(x * 2) + x; });
    check_same("standardise<0>", [&] { return standardise<0>(x); });
    check_same("layernorm", [&] { return layernorm(x); });
    check_same("var<0>", [&] { return var<0>(x); });
    check_same("var<1>", [&] { return var<1>(x); });
    check_same("logsumexp<0>", [&] { return logsumexp<0>(x); });
    check_same("norm", [&] { return norm(x); });
    check_same("mean<0>", [&] { return mean<0>(x); });
    check_same("argmax<0>", [&] { return argmax<0>(x); });
  }
}
