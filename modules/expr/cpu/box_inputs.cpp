module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <utility>
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

/// The two read the same elements, as x does twice in x * x.
bool are_the_same(const Operand& a, const Operand& b, int rank) {
  return a.data != nullptr && a.data == b.data && a.item == b.item &&
         std::equal(a.strides.begin(), a.strides.begin() + rank, b.strides.begin());
}

std::ptrdiff_t padded(std::size_t bytes) { return static_cast<std::ptrdiff_t>((bytes + 63) / 64 * 64); }

}  // namespace

std::ptrdiff_t BoxInputs::bytes_for(std::size_t leaves) {
  return padded(leaves * sizeof(Input)) + padded(leaves * sizeof(Leaf)) + 2 * padded(leaves * sizeof(std::ptrdiff_t)) +
         static_cast<std::ptrdiff_t>(leaves) * buffer_step;
}

BoxInputs::BoxInputs(std::span<const Operand> leaves, const Box& largest, std::ptrdiff_t written_item,
                     std::byte* memory)
    : leaves_(leaves), largest_(largest.elements()), written_item_(written_item) {
  const auto take = [&memory, &leaves]<class T>(T*) {
    T* const taken = new (memory) T[leaves.size()];
    memory += padded(leaves.size() * sizeof(T));
    return taken;
  };
  inputs_ = take(static_cast<Input*>(nullptr));
  held_ = take(static_cast<Leaf*>(nullptr));
  row_pitches_ = take(static_cast<std::ptrdiff_t*>(nullptr));
  set_pitches_ = take(static_cast<std::ptrdiff_t*>(nullptr));
  buffers_ = memory;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    held_[k] = {.way = Way::packed, .same = k, .offset = 0, .elements = 0};
    if (is_direct(leaves[k], largest)) held_[k].way = Way::direct;
    if (written_item != 0 && is_repeated(leaves[k], largest)) held_[k].way = Way::repeated;
    for (std::size_t j = 0; j < k && held_[k].same == k; ++j) {
      if (are_the_same(leaves[j], leaves[k], largest.rank)) held_[k].same = j;
    }
  }
}

std::byte* BoxInputs::buffer(std::size_t k) const { return buffers_ + static_cast<std::ptrdiff_t>(k) * buffer_step; }

void BoxInputs::deliver(std::size_t k, const Box& box, std::ptrdiff_t offset) {
  const Operand& leaf = leaves_[k];
  Leaf& held = held_[k];
  // A smaller box of a view whose rows overlap may not lie as the largest does.
  if (held.way == Way::direct && (box.elements() == largest_ || is_direct(leaf, box)))
    return inputs_[k].read(leaf.data + offset * leaf.item);
  if (held.same != k) {
    inputs_[k] = inputs_[held.same];
    return;
  }
  if (held.way == Way::repeated) {
    inputs_[k].repeat(buffer(k));
  } else {
    inputs_[k].read(buffer(k));
  }
  // Smaller boxes of the same number of elements may have different shapes.
  const std::ptrdiff_t elements = box.elements();
  if (held.offset == offset && held.elements == largest_ && elements == largest_) return;
  if (held.way == Way::repeated) {
    repeat(leaf, offset, 0, 1, written_item_, buffer(k));
  } else {
    pack(leaf, box, offset, buffer(k));
  }
  held.offset = offset;
  held.elements = elements;
}

const Input* BoxInputs::read(const Box& box, const std::ptrdiff_t* offsets) {
  for (std::size_t k = 0; k < leaves_.size(); ++k) deliver(k, box, offsets[k]);
  return inputs_;
}

std::ptrdiff_t BoxInputs::copies_bytes(const Operand& leaf) const { return repeated_bytes / written_item_ * leaf.item; }

/// Of a leaf that is packed unless it has rows.
std::optional<BoxInputs::RowSteps> BoxInputs::rows_of(std::size_t k, const Box& box, const RowAxes& axes) const {
  const Operand& leaf = leaves_[k];
  if (held_[k].way != Way::packed || leaf.data == nullptr) return std::nullopt;
  const auto step = [&](RowAxes::Range range) { return step_along(leaf, box, range.first, range.last); };
  const auto row = step(axes.rows), set = step(axes.sets), along = step(axes.columns);
  if (!row || !set || !along || (*along != 0 && *along != 1)) return std::nullopt;
  const std::ptrdiff_t rows = axes.sets.count(box) * axes.rows.count(box);
  if (*along == 0 && rows * copies_bytes(leaf) > buffer_step) return std::nullopt;
  return RowSteps{.row = *row, .set = *set, .along = *along};
}

bool BoxInputs::has_rows(const Box& box, const RowAxes& axes) const {
  for (std::size_t k = 0; k < leaves_.size(); ++k) {
    if (rows_of(k, box, axes)) return true;
  }
  return false;
}

/// Of a leaf with one value for each row, repeated row after row.
void BoxInputs::repeat_rows(std::size_t k, std::ptrdiff_t offset, const RowSteps& steps, RowSets sets) {
  const Operand& leaf = leaves_[k];
  const bool one_each = sets.rows == 1;  // then the sets are as rows
  if (one_each) std::swap(sets.sets, sets.rows);
  const std::ptrdiff_t bytes = copies_bytes(leaf);
  for (std::ptrdiff_t set = 0; set < sets.sets; ++set) {
    repeat(leaf, offset + set * steps.set, one_each ? steps.set : steps.row, sets.rows, written_item_,
           buffer(k) + set * sets.rows * bytes);
  }
  inputs_[k].repeat(buffer(k));
  row_pitches_[k] = bytes;
  set_pitches_[k] = one_each ? bytes : sets.rows * bytes;
  held_[k].elements = 0;
}

std::optional<BoxRows> BoxInputs::read_rows(const Box& box, const std::ptrdiff_t* offsets, const RowAxes& axes) {
  const RowSets sets{.sets = axes.sets.count(box),
                     .rows = axes.rows.count(box),
                     .n = axes.columns.count(box),
                     .pitches = set_pitches_};
  bool some = false;
  for (std::size_t k = 0; k < leaves_.size(); ++k) {
    const Operand& leaf = leaves_[k];
    const auto steps = rows_of(k, box, axes);
    if (!steps) {
      const bool repeats = held_[k].way == Way::repeated;
      row_pitches_[k] = repeats ? 0 : RowAxes::Range{axes.rows.last, box.rank}.count(box) * leaf.item;
      set_pitches_[k] = repeats ? 0 : RowAxes::Range{axes.sets.last, box.rank}.count(box) * leaf.item;
      deliver(k, box, offsets[k]);
      continue;
    }
    some = true;
    if (steps->along == 0) {
      repeat_rows(k, offsets[k], *steps, sets);
    } else {
      inputs_[k].read(leaf.data + offsets[k] * leaf.item);
      row_pitches_[k] = steps->row * leaf.item;
      set_pitches_[k] = steps->set * leaf.item;
    }
  }
  if (!some) return std::nullopt;
  return BoxRows{.inputs = {.first = inputs_, .pitches = row_pitches_}, .sets = sets};
}

}  // namespace tessera::plan
