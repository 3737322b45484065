// Matrices of every layout between pages that may not be touched.
#pragma once
#include <sys/mman.h>

#include "../expr/support.hpp"

namespace product_test {

using namespace tessera;
using namespace support;

/// Memory that begins and ends with a page that may not be touched.
class GuardedMemory {
 public:
  explicit GuardedMemory(std::size_t bytes) : bytes_((bytes + page - 1) / page * page) {
    first_ = mmap(nullptr, bytes_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(first_ != MAP_FAILED);
    REQUIRE(mprotect(begin(), bytes_, PROT_READ | PROT_WRITE) == 0);
  }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory() { munmap(first_, bytes_ + 2 * page); }

  /// So many elements, which end where the memory does, or begin there.
  template <class T>
  T* elements(std::ptrdiff_t count, bool at_end) const {
    REQUIRE(static_cast<std::size_t>(count) * sizeof(T) <= bytes_);
    return at_end ? reinterpret_cast<T*>(begin() + bytes_) - count : reinterpret_cast<T*>(begin());
  }

 private:
  static constexpr std::size_t page = 4096;
  std::byte* begin() const { return static_cast<std::byte*>(first_) + page; }
  std::size_t bytes_;
  void* first_;
};

/// How a matrix lies in memory.
enum class Lie { rows, columns, gaps, stepped, backwards, repeated };
inline constexpr Lie all_lies[] = {Lie::rows, Lie::columns, Lie::gaps, Lie::stepped, Lie::backwards, Lie::repeated};

/// A matrix of that shape in guarded memory, with nothing between its first and last element and a guard on one side.
template <class T>
Array<T, 2> matrix_in(const GuardedMemory& memory, const Dim<2>& shape, Lie lie, bool at_end) {
  const std::ptrdiff_t rows = shape[0], columns = shape[1];
  const auto lain = [&](std::ptrdiff_t row, std::ptrdiff_t column) {
    const std::ptrdiff_t across = std::abs(row) * (rows - 1) + std::abs(column) * (columns - 1);
    T* const first = memory.elements<T>(across + 1, at_end);
    const Array<T, 1> all_of_it = borrow(first, Dim{across + 1});
    const std::ptrdiff_t offset = (row < 0 ? -row * (rows - 1) : 0) + (column < 0 ? -column * (columns - 1) : 0);
    return Array<T, 2>(all_of_it.buffer(), {.shape = shape, .strides = {row, column}, .offset = offset}, CpuPlace{});
  };
  switch (lie) {
    case Lie::rows: return lain(columns, 1);
    case Lie::columns: return lain(1, rows);
    case Lie::gaps: return lain(columns + 3, 1);
    case Lie::stepped: return lain(2 * columns + 1, 2);
    case Lie::backwards: return lain(-columns, -1);
    case Lie::repeated: break;
  }
  return lain(0, 1);
}

}  // namespace product_test
