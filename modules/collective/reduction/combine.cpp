module;
#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>
module tessera.collective;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;

// Combining tile by tile, so that what is added up stays in the cache however many ranks there are.
namespace tessera::collective {

namespace {

constexpr std::ptrdiff_t tile = 4096;

template <class T>
using Wide = std::conditional_t<std::same_as<T, float16> || std::same_as<T, bfloat16>, float, T>;

struct Sum {
  static auto map(const auto& a, const auto& b) { return a + b; }
};
struct Product {
  static auto map(const auto& a, const auto& b) { return a * b; }
};
struct Min {
  static auto map(const auto& a, const auto& b) { return minimum(a, b); }
};
struct Max {
  static auto map(const auto& a, const auto& b) { return maximum(a, b); }
};
struct All {
  static auto map(const auto& a, const auto& b) { return a & b; }
};
struct Any {
  static auto map(const auto& a, const auto& b) { return a | b; }
};

/// One tile of the elements.
template <class Op, class T>
class TileOf {
 public:
  using W = Wide<T>;
  TileOf(const Combination& call, std::ptrdiff_t at, std::ptrdiff_t count) : call_(call), at_(at), count_(count) {}

  void write(void* to) const {
    if constexpr (!std::same_as<T, W>) {
      if (!call_.stays_wide) {
        const auto sum = std::make_unique_for_overwrite<W[]>(static_cast<std::size_t>(count_));
        reduce(call_.begin, call_.end, call_.partials, sum.get());
        assign(view(static_cast<T*>(to) + at_), view(static_cast<const W*>(sum.get())));
        return;
      }
    }
    reduce(call_.begin, call_.end, call_.partials, static_cast<W*>(to) + at_);
  }

 private:
  template <class E>
  auto view(E* data) const {
    return make_view(data, Dim{count_});
  }

  /// Elements of one partial as they lie, or converted into `room`.
  const W* elements_of(const Partial& partial, W* room) const {
    if (std::same_as<T, W> || call_.is_wide) return static_cast<const W*>(partial.elements) + at_;
    assign(view(room), view(static_cast<const T*>(partial.elements) + at_));
    return room;
  }

  /// What a subtree comes to: where it lies, if that is one partial, otherwise in `room`.
  const W* value_of_subtree(std::ptrdiff_t begin, std::ptrdiff_t end, std::span<const Partial> partials,
                            W* room) const {
    if (partials.size() == 1) return elements_of(partials.front(), room);
    reduce(begin, end, partials, room);
    return room;
  }

  void reduce(std::ptrdiff_t begin, std::ptrdiff_t end, std::span<const Partial> partials, W* to) const {
    if (partials.size() == 1) {
      const W* const elements = elements_of(partials.front(), to);
      if (elements != to) std::copy_n(elements, count_, to);
      return;
    }
    const std::ptrdiff_t middle = begin + half_of(end - begin);
    const auto second = std::ranges::find(partials, middle, &Partial::begin);
    const auto first_count = static_cast<std::size_t>(second - partials.begin());
    const bool needs_rooms = partials.size() != 2 || !(std::same_as<T, W> || call_.is_wide);
    const auto rooms = std::make_unique_for_overwrite<W[]>(needs_rooms ? static_cast<std::size_t>(2 * count_) : 0);
    const W* const a = value_of_subtree(begin, middle, partials.first(first_count), rooms.get());
    const W* const b = value_of_subtree(middle, end, partials.subspan(first_count), rooms.get() + count_);
    assign(view(to), Op::map(view(a), view(b)));
  }

  const Combination& call_;
  std::ptrdiff_t at_, count_;
};

template <class Op, class T>
void combine_tiles(const Combination& call, void* to) {
  parallel_for((call.count + tile - 1) / tile, [&](std::ptrdiff_t index) {
    const std::ptrdiff_t at = index * tile;
    TileOf<Op, T>(call, at, std::min(tile, call.count - at)).write(to);
  });
}

template <class T>
void combine_elements(const Combination& call, void* to) {
  if constexpr (std::same_as<T, bool>) {
    return call.op == ReduceOp::all ? combine_tiles<All, bool>(call, to) : combine_tiles<Any, bool>(call, to);
  } else {
    if (call.op == ReduceOp::sum) return combine_tiles<Sum, T>(call, to);
    if (call.op == ReduceOp::product) return combine_tiles<Product, T>(call, to);
    if constexpr (!Complex<T>) {
      return call.op == ReduceOp::min ? combine_tiles<Min, T>(call, to) : combine_tiles<Max, T>(call, to);
    }
  }
}

}  // namespace

std::ptrdiff_t half_of(std::ptrdiff_t count) {
  return static_cast<std::ptrdiff_t>(std::bit_floor(static_cast<std::size_t>(count - 1)));
}

std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>> subtrees(std::ptrdiff_t begin, std::ptrdiff_t end,
                                                                std::ptrdiff_t count) {
  std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>> found;
  const auto add = [&](const auto& self, std::ptrdiff_t low, std::ptrdiff_t high) -> void {
    if (high <= begin || end <= low) return;
    if (begin <= low && high <= end) {
      found.emplace_back(low, high);
      return;
    }
    const std::ptrdiff_t middle = low + half_of(high - low);
    self(self, low, middle);
    self(self, middle, high);
  };
  if (count > 0) add(add, 0, count);
  return found;
}

LeavesOfRanks::LeavesOfRanks(std::span<const std::int64_t> counts) {
  for (const std::int64_t own : counts) {
    firsts.push_back(count);
    count += own;
  }
  for (std::size_t rank = 0; rank < counts.size(); ++rank)
    subtrees_of.push_back(subtrees(firsts[rank], firsts[rank] + counts[rank], count));
}

void combine(const Combination& call, void* to) {
  if (call.count == 0) return;
  core::with_element(call.dtype, [&]<class T>() { combine_elements<T>(call, to); });
}

DType accumulating_type(DType dtype) {
  return dtype == DType::float16 || dtype == DType::bfloat16 ? DType::float32 : dtype;
}

}  // namespace tessera::collective
