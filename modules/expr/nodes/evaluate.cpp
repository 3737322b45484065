module;
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Evaluations whose types are forgotten: which way an expression is computed, and whether through a temporary.
namespace tessera::plan {

namespace {

Loop loop_of(const Lowering& lowering, const storage::StridedMemory& destination, const Computation& computation) {
  Loop loop{.rank = lowering.rank(),
            .extents = lowering.extents(),
            .target = operand_at(destination.data, destination.item),
            .leaves = lowering.leaves(),
            .kernel = computation.kernel,
            .rows = computation.rows,
            .nodes = computation.nodes,
            .copies = computation.copies,
            .place = lowering.place(),
            .device = computation.device};
  std::ranges::copy(destination.strides, loop.target.strides.begin());
  return loop;
}

std::span<const std::ptrdiff_t> shape_of(const Lowering& lowering) {
  return std::span(lowering.extents()).first(static_cast<std::size_t>(lowering.rank()));
}

bool has_conflict(const Lowering& lowering, const storage::StridedMemory& destination) {
  const auto shape = shape_of(lowering);
  const Written written{destination.data, shape, destination.strides, destination.item};
  return std::ranges::any_of(lowering.leaves(), [&](const Operand& leaf) {
    return conflicts(written, {leaf.data, shape, std::span(leaf.strides).first(shape.size()), leaf.item});
  });
}

/// Row-major strides; throws ShapeError if the elements cannot be counted.
std::ptrdiff_t fill_contiguous(std::span<std::ptrdiff_t> strides, std::span<const std::ptrdiff_t> shape) {
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  std::ptrdiff_t elements = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = elements;
    elements = core::checked_multiply(elements, shape[axis]);
  }
  return elements;
}

/// A kernel that copies elements of as many bytes as `nodes` says.
void copy_kernel(const void* nodes, void* to, const Input* inputs, std::ptrdiff_t n) {
  const std::ptrdiff_t item = *static_cast<const std::ptrdiff_t*>(nodes);
  std::memcpy(to, inputs[0].data, static_cast<std::size_t>(n * item));
}

}  // namespace

void evaluate(const Lowering& lowering, const storage::StridedMemory& destination, const Computation& computation) {
  const Loop loop = loop_of(lowering, destination, computation);
  if (lowering.normalised()) {
    run_normalisation(loop, *lowering.normalised(), computation.copies, lowering.tiled());
  } else if (lowering.tiled()) {
    run_tiled(loop, *lowering.tiled());
  } else {
    run(loop);
  }
}

void copy_elements(const void* from, std::span<const std::ptrdiff_t> shape, const storage::StridedMemory& destination,
                   Place place) {
  Axes strides{};
  if (fill_contiguous(strides, shape) == 0) return;
  Operand storage[1];
  Lowering lowering(storage, shape, place, Fusion::none);
  lowering.add(from, shape, std::span(strides).first(shape.size()), destination.item, place);
  evaluate(
      lowering, destination,
      {.kernel = copy_kernel, .nodes = &destination.item, .copies = true, .device = copying_work(destination.item)});
}

void evaluate_safely(const Lowering& lowering, const storage::StridedMemory& destination,
                     const Computation& computation) {
  if (!has_conflict(lowering, destination)) return evaluate(lowering, destination, computation);
  const auto shape = shape_of(lowering);
  Axes strides{};
  const std::ptrdiff_t elements = fill_contiguous(strides, shape);
  const Temporary values(lowering.place(), core::checked_multiply(elements, destination.item));
  evaluate(lowering, {values.data(), std::span(strides).first(shape.size()), destination.item}, computation);
  copy_elements(values.data(), shape, destination, lowering.place());
}

}  // namespace tessera::plan
