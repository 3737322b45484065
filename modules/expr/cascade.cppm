module;
#include <cstddef>
#include <utility>
#include <vector>
export module tessera.expr:cascade;
import tessera.core;
import :plan;

// Pairwise merging of partial results as they come.
namespace tessera::plan {

/// Partial results waiting to be merged, like the digits of a binary counter: level k holds 2^k partials.
class Cascade {
 public:
  Cascade(const Reducer& reducer, std::ptrdiff_t width)
      : reducer_(reducer), width_(width), level_bytes_(width * reducer.accumulator_bytes) {}

  /// Takes in `partial`, which comes after all earlier ones.
  void push(const std::byte* partial) {
    std::size_t level = 0;
    carry_.assign(partial, partial + level_bytes_);
    for (; level < used_.size() && used_[level]; ++level) {
      merge(levels_[level], carry_);
      std::swap(levels_[level], carry_);
      used_[level] = false;
    }
    if (level == used_.size()) {
      used_.push_back(false);
      levels_.emplace_back();
    }
    std::swap(levels_[level], carry_);
    used_[level] = true;
  }

  /// Merges what is left into `result`, which the caller has cleared.
  void finish(std::byte* result) {
    bool first = true;
    for (std::size_t level = 0; level < used_.size(); ++level) {
      if (!used_[level]) continue;
      if (first) {
        carry_ = levels_[level];
      } else {
        merge(levels_[level], carry_);
        carry_ = levels_[level];
      }
      first = false;
      used_[level] = false;
    }
    if (!first) reducer_.merge(result, carry_.data(), width_);
  }

 private:
  void merge(std::vector<std::byte>& to, const std::vector<std::byte>& later) {
    reducer_.merge(to.data(), later.data(), width_);
  }

  const Reducer& reducer_;
  std::ptrdiff_t width_;
  std::ptrdiff_t level_bytes_;
  std::vector<std::byte> carry_;
  std::vector<std::vector<std::byte>> levels_;
  std::vector<bool> used_;
};

}  // namespace tessera::plan
