module;
#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;

// Where a program meets the elements of an array.
namespace tessera::dynamic {

namespace {

/// What an assignment writes, with a share of its storage.
struct Target {
  storage::BufferShare share;
  void* data;
  DType dtype;
  Place place;
  int rank;
  Extents extents, strides;

  explicit Target(const Destination& from)
      : share(*from.share),
        data(from.data),
        dtype(from.dtype),
        place(from.place),
        rank(static_cast<int>(from.shape.size())) {
    std::ranges::copy(from.shape, extents.begin());
    std::ranges::copy(from.strides, strides.begin());
  }
  std::span<const std::ptrdiff_t> shape() const { return {extents.data(), static_cast<std::size_t>(rank)}; }
  plan::Written memory() const {
    return {data, shape(), {strides.data(), static_cast<std::size_t>(rank)}, item_size(dtype)};
  }
};

/// Elements if the strides are row-major without gaps, -1 otherwise.
std::ptrdiff_t row_major_elements(std::span<const std::ptrdiff_t> shape, const std::ptrdiff_t* strides) {
  std::size_t elements = 1;  // wraps only where an extent is 0
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (static_cast<std::size_t>(strides[axis]) != elements && shape[axis] != 1) return -1;
    elements *= static_cast<std::size_t>(shape[axis]);
  }
  return static_cast<std::ptrdiff_t>(elements);
}

/// One call of the kernel, if every operand lies in memory as the result does, apart from it or at the same place, and one thread is
/// enough.
bool evaluate_directly(const Destination& target, std::span<const LeafView> leaves, plan::Kernel kernel,
                       const void* nodes) {
  constexpr std::size_t most_leaves = 12;
  const std::ptrdiff_t elements = row_major_elements(target.shape, target.strides.data());
  if (elements < 0 || !is_for_one_thread(elements) || leaves.size() > most_leaves || !target.place.on_host())
    return false;
  const auto* const begin = static_cast<const std::byte*>(target.data);
  const std::ptrdiff_t item = item_size(target.dtype);
  std::array<plan::Input, most_leaves> inputs;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    const LeafView& leaf = leaves[k];
    const auto* const data = static_cast<const std::byte*>(leaf.data);
    const bool same = leaf.place == target.place && std::ranges::equal(leaf.shape, target.shape) &&
                      row_major_elements(leaf.shape, leaf.strides.data()) == elements;
    const bool apart = data >= begin + elements * item || data + elements * leaf.item <= begin;
    if (!same || !(apart || (data == begin && item == leaf.item))) return false;
    inputs[k].read(data);
  }
  kernel(nodes, target.data, inputs.data(), elements);
  return true;
}

Destination seen(const Target& target) {
  return {.share = &target.share,
          .data = target.data,
          .dtype = target.dtype,
          .place = target.place,
          .shape = target.shape(),
          .strides = {target.strides.data(), static_cast<std::size_t>(target.rank)}};
}

LeafView view_of(const Leaf& leaf) { return {leaf.memory(), leaf.place}; }

/// The computation, through a temporary array if the destination conflicts with a leaf.
void evaluate_with(const Destination& destination, std::span<const LeafView> leaves,
                   const plan::Computation& computation) {
  SmallArray<plan::Operand, 8> operands(leaves.size() + 1);
  plan::Lowering lowering(std::span(operands.data(), operands.size()), destination.shape, destination.place,
                          plan::Fusion::none);
  for (const LeafView& leaf : leaves) {
    storage::check_broadcast(leaf.shape, destination.shape, "assignment");
    lowering.add(leaf.data, leaf.shape, leaf.strides, leaf.item, leaf.place);
  }
  storage::require_distinct_elements(destination.shape, destination.strides, "assignment");
  plan::evaluate_safely(lowering, {destination.data, destination.strides, item_size(destination.dtype)}, computation);
}

void require_storage(std::span<const LeafView> leaves) {
  for (const LeafView& leaf : leaves) {
    if (leaf.data == nullptr && leaf.shape.empty()) plan::throw_no_operand_storage();
  }
}

/// By a kernel on this thread's stream.
void compute_on_device(const Destination& target, const DExpression& expression) {
  const DeviceProgram program = device_program(expression, target.dtype);
  std::vector<LeafView> leaves;
  leaves.reserve(program.leaves.size());
  for (const std::uint16_t leaf : program.leaves) leaves.push_back(view_of(expression.steps().leaves[leaf]));
  require_storage(leaves);
  evaluate_with(target, leaves, {.device = program.work});
}

void compute(const Destination& target, const DExpression& expression) {
  if (!target.place.on_host()) return compute_on_device(target, expression);
  const Steps& steps = expression.steps();
  SmallArray<LeafView, 8> leaves(steps.leaves.size());
  for (std::size_t k = 0; k < steps.leaves.size(); ++k) {
    leaves[k] = view_of(steps.leaves[k]);
  }
  const Interpreter interpreter(expression, target.dtype, product(DDim(target.shape)));
  const Leaf* const only = expression.as_leaf();
  evaluate(target, std::span(leaves.data(), leaves.size()), Interpreter::run, &interpreter,
           only != nullptr && only->dtype == target.dtype);
}

/// An assignment that is computed when its turn comes.
struct Deferred {
  Target target;
  DExpression expression;

  static void make(void* memory, const void* from) {
    const auto& operands = *static_cast<const AssignmentOperands*>(from);
    const auto* const made = ::new (memory)
        Deferred{*static_cast<const Target*>(operands.destination), *static_cast<const DExpression*>(operands.node)};
    made->target.share.hold();
    static_cast<void>(made->expression.any_leaf(plan::NameReleaser()));
  }
  static void run(void* memory);
  static void drop(void* memory) noexcept { static_cast<Deferred*>(memory)->~Deferred(); }
  static void look(const void* from, const plan::LeafVisitor& visitor, std::ptrdiff_t* extents) {
    const auto& expression = *static_cast<const DExpression*>(from);
    static_cast<void>(expression.any_leaf(visitor));
    std::ranges::copy(expression.extents(), extents);
  }
};

AssignmentForm& form_of(int rank);

void compute_erased(const void* target, const void* expression) {
  compute(seen(*static_cast<const Target*>(target)), *static_cast<const DExpression*>(expression));
}

/// What the scheduler knows of such assignments, by rank.
AssignmentForm& form_of(int rank) {
  static auto forms = make_forms({.bytes = sizeof(Deferred),
                                  .alignment = alignof(Deferred),
                                  .make = Deferred::make,
                                  .run = Deferred::run,
                                  .drop = Deferred::drop},
                                 Deferred::look);
  return forms[static_cast<std::size_t>(rank)];
}

AssignmentTarget described(const Target& target, bool is_name) {
  return {.buffer = target.share.get(), .memory = target.memory(), .place = target.place, .is_name = is_name};
}

void Deferred::run(void* memory) {
  const auto& self = *static_cast<Deferred*>(memory);
  compute_in_turn(described(self.target, false), {.destination = &self.target, .node = &self.expression},
                  form_of(self.expression.rank()), compute_erased);
}

}  // namespace

void evaluate(const Destination& destination, std::span<const LeafView> leaves, plan::Kernel kernel, const void* nodes,
              bool copies) {
  require_storage(leaves);
  if (evaluate_directly(destination, leaves, kernel, nodes)) return;
  evaluate_with(destination, leaves, {.kernel = kernel, .nodes = nodes, .copies = copies});
}

void assign(const Destination& destination, const DExpression& expression, bool is_name) {
  if (expression.dtype() != destination.dtype && !assignable(expression.dtype(), destination.dtype))
    static_cast<void>(Interpreter(expression, destination.dtype, 1));  // which throws
  if (storage::buffers_have_vars.load(std::memory_order_relaxed)) {
    const Target target(destination);
    assign_in_order(described(target, is_name), {.destination = &target, .node = &expression},
                    form_of(expression.rank()), compute_erased);
  } else {
    compute(destination, expression);
  }
}

bool fits_own_storage(const Destination& destination, const DExpression& expression, int holds) {
  const Buffer* const buffer = destination.share->get();
  if (buffer == nullptr || destination.dtype != expression.dtype() ||
      !std::ranges::equal(destination.shape, expression.extents()) || expression.place() != destination.place)
    return false;
  struct Held {
    const DExpression& expression;
    int holds;
  };
  const Held held{expression, holds};
  const auto any_leaf = [](const void* of, const plan::LeafVisitor& visit) {
    const auto& leaves = *static_cast<const Held*>(of);
    for (int k = 0; k < leaves.holds; ++k) {
      if (leaves.expression.any_leaf(visit)) return true;
    }
    return false;
  };
  return is_own(*buffer, destination.shape, destination.strides, &held, any_leaf);
}

void check_renaming(const DExpression& expression) {
  tessera::check_renaming(expression.extents(), expression.extents());
}

}  // namespace tessera::dynamic
