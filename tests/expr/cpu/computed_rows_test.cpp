// Reductions of computed values, which are folded by the loop that computes them, beside plain loops: every extent around the widths of vectors,
// operands of all layouts between pages that may not be touched.
#include "../../product/guarded.hpp"

using namespace tessera;
using namespace support;
using product_test::all_lies;
using product_test::GuardedMemory;
using product_test::matrix_in;

namespace {

/// One operand of a matrix of that shape, of whole numbers in [0, most], with an extent of 1 where it repeats.
template <class T>
struct Operand {
  GuardedMemory memory;
  Array<T, 2> array;

  Operand(const Dim<2>& shape, std::ptrdiff_t most, Random& random)
      : memory(static_cast<std::size_t>(3 * (shape[0] + 1) * (shape[1] + 3)) * sizeof(T)),
        array(matrix_in<T>(memory, shape, all_lies[random.below(std::size(all_lies) - 1)], random.below(2) == 0)) {
    for (std::ptrdiff_t i = 0; i < shape[0]; ++i) {
      for (std::ptrdiff_t j = 0; j < shape[1]; ++j) array(i, j) = T(static_cast<float>(random.below(most + 1)));
    }
  }
};

Dim<2> repeated_somewhere(const Dim<2>& shape, Random& random) {
  switch (random.below(4)) {
    case 0: return Dim<2>{shape[0], 1};
    case 1: return Dim<2>{1, shape[1]};
    default: return shape;
  }
}

std::ptrdiff_t drawn_extent(Random& random) {
  constexpr std::ptrdiff_t widths[] = {8, 16, 32, 64, 128, 256};
  if (random.below(12) == 0) return random.between(300, 3000);
  return std::max<std::ptrdiff_t>(1, widths[random.below(std::size(widths))] + random.between(-3, 3));
}

/// What a plain loop makes of the values of a result.
template <class T>
struct Folded {
  double sum = 0;
  double smallest = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();

  void take(T value) {
    sum += static_cast<double>(value);
    smallest = std::min(smallest, static_cast<double>(value));
    largest = std::max(largest, static_cast<double>(value));
  }
};

template <class R>
double number(const R& result, std::ptrdiff_t i) {
  return static_cast<double>(result(i));
}

template <class T>
void check_case(Random& random) {
  using C = compute_t<T>;
  Dim<2> shape{drawn_extent(random), random.between(1, 40)};
  if (random.below(2) == 0) shape = Dim<2>{shape[1], shape[0]};
  CAPTURE(random.how_to_repeat());
  CAPTURE(to_string(shape));
  const Operand<T> x(shape, 60, random), y(repeated_somewhere(shape, random), 90, random);
  const Array<T, 2>&a = x.array, &b = y.array;
  std::vector<Folded<C>> rows(static_cast<std::size_t>(shape[0])), columns(static_cast<std::size_t>(shape[1]));
  for (std::ptrdiff_t i = 0; i < shape[0]; ++i) {
    for (std::ptrdiff_t j = 0; j < shape[1]; ++j) {
      const auto of_b = static_cast<C>(T(b(b.shape()[0] == 1 ? 0 : i, b.shape()[1] == 1 ? 0 : j)));
      const auto value = static_cast<C>(static_cast<C>(static_cast<C>(T(a(i, j))) * C(2)) + of_b);
      rows[static_cast<std::size_t>(i)].take(value);
      columns[static_cast<std::size_t>(j)].take(value);
    }
  }
  const auto values = a * 2 + b;
  const Array sums_of_rows = evaluate(sum<1>(values)), sums_of_columns = evaluate(sum<0>(values));
  const Array largest = evaluate(max<1>(values)), largest_of_columns = evaluate(max<0>(values));
  const Array smallest = evaluate(min<1>(values));
  using Sum =
      typename decltype(sums_of_rows)::value_type;  // one of 16 bits is rounded in the end: the sum itself is exact
  bool is_right = true;
  double total = 0;
  for (std::ptrdiff_t i = 0; i < shape[0]; ++i) {
    const Folded<C>& expected = rows[static_cast<std::size_t>(i)];
    is_right = is_right && number(sums_of_rows, i) == static_cast<double>(static_cast<Sum>(expected.sum)) &&
               number(largest, i) == expected.largest && number(smallest, i) == expected.smallest;
    total += expected.sum;
  }
  for (std::ptrdiff_t j = 0; j < shape[1]; ++j) {
    const Folded<C>& expected = columns[static_cast<std::size_t>(j)];
    is_right = is_right && number(sums_of_columns, j) == static_cast<double>(static_cast<Sum>(expected.sum)) &&
               number(largest_of_columns, j) == expected.largest;
  }
  CHECK(is_right);
  if constexpr (std::floating_point<T>) {
    if (total < 0x1p24) CHECK(mean(values).item() == static_cast<T>(total) / static_cast<T>(product(shape)));
  }
}

}  // namespace

TEST_CASE_TEMPLATE("computed values folded along rows and columns of every extent", T, float, double, float16,
                   std::uint8_t, std::int16_t, std::int32_t, std::int64_t) {
  for_each_isa([](device::Isa) {
    Random random(sizeof(T) + (std::integral<T> ? 20 : 0));
    for (int number = 0; number < (is_sanitized ? 30 : 100); ++number) check_case<T>(random);
  });
}

TEST_CASE("reductions of several axes fold computed values around every width") {
  for_each_isa([](device::Isa) {
    Random random(3);
    for (int number = 0; number < (is_sanitized ? 40 : 150); ++number) {
      const Dim<4> shape{random.between(1, 9), random.between(1, 9), random.between(1, 40), random.between(1, 40)};
      CAPTURE(random.how_to_repeat());
      CAPTURE(to_string(shape));
      Array<float, 4> a(shape), lying(Dim<4>{shape[3], shape[1], shape[0], shape[2]});
      const Array<float, 4> transposed = transpose(lying, {2, 1, 3, 0}), backwards = flip<3>(a);
      const Array<float, 4>& b = random.below(2) == 0 ? transposed : backwards;
      for_each_position(shape, [&](const auto& at) { element(a, at) = static_cast<float>(random.below(50)); });
      for_each_position(lying.shape(),
                        [&](const auto& at) { element(lying, at) = static_cast<float>(random.below(50)); });
      Array<float, 2> outer(Dim<2>{shape[1], shape[2]}), inner(Dim<2>{shape[0], shape[3]}),
          next(Dim<2>{shape[0], shape[2]});
      outer = 0.0f, inner = 0.0f, next = 0.0f;
      for_each_position(shape, [&](const auto& at) {
        const float value = element(a, at) - element(b, at);
        element(outer, std::array{at[1], at[2]}) += value;
        element(inner, std::array{at[0], at[3]}) += value;
        element(next, std::array{at[0], at[2]}) += value;
      });
      CHECK(all_of(sum<0, 3>(a - b) == outer).item());
      CHECK(all_of(sum<1, 2>(a - b) == inner).item());
      CHECK(all_of(sum<1, 3>(a - b) == next).item());
    }
  });
}
