module;
#include <algorithm>
#include <array>
#include <cstddef>
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
namespace tessera::program {

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
      : share(from.share), data(from.data), dtype(from.dtype), place(from.place), rank(static_cast<int>(from.shape.size())) {
    std::ranges::copy(from.shape, extents.begin());
    std::ranges::copy(from.strides, strides.begin());
  }
  std::span<const std::ptrdiff_t> shape() const { return {extents.data(), static_cast<std::size_t>(rank)}; }
  plan::Written memory() const { return {data, shape(), {strides.data(), static_cast<std::size_t>(rank)}, item_size(dtype)}; }
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

/// One call of the kernel, if every operand lies in memory as the result does, apart from it or at the same place, and one thread is enough.
bool compute_directly(const Target& target, const DExpression& expression) {
  constexpr std::size_t most_leaves = 8;
  const Steps& steps = expression.steps();
  const std::ptrdiff_t elements = row_major_elements(target.shape(), target.strides.data());
  if (!is_for_one_thread(elements) || elements < 0 || steps.leaves.size() > most_leaves) return false;
  const auto* const begin = static_cast<const std::byte*>(target.data);
  const std::ptrdiff_t item = item_size(target.dtype);
  std::array<plan::Input, most_leaves> inputs;
  for (std::size_t k = 0; k < steps.leaves.size(); ++k) {
    const Leaf& leaf = steps.leaves[k];
    const auto* const data = static_cast<const std::byte*>(leaf.data);
    const bool same = leaf.place == target.place && std::ranges::equal(leaf.shape(), target.shape()) &&
                      row_major_elements(leaf.shape(), leaf.strides.data()) == elements;
    const bool apart = data >= begin + elements * item || data + elements * item_size(leaf.dtype) <= begin;
    if (!same || !(apart || (data == begin && item == item_size(leaf.dtype)))) return false;
    inputs[k].read(data);
  }
  const Interpreter interpreter(expression, target.dtype, elements);
  Interpreter::run(&interpreter, target.data, inputs.data(), elements);
  return true;
}

void compute(const Target& target, const DExpression& expression) {
  if (target.place.on_host() && compute_directly(target, expression)) return;
  if (!target.place.on_host()) {
    throw PlaceError(to_string(Failure{.operation = "assignment",
                                       .problem = "expressions of dynamic arrays are computed on the host, and this one is on " + to_string(target.place),
                                       .advice = "take the static arrays: visit(f, x), or get<Array<T, D>>(x)"}));
  }
  storage::check_broadcast(expression.extents(), target.shape(), "assignment");
  storage::require_distinct_elements(target.shape(), target.memory().strides, "assignment");
  const Steps& steps = expression.steps();
  SmallArray<plan::Operand, 8> operands(steps.leaves.size() + 1);
  plan::Lowering lowering(std::span(operands.data(), operands.size()), target.shape(), target.place, plan::Fusion::none);
  for (const Leaf& leaf : steps.leaves) {
    if (leaf.data == nullptr && leaf.rank == 0) plan::throw_no_operand_storage();
    lowering.add(leaf.data, leaf.shape(), leaf.memory().strides, item_size(leaf.dtype), leaf.place);
  }
  const Interpreter interpreter(expression, target.dtype, product(DDim(target.shape())));
  const Leaf* const only = expression.as_leaf();
  plan::evaluate_safely(lowering, {target.data, target.memory().strides, item_size(target.dtype)},
                        {Interpreter::run, &interpreter, only != nullptr && only->dtype == target.dtype, {}});
}

/// An assignment that is computed when its turn comes.
struct Deferred {
  Target target;
  DExpression expression;

  static void make(void* later, const void* from) {
    const auto& operands = *static_cast<const AssignmentOperands*>(from);
    const auto* const made =
        ::new (later) Deferred{*static_cast<const Target*>(operands.destination), *static_cast<const DExpression*>(operands.node)};
    made->target.share.hold();
    static_cast<void>(made->expression.any_leaf(plan::NameReleaser()));
  }
  static void run(void* later);
  static void drop(void* later) noexcept { static_cast<Deferred*>(later)->~Deferred(); }
  static void look(const void* from, const plan::LeafVisitor& visitor, std::ptrdiff_t* extents) {
    const auto& expression = *static_cast<const DExpression*>(from);
    static_cast<void>(expression.any_leaf(visitor));
    std::ranges::copy(expression.extents(), extents);
  }
};

const char* spelled() { return "[Node = DExpression]"; }

/// What the scheduler knows of such assignments, by rank.
AssignmentForm& form_of(int rank) {
  static std::array<AssignmentForm, static_cast<std::size_t>(max_rank) + 1> forms = []<std::size_t... Rank>(std::index_sequence<Rank...>) {
    return std::array<AssignmentForm, static_cast<std::size_t>(max_rank) + 1>{
        AssignmentForm{.body = {.bytes = sizeof(Deferred),
                                .alignment = alignof(Deferred),
                                .make = Deferred::make,
                                .run = Deferred::run,
                                .drop = Deferred::drop},
                       .look = Deferred::look,
                       .rank = static_cast<int>(Rank),
                       .name = plan::ExpressionName(spelled())}...};
  }(std::make_index_sequence<static_cast<std::size_t>(max_rank) + 1>{});
  return forms[static_cast<std::size_t>(rank)];
}

void compute_erased(const void* target, const void* expression) {
  compute(*static_cast<const Target*>(target), *static_cast<const DExpression*>(expression));
}

AssignmentTarget described(const Target& target, bool is_name) {
  return {.buffer = target.share.get(), .memory = target.memory(), .place = target.place, .is_name = is_name};
}

void Deferred::run(void* later) {
  const auto& self = *static_cast<Deferred*>(later);
  compute_in_turn(described(self.target, false), {.destination = &self.target, .node = &self.expression},
                  form_of(self.expression.rank()), compute_erased);
}

}  // namespace

void assign(const Destination& destination, const DExpression& expression, bool is_name) {
  if (expression.dtype() != destination.dtype && !assignable(expression.dtype(), destination.dtype))
    static_cast<void>(Interpreter(expression, destination.dtype, 1));  // which throws
  const Target target(destination);
  if (storage::buffers_have_vars.load(std::memory_order_relaxed)) {
    assign_in_order(described(target, is_name), {.destination = &target, .node = &expression}, form_of(expression.rank()), compute_erased);
  } else {
    compute(target, expression);
  }
}

bool fits_own_storage(const Destination& destination, const DExpression& expression, bool is_kept) {
  const Buffer* const buffer = destination.share.get();
  if (buffer == nullptr || destination.dtype != expression.dtype() || !std::ranges::equal(destination.shape, expression.extents()) ||
      expression.place() != destination.place)
    return false;
  bool (*any_leaf)(const void*, const plan::LeafVisitor&) = nullptr;
  if (!is_kept) any_leaf = [](const void* of, const plan::LeafVisitor& visit) { return static_cast<const DExpression*>(of)->any_leaf(visit); };
  return is_own(*buffer, destination.shape, destination.strides, &expression, any_leaf);
}

void check_renaming(const DExpression& expression, std::span<const std::ptrdiff_t> to) {
  tessera::check_renaming(expression.extents(), to);
}

}  // namespace tessera::program
