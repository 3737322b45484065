// Factors that are expressions or of other types: the product is that of their values, and evaluates or converts them block by block.
#include <numeric>

#include "../expr/support.hpp"

using namespace tessera;
using namespace support;

namespace {

template <class T, int Rank>
bool same_bits(const Array<T, Rank>& a, const Array<T, Rank>& b) {
  return difference(elements(a), elements(b)) == "";
}

/// c = dot(x, y) in several destinations and expressions has the bits of the product of the evaluated factors.
template <class X, class Y>
void check(const X& x, const Y& y) {
  using T = typename std::remove_cvref_t<decltype(dot(x, y))>::value_type;
  const auto a = evaluate(x);
  const auto b = evaluate(y);
  INFO(name(dtype_of<T>) << " " << a.shape() << " by " << b.shape());
  const Array<T, 2> expected = dot(a, b);
  CHECK(same_bits(Array<T, 2>(dot(x, y)), expected));
  const Array<T, 2> columns = full(Dim{b.shape()[1], a.shape()[0]}, T(7));
  assign(columns.T(), dot(x, y));
  CHECK(same_bits(Array<T, 2>(copy(columns.T())), expected));
  CHECK(array_equal(dot(x, y) + T(1), expected + T(1)));
  const Threads two(2);
  CHECK(same_bits(Array<T, 2>(dot(x, y)), expected));
}

/// Of more than 4 MiB, so far.
std::ptrdiff_t large_allocations() {
  const memory::SizeHistogram sizes = memory::stats(CpuPlace{}).histogram;
  return std::accumulate(sizes.begin() + 17, sizes.end(), std::ptrdiff_t{0});
}

constexpr std::ptrdiff_t extents[][3] = {{5, 6, 7},        {20, 30, 40},    {64, 784, 256}, {300, 400, 33},
                                         {1100, 500, 100}, {2050, 90, 200}, {40, 1000, 900}};

}  // namespace

TEST_CASE("expressions as factors, on the left, on the right and on both sides") {
  Random random(1500);
  INFO(random.how_to_repeat());
  for (const auto& [rows, inner, columns] : extents) {
    if (is_sanitized && rows * inner > 100000) continue;
    const auto kind = [&] { return all_arrangements[random.below(6)]; };
    const auto a = random_array<float>(Dim{rows, inner}, kind(), random);
    const auto b = random_array<float>(Dim{inner, columns}, kind(), random);
    check(relu(a), b);
    check(a, b * 2.0f - 1.0f);
    check(a - mean<0>(a, keepdims), abs(b));
    check(a * b(0, 0) + a(all, range(0, 1)), b);
    const auto c = random_array<double>(Dim{rows, inner}, kind(), random);
    check(c, sqrt(abs(cast<double>(b))));
    check(cast<float>(random_array<std::uint8_t>(Dim{rows, inner}, kind(), random)) / 255.0f, b);
    const auto z = random_array<std::complex<float>>(Dim{rows, inner}, kind(), random);
    check(conj(z), random_array<std::complex<float>>(Dim{inner, columns}, kind(), random));
  }
}

TEST_CASE("a large expression on the left takes memory for blocks, not for all of its elements") {
  const Array<float, 2> x = ones<float>(Dim{20000, 200});
  const Array<float, 2> w = ones<float>(Dim{200, 50});
  Array<float, 2> c(Dim{20000, 50});
  const auto before = large_allocations();
  c = dot(relu(x) + 1.0f, w);
  CHECK(large_allocations() == before);
  CHECK(c[{19999, 49}] == 400.0f);
  CHECK(contains(explain(dot(relu(x), w)), "x0 evaluated block by block"));
  CHECK(contains(explain(dot(w.T(), sqrt(x(range(0, 200), all)))), "x1 evaluated block by block"));
  CHECK(!contains(explain(dot(x, sqrt(x(range(0, 200), all)))), "evaluated block by block"));
}

TEST_CASE("few rows of an expression beside very many columns, with elementwise work around them") {
  const Array<float, 2> x = ones<float>(Dim{2, 20}), w = ones<float>(Dim{20, 300000});
  const Array<float, 2> c = relu(dot(relu(x), w) + 1.0f);
  CHECK(item(all(c == 21.0f)));
  const Array<float, 2> d = dot(x.T() * 2.0f, ones<float>(Dim{2, 300000})) + 1.0f;
  CHECK(item(all(d == 5.0f)));
}

TEST_CASE("factors with products or normalisations in them are computed as a whole") {
  Random random(1502);
  const auto a = random_array<float>(Dim{40, 30}, Arrangement::contiguous, random);
  const auto b = random_array<float>(Dim{30, 50}, Arrangement::contiguous, random);
  const auto c = random_array<float>(Dim{50, 60}, Arrangement::contiguous, random);
  check(relu(dot(a, b) + 1.0f), c);
  check(softmax<1>(dot(a, b)), c);
  CHECK(!contains(explain(dot(softmax<1>(a), b)), "evaluated block by block"));
}

TEST_CASE("elements of 16 bits are multiplied as float, whatever lies on the other side") {
  Random random(1501);
  INFO(random.how_to_repeat());
  for (const auto& [rows, inner, columns] : extents) {
    if (is_sanitized && rows * inner > 100000) continue;
    INFO(rows << " x " << inner << " by " << inner << " x " << columns);
    const auto kind = [&] { return all_arrangements[random.below(6)]; };
    const auto check_type = [&]<class T>(T) {
      const auto whole = [&](const Dim<2>& shape) {
        const Array<T, 2> a = storage_like<T>(shape, kind(), T(0), random);
        for_each_position(shape, [&](const auto& at) { element(a, at) = T(static_cast<int>(random.below(9)) - 4); });
        return a;
      };
      const auto a = whole(Dim{rows, inner}), b = whole(Dim{inner, columns});
      const Array<float, 2> x = cast<float>(a), y = cast<float>(b);
      const Array<float, 2> expected = dot(x, y);
      CHECK(array_equal(dot(x, b), expected));
      CHECK(array_equal(dot(a, y), expected));
      const Array<T, 2> c = dot(a, b);
      CHECK(array_equal(c, cast<T>(expected)));
      const Array<float, 2> wide(expected.shape());
      assign(wide, dot(a, b) + 0.5f);
      CHECK(array_equal(wide, expected + 0.5f));
    };
    check_type(bfloat16());
    check_type(float16());
  }
}

TEST_CASE("sums of 16-bit elements are floats: an element too small for the type of the factors is not lost") {
  const Array<bfloat16, 2> row = ones<bfloat16>(Dim{3, 301});
  const Array<float, 2> sum = dot(row, row.T()) + 0.0f;
  CHECK(sum[{2, 1}] == 301.0f);
}
