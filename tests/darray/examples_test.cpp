// The programs of docs/darray.md.
#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

import tessera;

using namespace tessera;

TEST_CASE("docs/darray.md: one type for every array") {
  std::ostringstream out;
  // --8<-- [start:first]
  DArray x = make_darray({2, 3}, 0.0f);  // float32, filled with 0
  x[{0, 1}] = 1.5;                       // an element, which has its own type
  x = x * 2 + 1;                         // computed by one loop, as an Array<float, 2> would be
  out << x << " of " << name(x.dtype()) << ", shape " << x.shape() << "\n";

  x = make_darray({{1, 2}, {3, 4}});  // the name gets another array, of int32
  x = cast(x, DType::float64) / 2;    // and of float64
  // --8<-- [end:first]
  CHECK(out.str() == "[[1. 4. 1.]\n [1. 1. 1.]] of float32, shape (2, 3)\n");
  CHECK(to_string(x) == "[[0.5 1. ]\n [1.5 2. ]]");
}

TEST_CASE("docs/darray.md: from static arrays and back") {
  std::ostringstream out;
  // --8<-- [start:static]
  Array<float, 2> a = ones<float>(2, 3);
  DArray x = a;                          // shares the storage
  auto& same = get<Array<float, 2>>(x);  // the array that x is
  same(0, 0) = 5;
  if (auto* vector = get_if<Array<double, 1>>(&x)) out << "a vector of " << vector->size();

  const auto count = visit([](const auto& array) { return array.size(); }, x);  // compiled for every type and rank
  const double total = visit_dtype(                                             // for every type only
      []<class T>(const Array<T, 9>& array) {
        double sum = 0;
        for (const T& element : array) sum += DValue(element).cast(DType::float64).as<double>();
        return sum;
      },
      x);
  // --8<-- [end:static]
  CHECK(a(0, 0) == 5.f);
  CHECK(count == 6);
  CHECK(total == 10.0);
  CHECK(out.str().empty());
}

// --8<-- [start:together]
struct FirstDifference {
  template <class T>
  std::ptrdiff_t operator()(const Array<T, 1>& a, const Array<T, 1>& b) const {
    return std::ranges::mismatch(a, b).in1 - a.begin();
  }
};
// --8<-- [end:together]

TEST_CASE("docs/darray.md: several arrays at once") {
  // --8<-- [start:several]
  const DArray before = make_darray({1.0, 2.0, 3.0}), after = make_darray({1.0, 2.0, 4.0});
  const auto position = visit(FirstDifference(), before, after);  // 2
  // --8<-- [end:several]
  CHECK(position == 2);
  CHECK_THROWS_AS(visit(FirstDifference(), before, make_darray({1, 2, 3})), DTypeError);
}

TEST_CASE("docs/darray.md: three arrays") {
  const DArray before = make_darray({1.0, 2.0, 3.0}), after = make_darray({1.0, 2.0, 4.0});
  DArray sum = make_darray({3}, 1.0);
  // --8<-- [start:three]
  visit(
      [&]<std::floating_point T>(Array<T, 1>& total) {
        total += get<Array<T, 1>>(before) * get<Array<T, 1>>(after);  // or DTypeError, ShapeError
      },
      sum);
  // --8<-- [end:three]
  CHECK(to_string(sum) == "[ 2.  5. 13.]");
}

TEST_CASE("docs/darray.md: views") {
  // --8<-- [start:views]
  DArray x = arange(DType::int32, 0, 24).reshape({2, 3, 4});
  DArray row = x({0, 1, all});                // shares the storage: [4 5 6 7]
  DArray part = x({ellipsis, range(1, -1)});  // shape (2, 3, 2)
  std::vector<DIndexer> list{1, newaxis, range(none, none, -1)};
  DArray turned = x(list);  // an index that is made at run time: shape (1, 3, 4)
  row += 100;               // elements, as everybody sees
  x({1, ellipsis}) = 0;
  DArray columns = transpose(x, {2, 0, 1});  // shape (4, 2, 3)
  // --8<-- [end:views]
  CHECK(int(x[{0, 1, 0}]) == 104);
  CHECK(part.shape() == make_ddim({2, 3, 2}));
  CHECK(turned.shape() == make_ddim({1, 3, 4}));
  CHECK(int(turned[{0, 0, 0}]) == 0);
  CHECK(columns.shape() == make_ddim({4, 2, 3}));
}

TEST_CASE("docs/darray.md: reductions") {
  // --8<-- [start:reductions]
  DArray x = make_darray({{1.0, 2.0}, {3.0, 5.0}});
  std::vector<int> axes{0};
  DArray sums = sum(x, DAxes(axes));                // [4. 7.]
  DArray centred = x - mean(x, {0, -1}, keepdims);  // axes may be negative, and stay as extent 1
  double all_of_it = sum(x);                        // what has rank 0 is its value
  // --8<-- [end:reductions]
  CHECK(to_string(sums) == "[4. 7.]");
  CHECK(double(sum(centred)) == 0.0);
  CHECK(all_of_it == 11.0);
}

TEST_CASE("docs/darray.md: errors") {
  std::string message;
  // --8<-- [start:errors]
  const DArray prices = make_darray({1.5, 2.5}), counts = make_darray({2, 3});
  try {
    DArray total = prices * counts;
  } catch (const DTypeError& error) {
    message = error.what();
  }
  DArray total = prices * cast(counts, prices.dtype());
  // --8<-- [end:errors]
  CHECK(message ==
        "operator *: the element types have no common type (bool with numbers, integers with floats, int64 with "
        "uint64); the operands are float64 (2,) on "
        "cpu, int32 (2,) on cpu; convert one of them: cast(x, dtype)");
  CHECK(to_string(total) == "[3.  7.5]");
}

TEST_CASE("docs/darray.md: algorithms") {
  // --8<-- [start:algorithms]
  const int axis = 0;  // known at run time
  DArray x = make_darray({{3.0, 1.0}, {2.0, 5.0}});
  DArray sorted = sort(x, axis, descending);    // [[3. 5.] [2. 1.]]
  DArray running = cumulative_sum(x, axis);     // [[3. 1.] [5. 6.]]
  DArray both = concat({x, sorted * 2}, -1);    // shape (2, 4)
  DArray framed = pad(x, {{1, 1}, {0, 0}}, 0);  // shape (4, 2)
  DArray large = compress(x > 2, x);            // [3. 5.]
  DArray first = take(x, make_darray({0, 0}));  // the first row, twice
  // --8<-- [end:algorithms]
  CHECK(to_string(sorted) == "[[3. 5.]\n [2. 1.]]");
  CHECK(to_string(running) == "[[3. 1.]\n [5. 6.]]");
  CHECK(both.shape() == make_ddim({2, 4}));
  CHECK(framed.shape() == make_ddim({4, 2}));
  CHECK(to_string(large) == "[3. 5.]");
  CHECK(to_string(first) == "[[3. 1.]\n [3. 1.]]");
}

TEST_CASE("docs/darray.md: products") {
  // --8<-- [start:products]
  DArray x = random::uniform(random::Key{1}, DType::float32, make_ddim({8, 4, 3}));
  DArray w = random::normal(random::Key{2}, DType::float32, make_ddim({3, 10}));
  DArray scores = softmax(matmul(x, w), -1);  // (8, 4, 10)
  DArray best = argmax(scores, -1);
  // --8<-- [end:products]
  CHECK(scores.shape() == make_ddim({8, 4, 10}));
  CHECK(best.dtype() == DType::int64);
  CHECK(double(sum(scores)) == doctest::Approx(32.0));
}
