module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:pairwise_merge;
import tessera.standard;
import tessera.core;
import :plan;

// Pairwise merging of partial results as they come.
namespace tessera::plan {

/// Partial results waiting to be merged, like the digits of a binary counter: level k holds 2^k partials. It allocates nothing:
/// the caller gives it bytes_for() bytes.
class PairwiseMerge {
 public:
  /// Memory for up to `parts` partials of `level_bytes` bytes each.
  static std::ptrdiff_t bytes_for(std::ptrdiff_t parts, std::ptrdiff_t level_bytes) {
    return (levels_for(parts) + 1) * padded(level_bytes);
  }

  /// For up to `parts` partials of `width` accumulators each; `memory` is 64-byte aligned.
  PairwiseMerge(const Reducer& reducer, std::ptrdiff_t width, std::ptrdiff_t parts, std::byte* memory)
      : reducer_(reducer), width_(width), next_(memory) {
    const std::ptrdiff_t bytes = padded(width * reducer.accumulator_bytes);
    for (std::ptrdiff_t level = 0; level < levels_for(parts); ++level) levels_[level] = memory + (level + 1) * bytes;
  }

  /// Cleared memory for the next partial, which comes after all earlier ones; push() takes it in.
  std::byte* next() {
    reducer_.clear(next_, width_);
    return next_;
  }

  void push() {
    int level = 0;
    for (; (used_ >> level & 1) != 0; ++level) {
      reducer_.merge(levels_[level], next_, width_);
      std::swap(levels_[level], next_);
    }
    std::swap(levels_[level], next_);
    ++used_;
  }

  /// Merges all of them into `result`, which the caller has cleared.
  void finish(std::byte* result) {
    std::byte* later = nullptr;
    for (int level = 0; used_ >> level != 0; ++level) {
      if ((used_ >> level & 1) == 0) continue;
      if (later != nullptr) reducer_.merge(levels_[level], later, width_);
      later = levels_[level];
    }
    if (later != nullptr) reducer_.merge(result, later, width_);
    used_ = 0;
  }

 private:
  static constexpr int most_levels = 64;

  static std::ptrdiff_t levels_for(std::ptrdiff_t parts) { return std::bit_width(static_cast<std::uint64_t>(parts)); }
  static std::ptrdiff_t padded(std::ptrdiff_t bytes) { return (bytes + 63) / 64 * 64; }

  const Reducer& reducer_;
  std::ptrdiff_t width_;
  std::byte* next_;
  std::byte* levels_[most_levels];
  std::uint64_t used_ = 0;
};

}  // namespace tessera::plan
