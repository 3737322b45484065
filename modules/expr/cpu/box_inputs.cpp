module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// How each leaf of a box gets to the kernel.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t buffer_step = box_bytes + 64;  // the odd line keeps buffers off the same cache sets

constexpr std::ptrdiff_t shared = -1;  // instead of a number of elements: in an earlier leaf's buffer

/// The two read the same elements, as x does twice in x * x.
bool are_the_same(const Operand& a, const Operand& b, int rank) {
  return a.data != nullptr && a.data == b.data && a.item == b.item &&
         std::equal(a.strides.begin(), a.strides.begin() + rank, b.strides.begin());
}

std::ptrdiff_t padded(std::size_t bytes) { return static_cast<std::ptrdiff_t>((bytes + 63) / 64 * 64); }

}  // namespace

std::ptrdiff_t BoxInputs::bytes_for(std::size_t leaves) {
  return padded(leaves * sizeof(Input)) + padded(leaves * sizeof(Leaf)) +
         static_cast<std::ptrdiff_t>(leaves) * buffer_step;
}

BoxInputs::BoxInputs(std::span<const Operand> leaves, const Box& largest, std::ptrdiff_t written_item,
                     std::byte* memory)
    : leaves_(leaves),
      largest_(largest.elements()),
      written_item_(written_item),
      inputs_(new (memory) Input[leaves.size()]),
      held_(new (memory + padded(leaves.size() * sizeof(Input))) Leaf[leaves.size()]),
      buffers_(memory + padded(leaves.size() * sizeof(Input)) + padded(leaves.size() * sizeof(Leaf))) {
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    held_[k] = {.way = Way::packed, .offset = 0, .elements = 0};
    if (is_direct(leaves[k], largest)) held_[k].way = Way::direct;
    if (written_item != 0 && is_repeated(leaves[k], largest)) held_[k].way = Way::repeated;
    if (held_[k].way == Way::packed) inputs_[k].read(buffer(k));
    if (held_[k].way == Way::repeated) inputs_[k].repeat(buffer(k));
    for (std::size_t j = 0; j < k && held_[k].way != Way::direct; ++j) {
      if (!are_the_same(leaves[j], leaves[k], largest.rank)) continue;
      inputs_[k] = inputs_[j];
      held_[k].elements = shared;
      break;
    }
  }
}

std::byte* BoxInputs::buffer(std::size_t k) const { return buffers_ + static_cast<std::ptrdiff_t>(k) * buffer_step; }

const Input* BoxInputs::read(const Box& box, const std::ptrdiff_t* offsets) {
  const std::ptrdiff_t elements = box.elements();
  for (std::size_t k = 0; k < leaves_.size(); ++k) {
    const Operand& leaf = leaves_[k];
    Leaf& held = held_[k];
    if (held.way == Way::direct) {
      inputs_[k].data = leaf.data + offsets[k] * leaf.item;
      continue;
    }
    if (held.elements == shared) continue;
    // Smaller boxes of the same number of elements may have different shapes.
    if (held.offset == offsets[k] && held.elements == largest_ && elements == largest_) continue;
    if (held.way == Way::repeated) {
      repeat(leaf, offsets[k], 0, 1, written_item_, buffer(k));
    } else {
      pack(leaf, box, offsets[k], buffer(k));
    }
    held.offset = offsets[k];
    held.elements = elements;
  }
  return inputs_;
}

}  // namespace tessera::plan
