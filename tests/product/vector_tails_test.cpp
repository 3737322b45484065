// Rows and columns that do not fill whole vectors, whose last elements are read together with some that have been added before: by no element twice, and
// whatever stands beside them. In guarded memory, in each set of instructions.
#include <limits>
#include <random>

#include "guarded.hpp"

using namespace product_test;

namespace {

constexpr std::ptrdiff_t row_counts[] = {1, 2, 3, 5, 7, 8, 11, 13, 27};

template <class T>
T random_number(std::mt19937& random) {
  std::uniform_int_distribution<int> small(-4, 4);
  if constexpr (Complex<T>) {
    using Part = typename T::value_type;
    return {static_cast<Part>(small(random)), static_cast<Part>(small(random))};
  } else {
    return static_cast<T>(small(random));
  }
}

/// A matrix in guarded memory, a vector for either side of it, and all products with them, exact in any order.
template <class T>
struct Product {
  Product(const GuardedMemory& memory, std::ptrdiff_t rows, std::ptrdiff_t columns, Lie lie, bool at_end,
          std::mt19937& random)
      : a(matrix_in<T>(memory, {rows, columns}, lie, at_end)),
        x(Dim{columns}),
        y(Dim{rows}),
        inner(zeros<T>(Dim{rows})),
        outer(zeros<T>(Dim{columns})) {
    for (std::ptrdiff_t k = 0; k < columns; ++k) x.data()[k] = random_number<T>(random);
    for (std::ptrdiff_t i = 0; i < rows; ++i) {
      y.data()[i] = random_number<T>(random);
      for (std::ptrdiff_t k = 0; k < columns; ++k) {
        const T element = random_number<T>(random);
        a.data()[i * a.strides()[0] + k * a.strides()[1]] = element;
        inner.data()[i] += element * x.data()[k];
        outer.data()[k] += element * y.data()[i];
      }
    }
  }

  Array<T, 2> a;
  Array<T, 1> x, y, inner, outer;
};

template <class T>
void check(std::ptrdiff_t most_columns) {
  std::mt19937 random(3);
  const GuardedMemory memory(static_cast<std::size_t>(27 * (most_columns + 3)) * sizeof(T));
  for (const std::ptrdiff_t rows : row_counts) {
    for (std::ptrdiff_t columns = 1; columns <= most_columns; ++columns) {
      for (const Lie lie : {Lie::rows, Lie::gaps}) {
        CAPTURE(rows);
        CAPTURE(columns);
        const Product<T> p(memory, rows, columns, lie, columns % 2 == 0, random);
        CHECK(array_equal(Array<T, 1>(dot(p.a, p.x)), p.inner));
        CHECK(array_equal(Array<T, 1>(dot(p.x, p.a.T())), p.inner));
        CHECK(array_equal(Array<T, 1>(dot(p.y, p.a)), p.outer));
        CHECK(array_equal(Array<T, 1>(dot(p.a.T(), p.y)), p.outer));
      }
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("vectors of every length, between guarded pages", T, float, double, std::complex<float>,
                   std::complex<double>) {
  for_each_isa([](device::Isa) { check<T>(70); });
}

TEST_CASE_TEMPLATE("an infinity or a NaN is added once, to its own sum", T, float, double) {
  std::mt19937 random(5);
  constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  for_each_isa([&](device::Isa) {
    for (std::ptrdiff_t columns = 17; columns < 75; ++columns) {
      for (const T special : {infinity, -infinity, nan}) {
        CAPTURE(columns);
        CAPTURE(special);
        Array<T, 2> a = ones<T>(Dim{9, columns});
        Array<T, 1> x = ones<T>(Dim{columns}), y = ones<T>(Dim{9});
        const std::ptrdiff_t row = std::uniform_int_distribution<std::ptrdiff_t>(0, 8)(random);
        const std::ptrdiff_t column = std::uniform_int_distribution<std::ptrdiff_t>(0, columns - 1)(random);
        a[{row, column}] = special;
        const auto is_special = [&](T value) { return special != special ? value != value : value == special; };
        const Array<T, 1> inner = dot(a, x), outer = dot(y, a);
        for (std::ptrdiff_t i = 0; i < 9; ++i)
          CHECK((i == row ? is_special(inner[{i}]) : inner[{i}] == static_cast<T>(columns)));
        for (std::ptrdiff_t k = 0; k < columns; ++k) CHECK((k == column ? is_special(outer[{k}]) : outer[{k}] == T(9)));
        a[{row, column}] = 1;
        x[{column}] = special;
        const Array<T, 1> all_special = dot(a, x);
        for (std::ptrdiff_t i = 0; i < 9; ++i) CHECK(is_special(all_special[{i}]));
      }
    }
  });
}

TEST_CASE_TEMPLATE("a row has the same bits alone and among others", T, float, double, std::complex<float>) {
  for_each_isa([](device::Isa) {
    for (const std::ptrdiff_t columns : {17, 37, 64, 255, 256, 257, 1000, 16391}) {
      for (const std::ptrdiff_t rows : {2, 3, 5, 8, 12, 13}) {
        CAPTURE(rows);
        CAPTURE(columns);
        const Array<T, 2> a = cast<T>(random::normal<float>(random::Key(7), Dim{rows, columns}));
        const Array<T, 1> x = cast<T>(random::normal<float>(random::Key(8), Dim{columns}));
        const Array<T, 1> together = dot(a, x);
        const Array<T, 3> stacked = matmul(a(all, newaxis, all), x(all, newaxis));
        for (std::ptrdiff_t i = 0; i < rows; ++i) {
          const Array<T, 1> alone = dot(a(range(i, i + 1), all), x);
          CHECK(alone[{0}] == together[{i}]);
          CHECK(stacked[{i, 0, 0}] == together[{i}]);
        }
      }
    }
  });
}
