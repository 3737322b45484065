// Small expressions: computed by one call of their kernel, without allocation, and to the same values as in blocks.
#include "support.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

using namespace tessera;
using namespace support;

namespace {

std::atomic<std::ptrdiff_t> allocations = 0;

void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

/// Calls of operator new and of the CPU's pool while `action` runs, once it has run before.
template <class Action>
std::ptrdiff_t allocations_of(const Action& action) {
  action();
  const auto before = allocations.load();
  const auto pool_before = memory::stats(CpuPlace{}).allocations;
  action();
  return allocations.load() - before + static_cast<std::ptrdiff_t>(memory::stats(CpuPlace{}).allocations - pool_before);
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

TEST_CASE("the counter of allocations counts") {
  CHECK(allocations_of([] { const Array<float, 1> fresh(Dim{8}); }) > 0);
}

TEST_CASE("no evaluation allocates that needs no temporary") {
  const Threads one(1);
  for (const std::ptrdiff_t side : {1, 3, 8, 100, 300}) {
    CAPTURE(side);
    const Array<float, 2> a = full(Dim{side, side}, 0.5f), b = full(Dim{side, side}, 2.0f),
                          c = zeros<float>(Dim{side, side});
    const Array<float, 1> row = ones<float>(Dim{side});
    const Array<float16, 2> half = full(Dim{side, side}, float16(0.25f));
    const Array<float, 2, CpuPlace> known(a), target(c);
    const auto x = make_view(a);
    const auto z = ArrayView<float, 2, Place>(c.data(), c.layout(), c.place());
    CHECK(allocations_of([&] { assign(c, a + 2 * b); }) == 0);
    CHECK(allocations_of([&] { assign(target, known * known - 1.0f); }) == 0);
    CHECK(allocations_of([&] { assign(z, x + 2 * x); }) == 0);
    CHECK(allocations_of([&] { assign(c, -0.5f * (a + 0.25f * c)); }) == 0);
    CHECK(allocations_of([&] { assign(c, relu(a + row)); }) == 0);
    CHECK(allocations_of([&] { assign(c, a + reshape(row, Dim{side, 1})); }) == 0);
    CHECK(allocations_of([&] { assign(c, a.T() + b); }) == 0);
    CHECK(allocations_of([&] { assign(c, half * a); }) == 0);
    CHECK(allocations_of([&] { assign(c, where(a > 0, exp(a), tanh(b))); }) == 0);
    CHECK(allocations_of([&] { assign(c(all, range(none, none, -1)), a * b); }) == 0);
  }
}

TEST_CASE("a direct evaluation gives the values of the evaluation in blocks, for every length around a step") {
  for (std::ptrdiff_t n = 0; n < 300; n += n < 140 ? 1 : 13) {
    const Array<float, 1> a = arange(static_cast<float>(n)) * 0.37f - 5.0f,
                          b = exp(arange(static_cast<float>(n)) * 0.01f);
    const Array<float, 1> wide(Dim{2 * n});
    const auto strided = wide(range(0, 2 * n, 2));  // of every other element: never direct
    Array<float, 1> c(Dim{n});
    c = tanh(a) / b - a * 3;
    assign(strided, tanh(a) / b - a * 3);
    INFO("n = ", n);
    CHECK(array_equal(c, strided));
  }
}

TEST_CASE("a direct evaluation sees through partial overlap, narrower elements and other shapes") {
  const Array<float, 1> base = arange(64.0f);
  const Array<float, 1> before = base.clone();
  assign(base(range(1, 64)), base(range(0, 63)) + 1.0f);
  for (std::ptrdiff_t i = 1; i < 64; ++i) CHECK(base[{i}] == before[{i - 1}] + 1.0f);

  const Array<double, 1> wide = full(Dim{16}, 3.0);
  const Array<float, 1> narrow = borrow(reinterpret_cast<float*>(wide.data()), Dim{16});
  const Array<float, 1> seen = narrow.clone();
  assign(wide, cast<double>(narrow) + 1.0);  // the same address, but element i is not where it is written
  for (std::ptrdiff_t i = 0; i < 16; ++i) CHECK(wide[{i}] == static_cast<double>(seen[{i}]) + 1.0);

  const Array<float, 2> tall = reshape(arange(6.0f), Dim{6, 1}), square = zeros<float>(Dim{6, 6});
  assign(square, tall + tall.T());
  for (std::ptrdiff_t i = 0; i < 6; ++i) CHECK(square[{i, 5 - i}] == 5.0f);
}

TEST_CASE("operands of one value per row or column, of many rows, match the reference") {
  Random random(4242);
  INFO(random.how_to_repeat());
  for (int round = 0; round < 40; ++round) {
    const std::ptrdiff_t rows = random.between(1, 40), columns = random.between(1, 700);
    const Array<float, 2> y(Dim{rows, columns});
    const Array<float, 1> r(Dim{rows}), c(Dim{columns});
    for (auto& value : make_view(r.data(), Dim{rows})) value = static_cast<float>(random.real());
    for (auto& value : make_view(c.data(), Dim{columns})) value = static_cast<float>(random.real());
    const Array<std::int16_t, 0> one = full(Dim<0>{}, std::int16_t(3));
    assign(y, (reshape(r, Dim{rows, 1}) + c) * cast<float>(one));
    bool same = true;
    for (std::ptrdiff_t i = 0; i < rows; ++i) {
      for (std::ptrdiff_t j = 0; j < columns; ++j)
        same =
            same && static_cast<float>(y[{i, j}]) == (static_cast<float>(r[{i}]) + static_cast<float>(c[{j}])) * 3.0f;
    }
    CAPTURE(rows);
    CAPTURE(columns);
    CHECK(same);
  }
}

TEST_CASE_TEMPLATE("a transposed copy matches element by element, for every element size and around the strips' edges",
                   T, std::uint8_t, float16, float, double, std::complex<double>) {
  for (const auto& [rows, columns] :
       {std::pair{1, 40}, {7, 31}, {16, 32}, {17, 33}, {64, 256}, {65, 257}, {3, 600}, {130, 530}}) {
    CAPTURE(rows);
    CAPTURE(columns);
    const Array<T, 2> from(Dim{columns, rows}), to(Dim{rows, columns});
    for (std::ptrdiff_t i = 0; i < from.size(); ++i) from.data()[i] = T(static_cast<float>(i * 7 % 251));
    for (const bool reversed : {false, true}) {
      const auto source = reversed ? from(range(none, none, -1), range(none, none, -1)) : from(all, all);
      assign(to, copy(source.T()));
      bool same = true;
      for (std::ptrdiff_t i = 0; i < rows; ++i) {
        for (std::ptrdiff_t j = 0; j < columns; ++j) {
          const std::ptrdiff_t at = reversed ? (columns - 1 - j) * rows + rows - 1 - i : j * rows + i;
          same = same && to.data()[i * columns + j] == from.data()[at];
        }
      }
      CHECK(same);
    }
  }
}
