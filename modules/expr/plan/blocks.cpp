module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <utility>
module tessera.expr;
import :items;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Simplifying axes, packing blocks, and the memory for packed blocks.
namespace tessera::plan {

void Space::add(const Operand& operand) {
  operands = std::span(operands.data(), operands.size() + 1);
  operands.back() = operand;
}

void Space::advance(int axis, std::ptrdiff_t count) {
  for (Operand& operand : operands) {
    const std::ptrdiff_t elements = operand.strides[static_cast<std::size_t>(axis)] * count;
    if (operand.data != nullptr) operand.data += elements * operand.item;
    operand.first += elements;
  }
}

void Space::remove_axis(int axis) {
  --rank;
  for (auto i = static_cast<std::size_t>(axis); i < static_cast<std::size_t>(rank); ++i) {
    extents[i] = extents[i + 1];
    for (Operand& operand : operands) operand.strides[i] = operand.strides[i + 1];
  }
}

void Space::swap_axes(int a, int b) {
  const auto i = static_cast<std::size_t>(a);
  const auto j = static_cast<std::size_t>(b);
  std::swap(extents[i], extents[j]);
  for (Operand& operand : operands) std::swap(operand.strides[i], operand.strides[j]);
}

std::ptrdiff_t Space::place(std::ptrdiff_t* offsets, int kept, std::ptrdiff_t step, std::ptrdiff_t unit) const {
  std::ptrdiff_t width = 1;
  std::fill_n(offsets, operands.size(), 0);
  for (int axis = kept; axis-- > 0;) {
    const std::ptrdiff_t extent = extents[static_cast<std::size_t>(axis)];
    const bool last = axis == kept - 1;
    const std::ptrdiff_t stride = last ? step : 1;
    const std::ptrdiff_t steps = (extent - 1) / stride + 1;
    const std::ptrdiff_t position = unit % steps * stride;
    unit /= steps;
    if (last) width = std::min(stride, extent - position);
    move(offsets, axis, position);
  }
  return width;
}

std::ptrdiff_t Space::seek(std::ptrdiff_t* offsets, int first, std::ptrdiff_t index) const {
  std::ptrdiff_t left = 0;
  for (int axis = rank; axis-- > first;) {
    const std::ptrdiff_t extent = extents[static_cast<std::size_t>(axis)];
    const std::ptrdiff_t position = index % extent;
    index /= extent;
    if (axis == rank - 1) left = extent - position;
    move(offsets, axis, position);
  }
  return left;
}

void Space::merge_axes(int first, int& last) {
  for (int axis = last - 2; axis >= first; --axis) {
    const auto outer = static_cast<std::size_t>(axis);
    bool continues = true;
    for (const Operand& operand : operands) {
      std::ptrdiff_t next = 0;
      const bool overflows = __builtin_mul_overflow(operand.strides[outer + 1], extents[outer + 1], &next);
      continues = continues && !overflows && operand.strides[outer] == next;
    }
    std::ptrdiff_t merged = 0;
    if (!continues || __builtin_mul_overflow(extents[outer], extents[outer + 1], &merged)) continue;
    extents[outer + 1] = merged;
    remove_axis(axis);
    --last;
  }
}

namespace {

template <class Item>
[[gnu::always_inline]] void fill(Item* to, Item value, std::ptrdiff_t n) {
  for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = value;
}

/// Writes n copies of each of some values. The kernel reads them with the widest vectors: the CPU hands over only what was stored by
/// one instruction, and a read of several stores waits until all older stores have left the core.
template <class Item>
struct Copies {
  using Write = void (*)(Item* to, const Item* from, std::ptrdiff_t step, std::ptrdiff_t values, std::ptrdiff_t n);

  [[gnu::always_inline]] static void write(Item* to, const Item* from, std::ptrdiff_t step, std::ptrdiff_t values,
                                           std::ptrdiff_t n) {
    constexpr std::ptrdiff_t line = 64 / static_cast<std::ptrdiff_t>(sizeof(Item));
    if (n == line) {
      for (; values > 0; --values, from += step, to += line) fill(to, *from, line);
    } else {
      for (; values > 0; --values, from += step, to += n) fill(to, *from, n);
    }
  }

  static void baseline(Item* to, const Item* from, std::ptrdiff_t step, std::ptrdiff_t values, std::ptrdiff_t n) {
    write(to, from, step, values, n);
  }
  [[gnu::target("avx2")]] static void avx2(Item* to, const Item* from, std::ptrdiff_t step, std::ptrdiff_t values,
                                           std::ptrdiff_t n) {
    write(to, from, step, values, n);
  }
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] static void avx512(Item* to, const Item* from,
                                                                           std::ptrdiff_t step, std::ptrdiff_t values,
                                                                           std::ptrdiff_t n) {
    write(to, from, step, values, n);
  }

  static Write chosen() {
    static constexpr Write table[] = {baseline, avx2, avx512};
    return table[static_cast<int>(device::isa())];
  }
};

Grid grid_of(const Operand& operand, const Block& block) {
  return {.rows = block.rows,
          .columns = block.columns,
          .row_step = row_stride(operand, block),
          .column_step = column_stride(operand, block),
          .pitch = block.columns};
}

void generate(const Operand& operand, const Block& block, std::ptrdiff_t offset, std::byte* to) {
  for (std::ptrdiff_t r = 0; r < block.rows; ++r) {
    operand.generate(operand.context, to + r * block.columns * operand.item,
                     operand.first + offset + r * row_stride(operand, block), column_stride(operand, block),
                     block.columns);
  }
}

// Not from the place's pool: a thread meets its buffers in the middle of an operation, where the pool's limit must not stop it
// with half of the destination written.
struct Scratch {
  std::byte* memory = nullptr;
  std::ptrdiff_t bytes = 0;

  void give_back() {
    ::operator delete(memory, std::align_val_t(64));
    *this = {};
  }
};

// It outlives the destructors of the thread's objects, which may compute too: what they need after this one's is left to the process.
constinit thread_local Scratch scratch_of_thread;

struct GivesScratchBack {
  bool is_needed = false;
  ~GivesScratchBack() { scratch_of_thread.give_back(); }
};
thread_local GivesScratchBack gives_scratch_back;

}  // namespace

void pack(const Operand& operand, const Block& block, std::ptrdiff_t offset, std::byte* to) {
  if (operand.data == nullptr) return generate(operand, block, offset, to);
  if (is_transposed(operand, block)) return pack_transposed(operand, block, offset, to);
  const Grid grid = grid_of(operand, block);
  with_item(operand.item, [&]<class Item>(Item*) {
    packing<Item>(grid)(reinterpret_cast<const Item*>(operand.data) + offset, reinterpret_cast<Item*>(to), grid);
  });
}

void repeat(const Operand& operand, std::ptrdiff_t offset, std::ptrdiff_t step, std::ptrdiff_t values,
            std::ptrdiff_t written_item, std::byte* to) {
  with_item(operand.item, [&]<class Item>(Item*) {
    Copies<Item>::chosen()(reinterpret_cast<Item*>(to), reinterpret_cast<const Item*>(operand.data) + offset, step,
                           values, repeated_bytes / written_item);
  });
}

void unpack(const Operand& operand, const Block& block, std::ptrdiff_t offset, const std::byte* from) {
  const Grid grid = grid_of(operand, block);
  with_item(operand.item, [&]<class Item>(Item*) {
    unpacking<Item>(grid)(reinterpret_cast<const Item*>(from), reinterpret_cast<Item*>(operand.data) + offset, grid);
  });
}

std::byte* scratch(std::ptrdiff_t bytes) {
  Scratch& mine = scratch_of_thread;
  if (mine.bytes < bytes) {
    gives_scratch_back.is_needed = true;  // which makes it
    mine.give_back();
    mine.memory = static_cast<std::byte*>(::operator new(static_cast<std::size_t>(bytes), std::align_val_t(64)));
    mine.bytes = bytes;
  }
  return mine.memory;
}

}  // namespace tessera::plan
