// Products whose factors and destinations are windows of the same few elements: the result is as if all factors had been copied before.
#include "../expr/support.hpp"

using namespace tessera;
using namespace support;

namespace {

/// A window of a matrix of 30 x 30: with steps of either sign, or transposed.
template <class T>
auto window(const Array<T, 2>& all_elements, std::ptrdiff_t rows, std::ptrdiff_t columns, Random& random) {
  const bool transposed = random.below(3) == 0;
  if (transposed) std::swap(rows, columns);
  const auto along = [&](std::ptrdiff_t extent) {
    constexpr std::ptrdiff_t steps[] = {1, 1, 1, 2, -1};
    const std::ptrdiff_t step = extent <= 14 ? steps[random.below(5)] : 1;
    const std::ptrdiff_t reach = (extent - 1) * std::abs(step);
    const std::ptrdiff_t low = random.below(30 - reach);
    return step > 0 ? range(low, low + reach + 1, step) : range(low + reach, low - 1 - (low == 0 ? 30 : 0), step);
  };
  const auto view = all_elements(along(rows), along(columns));
  return transposed ? view.T() : view;
}

template <class T>
void check_windows(std::uint64_t salt) {
  Random random(salt);
  INFO(random.how_to_repeat() << ", " << name(dtype_of<T>));
  for (int i = 0; i < 3000; ++i) {
    Array<T, 2> memory(Dim{30, 30});
    for_each_position(memory.shape(), [&](const auto& at) { element(memory, at) = static_cast<T>(random.below(8)); });
    const std::ptrdiff_t most = random.below(4) == 0 ? 29 : 5;
    const auto extent = [&] { return 1 + random.below(most); };
    const std::ptrdiff_t rows = extent(), inner = extent(), columns = extent();
    const auto a = window(memory, rows, inner, random), b = window(memory, inner, columns, random),
               c = window(memory, rows, columns, random);
    const Array<T, 2> first = copy(a), second = copy(b);
    Array<T, 2> expected = zeros<T>(Dim{rows, columns});
    for_each_position(expected.shape(), [&](const auto& at) {
      for (std::ptrdiff_t k = 0; k < inner; ++k)
        element(expected, at) += element(first, std::array{at[0], k}) * element(second, std::array{k, at[1]});
    });
    assign(c, dot(a, b));
    const Array<T, 2> got = copy(c);
    INFO(rows << " x " << inner << " x " << columns);
    REQUIRE(difference(elements(got), elements(expected)) == "");
  }
}

}  // namespace

TEST_CASE("factors and destinations that overlap in every way") {
  check_windows<float>(4100);
  check_windows<double>(4200);
  check_windows<std::complex<float>>(4300);
  check_windows<std::int32_t>(4400);
}

TEST_CASE("a product that is written over its own factor") {
  Array<float, 2> a{{1, 2}, {3, 4}};
  a = dot(a, a);
  CHECK(array_equal(a, Array<float, 2>{{7, 10}, {15, 22}}));
  Array<float, 1> x{1, 2};
  x = dot(a, x);
  CHECK(array_equal(x, Array<float, 1>{27, 59}));
  x = dot(x, a);
  CHECK(array_equal(x, Array<float, 1>{1074, 1568}));
  const Array<float, 2> other = a;
  a = dot(a, a);
  CHECK(array_equal(other, Array<float, 2>{{7, 10}, {15, 22}}));
}

TEST_CASE("a product into memory of another shape or place says so") {
  const Array<float, 2> a = ones<float>(Dim{2, 3}), b = ones<float>(Dim{3, 4});
  Array<float, 2> c(Dim{2, 5});
  CHECK_THROWS_AS(assign(c(all, all), dot(a, b)), ShapeError);
  CHECK_THROWS_AS(dot(a, a), ShapeError);
  assign(c(all, range(0, 4)), dot(a, b));
  CHECK(c[{1, 3}] == 3.0f);
  Array<float, 2> rows(Dim{5, 4});
  CHECK_THROWS_AS(assign(rows(all, all), dot(a, b)), ShapeError);
  const Array<float, 2> nothing(Dim{2, 0}), none(Dim{0, 4});
  Array<float, 2> zero = full(Dim{2, 4}, 7.0f);
  zero = dot(nothing, none);
  CHECK(item(all(zero == 0.0f)));
}
