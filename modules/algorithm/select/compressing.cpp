module;
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <string>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;
import tessera.expr;

// Picking in two passes: the pieces of a mask are counted, then each writes its elements where those before it end.
namespace tessera::compressing {

namespace {

constexpr std::ptrdiff_t piece = std::ptrdiff_t{1} << 15;  // short: counted in 16 bits by vectors

std::ptrdiff_t count_true(std::span<const bool> mask) {
  std::ptrdiff_t count = 0;
  for (const bool is_picked : mask) count += is_picked ? 1 : 0;
  return count;
}

/// Writes `count` elements. An element that is not picked is written too, and then overwritten: a branch could not be predicted.
template <class Item>
void write_piece(const bool* mask, const Item* from, Item* to, std::ptrdiff_t step, std::ptrdiff_t count) {
  for (std::ptrdiff_t i = 0, written = 0; written < count; ++i) {
    to[written * step] = from[i];
    written += mask[i] ? 1 : 0;
  }
}

struct Bytes16 {
  std::uint64_t first, second;
};

}  // namespace

Selection::Selection(std::span<const bool> mask, const void* from, std::ptrdiff_t item_bytes)
    : mask_(mask), from_(from), item_bytes_(item_bytes) {
  const std::ptrdiff_t n = std::ssize(mask);
  const std::ptrdiff_t pieces = (n + piece - 1) / piece;
  starts_ = memory::Allocation(CpuPlace{}, (pieces + 1) * static_cast<std::ptrdiff_t>(sizeof(std::ptrdiff_t)));
  const std::span starts(static_cast<std::ptrdiff_t*>(starts_.data()), static_cast<std::size_t>(pieces + 1));
  parallel_for(pieces, [&](std::ptrdiff_t index) {
    const auto length = static_cast<std::size_t>(std::min(piece, n - index * piece));
    starts[static_cast<std::size_t>(index)] = count_true(mask.subspan(static_cast<std::size_t>(index * piece), length));
  });
  for (std::ptrdiff_t& start : starts.first(static_cast<std::size_t>(pieces))) {
    const std::ptrdiff_t own = start;
    start = count_;
    count_ += own;
  }
  starts.back() = count_;
}

void Selection::write(void* to, std::ptrdiff_t step) const {
  const auto* starts = static_cast<const std::ptrdiff_t*>(starts_.data());
  const auto write_all = [&]<class Item>(Item*) {
    const auto* from = static_cast<const Item*>(from_);
    parallel_for((std::ssize(mask_) + piece - 1) / piece, [&](std::ptrdiff_t index) {
      write_piece(mask_.data() + index * piece, from + index * piece, static_cast<Item*>(to) + starts[index] * step,
                  step, starts[index + 1] - starts[index]);
    });
  };
  switch (item_bytes_) {
    case 1: return write_all(static_cast<std::uint8_t*>(nullptr));
    case 2: return write_all(static_cast<std::uint16_t*>(nullptr));
    case 4: return write_all(static_cast<std::uint32_t*>(nullptr));
    case 8: return write_all(static_cast<std::uint64_t*>(nullptr));
    default: return write_all(static_cast<Bytes16*>(nullptr));
  }
}

void require_mask_shape(std::span<const std::ptrdiff_t> mask, std::span<const std::ptrdiff_t> shape,
                        const std::source_location& where) {
  if (std::ranges::equal(mask, shape)) return;
  throw ShapeError(to_string(
      Failure{.operation = "compress",
              .problem = "the mask has shape " + rows::text_of(mask) + " and the elements " + rows::text_of(shape),
              .advice = "broadcast the mask first, with broadcast_to",
              .where = where}));
}

}  // namespace tessera::compressing
