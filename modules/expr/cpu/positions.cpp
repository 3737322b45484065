module;
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Index by index, rows of the last axis at a time.
namespace tessera::plan {

namespace {

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

constexpr std::ptrdiff_t mask_block = 65536;  // elements of a mask for one task

std::ptrdiff_t count_true(const bool* mask, std::ptrdiff_t elements) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(mask);
  std::ptrdiff_t count = 0;
  constexpr std::ptrdiff_t batch = 128;  // whose sum a byte can hold, so that vectors of bytes add up
  for (std::ptrdiff_t first = 0; first < elements; first += batch) {
    unsigned char sum = 0;
    for (std::ptrdiff_t i = first; i < std::min(elements, first + batch); ++i)
      sum = static_cast<unsigned char>(sum + bytes[i]);
    count += sum;
  }
  return count;
}

/// For each set of eight bits the numbers of those that are set, in order.
constexpr auto numbers_of_bits = [] {
  std::array<std::array<unsigned char, 8>, 256> numbers{};
  for (std::size_t set = 0; set < 256; ++set) {
    std::size_t count = 0;
    for (unsigned char bit = 0; bit < 8; ++bit) {
      if ((set >> bit & 1) != 0) numbers[set][count++] = bit;
    }
  }
  return numbers;
}();

/// Writes the positions of `mask`, whose first element is number `first`, to memory with room for `count` of them.
void write_true(const bool* mask, std::ptrdiff_t elements, std::ptrdiff_t first, std::int64_t* to,
                std::ptrdiff_t count) {
  const std::int64_t* const end = to + count;
  std::ptrdiff_t i = 0;
  for (; i + 8 <= elements && end - to >= 8; i += 8) {  // what is not true is written over
    std::uint64_t bytes;
    std::memcpy(&bytes, mask + i, 8);
    const auto set = static_cast<unsigned char>(bytes * 0x0102040810204080u >> 56);
    const auto& numbers = numbers_of_bits[set];
    for (std::size_t k = 0; k < 8; ++k) to[k] = first + i + numbers[k];
    to += std::popcount(set);
  }
  for (; i < elements && to != end; ++i) {
    *to = first + i;
    to += static_cast<int>(mask[i]);
  }
}

/// Rows of the last axis of what the pickers name together.
struct Rows {
  std::span<const std::ptrdiff_t> shape;
  std::ptrdiff_t length, count;

  explicit Rows(std::span<const std::ptrdiff_t> of) : shape(of), length(of.empty() ? 1 : of.back()), count(1) {
    for (std::size_t axis = 0; axis + 1 < of.size(); ++axis) count *= of[axis];
  }
};

/// The strides of a picker's indices along the axes of `shape`, to which they broadcast.
Axes broadcast_strides(const Picker& picker, std::size_t rank) {
  Axes strides{};
  const std::size_t lead = rank - at(picker.rank);
  for (std::size_t axis = 0; axis < at(picker.rank); ++axis)
    strides[lead + axis] = picker.shape[axis] == 1 ? 0 : picker.strides[axis];
  return strides;
}

/// The first index of a row, in elements of the indices.
std::ptrdiff_t start_of(const Rows& rows, const Axes& strides, std::ptrdiff_t row) {
  std::ptrdiff_t start = 0;
  for (std::size_t axis = rows.shape.size() - 1; axis-- > 0;) {
    start += row % rows.shape[axis] * strides[axis];
    row /= rows.shape[axis];
  }
  return start;
}

template <class Index>
void add_row(const Picker& picker, const Index* indices, std::ptrdiff_t step, std::int64_t* to, std::ptrdiff_t n,
             bool is_first) {
  const std::int64_t extent = picker.extents[0], stride = picker.steps[0];
  const auto offset = [&](std::ptrdiff_t i) {
    const auto index = static_cast<std::int64_t>(indices[i * step]);
    return (index + (extent & (index >> 63))) * stride;
  };
  if (is_first) {
    for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = offset(i);
  } else {
    for (std::ptrdiff_t i = 0; i < n; ++i) to[i] += offset(i);
  }
}

/// The axes of a mask, neighbours as one where the memory continues.
struct MaskedAxes {
  int count = 0;
  Axes extents{}, steps{};

  explicit MaskedAxes(const Picker& picker) {
    for (int axis = 0; axis < picker.axes; ++axis) {
      if (picker.extents[at(axis)] == 1) continue;
      const bool continues = count > 0 && steps[at(count - 1)] == picker.extents[at(axis)] * picker.steps[at(axis)];
      if (!continues) ++count;
      extents[at(count - 1)] = (continues ? extents[at(count - 1)] : 1) * picker.extents[at(axis)];
      steps[at(count - 1)] = picker.steps[at(axis)];
    }
    if (count == 0) {
      extents[0] = 1;
      count = 1;
    }
  }

  std::int64_t offset_of(std::int64_t position) const {
    std::int64_t offset = 0;
    for (int axis = count; axis-- > 1;) {
      offset += position % extents[at(axis)] * steps[at(axis)];
      position /= extents[at(axis)];
    }
    return offset + position * steps[0];
  }
};

void add_masked_row(const Picker& picker, const std::int64_t* positions, std::ptrdiff_t step, std::int64_t* to,
                    std::ptrdiff_t n, bool is_first) {
  const MaskedAxes axes(picker);
  const std::int64_t width = axes.extents[at(axes.count - 1)];
  const std::int64_t along = axes.steps[at(axes.count - 1)];
  std::int64_t row = 0, row_offset = 0;  // the row of the last axis in which the last position was
  if (n > 0) {
    row = axes.count > 1 ? positions[0] / width : 0;
    row_offset = axes.offset_of(row * width);
  }
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const std::int64_t position = positions[i * step];
    if (axes.count > 1 && position - row * width >= width) {
      row = position / width;
      row_offset = axes.offset_of(row * width);
    }
    const std::int64_t offset = row_offset + (position - row * width) * along;
    to[i] = is_first ? offset : to[i] + offset;
  }
}

void add_row(const Picker& picker, const Rows& rows, const Axes& strides, std::ptrdiff_t row, std::int64_t* to,
             std::ptrdiff_t first, std::ptrdiff_t n, bool is_first) {
  const std::ptrdiff_t step = rows.shape.empty() ? 0 : strides[rows.shape.size() - 1];
  const std::ptrdiff_t start = start_of(rows, strides, row) + first * step;
  const auto add = [&]<class Index>() {
    const Index* const indices = static_cast<const Index*>(picker.data) + start;
    add_row(picker, indices, step, to, n, is_first);
  };
  if (picker.axes > 1)
    return add_masked_row(picker, static_cast<const std::int64_t*>(picker.data) + start, step, to, n, is_first);
  switch (picker.type) {
    case DType::int32: return add.operator()<std::int32_t>();
    case DType::uint64: return add.operator()<std::uint64_t>();
    default: return add.operator()<std::int64_t>();
  }
}

template <class Index>
std::string text_of(const void* index) {
  return std::to_string(*static_cast<const Index*>(index));
}

[[noreturn]] void throw_at(const Picker& picker, std::span<const std::ptrdiff_t> position) {
  std::ptrdiff_t offset = 0;
  for (std::size_t axis = 0; axis < position.size(); ++axis) offset += position[axis] * picker.strides[axis];
  const void* const index = static_cast<const std::byte*>(picker.data) + offset * item_size(picker.type);
  const std::string text = picker.type == DType::int32    ? text_of<std::int32_t>(index)
                           : picker.type == DType::uint64 ? text_of<std::uint64_t>(index)
                                                          : text_of<std::int64_t>(index);
  storage::throw_picked_index("indexing", text, position, picker.axis, picker.extents[0]);
}

}  // namespace

TruePositions::TruePositions(const bool* mask, std::ptrdiff_t elements) : mask_(mask), elements_(elements) {
  const std::ptrdiff_t blocks = (elements + mask_block - 1) / mask_block;
  starts_.resize(static_cast<std::size_t>(blocks) + 1);
  parallel_for(blocks, [&](std::ptrdiff_t block) {
    const std::ptrdiff_t first = block * mask_block;
    starts_[static_cast<std::size_t>(block)] = count_true(mask + first, std::min(mask_block, elements - first));
  });
  std::ptrdiff_t count = 0;
  for (std::ptrdiff_t& start : starts_) start = std::exchange(count, count + start);
}

void TruePositions::write(std::int64_t* to) const {
  parallel_for(static_cast<std::ptrdiff_t>(starts_.size()) - 1, [&](std::ptrdiff_t block) {
    const std::ptrdiff_t first = block * mask_block;
    const auto* const start = &starts_[static_cast<std::size_t>(block)];
    write_true(mask_ + first, std::min(mask_block, elements_ - first), first, to + start[0], start[1] - start[0]);
  });
}

MaskPositions::MaskPositions(const bool* mask, std::ptrdiff_t elements) {
  const TruePositions positions(mask, elements);
  count_ = positions.count();
  if (count_ == 0) return;
  memory_.emplace(Place(CpuPlace{}), count_ * static_cast<std::ptrdiff_t>(sizeof(std::int64_t)));
  positions.write(static_cast<std::int64_t*>(memory_->data()));
}

void check_picker(const Picker& picker) {
  if (picker.axes > 1) return;  // the positions of a mask are inside it
  const auto shape = std::span(picker.shape).first(at(picker.rank));
  if (std::ranges::find(shape, 0) != shape.end()) return;
  const Rows rows(shape);
  Axes position{};
  for (std::ptrdiff_t row = 0; row < rows.count; ++row) {
    const std::ptrdiff_t start = start_of(rows, picker.strides, row);
    const void* const first = static_cast<const std::byte*>(picker.data) + start * item_size(picker.type);
    const IndexList list{first, rows.length, picker.strides[at(picker.rank - 1)], picker.type};
    const std::ptrdiff_t outside = first_outside(list, picker.extents[0]);
    if (outside == rows.length) continue;
    std::ptrdiff_t left = row;
    for (std::size_t axis = shape.size() - 1; axis-- > 0; left /= shape[axis]) position[axis] = left % shape[axis];
    position[shape.size() - 1] = outside;
    throw_at(picker, std::span(position).first(shape.size()));
  }
}

void write_offsets(std::int64_t* to, std::span<const std::ptrdiff_t> shape, std::span<const Picker> pickers) {
  const Rows rows(shape);
  if (rows.count * rows.length == 0) return;
  std::vector<Axes> strides;
  for (const Picker& picker : pickers) strides.push_back(broadcast_strides(picker, shape.size()));
  constexpr std::ptrdiff_t piece = 16384;  // of a long row
  const std::ptrdiff_t pieces = (rows.length + piece - 1) / piece;
  const auto write = [&](std::ptrdiff_t number) {
    const std::ptrdiff_t row = number / pieces, first = number % pieces * piece;
    const std::ptrdiff_t n = std::min(piece, rows.length - first);
    for (std::size_t k = 0; k < pickers.size(); ++k)
      add_row(pickers[k], rows, strides[k], row, to + row * rows.length + first, first, n, k == 0);
  };
  if (rows.count * rows.length < parallel_threshold) {
    for (std::ptrdiff_t number = 0; number < rows.count * pieces; ++number) write(number);
    return;
  }
  const std::ptrdiff_t together = std::max<std::ptrdiff_t>(piece / rows.length, 1);  // short rows of one task
  parallel_for((rows.count * pieces + together - 1) / together, [&](std::ptrdiff_t task) {
    const std::ptrdiff_t end = std::min(rows.count * pieces, (task + 1) * together);
    for (std::ptrdiff_t number = task * together; number < end; ++number) write(number);
  });
}

}  // namespace tessera::plan
