// Vectors longer than the blocks in which a matrix and a vector are multiplied: their sums go on from block to block, in every layout.
#include "guarded.hpp"

using namespace product_test;

namespace {

/// A row of whole numbers so small that sums of all of them are exact in any order.
template <class T>
T small_number(std::ptrdiff_t i) {
  if constexpr (Complex<T>) {
    using Part = typename T::value_type;
    return {static_cast<Part>(i % 5 - 2), static_cast<Part>(i % 3 - 1)};
  } else {
    return static_cast<T>(i % 5 - 2);
  }
}

template <class T>
Array<T, 2> matrix(std::ptrdiff_t rows, std::ptrdiff_t columns, bool by_columns) {
  const Array<T, 2> memory(by_columns ? Dim{columns, rows} : Dim{rows, columns});
  const Array<T, 2> a = by_columns ? memory.T() : memory;
  for (std::ptrdiff_t i = 0; i < rows; ++i) {
    for (std::ptrdiff_t k = 0; k < columns; ++k)
      a.data()[i * a.strides()[0] + k * a.strides()[1]] = small_number<T>(3 * i + k);
  }
  return a;
}

/// `extent` numbers, `step` apart in memory.
template <class T>
Array<T, 1> vector(std::ptrdiff_t extent, std::ptrdiff_t step) {
  Array<T, 2> memory = zeros<T>(Dim{extent, step});
  for (std::ptrdiff_t k = 0; k < extent; ++k) memory.data()[k * step] = small_number<T>(k * k % 7);
  return memory(all, 0);
}

template <class T>
void check(std::ptrdiff_t extent) {
  CAPTURE(extent);
  constexpr std::ptrdiff_t rows = 11;  // eight together, two, and one
  for (const std::ptrdiff_t step : {1, 3}) {
    const Array<T, 1> x = vector<T>(extent, step), y = vector<T>(rows, step);
    Array<T, 1> inner = zeros<T>(Dim{rows}), outer = zeros<T>(Dim{extent});
    for (std::ptrdiff_t i = 0; i < rows; ++i) {
      for (std::ptrdiff_t k = 0; k < extent; ++k) {
        const T element = small_number<T>(3 * i + k);
        inner.data()[i] += element * x.data()[k * step];
        outer.data()[k] += element * y.data()[i * step];
      }
    }
    for (const bool by_columns : {false, true}) {
      const Array<T, 2> a = matrix<T>(rows, extent, by_columns);
      CHECK(array_equal(Array<T, 1>(dot(a, x)), inner));
      CHECK(array_equal(Array<T, 1>(dot(x, a.T())), inner));
      CHECK(array_equal(Array<T, 1>(dot(y, a)), outer));
      CHECK(array_equal(Array<T, 1>(dot(a.T(), y)), outer));
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("vectors as long as a block, and longer", T, float, double, std::complex<float>,
                   std::complex<double>) {
  constexpr std::ptrdiff_t block = 65536 / sizeof(T);
  for (const std::ptrdiff_t extent : {block - 1, block, block + 1, 2 * block + 37}) check<T>(extent);
}
