// A matrix beside two to five vectors, on either side of it: inner products with its rows, or sums of its columns, for all of them at once.
#include <algorithm>
#include <limits>
#include <random>

#include "guarded.hpp"

using namespace product_test;

namespace {

/// Whole numbers so small that sums of all of them are exact in any order.
template <class T>
void fill(const Array<T, 2>& a, std::mt19937& random) {
  std::uniform_int_distribution<int> small(-4, 4);
  for (std::ptrdiff_t i = 0; i < a.shape()[0]; ++i) {
    for (std::ptrdiff_t k = 0; k < a.shape()[1]; ++k)
      a.data()[i * a.strides()[0] + k * a.strides()[1]] = static_cast<T>(small(random));
  }
}

template <class T>
Array<T, 2> by_definition(const Array<T, 2>& a, const Array<T, 2>& b) {
  Array<T, 2> c = zeros<T>(Dim{a.shape()[0], b.shape()[1]});
  for (std::ptrdiff_t i = 0; i < a.shape()[0]; ++i) {
    for (std::ptrdiff_t k = 0; k < a.shape()[1]; ++k) {
      const T factor = a.data()[i * a.strides()[0] + k * a.strides()[1]];
      const T* const row = b.data() + k * b.strides()[0];
      for (std::ptrdiff_t j = 0; j < b.shape()[1]; ++j)
        c.data()[i * c.shape()[1] + j] += factor * row[j * b.strides()[1]];
    }
  }
  return c;
}

template <class T>
Array<T, 2> random_matrix(std::uint64_t key, std::ptrdiff_t rows, std::ptrdiff_t columns) {
  return cast<T>(random::normal<float>(random::Key(key), Dim{rows, columns}));
}

}  // namespace

TEST_CASE_TEMPLATE("a few vectors beside matrices of every layout, between guarded pages", T, float, double) {
  constexpr std::ptrdiff_t few[] = {2, 3, 4, 5}, others[] = {1, 6, 7, 8, 9, 17, 33, 70},
                           inner[] = {2, 15, 31, 33, 67, 130};
  std::mt19937 random(11);
  const GuardedMemory memory_a(70 * 270 * 2 * sizeof(T)), memory_b(70 * 270 * 2 * sizeof(T));
  for_each_isa([&](device::Isa) {
    for (int n = 0; n < 400; ++n) {
      const auto one_of = [&](const auto& values) { return values[random() % std::size(values)]; };
      std::ptrdiff_t rows = one_of(few), columns = one_of(others);
      if (random() % 2 == 0) std::swap(rows, columns);
      const std::ptrdiff_t depth = one_of(inner);
      CAPTURE(rows);
      CAPTURE(depth);
      CAPTURE(columns);
      const Array<T, 2> a = matrix_in<T>(memory_a, {rows, depth}, all_lies[random() % 4], random() % 2 == 0);
      const Array<T, 2> b = matrix_in<T>(memory_b, {depth, columns}, all_lies[random() % 4], random() % 2 == 0);
      fill(a, random);
      fill(b, random);
      CHECK(array_equal(Array<T, 2>(dot(a, b)), by_definition(a, b)));
    }
  });
}

TEST_CASE_TEMPLATE("a few vectors, longer than the pieces in which they are packed and summed", T, float, double) {
  std::mt19937 random(13);
  for_each_isa([&](device::Isa) {
    for (const std::ptrdiff_t depth : {511, 513, 1030, 2048, 2049, 4096, 4103, 8200}) {
      for (const bool by_columns : {false, true}) {
        for (const std::ptrdiff_t few : {2, 3, 4}) {
          CAPTURE(depth);
          CAPTURE(few);
          const Array<T, 2> a =
              by_columns ? Array<T, 2>(zeros<T>(Dim{depth, 19})).T() : Array<T, 2>(zeros<T>(Dim{19, depth}));
          const Array<T, 2> b = zeros<T>(Dim{depth, few});
          fill(a, random);
          fill(b, random);
          const Array<T, 2> expected = by_definition(a, b);
          CHECK(array_equal(Array<T, 2>(dot(a, b)), expected));
          CHECK(array_equal(Array<T, 2>(dot(b.T(), a.T())), expected.T()));
          Array<T, 2> wide = zeros<T>(Dim{19, 2 * few});
          wide(all, range(0, 2 * few, 2)) = dot(a, b);
          CHECK(array_equal(wide(all, range(0, 2 * few, 2)), expected));
        }
      }
    }
  });
}

TEST_CASE_TEMPLATE(
    "products with a few vectors have the same bits in batches, by any number of threads, and inside of expressions", T,
    float, double) {
  struct Shape {
    std::ptrdiff_t rows, inner, columns;
  };
  for (const Shape shape : {Shape{2, 300, 3}, Shape{3, 40, 90}, Shape{1, 70, 3}, Shape{40, 60, 2}, Shape{4, 700, 2100},
                            Shape{3000, 300, 4}}) {
    CAPTURE(shape.rows);
    CAPTURE(shape.inner);
    CAPTURE(shape.columns);
    const Array<T, 2> a = random_matrix<T>(1, 3 * shape.rows, shape.inner);
    const Array<T, 2> b = random_matrix<T>(2, shape.inner, shape.columns);
    const Array<T, 3> stacked = matmul(a.reshape(Dim{std::ptrdiff_t{3}, shape.rows, shape.inner}), b);
    for (std::ptrdiff_t i = 0; i < 3; ++i) {
      const auto rows = range(i * shape.rows, (i + 1) * shape.rows);
      const Array<T, 2> alone = dot(a(rows, all), b);
      CHECK(array_equal(alone, stacked(i, all, all)));
      const Array<T, 2> in_expression = maximum(dot(a(rows, all), b), T(0));
      CHECK(array_equal(in_expression, Array<T, 2>(maximum(alone, T(0)))));
      const Threads one(1);
      CHECK(array_equal(alone, Array<T, 2>(dot(a(rows, all), b))));
    }
  }
}

TEST_CASE_TEMPLATE("an infinity or a NaN among a few vectors is added once, to its own sums", T, float, double) {
  std::mt19937 random(17);
  constexpr T infinity = std::numeric_limits<T>::infinity();
  for_each_isa([&](device::Isa) {
    for (std::ptrdiff_t inner = 33; inner < 90; ++inner) {
      CAPTURE(inner);
      Array<T, 2> a = ones<T>(Dim{6, inner}), b = ones<T>(Dim{inner, 3});
      const auto row = static_cast<std::ptrdiff_t>(random() % 6);
      const auto column = static_cast<std::ptrdiff_t>(random() % static_cast<std::size_t>(inner));
      a[{row, column}] = infinity;
      for (const Array<T, 2>& c : {Array<T, 2>(dot(a, b)), Array<T, 2>(dot(b.T(), a.T())).T()}) {
        for (std::ptrdiff_t i = 0; i < 6; ++i) {
          for (std::ptrdiff_t j = 0; j < 3; ++j) CHECK(c[{i, j}] == (i == row ? infinity : static_cast<T>(inner)));
        }
      }
    }
  });
}
