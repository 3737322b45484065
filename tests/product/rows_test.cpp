// Reductions and normalisations of the rows of a product: the bits are those of the product that is computed first, and it is in memory only where a
// few of its rows do not fit a cache.
#include <numeric>

#include "../expr/support.hpp"

using namespace tessera;
using namespace support;

namespace {

template <class T, int Rank>
std::string difference_of(const Array<T, Rank>& got, const Array<T, Rank>& expected) {
  return difference(elements(got), elements(expected));
}

/// The product's sums in memory, for 16-bit factors as floats.
template <class T>
auto sums_of(const Array<T, 2>& x, const Array<T, 2>& w) {
  using Sum = std::conditional_t<sizeof(T) == 2, float, T>;
  Array<Sum, 2> z(Dim{x.shape()[0], w.shape()[1]});
  assign(z, dot(x, w));
  return z;
}

/// f(the product) has the bits of f(its values).
template <class T, class F>
void check(const char* what, const Array<T, 2>& x, const Array<T, 2>& w, const F& f) {
  INFO(what);
  const auto z = sums_of(x, w);
  using Result = decltype(evaluate(f(dot(x, w))));
  Result expected(f(z).shape());
  assign(expected, f(z));
  CHECK(difference_of(Result(f(dot(x, w))), expected) == "");
  const Threads three(3);
  CHECK(difference_of(Result(f(dot(x, w))), expected) == "");
}

template <class T>
void check_some(const Array<T, 2>& x, const Array<T, 2>& w, const Array<T, 1>& b) {
  check("sum", x, w, [&](const auto& z) { return sum<1>(z); });
  check("max", x, w, [&](const auto& z) { return max<1>(z + b, keepdims); });
  check("argmax", x, w, [&](const auto& z) { return argmax<1>(z); });
  if constexpr (Floating<T>) {
    check("softmax", x, w, [&](const auto& z) { return softmax<1>(z + b); });
    check("log_softmax", x, w, [&](const auto& z) { return log_softmax<1>(z); });
  }
}

/// Rows that are one block or several, end at one or beside it, or are so long that the product is computed first.
constexpr std::ptrdiff_t extents[][3] = {
    {0, 5, 7},      {1, 30, 40},     {3, 0, 5},       {5, 6, 1},      {200, 6, 1},    {2, 20, 300},
    {33, 10, 7000}, {3000, 2, 2048}, {140, 5, 2100},  {2, 3, 140000}, {257, 40, 256}, {512, 30, 256},
    {513, 40, 256}, {65, 100, 1030}, {1100, 50, 100}, {2500, 9, 10},  {300, 784, 256}};

bool is_too_much(std::ptrdiff_t rows, std::ptrdiff_t inner, std::ptrdiff_t columns) {
  return is_sanitized && rows * inner * columns > 3000000;
}

/// Of more than 4 MiB, so far.
std::ptrdiff_t large_allocations() {
  const memory::SizeHistogram sizes = memory::stats(CpuPlace{}).histogram;
  return std::accumulate(sizes.begin() + 17, sizes.end(), std::ptrdiff_t{0});
}

}  // namespace

TEST_CASE("sums, maxima and softmax of the rows of a product, with factors of every layout") {
  Random random(1600);
  INFO(random.how_to_repeat());
  for (const auto& [rows, inner, columns] : extents) {
    if (is_too_much(rows, inner, columns)) continue;
    INFO(rows << " x " << inner << " by " << inner << " x " << columns);
    const auto kind = [&] { return all_arrangements[random.below(6)]; };
    const auto check_type = [&]<class T>(T) {
      INFO(name(dtype_of<T>));
      const auto x = random_array<T>(Dim{rows, inner}, kind(), random);
      const auto w = random_array<T>(Dim{inner, columns}, kind(), random);
      check_some(x, w, random_array<T>(Dim{columns}, Arrangement::contiguous, random));
    };
    check_type(float());
    check_type(double());
    check_type(std::int32_t());
  }
}

TEST_CASE("all reductions and normalisations along the rows of a product") {
  Random random(1601);
  INFO(random.how_to_repeat());
  for (const auto& [rows, inner, columns] : {std::array{40, 30, 50}, std::array{600, 20, 200}}) {
    INFO(rows << " x " << inner << " by " << inner << " x " << columns);
    const auto x = random_array<float>(Dim{rows, inner}, Arrangement::contiguous, random);
    const auto w = random_array<float>(Dim{inner, columns}, Arrangement::transposed, random);
    const auto y = random_array<float>(Dim{rows, columns}, Arrangement::sliced, random);
    const auto row = random_array<float>(Dim{rows, 1}, Arrangement::contiguous, random);
    check("mean", x, w, [&](const auto& z) { return mean<-1>(z * y, keepdims); });
    check("min", x, w, [&](const auto& z) { return min<1>(z - row); });
    check("argmin", x, w, [&](const auto& z) { return argmin<1>(abs(z)); });
    check("prod", x, w, [&](const auto& z) { return prod<1>(1 + 0.01f * z); });
    check("var", x, w, [&](const auto& z) { return var<1>(z, keepdims); });
    check("stddev", x, w, [&](const auto& z) { return stddev<1>(z + row, Correction{1}); });
    check("logsumexp", x, w, [&](const auto& z) { return logsumexp<1>(z); });
    check("norm", x, w, [&](const auto& z) { return norm<1>(relu(z)); });
    check("any", x, w, [&](const auto& z) { return any<1>(z > 3.0f); });
    check("standardise", x, w, [&](const auto& z) { return standardise<1>(z + y); });
    check("in an expression", x, w, [&](const auto& z) { return 2 * softmax<1>(z * row) - y; });
    check("a statistic of a product", x, w, [&](const auto& z) { return y - logsumexp<1>(z, keepdims); });
    check("beside generated numbers", x, w,
          [&](const auto& z) { return sum<1>(z * random::uniform<float>(random::Key{7}, Dim{rows, columns})); });
    // Along other axes, and where another order is faster, as before.
    check("columns", x, w, [&](const auto& z) { return sum<0>(z); });
    check("everything", x, w, [&](const auto& z) { return sum(z); });
    check("side by side", x, w, [&, t = copy(y.T())](const auto& z) { return sum<1>(z + t.T() - 2 * t.T()); });
    check("softmax of columns", x, w, [&](const auto& z) { return softmax<0>(z); });
    check("of a normalisation", x, w, [&](const auto& z) { return max<1>(softmax<1>(z)); });
    check("of two products", x, w, [&](const auto& z) { return sum<1>(z * dot(x, w)); });
  }
}

TEST_CASE("rows of a product with 16-bit, complex and computed factors") {
  Random random(1602);
  INFO(random.how_to_repeat());
  for (const auto& [rows, inner, columns] : {std::array{30, 40, 20}, std::array{700, 30, 260}}) {
    INFO(rows << " x " << inner << " by " << inner << " x " << columns);
    const auto x = random_array<bfloat16>(Dim{rows, inner}, Arrangement::sliced, random);
    const auto w = random_array<bfloat16>(Dim{inner, columns}, Arrangement::contiguous, random);
    const Array<float, 2> z = sums_of(x, w);
    CHECK(difference_of(evaluate(sum<1>(dot(x, w))), evaluate(cast<bfloat16>(sum<1>(z)))) == "");
    CHECK(difference_of(evaluate(softmax<1>(dot(x, w))), evaluate(cast<bfloat16>(softmax<1>(z)))) == "");
    const auto c = random_array<std::complex<float>>(Dim{rows, inner}, Arrangement::contiguous, random);
    const auto d = random_array<std::complex<float>>(Dim{inner, columns}, Arrangement::transposed, random);
    check("complex", c, d, [](const auto& of) { return sum<1>(of); });
    const auto a = random_array<float>(Dim{rows, inner}, Arrangement::contiguous, random);
    const auto b = random_array<float>(Dim{inner, columns}, Arrangement::contiguous, random);
    const Array<float, 2> left = dot(relu(a), b), right = dot(a, b + 1.0f);
    CHECK(difference_of(evaluate(softmax<1>(dot(relu(a), b))), evaluate(softmax<1>(left))) == "");
    CHECK(difference_of(evaluate(max<1>(dot(a, b + 1.0f))), evaluate(max<1>(right))) == "");
  }
}

TEST_CASE("rows of a product go to destinations of other layouts and types") {
  Random random(1603);
  const auto x = random_array<float>(Dim{520, 20}, Arrangement::contiguous, random);
  const auto w = random_array<float>(Dim{20, 256}, Arrangement::contiguous, random);
  const Array<float, 2> z = dot(x, w);
  const Array<float, 2> softened = softmax<1>(z);
  const Array<float, 2> columns = zeros<float>(Dim{256, 520}), expected = zeros<float>(Dim{256, 520});
  assign(columns.T(), softmax<1>(dot(x, w)));
  assign(expected.T(), softmax<1>(z));  // side by side
  CHECK(array_equal(columns, expected));
  const Array<float, 2> spread = zeros<float>(Dim{1040, 512});
  assign(spread(range(none, none, -2), range(0, none, 2)), softmax<1>(dot(x, w)));
  CHECK(array_equal(spread(range(none, none, -2), range(0, none, 2)), softened));
  const Array<double, 2> wide = zeros<double>(Dim{520, 256});
  assign(wide, log_softmax<1>(dot(x, w)));
  CHECK(array_equal(wide, cast<double>(log_softmax<1>(z))));
  const Array<float, 3> broadcast = zeros<float>(Dim{2, 520, 256});
  assign(broadcast, softmax<1>(dot(x, w)));
  CHECK(array_equal(broadcast(1, ellipsis), softened));
  assign(spread(range(0, none, 2), 3), sum<1>(dot(x, w)));
  CHECK(array_equal(spread(range(0, none, 2), 3), sum<1>(z)));
}

TEST_CASE("a destination that overlaps a factor, or what is added, sees both as they were") {
  Random random(1604);
  for (const std::ptrdiff_t side : {5, 300}) {
    INFO(side);
    const auto x = random_array<float>(Dim{side, side}, Arrangement::contiguous, random);
    const auto w = random_array<float>(Dim{side, side}, Arrangement::contiguous, random);
    const Array<float, 2> z = dot(x, w);
    const Array<float, 2> expected = softmax<1>(z + x);
    Array<float, 2> a = x.clone();
    assign(a, softmax<1>(dot(a, w) + a));
    CHECK(array_equal(a, expected));
    a = x.clone();
    assign(a, softmax<1>(dot(x, w) + a));
    CHECK(array_equal(a, expected));
    a = x.clone();
    assign(a(all, 2), sum<1>(dot(a, w)));
    CHECK(array_equal(a(all, 2), sum<1>(z)));
    const Array<float, 2> storage = zeros<float>(Dim{side + 1, side});
    assign(storage(range(1, none), all), x);
    assign(storage(range(0, side), all), log_softmax<1>(dot(storage(range(1, none), all), w)));
    CHECK(array_equal(storage(range(0, side), all), log_softmax<1>(z)));
  }
}

TEST_CASE("what the page on products shows") {
  // --8<-- [start:rows]
  const Array<float, 2> x = random::uniform<float>(random::Key{1}, Dim{3000, 30});
  const Array<float, 2> w = random::uniform<float>(random::Key{2}, Dim{30, 256});
  const Array<float, 1> b = ones<float>(Dim{256});
  const Array<float, 1> sums = sum<1>(dot(x, w));            // 3000 numbers: 3 MiB of products are never in memory
  const Array<std::int64_t, 1> best = argmax<1>(dot(x, w));  // the column of each row's largest
  const Array<float, 2> shares = softmax<1>(dot(x, w) + b);  // only the result is
  const Array<float, 2> z = dot(x, w);
  CHECK(array_equal(sums, sum<1>(z)));
  CHECK(array_equal(best, argmax<1>(z)));
  CHECK(array_equal(shares, softmax<1>(z + b)));
  // --8<-- [end:rows]
}

TEST_CASE("the whole product is not in memory") {
  const Threads two(2);
  const Array<float, 2> x = ones<float>(Dim{20000, 30}), w = ones<float>(Dim{30, 200});
  Array<float, 1> sums(Dim{20000});
  Array<float, 2> shares(Dim{20000, 200});
  const auto before = large_allocations();
  sums = sum<1>(dot(x, w));
  sums += max<1>(relu(dot(x, w)) + 1.0f);
  shares = softmax<1>(dot(x, w) - 1.0f);
  shares = shares - logsumexp<1>(dot(x, w), keepdims);
  CHECK(large_allocations() == before);
  CHECK(sums[{19999}] == 6031.0f);
  sums = sum<1>(dot(x, w) * dot(x, w));
  CHECK(large_allocations() > before);  // of two products both are
}

TEST_CASE("rows that cannot get their memory leave the destination as it was") {
  const Array<float, 2> x = full(Dim{600, 300}, 0.5f), w = full(Dim{300, 500}, 0.25f);
  const Array<float, 2> y = zeros<float>(Dim{600, 500});
  const Array<float, 1> s = zeros<float>(Dim{600});
  memory::trim(CpuPlace{});
  memory::set_limit(CpuPlace{}, memory::stats(CpuPlace{}).allocated);
  CHECK(message_of<OutOfMemory>([&] { assign(y, softmax<1>(dot(x, w))); }) != "nothing was thrown");
  CHECK(message_of<OutOfMemory>([&] { assign(s, sum<1>(dot(x, w))); }) != "nothing was thrown");
  memory::set_limit(CpuPlace{}, PTRDIFF_MAX);
  CHECK(item(all(y == 0.0f)));
  CHECK(item(all(s == 0.0f)));
}

TEST_CASE("explain says where the rows of a product are when they are reduced") {
  const auto x = ones<float>(Dim{2000, 3}), w = ones<float>(Dim{3, 256});  // too little for several threads
  const std::string sums = explain(sum<1>(dot(x, w) + 1.0f));
  CHECK(contains(sums, "Stage 1 of 2: dot, into blocks of rows, for the stage that reads them"));
  CHECK(contains(sums, "8 x 1 tiles"));
  CHECK(contains(sums, "in 8 blocks of about 252 rows, each just after the product's rows that it reads"));
  CHECK(contains(sums, "computed in the cache just before it is read"));
  const std::string shares = explain(2 * softmax<1>(dot(x, w)));
  CHECK(contains(shares, "Stage 1 of 3: dot, into blocks of rows, for the stage that reads them"));
  CHECK(contains(shares, "in 8 blocks of about 252 rows, each just after the product's rows that it reads"));
  const std::string wide = explain(sum<1>(dot(x, ones<float>(Dim{3, 2100}))));
  CHECK(contains(wide, "Stage 1 of 2: dot, into memory of its own"));
  CHECK(!contains(wide, "blocks of about"));
  CHECK(contains(explain(sum<0>(dot(x, w))), "Stage 1 of 2: dot, into memory of its own"));
}
