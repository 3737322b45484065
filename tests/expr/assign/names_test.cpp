#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

import tessera;

// What `=` means: it gives a name the value of the right side and never changes what another name sees.

using namespace tessera;

namespace {

/// A left side: one name of its storage or several, which may see all of it or a part.
struct Left {
  const char* what;
  std::function<std::vector<Array<double, 2>>()> names;  // the first is assigned to
};

Array<double, 2> counting() { return reshape(arange(0.0, 12.0), 3, 4); }

const std::vector<Left> lefts{
    {"one name", [] { return std::vector{counting()}; }},
    {"two names",
     [] {
       const auto a = counting();
       return std::vector<Array<double, 2>>{a, a};
     }},
    {"three names",
     [] {
       const auto a = counting();
       return std::vector<Array<double, 2>>{a, a, a};
     }},
    {"a name of a part of another's storage",
     [] {
       Array<double, 2> whole = reshape(arange(0.0, 24.0), 6, 4);
       return std::vector<Array<double, 2>>{whole(range(0, 3), all), whole};
     }},
    {"the only name of a part",
     [] {
       Array<double, 2> whole = reshape(arange(0.0, 24.0), 6, 4);
       return std::vector<Array<double, 2>>{whole(range(0, 6, 2), all)};
     }},
    {"the only name, transposed",
     [] { return std::vector<Array<double, 2>>{Array<double, 2>(reshape(arange(0.0, 12.0), 4, 3)).T()}; }},
    {"the only name, elements there many times",
     [] { return std::vector<Array<double, 2>>{broadcast_to(Array<double, 1>{1, 2, 3, 4}, Dim{3, 4})}; }},
    {"a name without storage", [] { return std::vector<Array<double, 2>>{Array<double, 2>()}; }},
    {"another shape", [] { return std::vector<Array<double, 2>>{zeros<double>(5, 7)}; }},
    {"another shape, two names",
     [] {
       const auto a = zeros<double>(5, 7);
       return std::vector<Array<double, 2>>{a, a};
     }},
};

/// A right side of shape (3, 4), which may read the left one.
struct Right {
  const char* what;
  bool reads_left;
  std::function<void(Array<double, 2>& left)> assign;
  std::function<double(double left, int i, int j)> value;
};

const std::vector<Right> rights{
    {"an expression of others", false, [](auto& a) { a = counting() * 2; },
     [](double, int i, int j) { return 2.0 * (4 * i + j); }},
    {"an expression of itself", true, [](auto& a) { a = a + 1; }, [](double left, int, int) { return left + 1; }},
    {"itself many times", true, [](auto& a) { a = a * a + a; },
     [](double left, int, int) { return left * left + left; }},
    {"itself, elsewhere", true, [](auto& a) { a = flip<0>(a) + 0; }, [](double, int, int) { return -1.0; }},
    {"a reduction of itself", true, [](auto& a) { a = a - min(a); }, [](double, int, int) { return -1.0; }},
    {"a product with itself", true, [](auto& a) { a = dot(a, eye<double>(4)); },
     [](double left, int, int) { return left; }},
    {"a view", false,
     [](auto& a) {
       const auto other = counting();
       a = make_view(other);
     },
     [](double, int i, int j) { return 4.0 * i + j; }},
    {"an array", false, [](auto& a) { a = counting(); }, [](double, int i, int j) { return 4.0 * i + j; }},
    {"a kept expression of itself", true,
     [](auto& a) {
       const auto e = a * 3;
       a = e;
     },
     [](double left, int, int) { return left * 3; }},
    {"floats", false, [](auto& a) { a = cast<float>(counting()); }, [](double, int i, int j) { return 4.0 * i + j; }},
};

std::vector<double> elements(const Array<double, 2>& a) { return {a.begin(), a.end()}; }

}  // namespace

TEST_CASE("= changes the name on its left and nothing that another name sees") {
  for (const Left& left : lefts) {
    for (const Right& right : rights) {
      CAPTURE(left.what);
      CAPTURE(right.what);
      std::vector<Array<double, 2>> names = left.names();
      if (right.reads_left && names[0].shape() != Dim{3, 4}) continue;
      std::vector<std::vector<double>> before;
      for (const auto& name : names) before.push_back(elements(name));
      Array<double, 2> alone = names[0].clone();  // what the assignment gives where nobody else sees it
      right.assign(alone);
      right.assign(names[0]);
      CHECK(names[0].shape() == Dim{3, 4});
      CHECK(elements(names[0]) == elements(alone));
      for (std::size_t other = 1; other < names.size(); ++other) CHECK(elements(names[other]) == before[other]);
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) {
          const double old = before[0].size() == 12 ? before[0][static_cast<std::size_t>(4 * i + j)] : 0;
          if (const double expected = right.value(old, i, j); expected >= 0) CHECK(names[0](i, j) == expected);
        }
      }
    }
  }
}

TEST_CASE("the only name of its storage keeps it where the shape stays") {
  Array<float, 2> a = zeros<float>(3, 4);
  const float* const storage = a.data();
  a = a + 1;
  a = a * a - a / 2;
  a = dot(a, eye<float>(4));
  a = softmax<1>(a);
  a = 3;
  a = a - mean<1>(a, keepdims);
  CHECK(a.data() == storage);
  Array<float, 2> transposed = a.T();
  a = Array<float, 2>();
  transposed = transposed + 1;
  CHECK(transposed.data() == storage);
}

TEST_CASE("a training's steady state allocates nothing") {
  Array<float, 2> w = zeros<float>(8, 4), v = zeros<float>(8, 4), out = zeros<float>(5, 4);
  const auto x = ones<float>(5, 8);
  const auto step = [&] {
    out = relu(dot(x, w) + 1);
    v = 0.9 * v - 0.1 * dot(x.T(), out);
    w = w + v;
  };
  step();
  const auto before = memory::stats(CpuPlace{});
  const float* const storages[] = {w.data(), v.data(), out.data()};
  for (int i = 0; i < 10; ++i) step();
  CHECK(w.data() == storages[0]);
  CHECK(v.data() == storages[1]);
  CHECK(out.data() == storages[2]);
  CHECK(memory::stats(CpuPlace{}).in_use == before.in_use);
}

TEST_CASE("a kept expression sees what its names saw when it was made") {
  Array<float, 1> w{1, 2, 3};
  const auto doubled = w * 2;
  const auto view = w(range(0, 2));
  w = w + 1;
  CHECK(array_equal(Array<float, 1>(doubled), Array<float, 1>{2, 4, 6}));
  CHECK(array_equal(view, Array<float, 1>{1, 2}));
  CHECK(array_equal(w, Array<float, 1>{2, 3, 4}));
  w += 1;  // elements, which nobody else sees any more
  CHECK(array_equal(Array<float, 1>(doubled), Array<float, 1>{2, 4, 6}));
}

TEST_CASE("compound operators, indices and views write the elements for every name") {
  Array<float, 1> a{1, 2, 3, 4};
  const Array<float, 1> b = a;
  a += 1;
  a(range(0, 2)) = 0;
  a[3] = 9;
  a(2) = 8;
  a(range(0, 1)) -= 5;
  CHECK(array_equal(b, Array<float, 1>{-5, 0, 8, 9}));
  CHECK(a.buffer() == b.buffer());
}

TEST_CASE("an expression of another shape gives the name that shape, unless it broadcasts to the one that it has") {
  Array<float, 2> h = ones<float>(3, 4);
  h = dot(h, ones<float>(4, 5));
  CHECK(h.shape() == Dim{3, 5});
  CHECK_THROWS_WITH_AS(h = h(range(0, 1), all) * 2, doctest::Contains("a(ellipsis) = x broadcasts"), ShapeError);
  CHECK(h.shape() == Dim{3, 5});
  h = evaluate(h(range(0, 1), all) * 2);
  CHECK(h.shape() == Dim{1, 5});
  Array<float, 2> rows = zeros<float>(0, 4);
  rows = concat<0>(rows, ones<float>(1, 4));  // nothing is there that could be broadcast over
  CHECK(rows.shape() == Dim{1, 4});
}

TEST_CASE("a failed assignment leaves a name as it was, whoever shares it") {
  Array<float, 2> a{{1, 2}, {3, 4}};
  const Array<float, 2> b = a;
  CHECK_THROWS_AS((a = a + ones<float>(3, 3)), ShapeError);
  CHECK_THROWS_AS((a = dot(a, ones<float>(3, 3))), ShapeError);
  CHECK(a.buffer() == b.buffer());
  CHECK(array_equal(a, Array<float, 2>{{1, 2}, {3, 4}}));
}

TEST_CASE("memory of the user's is no array's own") {
  float mine[] = {1, 2, 3};
  auto window = borrow(mine, Dim{3});
  window = window + 1;
  CHECK(mine[0] == 2);
  Array<float, 1> named = window;  // an array of its own
  named = named + 1;
  CHECK(mine[0] == 2);
  CHECK(named(0) == 3);
  Array<float, 1> over(storage::BufferShare::make(memory::Allocation::borrow(mine, sizeof mine, CpuPlace{})),
                       Layout<1>{.shape = Dim{3}, .strides = {1}}, CpuPlace{});
  over = over * 10;
  CHECK(mine[0] == 2);
  CHECK(over(0) == 20);
}

// ------------------------------------------------------------------------------------------------ ordinary programs

namespace {

Array<double, 2> power(Array<double, 2> a, int n) {
  Array<double, 2> result = eye<double>(a.shape()[0]);
  for (; n > 0; n /= 2) {
    if (n % 2 == 1) result = dot(result, a);
    a = dot(a, a);
  }
  return result;
}

struct Model {
  Array<float, 1> weights;
  int age = 0;
};

}  // namespace

TEST_CASE("a function that is given an array by value keeps its hands off the caller's") {
  const Array<double, 2> a{{1, 1}, {0, 1}};
  CHECK(array_equal(power(a, 5), Array<double, 2>{{1, 5}, {0, 1}}));
  CHECK(array_equal(a, Array<double, 2>{{1, 1}, {0, 1}}));
  Array<double, 2> b = a.clone();
  CHECK(array_equal(power(b, 4), Array<double, 2>{{1, 4}, {0, 1}}));
  CHECK(array_equal(b, a));
}

TEST_CASE("a history keeps what was pushed") {
  std::vector<Array<float, 1>> history;
  Array<float, 1> x{0, 0};
  for (int i = 0; i < 3; ++i) {
    x = x + 1;
    history.push_back(x);
  }
  for (int i = 0; i < 3; ++i) CHECK(history[static_cast<std::size_t>(i)](0) == static_cast<float>(i + 1));
}

TEST_CASE("the best so far does not follow the current one") {
  Array<float, 1> current{5}, best = current;
  for (const float next : {3.f, 7.f, 1.f, 4.f}) {
    current = current * 0 + next;
    if (current(0) < best(0)) best = current;
  }
  CHECK(best(0) == 1);
}

TEST_CASE("containers, structures and lambdas hold names") {
  std::vector<Array<int, 1>> arrays{{3}, {1}, {2}};
  const std::vector<Array<int, 1>> copies = arrays;
  arrays[0] = arrays[0] + 10;
  CHECK(copies[0](0) == 3);
  std::ranges::sort(arrays, {}, [](const auto& a) { return int(a(0)); });
  CHECK(arrays[0](0) == 1);
  CHECK(arrays[2](0) == 13);
  arrays.erase(arrays.begin());
  CHECK(arrays[0](0) == 2);
  arrays.insert(arrays.begin(), arrays[1]);
  CHECK(arrays[0](0) == 13);
  std::swap(arrays[0], arrays[1]);
  CHECK(arrays[0](0) == 2);

  Model first{.weights = {1, 2}}, second = first;
  second.weights = second.weights * 10;
  CHECK(first.weights(0) == 1);
  first = second;
  first.weights = first.weights + 1;
  CHECK(second.weights(0) == 10);

  Array<int, 1> seen{1};
  const auto read = [seen] { return int(seen(0)); };
  seen = seen + 1;
  CHECK(read() == 1);
  auto write = [&seen] { seen = seen + 1; };
  write();
  CHECK(seen(0) == 3);
}

TEST_CASE("a moved array leaves its name free and its storage to the other") {
  Array<float, 1> a{1, 2};
  const float* const storage = a.data();
  Array<float, 1> b = std::move(a);
  b = b + 1;
  CHECK(b.data() == storage);
  CHECK_FALSE(a.has_storage());
  a = b * 2;
  CHECK(a(1) == 6);
}

TEST_CASE("copy is a copy at once, of arrays, views and expressions") {
  Array<float, 1> a{1, 2, 3};
  const auto copied = copy(a);
  const auto part = copy(a(range(0, 2)));
  const auto sums = copy(a + 1);
  const auto view = copy(make_view(a));
  a += 10;
  CHECK(array_equal(copied, Array<float, 1>{1, 2, 3}));
  CHECK(array_equal(part, Array<float, 1>{1, 2}));
  CHECK(array_equal(sums, Array<float, 1>{2, 3, 4}));
  CHECK(array_equal(view, copied));
}

TEST_CASE("a read-only name reads what others write, and gets new values of its own") {
  Array<float, 1> a{1, 2, 3};
  Array<const float, 1> reader = a;
  a += 1;
  CHECK(reader(0) == 2);
  CHECK(array_equal(reader * 2, Array<float, 1>{4, 6, 8}));
  CHECK(sum(reader) == 9);
  reader = reader + 1;
  CHECK(a(0) == 2);
  CHECK(reader(0) == 3);
  reader = a;
  CHECK(reader.data() == a.data());
  static_assert(!std::is_assignable_v<decltype(reader(0)), float>);
  static_assert(!std::is_assignable_v<decltype(reader(range(0, 1))), float>);
}

namespace {

template <class A, class S>
concept TakesValue = requires(A& a, const S& s) { a = s; };
template <class A, class S>
concept TakesElements = requires(A& a, const S& s) { a(ellipsis) = s; };
template <class A, class S>
concept TakesSum = requires(A& a, const S& s) { a += s; };
template <class A>
concept TakesElement = requires(A& a) { a(0) = 1.f; };

}  // namespace

static_assert(TakesValue<Array<float, 1>, float> && TakesElements<Array<float, 1>, float> &&
              TakesSum<Array<float, 1>, float> && TakesElement<Array<float, 1>>);
static_assert(!TakesValue<const Array<float, 1>, float> && !TakesElements<const Array<float, 1>, float> &&
              !TakesSum<const Array<float, 1>, float> && !TakesElement<const Array<float, 1>>);
static_assert(TakesValue<Array<const float, 1>, float> && !TakesElements<Array<const float, 1>, float> &&
              !TakesSum<Array<const float, 1>, float> && !TakesElement<Array<const float, 1>>);
static_assert(TakesValue<const ArrayView<float, 1>, float> && TakesElements<const ArrayView<float, 1>, float> &&
              TakesSum<const ArrayView<float, 1>, float> && TakesElement<const ArrayView<float, 1>>);
static_assert(!TakesValue<ArrayView<const float, 1>, float> && !TakesSum<ArrayView<const float, 1>, float>);
static_assert(!TakesValue<Array<float, 2>, decltype(sum<0>(Array<float, 2>()))> &&
              TakesElements<Array<float, 2>, decltype(sum<0>(Array<float, 2>()))>);
