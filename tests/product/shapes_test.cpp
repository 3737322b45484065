// Every small shape, in every pair of layouts, is the product of the definition, and touches nothing beside its operands.
#include "guarded.hpp"

using namespace product_test;

namespace {

/// Small whole numbers: every order of summation is exact.
template <class T>
T whole_number(Random& random) {
  const auto value = static_cast<int>(random.below(9)) - 4;
  if constexpr (Complex<T>) {
    using Part = typename T::value_type;
    return {static_cast<Part>(value), static_cast<Part>(static_cast<int>(random.below(5)) - 2)};
  } else {
    return static_cast<T>(value);
  }
}

template <class T>
void fill(const Array<T, 2>& a, Random& random) {
  for (std::ptrdiff_t i = 0; i < a.shape()[0]; ++i) {
    for (std::ptrdiff_t j = 0; j < a.shape()[1]; ++j) element(a, std::array{i, j}) = whole_number<T>(random);
  }
}

/// sum + x y; integers wrap.
template <class T>
T added(T sum, T x, T y) {
  if constexpr (Complex<T>) {
    return {sum.real() + x.real() * y.real() - x.imag() * y.imag(),
            sum.imag() + x.real() * y.imag() + x.imag() * y.real()};
  } else {
    return static_cast<T>(sum + x * y);
  }
}

/// The number of elements of c that the definition gives other values.
template <class T>
int count_wrong(const Array<T, 2>& a, const Array<T, 2>& b, const Array<T, 2>& c) {
  const std::ptrdiff_t inner = b.shape()[0], columns = b.shape()[1];
  std::vector<T> right, sums(static_cast<std::size_t>(columns));
  for (std::ptrdiff_t k = 0; k < inner; ++k) {
    for (std::ptrdiff_t j = 0; j < columns; ++j) right.push_back(b.data()[k * b.strides()[0] + j * b.strides()[1]]);
  }
  int wrong = 0;
  for (std::ptrdiff_t i = 0; i < c.shape()[0]; ++i) {
    std::ranges::fill(sums, T(0));
    for (std::ptrdiff_t k = 0; k < inner; ++k) {
      const T x = a.data()[i * a.strides()[0] + k * a.strides()[1]];
      const T* const row = right.data() + k * columns;
      for (std::size_t j = 0; j < sums.size(); ++j) sums[j] = added(sums[j], x, row[j]);
    }
    for (std::ptrdiff_t j = 0; j < columns; ++j)
      wrong += !(element(c, std::array{i, j}) == sums[static_cast<std::size_t>(j)]);
  }
  return wrong;
}

/// Up to 40 for the instructions of this CPU; for those that TESSERA_ISA names up to 24.
std::ptrdiff_t largest() { return std::getenv("TESSERA_ISA") == nullptr ? 40 : 24; }

template <class T>
void check_shapes(std::ptrdiff_t most, std::uint64_t salt) {
  Random random(salt);
  INFO(random.how_to_repeat() << ", " << name(dtype_of<T>));
  const std::size_t bytes = static_cast<std::size_t>(3 * (most + 1) * (most + 1)) * sizeof(T);
  const GuardedMemory left(bytes), right(bytes), result(bytes);
  for (std::ptrdiff_t rows = 1; rows <= most; ++rows) {
    for (std::ptrdiff_t inner = 1; inner <= most; ++inner) {
      for (std::ptrdiff_t columns = 1; columns <= most; ++columns) {
        if (is_sanitized && random.below(40) != 0) continue;
        const Lie a_lie = all_lies[random.below(6)], b_lie = all_lies[random.below(6)];
        const auto a = matrix_in<T>(left, Dim{rows, inner}, a_lie, random.below(2) == 0);
        const auto b = matrix_in<T>(right, Dim{inner, columns}, b_lie, random.below(2) == 0);
        const auto c = matrix_in<T>(result, Dim{rows, columns}, all_lies[random.below(5)], random.below(2) == 0);
        fill(a, random);
        fill(b, random);
        fill(c, random);
        assign(c, dot(a, b));
        if (const int wrong = count_wrong(a, b, c); wrong != 0)
          FAIL_CHECK(rows << " x " << inner << " by " << inner << " x " << columns << ", layouts "
                          << static_cast<int>(a_lie) << " and " << static_cast<int>(b_lie) << ", destination "
                          << c.strides() << ": " << wrong << " elements differ");
      }
    }
  }
}

/// Extents around those at which blocks, strips and vectors end.
template <class T>
void check_blocks(std::uint64_t salt) {
  Random random(salt);
  INFO(random.how_to_repeat() << ", " << name(dtype_of<T>));
  const std::size_t bytes = std::size_t{3} * 1200 * 400 * sizeof(T);
  const GuardedMemory left(bytes), right(bytes), result(bytes);
  constexpr std::ptrdiff_t extents[][3] = {
      {1, 400, 1},    {1, 1000, 300}, {300, 1000, 1}, {1030, 20, 33},  {15, 385, 400},  {29, 193, 65},
      {60, 400, 300}, {57, 800, 129}, {1025, 3, 300}, {100, 384, 384}, {128, 769, 100}, {3, 1100, 350},
      {64, 64, 64},   {63, 50, 61},   {47, 64, 33},   {65, 64, 64},    {64, 65, 48},    {2, 64, 64}};
  for (const auto& [rows, inner, columns] : extents) {
    for (const Lie a_lie : all_lies) {
      for (const Lie b_lie : all_lies) {
        if (is_sanitized && random.below(18) != 0) continue;
        INFO(rows << " x " << inner << " by " << inner << " x " << columns << ", layouts " << static_cast<int>(a_lie)
                  << " and " << static_cast<int>(b_lie));
        const auto a = matrix_in<T>(left, Dim{rows, inner}, a_lie, random.below(2) == 0);
        const auto b = matrix_in<T>(right, Dim{inner, columns}, b_lie, random.below(2) == 0);
        const auto c = matrix_in<T>(result, Dim{rows, columns}, all_lies[random.below(3)], random.below(2) == 0);
        fill(a, random);
        fill(b, random);
        assign(c, dot(a, b));
        CHECK(count_wrong(a, b, c) == 0);
      }
    }
  }
}

}  // namespace

TEST_CASE("every shape up to 40 in each extent, between guarded pages: float") { check_shapes<float>(40, 1300); }
TEST_CASE("every shape up to 40 in each extent, between guarded pages: double") {
  check_shapes<double>(largest(), 1301);
}
TEST_CASE("every shape up to 24 in each extent, between guarded pages: complex numbers and integers") {
  check_shapes<std::complex<float>>(24, 1302);
  check_shapes<std::complex<double>>(24, 1303);
  check_shapes<std::int32_t>(24, 1304);
  check_shapes<std::int8_t>(24, 1305);
}

TEST_CASE("shapes around the ends of blocks, in every pair of layouts") {
  check_blocks<float>(1310);
  check_blocks<double>(1311);
  check_blocks<std::complex<float>>(1312);
  check_blocks<std::complex<double>>(1313);
}

TEST_CASE("nothing is added up: zeros, whatever was there") {
  const Array<float, 2> c = full(Dim{3, 4}, std::numeric_limits<float>::quiet_NaN());
  assign(c, dot(zeros<float>(Dim{3, 0}), zeros<float>(Dim{0, 4})));
  CHECK(array_equal(c, zeros<float>(Dim{3, 4})));
}
