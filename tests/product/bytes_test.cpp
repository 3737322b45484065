// Products of 8-bit integers, summed in 32 bits: the factors stay as they are, and every sum is exact.
#include "amx.hpp"
#include "guarded.hpp"

using namespace product_test;

namespace {

using Int = std::int32_t;

/// Any byte, and often the ends of the range.
template <class T>
void fill(const Array<T, 2>& a, Random& random) {
  for (std::ptrdiff_t i = 0; i < a.shape()[0]; ++i) {
    for (std::ptrdiff_t j = 0; j < a.shape()[1]; ++j) element(a, std::array{i, j}) = random_value<T>(random);
  }
}

template <class A, class B>
int count_wrong(const Array<A, 2>& a, const Array<B, 2>& b, const Array<Int, 2>& c) {
  const std::ptrdiff_t a_row = a.strides()[0], a_column = a.strides()[1];
  const std::ptrdiff_t b_row = b.strides()[0], b_column = b.strides()[1];
  int wrong = 0;
  for (std::ptrdiff_t i = 0; i < c.shape()[0]; ++i) {
    for (std::ptrdiff_t j = 0; j < c.shape()[1]; ++j) {
      Int sum = 0;
      for (std::ptrdiff_t k = 0; k < a.shape()[1]; ++k)
        sum += Int{a.data()[i * a_row + k * a_column]} * Int{b.data()[k * b_row + j * b_column]};
      wrong += element(c, std::array{i, j}) != sum;
    }
  }
  return wrong;
}

/// Calls with elements of each pair of types.
template <class Check>
void for_signs(const Check& check) {
  check(std::int8_t(), std::int8_t());
  check(std::int8_t(), std::uint8_t());
  check(std::uint8_t(), std::int8_t());
  check(std::uint8_t(), std::uint8_t());
}

template <class A, class B>
void check_shapes(std::ptrdiff_t most, Random& random) {
  const auto bytes = static_cast<std::size_t>(3 * (most + 1) * (most + 1));
  const GuardedMemory left(bytes), right(bytes), result(bytes * sizeof(Int));
  for (std::ptrdiff_t rows = 1; rows <= most; ++rows) {
    for (std::ptrdiff_t inner = 1; inner <= most; ++inner) {
      for (std::ptrdiff_t columns = 1; columns <= most; ++columns) {
        if (is_sanitized && random.below(40) != 0) continue;
        const Lie a_lie = all_lies[random.below(6)], b_lie = all_lies[random.below(6)];
        const auto a = matrix_in<A>(left, Dim{rows, inner}, a_lie, random.below(2) == 0);
        const auto b = matrix_in<B>(right, Dim{inner, columns}, b_lie, random.below(2) == 0);
        const auto c = matrix_in<Int>(result, Dim{rows, columns}, all_lies[random.below(5)], random.below(2) == 0);
        fill(a, random);
        fill(b, random);
        assign(c, dot(cast<Int>(a), cast<Int>(b)));
        if (const int wrong = count_wrong(a, b, c); wrong != 0)
          FAIL_CHECK(name(dtype_of<A>) << " " << rows << " x " << inner << " by " << name(dtype_of<B>) << " " << inner
                                       << " x " << columns << ", layouts " << static_cast<int>(a_lie) << " and "
                                       << static_cast<int>(b_lie) << ", destination " << c.strides() << ": " << wrong
                                       << " elements differ");
      }
    }
  }
}

/// Extents around those at which blocks, strips, groups and vectors end.
template <class A, class B>
void check_blocks(Random& random) {
  const GuardedMemory left(std::size_t{3} * 1200 * 1600), right(std::size_t{3} * 1600 * 400);
  const GuardedMemory result(std::size_t{3} * 1200 * 400 * sizeof(Int));
  constexpr std::ptrdiff_t extents[][3] = {
      {1, 1000, 1},   {1, 1000, 300}, {300, 1000, 1},  {1030, 20, 33},  {15, 1537, 70}, {29, 1535, 65}, {30, 1540, 400},
      {57, 767, 129}, {1025, 3, 300}, {100, 384, 384}, {64, 1000, 100}, {3, 1100, 350}, {33, 128, 47},  {31, 64, 16},
      {17, 63, 33},   {40, 512, 300}, {65, 832, 17},   {32, 768, 32},   {97, 65, 48}};
  for (const auto& [rows, inner, columns] : extents) {
    for (const Lie a_lie : all_lies) {
      const Lie b_lie = all_lies[random.below(6)];
      if (is_sanitized && random.below(6) != 0) continue;
      INFO(name(dtype_of<A>) << " " << rows << " x " << inner << " by " << name(dtype_of<B>) << " " << inner << " x "
                             << columns << ", layouts " << static_cast<int>(a_lie) << " and "
                             << static_cast<int>(b_lie));
      const auto a = matrix_in<A>(left, Dim{rows, inner}, a_lie, random.below(2) == 0);
      const auto b = matrix_in<B>(right, Dim{inner, columns}, b_lie, random.below(2) == 0);
      const auto c = matrix_in<Int>(result, Dim{rows, columns}, all_lies[random.below(3)], random.below(2) == 0);
      fill(a, random);
      fill(b, random);
      assign(c, dot(cast<Int>(a), cast<Int>(b)));
      CHECK(count_wrong(a, b, c) == 0);
    }
  }
}

template <class T, int Rank>
Array<T, Rank> bytes(const Dim<Rank>& shape, Random& random) {
  return random_array<T>(shape, all_arrangements[random.below(6)], random);
}

/// The product of factors that are int32 in memory.
template <class A, class B>
auto widened_product(const A& a, const B& b) {
  const auto x = evaluate(cast<Int>(a));
  const auto y = evaluate(cast<Int>(b));
  return evaluate(matmul(x, y));
}

}  // namespace

TEST_CASE("every shape up to 20 in each extent, 40 by tiles, between guarded pages: bytes of either sign") {
  Random random(1600);
  INFO(random.how_to_repeat());
  for_signs([&]<class A, class B>(A, B) { check_shapes<A, B>(has_amx() ? 40 : 20, random); });
}

TEST_CASE("bytes in shapes around the ends of blocks") {
  Random random(1601);
  INFO(random.how_to_repeat());
  for_signs([&]<class A, class B>(A, B) { check_blocks<A, B>(random); });
}

TEST_CASE("products of the largest bytes are exact, and sums of more than 32 bits wrap") {
  for_signs([]<class A, class B>(A, B) {
    for (const int x : {int{std::numeric_limits<A>::min()}, int{std::numeric_limits<A>::max()}}) {
      for (const int y : {int{std::numeric_limits<B>::min()}, int{std::numeric_limits<B>::max()}}) {
        for (const std::ptrdiff_t inner : {3, 1000, 40000}) {
          INFO(name(dtype_of<A>) << " " << x << " by " << name(dtype_of<B>) << " " << y << ", " << inner);
          const Array<A, 2> a = full(Dim{3, inner}, static_cast<A>(x));
          const Array<B, 2> b = full(Dim{inner, 5}, static_cast<B>(y));
          const auto sum = static_cast<Int>(static_cast<std::uint32_t>(x * y) * static_cast<std::uint32_t>(inner));
          CHECK(item(all(dot(cast<Int>(a), cast<Int>(b)) == sum)));
        }
      }
    }
  });
}

TEST_CASE("nothing of bytes is added up: zeros, whatever was there") {
  const Array<Int, 2> c = full(Dim{3, 4}, 7);
  assign(c, dot(cast<Int>(zeros<std::int8_t>(Dim{3, 0})), cast<Int>(zeros<std::uint8_t>(Dim{0, 4}))));
  CHECK(array_equal(c, zeros<Int>(Dim{3, 4})));
}

TEST_CASE("batches, vectors and expressions of bytes") {
  Random random(1602);
  INFO(random.how_to_repeat());
  const auto check = [](const auto& a, const auto& b) {
    INFO(a.shape() << " by " << b.shape());
    CHECK(array_equal(matmul(cast<Int>(a), cast<Int>(b)), widened_product(a, b)));
  };
  for_signs([&]<class A, class B>(A, B) {
    for (const Dim<3> size : {Dim{1, 1, 1}, Dim{5, 7, 9}, Dim{17, 70, 33}, Dim{40, 300, 90}}) {
      const std::ptrdiff_t m = size[0], k = size[1], n = size[2];
      check(bytes<A>(Dim{6, m, k}, random), bytes<B>(Dim{6, k, n}, random));
      check(bytes<A>(Dim{6, m, k}, random), bytes<B>(Dim{k, n}, random));
      check(bytes<A>(Dim{2, 1, m, k}, random), bytes<B>(Dim{3, k, n}, random));
      check(bytes<A>(Dim{4, m, k}, random), bytes<B>(Dim{k}, random));
      check(bytes<A>(Dim{k}, random), bytes<B>(Dim{k, n}, random));
      check(bytes<A>(Dim{k}, random), bytes<B>(Dim{k}, random));
      const auto a = bytes<A>(Dim{m, k}, random);
      const auto b = bytes<B>(Dim{k, n}, random);
      check(evaluate(abs(a)), b);
      CHECK(array_equal(dot(cast<Int>(abs(a)), cast<Int>(b)), widened_product(evaluate(abs(a)), b)));
      CHECK(array_equal(dot(cast<Int>(a), evaluate(cast<Int>(b))), widened_product(a, b)));  // as int32
      CHECK(array_equal(dot(cast<Int>(a), cast<Int>(b) - 3), dot(cast<Int>(a), evaluate(cast<Int>(b) - 3))));
    }
  });
}

TEST_CASE("what is around a product of bytes sees its sums, tile by tile") {
  Random random(1603);
  INFO(random.how_to_repeat());
  for_signs([&]<class A, class B>(A, B) {
    for (const Dim<3> size : {Dim{1, 3, 2}, Dim{64, 784, 256}, Dim{700, 90, 800}}) {
      if (is_sanitized && size[0] > 64) continue;
      INFO(size);
      const auto a = bytes<A>(Dim{size[0], size[1]}, random);
      const auto b = bytes<B>(Dim{size[1], size[2]}, random);
      const auto bias = random_array<float>(Dim{size[2]}, Arrangement::contiguous, random);
      const Array<Int, 2> sums = widened_product(a, b);
      const Array<float, 2> expected = cast<float>(sums) * 0.03125f + bias;
      const Array<float, 2> scaled = cast<float>(dot(cast<Int>(a), cast<Int>(b))) * 0.03125f + bias;
      CHECK(array_equal(scaled, expected));
      const Array<Int, 2> columns = full(Dim{size[2], size[0]}, 7);
      assign(columns.T(), dot(cast<Int>(a), cast<Int>(b)));
      CHECK(array_equal(columns.T(), sums));
      const Threads two(2);
      CHECK(array_equal(dot(cast<Int>(a), cast<Int>(b)) + 1, sums + 1));
    }
  });
}

TEST_CASE("a matrix of bytes times its own transpose is computed once") {
  Random random(1604);
  for_signs([&]<class A, class B>(A, B) {
    const auto a = random_array<A>(Dim{300, 200}, Arrangement::contiguous, random);
    const auto product = [&] { return dot(cast<Int>(a), cast<Int>(a.T())); };
    CHECK(contains(explain(product()), "one half is computed"));
    CHECK(array_equal(product(), widened_product(a, a.T())));
  });
}

TEST_CASE("a product of bytes in an op of a scheduler") {
  Random random(1605);
  const auto a = bytes<std::int8_t>(Dim{70, 90}, random);
  const auto b = bytes<std::uint8_t>(Dim{90, 80}, random);
  Array<Int, 2> c(Dim{70, 80});
  Scheduler scheduler;
  {
    const Async on{scheduler};
    c = dot(cast<Int>(a), cast<Int>(b));
    c += dot(cast<Int>(a), cast<Int>(b));
  }
  CHECK(array_equal(c, 2 * widened_product(a, b)));
}

TEST_CASE("a layer of a quantised network") {
  // --8<-- [start:quantised]
  const Array<std::uint8_t, 2> x{{0, 128, 255}, {10, 20, 30}};          // 0.02 * (x - 128)
  const Array<std::int8_t, 2> w{{1, -128}, {127, 5}, {-3, 64}};         // 0.5 * w
  const auto sums = dot(cast<std::int32_t>(x), cast<std::int32_t>(w));  // nothing is copied as int32
  const Array<std::int32_t, 1> zero = cast<std::int32_t>(128 * sum<0>(w));
  const Array<float, 2> y = cast<float>(sums - zero) * (0.02f * 0.5f);  // tile by tile, after each tile of the product
  // --8<-- [end:quantised]
  CHECK(array_equal(Array<std::int32_t, 2>(sums), Array<std::int32_t, 2>{{15491, 16960}, {2460, 740}}));
  CHECK(allclose(y, dot((cast<float>(x) - 128.0f) * 0.02f, cast<float>(w) * 0.5f)));
}

TEST_CASE("explain says that bytes are multiplied as they lie in memory, and how many at a time") {
  const Array<std::int8_t, 2> a = ones<std::int8_t>(Dim{40, 50});
  const Array<std::uint8_t, 2> b = ones<std::uint8_t>(Dim{50, 60});
  const std::string text = explain(dot(cast<Int>(a), cast<Int>(b)));
  INFO(text);
  CHECK(contains(text, "by loops over blocks that fit the caches"));
  CHECK(contains(text, "x0 strides (50, 1)  packed block by block"));
  const bool tiles = contains(text, "factors of int8 and uint8, in tiles of AMX, summed in int32");
  const bool quads = contains(text, "factors of int8 and uint8, four at a time, summed in int32");
  const bool pairs = contains(text, "factors of int8 and uint8, in pairs of 16 bits, summed in int32");
  CHECK(int{tiles} + int{quads} + int{pairs} == 1);
  const char* const isa = std::getenv("TESSERA_ISA");
  if (isa != nullptr && std::string(isa) != "avx512") CHECK(pairs);
  CHECK(tiles == has_amx());
  CHECK(contains(explain(dot(cast<Int>(a), ones<Int>(Dim{50, 60}))), "by loops over registers"));
}
