module;
#include <algorithm>
#include <complex>
#include <cstddef>
#include <span>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// A part of the inner extent for each sum that multiply_vector() would begin anew.
namespace tessera::plan {

namespace {

std::ptrdiff_t depth_of(const TiledProduct& p) { return depth_of_sums(static_cast<std::size_t>(item_size(p.dtype))); }

std::ptrdiff_t results_of(const TiledProduct& p) { return p.rows == 1 ? p.columns : p.rows; }

const void* moved(const void* data, std::ptrdiff_t bytes) { return static_cast<const std::byte*>(data) + bytes; }

/// The products from `first` on, `inner` of them.
TiledProduct part_of(const TiledProduct& whole, std::ptrdiff_t first, std::ptrdiff_t inner) {
  TiledProduct p = whole;
  const std::ptrdiff_t item = item_size(whole.dtype);
  p.inner = inner;
  p.a = moved(whole.a, first * whole.a_column * item);
  p.b = moved(whole.b, first * whole.b_row * item);
  return p;
}

/// to = the sum of rows of `count` elements each, from the first row to the last.
template <class T>
void add_rows(const T* rows, std::ptrdiff_t number, std::ptrdiff_t count, T* to, std::ptrdiff_t step) {
  constexpr std::ptrdiff_t block = 256;
  T sums[block];
  for (std::ptrdiff_t first = 0; first < count; first += block) {
    const std::ptrdiff_t elements = std::min(block, count - first);
    std::copy_n(rows + first, elements, sums);
    for (std::ptrdiff_t row = 1; row < number; ++row) {
      for (std::ptrdiff_t i = 0; i < elements; ++i) sums[i] += rows[row * count + first + i];
    }
    for (std::ptrdiff_t i = 0; i < elements; ++i) to[(first + i) * step] = sums[i];
  }
}

void add_parts(DType dtype, const void* rows, std::ptrdiff_t number, std::ptrdiff_t count, void* to,
               std::ptrdiff_t step) {
  const auto add = [&]<class T>(T* result) { add_rows(static_cast<const T*>(rows), number, count, result, step); };
  switch (dtype) {
    case DType::float64: return add(static_cast<double*>(to));
    case DType::complex64: return add(static_cast<std::complex<float>*>(to));
    case DType::complex128: return add(static_cast<std::complex<double>*>(to));
    default: return add(static_cast<float*>(to));
  }
}

}  // namespace

bool is_cut_by_depth(const TiledProduct& product, ProductWay way, std::ptrdiff_t tiles) {
  const bool adds_up = way == ProductWay::columns || way == ProductWay::row_by_rows;
  // Two parts and more for each thread, so that none waits long for another.
  return adds_up && tiles > 1 && product.inner >= 2 * tiles * depth_of(product);
}

void multiply_by_depth(const TiledProduct& product, ProductWay way, void* c, std::ptrdiff_t c_row,
                       std::ptrdiff_t tiles) {
  const std::ptrdiff_t depth = depth_of(product), results = results_of(product), item = item_size(product.dtype);
  const std::ptrdiff_t parts = (product.inner - 1) / depth + 1;
  const std::ptrdiff_t tasks = std::min(parts, 4 * tiles);
  Workspaces sums(1, parts * results * item);
  const Workspaces::Piece piece(sums);
  parallel_for(tasks, [&](std::ptrdiff_t task) {
    for (std::ptrdiff_t part = parts * task / tasks; part < parts * (task + 1) / tasks; ++part) {
      const std::ptrdiff_t first = part * depth;
      multiply_vector(part_of(product, first, std::min(depth, product.inner - first)), way,
                      piece.data() + part * results * item, 1);
    }
  });
  add_parts(product.dtype, piece.data(), parts, results, c, product.rows == 1 ? 1 : c_row);
}

}  // namespace tessera::plan
