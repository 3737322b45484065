// Products of bfloat16, which are computed by tiles where the CPU has them, and what tiles leave behind.
#include "amx.hpp"
#include "guarded.hpp"

using namespace product_test;

namespace {

/// Small whole numbers: every order of summation is exact.
void fill(const Array<bfloat16, 2>& a, Random& random) {
  for_each_position(a.shape(), [&](const auto& at) {
    element(a, at) = bfloat16(static_cast<float>(static_cast<int>(random.below(9)) - 4));
  });
}

int count_wrong(const Array<bfloat16, 2>& a, const Array<bfloat16, 2>& b, const Array<float, 2>& c) {
  const std::ptrdiff_t inner = b.shape()[0], columns = b.shape()[1];
  std::vector<float> right, sums(static_cast<std::size_t>(columns));
  for_each_position(b.shape(), [&](const auto& at) { right.push_back(static_cast<float>(element(b, at))); });
  int wrong = 0;
  for (std::ptrdiff_t i = 0; i < c.shape()[0]; ++i) {
    std::ranges::fill(sums, 0.0f);
    for (std::ptrdiff_t k = 0; k < inner; ++k) {
      const auto x = static_cast<float>(element(a, std::array{i, k}));
      for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += x * right[static_cast<std::size_t>(k * columns) + j];
    }
    for (std::ptrdiff_t j = 0; j < columns; ++j)
      wrong += element(c, std::array{i, j}) != sums[static_cast<std::size_t>(j)];
  }
  return wrong;
}

struct Memory {
  GuardedMemory left, right, result;
};

void check_shape(const Dim<3>& size, Lie a_lie, Lie b_lie, const Memory& memory, Random& random) {
  const auto a = matrix_in<bfloat16>(memory.left, Dim{size[0], size[1]}, a_lie, random.below(2) == 0);
  const auto b = matrix_in<bfloat16>(memory.right, Dim{size[1], size[2]}, b_lie, random.below(2) == 0);
  const auto c =
      matrix_in<float>(memory.result, Dim{size[0], size[2]}, all_lies[random.below(5)], random.below(2) == 0);
  fill(a, random);
  fill(b, random);
  assign(c, dot(a, b) + 0.0f);
  if (const int wrong = count_wrong(a, b, c); wrong != 0)
    FAIL_CHECK(size << ", layouts " << static_cast<int>(a_lie) << " and " << static_cast<int>(b_lie) << ", destination "
                    << c.strides() << ": " << wrong << " elements differ");
}

/// Numbers of either sign and of many sizes, or such that sums over an even extent nearly vanish.
Array<bfloat16, 2> numbers(const Dim<2>& shape, bool vanish, bool left, Random& random) {
  const Array<bfloat16, 2> a(shape);
  for_each_position(shape, [&](const auto& at) {
    double value = random.real();
    if (vanish) {
      value = (left && at[1] % 2 == 1 ? -1.0 : 1.0) * (1.0 + 0.02 * value);
    } else {
      value *= std::pow(10.0, static_cast<double>(random.between(-12, 12)));
    }
    element(a, at) = bfloat16(static_cast<float>(value));
  });
  return a;
}

/// The largest error of sums of float32, in units of K eps sum |a| |b|.
double worst_error(const Array<bfloat16, 2>& a, const Array<bfloat16, 2>& b, const Array<float, 2>& c) {
  const std::ptrdiff_t inner = a.shape()[1];
  double worst = 0;
  for_each_position(c.shape(), [&](const auto& at) {
    long double sum = 0, sizes = 0;
    for (std::ptrdiff_t k = 0; k < inner; ++k) {
      const auto term = static_cast<long double>(static_cast<float>(element(a, std::array{at[0], k}))) *
                        static_cast<long double>(static_cast<float>(element(b, std::array{k, at[1]})));
      sum += term;
      sizes += std::abs(term);
    }
    const long double allowed = static_cast<long double>(inner) * std::numeric_limits<float>::epsilon() * sizes;
    worst = std::max(worst, static_cast<double>(std::abs(static_cast<long double>(element(c, at)) - sum) / allowed));
  });
  return worst;
}

Array<bfloat16, 2> some(const Dim<2>& shape, std::uint64_t key) {
  return cast<bfloat16>(random::uniform<float>(random::Key{key}, shape) - 0.5f);
}

bool same_bits(const Array<float, 2>& a, const Array<float, 2>& b) {
  return difference(elements(a), elements(b)) == "";
}

/// Adds 64, by way of a product of its own.
struct AddsProduct {
  static float map(float sum) {
    const Array<bfloat16, 2> x = ones<bfloat16>(Dim{20, 64}), y = ones<bfloat16>(Dim{64, 4});
    const Array<float, 2> product = dot(x, y) + 0.0f;
    return sum + product[{19, 3}];
  }
};

#ifdef __x86_64__
/// The parts of this thread's registers that the operating system has to save, one bit each.
std::uint32_t states_in_use() {
  std::uint32_t low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
  return low;
}
#endif

}  // namespace

TEST_CASE("every shape up to 40 in each extent, between guarded pages: bfloat16") {
  Random random(1700);
  INFO(random.how_to_repeat());
  const std::ptrdiff_t most = has_amx() ? 40 : 24;
  const auto bytes = static_cast<std::size_t>(3 * (most + 1) * (most + 1));
  const Memory memory{GuardedMemory(2 * bytes), GuardedMemory(2 * bytes), GuardedMemory(4 * bytes)};
  for (std::ptrdiff_t rows = 1; rows <= most; ++rows) {
    for (std::ptrdiff_t inner = 1; inner <= most; ++inner) {
      for (std::ptrdiff_t columns = 1; columns <= most; ++columns) {
        if (random.below(is_sanitized ? 80 : 2) != 0) continue;
        check_shape(Dim{rows, inner, columns}, all_lies[random.below(6)], all_lies[random.below(6)], memory, random);
      }
    }
  }
}

TEST_CASE("bfloat16 in shapes around the ends of tiles, strips and blocks, in every pair of layouts") {
  Random random(1701);
  INFO(random.how_to_repeat());
  const std::size_t bytes = std::size_t{3} * 1200 * 1000;
  const Memory memory{GuardedMemory(2 * bytes), GuardedMemory(2 * bytes), GuardedMemory(4 * bytes)};
  constexpr std::ptrdiff_t extents[][3] = {{1, 400, 1},    {1, 900, 70},   {70, 900, 1},    {1030, 20, 33},
                                           {15, 385, 400}, {32, 384, 32},  {33, 416, 31},   {64, 256, 300},
                                           {63, 768, 65},  {100, 768, 17}, {1025, 32, 290}, {16, 800, 16}};
  for (const auto& [rows, inner, columns] : extents) {
    for (const Lie a_lie : all_lies) {
      for (const Lie b_lie : all_lies) {
        if (is_sanitized && random.below(18) != 0) continue;
        check_shape(Dim{rows, inner, columns}, a_lie, b_lie, memory, random);
      }
    }
  }
}

TEST_CASE("errors of sums of bfloat16 are within K eps sum |a| |b|") {
  Random random(1702);
  INFO(random.how_to_repeat());
  for (const bool vanish : {false, true}) {
    for (const Dim<3> size : {Dim{7, 6, 9}, Dim{33, 64, 20}, Dim{1, 1000, 40}, Dim{40, 1000, 1}, Dim{20, 1600, 50}}) {
      INFO(size << ", " << vanish);
      const auto a = numbers(Dim{size[0], size[1]}, vanish, true, random);
      const auto b = numbers(Dim{size[1], size[2]}, vanish, false, random);
      const Array<float, 2> c = dot(a, b) + 0.0f;
      CHECK(worst_error(a, b, c) <= 1);
    }
  }
}

TEST_CASE("infinities and NaNs of bfloat16 stay in their row and column") {
  for (const float special : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    for (const Dim<3> size : {Dim{3, 5, 5}, Dim{40, 70, 50}, Dim{35, 900, 90}}) {
      INFO(special << ", " << size);
      const auto a = cast<bfloat16>(random::uniform<float>(random::Key{1}, Dim{size[0], size[1]}) + 1.0f);
      const Array<bfloat16, 2> b = cast<bfloat16>(random::uniform<float>(random::Key{2}, Dim{size[1], size[2]}) + 1.0f);
      const Array<bfloat16, 2> left = a;
      element(left, std::array{size[0] - 1, size[1] - 1}) = bfloat16(special);
      const Array<float, 2> c = dot(left, b) + 0.0f;
      for_each_position(c.shape(), [&](const auto& at) {
        const float value = element(c, at);
        CHECK(std::isfinite(value) == (at[0] != size[0] - 1));
        if (!std::isfinite(value)) CHECK(std::isnan(value) == std::isnan(special));
      });
    }
  }
}

TEST_CASE("a product of bfloat16 has the same bits in a batch, as rows of another, and on any number of threads") {
  for (const Dim<3> size : {Dim{1, 40, 30}, Dim{4, 4, 1}, Dim{17, 400, 33}, Dim{70, 500, 150}, Dim{130, 784, 256}}) {
    INFO(size);
    const Array<bfloat16, 2> a = some(Dim{3 * size[0], size[1]}, 11), b = some(Dim{size[1], size[2]}, 12);
    const Array<float, 2> all_rows = dot(a, b) + 0.0f;
    const Array<float, 3> batch = matmul(reshape(a, Dim{3, size[0], size[1]}), b) + 0.0f;
    for (int i = 0; i < 3; ++i) {
      const auto rows = range(i * size[0], (i + 1) * size[0]);
      const Array<float, 2> alone = dot(a(rows, all), b) + 0.0f;
      CHECK(same_bits(Array<float, 2>(all_rows(rows, all)), alone));
      CHECK(same_bits(Array<float, 2>(batch(i, ellipsis)), alone));
      CHECK(same_bits(Array<float, 2>(dot(a.T().clone().T()(rows, all), b.T().clone().T()) + 0.0f), alone));
    }
    const Threads two(2);
    CHECK(same_bits(Array<float, 2>(dot(a, b) + 0.0f), all_rows));
    const Threads three(3);
    CHECK(same_bits(Array<float, 2>(dot(a, b) + 0.0f), all_rows));
  }
}

TEST_CASE("elementwise work sees every strip of a product by tiles, also where it multiplies itself") {
  Random random(1704);
  INFO(random.how_to_repeat());
  for (const Dim<3> size :
       {Dim{1, 40, 3}, Dim{33, 70, 17}, Dim{700, 100, 530}, Dim{4200, 33, 90}, Dim{90, 2500, 300}}) {
    if (is_sanitized && size[0] * size[2] > 1000) continue;
    INFO(size);
    const Array<bfloat16, 2> a(Dim{size[0], size[1]}), b(Dim{size[1], size[2]});
    fill(a, random);
    fill(b, random);
    const Array<float, 2> expected = dot(cast<float>(a), cast<float>(b));
    CHECK(array_equal(dot(a, b) + 0.0f, expected));
    CHECK(array_equal(dot(abs(a), b) + 0.0f, dot(abs(cast<float>(a)), cast<float>(b))));
    CHECK(array_equal(Array<bfloat16, 2>(dot(a, b)), cast<bfloat16>(expected)));
    const Array<float, 1> row = ones<float>(Dim{size[2]});
    const Array<float, 2> column = ones<float>(Dim{size[0], 1});
    CHECK(array_equal(dot(a, b) * row + column, expected + 1.0f));
    const Array<float, 2> wide = full(Dim{size[0] + 1, 2 * size[2]}, 7.0f);
    assign(wide(range(1, size[0] + 1), range(0, 2 * size[2], 2)), dot(a, b) + 0.0f);
    CHECK(array_equal(wide(range(1, size[0] + 1), range(0, 2 * size[2], 2)), expected));
    CHECK(item(all(wide(all, range(1, 2 * size[2], 2)) == 7.0f)));
  }
  const Array<bfloat16, 2> x = ones<bfloat16>(Dim{100, 64}), y = ones<bfloat16>(Dim{64, 40});
  const Array<float, 2> nested = F<AddsProduct>(dot(x, y) + 0.0f);
  CHECK(item(all(nested == 128.0f)));
}

TEST_CASE("explain says where tiles multiply, and limit_isa() keeps them from it") {
  Random random(1703);
  const Array<bfloat16, 2> a(Dim{70, 90}), b(Dim{90, 50});
  fill(a, random);
  fill(b, random);
  const std::string text = explain(dot(a, b));
  INFO(text);
  CHECK(contains(text, "factors of bfloat16, in tiles of AMX, summed in float32") == has_amx());
  CHECK(!contains(explain(dot(a, cast<float>(b))), "in tiles"));
  CHECK(!contains(explain(dot(cast<float16>(a), cast<float16>(b))), "in tiles"));
  const Array<float, 2> c = dot(a, b) + 0.0f;
  const device::Isa before = device::isa();
  device::limit_isa(device::Isa::avx2);
  CHECK(!contains(explain(dot(a, b)), "in tiles"));
  const Array<float, 2> without = dot(a, b) + 0.0f;
  device::limit_isa(before);
  CHECK(contains(explain(dot(a, b)), "in tiles") == has_amx());
  CHECK(array_equal(c, without));
}

#ifdef __x86_64__
TEST_CASE("tiles are left as they were before they were used: the operating system has none to save") {
  if (!has_amx()) return;
  const Array<bfloat16, 2> a = some(Dim{70, 90}, 31), b = some(Dim{90, 50}, 32);
  const Array<std::int8_t, 2> x = ones<std::int8_t>(Dim{40, 80}), y = ones<std::int8_t>(Dim{80, 40});
  const Array<float, 2> c = dot(a, b) + 0.0f;
  const Array<std::int32_t, 2> z = dot(cast<std::int32_t>(x), cast<std::int32_t>(y));
  constexpr std::uint32_t tile_states = 3u << 17;
  CHECK((states_in_use() & tile_states) == 0);
  CHECK(item(all(z == 80)));
}

TEST_CASE("bfloat16 numbers below the normal ones count as 0 in tiles") {
  if (!has_amx()) return;
  const Array<bfloat16, 2> small = full(Dim{3, 40}, bfloat16(1e-39f));
  const Array<bfloat16, 2> large = full(Dim{40, 5}, bfloat16(1e30f));
  const Array<float, 2> c = dot(small, large) + 0.0f;
  CHECK(item(all(c == 0.0f)));
}
#endif
