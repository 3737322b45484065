module;
#include <algorithm>
#include <array>
#include <cstddef>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Stripes of rows up to the diagonal, the longest first, then their transposes.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t least_rows = 256;
constexpr std::ptrdiff_t least_inner = 128;  // from which on half of the products takes longer than the copy
constexpr std::ptrdiff_t stripe_rows = 128;
constexpr std::ptrdiff_t most_stripes = 16;

/// Stripes begin at multiples of 16, so that columns end with whole vectors.
std::ptrdiff_t stripe_start(const TiledProduct& p, std::ptrdiff_t number) {
  const std::ptrdiff_t count = symmetric_stripes(p);
  return number == count ? p.rows : p.rows * number / count / 16 * 16;
}

/// Rows of a stripe up to the end of its square on the diagonal.
TiledProduct stripe_of(const TiledProduct& p, std::ptrdiff_t number) {
  TiledProduct stripe = p;
  const std::ptrdiff_t first = stripe_start(p, number);
  stripe.a = static_cast<const std::byte*>(p.a) + first * p.a_row * item_size(p.a_type);
  stripe.columns = stripe_start(p, number + 1);
  stripe.rows = stripe.columns - first;
  return stripe;
}

}  // namespace

std::ptrdiff_t symmetric_stripes(const TiledProduct& p) { return std::min(p.rows / stripe_rows, most_stripes); }

bool is_symmetric_product(const TiledProduct& p, ProductWay way) {
  return way == ProductWay::blocks && p.a == p.b && p.a_type == p.b_type && p.rows == p.columns &&
         p.a_row == p.b_column && p.a_column == p.b_row && p.rows >= least_rows && p.inner >= least_inner;
}

void run_symmetric(const TiledProduct& p, ProductWay way, const ProductTarget& target) {
  const std::ptrdiff_t count = symmetric_stripes(p), item = item_size(p.dtype);
  const auto at = [&](std::ptrdiff_t row, std::ptrdiff_t column) {
    return static_cast<std::byte*>(target.data) + (row * target.row + column) * item;
  };
  std::ptrdiff_t bytes = 0;
  for (std::ptrdiff_t number = 0; number < count; ++number)
    bytes = std::max(bytes, workspace_bytes(stripe_of(p, number), way));
  TaskMemory memory(count, bytes);
  parallel_for(count, [&](std::ptrdiff_t task) {
    const std::ptrdiff_t number = count - 1 - task;
    memory.use([&](std::byte* workspace) {
      multiply(stripe_of(p, number), way, at(stripe_start(p, number), 0), target.row, workspace);
    });
  });
  for (std::ptrdiff_t number = 1; number < count; ++number) {
    const std::ptrdiff_t first = stripe_start(p, number), rows = stripe_start(p, number + 1) - first;
    const std::array shape{first, rows}, strides{target.row, std::ptrdiff_t{1}},
        transposed{std::ptrdiff_t{1}, target.row};
    storage::copy_strided(shape, {{at(0, first), strides, item}, p.place}, {{at(first, 0), transposed, item}, p.place});
  }
}

}  // namespace tessera::plan
