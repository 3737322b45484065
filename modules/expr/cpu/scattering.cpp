module;
#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Rows along the fastest of the other axes, for one offset after the other. Threads share other axes, or parts of the memory: each element is always one thread's.
namespace tessera::plan {

namespace {

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

struct OtherAxis {
  std::ptrdiff_t extent, stride, value_stride;
};

/// The other axes, neighbours as one where both memories continue, the fastest last.
struct OtherAxes {
  int count = 0;
  std::array<OtherAxis, most_axes> axes{};

  explicit OtherAxes(const ScatteredMemory& memory) {
    for (std::size_t axis = 0; axis < memory.extents.size(); ++axis) {
      const OtherAxis next{memory.extents[axis], memory.strides[axis], memory.value_strides[axis]};
      if (next.extent == 1) continue;
      OtherAxis* const last = count > 0 ? &axes[at(count - 1)] : nullptr;
      if (last != nullptr && last->stride == next.stride * next.extent &&
          last->value_stride == next.value_stride * next.extent) {
        *last = {last->extent * next.extent, next.stride, next.value_stride};
      } else {
        axes[at(count++)] = next;
      }
    }
  }

  const OtherAxis& row() const { return axes[at(count - 1)]; }
};

struct Assign {
  template <class T>
  static void apply(T& element, const T& value) {
    element = value;
  }
};
/// An operation of expressions, in the type in which they compute.
template <class Operation>
struct Combine {
  template <class T>
  static void apply(T& element, const T& value) {
    using C = compute_t<T>;
    element = static_cast<T>(Operation::apply(static_cast<C>(element), static_cast<C>(value)));
  }
};

/// Offsets that a thread writes at: those in [low, high).
struct Share {
  std::int64_t low, high;
  bool is_all;

  bool has(std::int64_t offset) const { return is_all || (offset >= low && offset < high); }
};

template <class T, class How>
void scatter_row(T* to, std::ptrdiff_t stride, const T* values, std::ptrdiff_t value_stride, std::ptrdiff_t n) {
  if (stride == 1 && value_stride == 1) {
    for (std::ptrdiff_t i = 0; i < n; ++i) How::apply(to[i], values[i]);
  } else {
    for (std::ptrdiff_t i = 0; i < n; ++i) How::apply(to[i * stride], values[i * value_stride]);
  }
}

/// The offset that an index names.
[[gnu::always_inline]] inline std::int64_t offset_of(const ScatteredIndices& at, std::ptrdiff_t k) {
  const std::int64_t index = at.indices[static_cast<std::size_t>(k)];
  return (index + (at.extent & (index >> 63))) * at.stride;
}

/// All offsets of a share, for elements [first, first + n) of the row axis.
template <class T, class How>
void scatter_rows(const ScatteredMemory& memory, T* to, const T* values, const OtherAxis& row, std::ptrdiff_t n,
                  const Share& share) {
  const ScatteredIndices where = memory.at;
  const auto count = static_cast<std::ptrdiff_t>(where.indices.size());
  const std::ptrdiff_t step = memory.values_step;
  constexpr std::ptrdiff_t ahead = 16;
  if (n == 1) {
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      if (k + ahead < count) __builtin_prefetch(to + offset_of(where, k + ahead), 1);
      const std::int64_t offset = offset_of(where, k);
      if (share.has(offset)) How::apply(to[offset], values[k * step]);
    }
    return;
  }
  for (std::ptrdiff_t k = 0; k < count; ++k) {
    const std::int64_t offset = offset_of(where, k);
    if (share.has(offset)) scatter_row<T, How>(to + offset, row.stride, values + k * step, row.value_stride, n);
  }
}

template <class T, class How>
void scatter_all(const ScatteredMemory& memory) {
  OtherAxes others(memory);
  if (others.count == 0) others.axes[at(others.count++)] = {1, 1, 1};
  const OtherAxis row = others.row();
  const auto count = static_cast<std::ptrdiff_t>(memory.at.indices.size());
  std::ptrdiff_t outer = 1;
  for (int axis = 0; axis + 1 < others.count; ++axis) outer *= others.axes[at(axis)].extent;
  if (count == 0 || outer * row.extent == 0) return;
  auto* const to = static_cast<T*>(memory.data);
  const auto* const values = static_cast<const T*>(memory.values);
  // Of the row axis and of the outer ones first: threads then write far from each other and read each offset once.
  constexpr std::ptrdiff_t least_row = 256;
  const bool is_large = count * outer * row.extent >= parallel_threshold;
  const std::ptrdiff_t pieces = is_large ? std::clamp<std::ptrdiff_t>(row.extent / least_row, 1, 64) : 1;
  const std::ptrdiff_t shares = is_large && outer * pieces == 1 ? std::min<std::ptrdiff_t>(num_threads(), 64) : 1;
  std::int64_t low = 0, width = 1;
  if (shares > 1) {
    std::int64_t high = low = offset_of(memory.at, 0);
    for (std::ptrdiff_t k = 1; k < count; ++k) {
      const std::int64_t offset = offset_of(memory.at, k);
      low = std::min(low, offset);
      high = std::max(high, offset);
    }
    width = (high - low) / shares + 1;
  }
  const auto run = [&](std::ptrdiff_t number) {
    std::ptrdiff_t position = number / (pieces * shares);
    const std::ptrdiff_t piece = number / shares % pieces, part = number % shares;
    std::ptrdiff_t to_start = 0, value_start = 0;
    for (int axis = others.count - 1; axis-- > 0;) {
      const OtherAxis& other = others.axes[at(axis)];
      to_start += position % other.extent * other.stride;
      value_start += position % other.extent * other.value_stride;
      position /= other.extent;
    }
    const std::ptrdiff_t first = row.extent * piece / pieces, last = row.extent * (piece + 1) / pieces;
    scatter_rows<T, How>(memory, to + to_start + first * row.stride, values + value_start + first * row.value_stride,
                         row, last - first, {low + part * width, low + (part + 1) * width, shares == 1});
  };
  const std::ptrdiff_t tasks = outer * pieces * shares;
  if (!is_large) {
    for (std::ptrdiff_t number = 0; number < tasks; ++number) run(number);
    return;
  }
  parallel_for(tasks, run);
}

void assign_all(const ScatteredMemory& memory) {
  switch (item_size(memory.type)) {
    case 1: return scatter_all<std::uint8_t, Assign>(memory);
    case 2: return scatter_all<std::uint16_t, Assign>(memory);
    case 4: return scatter_all<std::uint32_t, Assign>(memory);
    case 8: return scatter_all<std::uint64_t, Assign>(memory);
    default: return scatter_all<Wide, Assign>(memory);
  }
}

template <class T>
void combine_all(const ScatteredMemory& memory, Scattering how) {
  if constexpr (!std::same_as<T, bool>) {
    switch (how) {
      case Scattering::add: return scatter_all<T, Combine<Add>>(memory);
      case Scattering::subtract: return scatter_all<T, Combine<Subtract>>(memory);
      case Scattering::multiply: return scatter_all<T, Combine<Multiply>>(memory);
      case Scattering::divide: return scatter_all<T, Combine<Divide>>(memory);
      default: break;
    }
  }
  if constexpr (Real<T>)
    how == Scattering::minimum ? scatter_all<T, Combine<Minimum>>(memory) : scatter_all<T, Combine<Maximum>>(memory);
}

}  // namespace

void scatter(const ScatteredMemory& memory, Scattering how) {
  if (how == Scattering::assign) return assign_all(memory);
  core::with_element(memory.type, [&]<class T>() { combine_all<T>(memory, how); });
}

}  // namespace tessera::plan
