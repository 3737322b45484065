// Tests of copies between layouts, for elements of every size.
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "model.hpp"
#include "support.hpp"
import tessera;

using namespace tessera;

TEST_CASE("runs, strides and broadcasts are copied to where they belong") {
  int from[12], to[12] = {};
  std::iota(from, from + 12, 0);
  const std::ptrdiff_t shape[] = {2, 3}, rows[] = {3, 1}, columns[] = {1, 2}, repeated[] = {0, 4};
  storage::copy_strided(shape, {{to, rows, sizeof(int)}, CpuPlace{}}, {{from, rows, sizeof(int)}, CpuPlace{}});
  CHECK(joined(to) == "0 1 2 3 4 5 0 0 0 0 0 0");
  storage::copy_strided(shape, {{to, rows, sizeof(int)}, CpuPlace{}}, {{from, columns, sizeof(int)}, CpuPlace{}});
  CHECK(joined(to) == "0 2 4 1 3 5 0 0 0 0 0 0");
  storage::copy_strided(shape, {{to + 6, columns, sizeof(int)}, CpuPlace{}},
                        {{from, repeated, sizeof(int)}, CpuPlace{}});
  CHECK(joined(to) == "0 2 4 1 3 5 0 0 4 4 8 8");
}

TEST_CASE("an empty shape copies nothing, rank 0 copies one element") {
  int from = 5, to = 0;
  const std::ptrdiff_t empty[] = {3, 0}, strides[] = {1, 1};
  storage::copy_strided(empty, {{&to, strides, sizeof(int)}, CpuPlace{}}, {{&from, strides, sizeof(int)}, CpuPlace{}});
  CHECK(to == 0);
  storage::copy_strided({}, {{&to, {}, sizeof(int)}, CpuPlace{}}, {{&from, {}, sizeof(int)}, CpuPlace{}});
  CHECK(to == 5);
}

TEST_CASE_TEMPLATE("elements of every size are copied through every stride", T, std::uint8_t, float16, float, double,
                   std::complex<double>) {
  std::vector<T> memory;
  for (int i = 0; i < 60; ++i) memory.push_back(static_cast<T>(static_cast<float>(i)));
  const auto view = borrow(memory.data(), Dim{3, 4, 5});
  for (const auto& source :
       {view, view(range(none, none, -1), all, range(none, none, -1)), view(all, range(0, 4, 2), range(none, none, 3)),
        transpose(view, {2, 0, 1}), transpose(view, {1, 2, 0})(range(1, 3))}) {
    const auto copy = source.clone();
    CHECK(copy.is_contiguous());
    CHECK(copy.data() != source.data());
    CHECK(elements_of(copy) == elements_of(source));
  }
}
