module;
#include <algorithm>
#include <array>
#include <atomic>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;

// Programs that are reduced along axes.
namespace tessera::dynamic {

namespace {

using plan::ReduceOp;

const char* name_of(Reduce op) { return reduction_name(op); }

/// A reduction of values of compute type C by Op is there.
template <ReduceOp Op, class C>
constexpr bool takes() {
  if (Op == ReduceOp::minimum || Op == ReduceOp::maximum || Op == ReduceOp::argmin || Op == ReduceOp::argmax)
    return Real<C>;
  if (Op == ReduceOp::variance || Op == ReduceOp::deviation || Op == ReduceOp::log_sum_exp) return Floating<C>;
  if (Op == ReduceOp::mean || Op == ReduceOp::norm) return Floating<C> || Complex<C>;
  if (Op == ReduceOp::any || Op == ReduceOp::all) return std::same_as<C, bool>;
  return true;
}

/// What writes the results of an operation, and their type.
struct Results {
  plan::Store store = nullptr;
  DType dtype = DType::boolean;
};

template <ReduceOp Op>
Results results_of(DType operand) {
  return plan::with_compute_type(operand, []<class C>() -> Results {
    if constexpr (takes<Op, C>()) {
      using Value = typename ReducedValue<Op, C>::type;
      return {store_results<Op, C, Value>, dtype_of<Value>};
    } else {
      return {};
    }
  });
}

template <std::size_t... Op>
Results results_of(Reduce op, DType operand, std::index_sequence<Op...>) {
  Results found;
  ((static_cast<std::size_t>(op) == Op ? void(found = results_of<static_cast<ReduceOp>(Op)>(operand)) : void()), ...);
  return found;
}

/// A reduction with its axes.
struct Work {
  DExpression operand;
  Reduce op;
  std::array<bool, static_cast<std::size_t>(max_rank)> reduced{};
  bool keeps = false;
  double correction = 0;
  plan::Store store = nullptr;
  Leaf result;

  void compute() const;
};

void Work::compute() const {
  const Steps& steps = operand.steps();
  const bool is_on_host = result.place.on_host();
  DeviceProgram program;
  if (!is_on_host) program = device_program(operand, result.dtype);
  SmallArray<plan::Operand, 8> operands((is_on_host ? steps.leaves.size() : program.leaves.size()) + 1);
  plan::Lowering lowering(std::span(operands.data(), operands.size()), operand.extents(), result.place,
                          plan::Fusion::none);
  const auto add = [&](const Leaf& leaf) {
    if (leaf.data == nullptr && leaf.rank == 0) plan::throw_no_operand_storage();
    lowering.add(leaf.data, leaf.shape(), leaf.memory().strides, item_size(leaf.dtype), leaf.place);
  };
  if (is_on_host) std::ranges::for_each(steps.leaves, add);
  for (const std::uint16_t leaf : program.leaves) add(steps.leaves[leaf]);
  const DType values =
      kind(operand.dtype()) == Kind::floating && item_size(operand.dtype()) == 2 ? DType::float32 : operand.dtype();
  const Leaf* const only = operand.as_leaf();
  std::optional<Interpreter> interpreter;
  const bool as_it_lies = only != nullptr && only->dtype == values;
  if (is_on_host && !as_it_lies) interpreter.emplace(operand, values, plan::block_elements * 64);
  plan::Reduction work{.rank = operand.rank(),
                       .extents = lowering.extents(),
                       .reduced = {},
                       .target = plan::operand_at(const_cast<void*>(result.data), item_size(result.dtype)),
                       .leaves = lowering.leaves(),
                       .kernel = interpreter ? plan::Kernel(Interpreter::run) : nullptr,
                       .nodes = interpreter ? &*interpreter : nullptr,
                       .reducer = &plan::reducer(op, values),
                       .store = store,
                       .finish = {.correction = correction},
                       .op = op,
                       .place = result.place,
                       .device = program.work};
  for (int axis = 0, target = 0; axis < operand.rank(); ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    work.reduced[at] = reduced[at];
    if (reduced[at]) work.finish.count *= static_cast<double>(work.extents[at]);
    if (!reduced[at]) work.target.strides[at] = result.strides[static_cast<std::size_t>(target)];
    if (!reduced[at] || keeps) ++target;
  }
  plan::run_reduction(work, std::nullopt);
}

/// A reduction that is computed when its turn comes.
struct DeferredReduction {
  static void make(void* memory, const void* from) {
    const auto* const made =
        ::new (memory) Work(*static_cast<const Work*>(static_cast<const AssignmentOperands*>(from)->node));
    made->result.share.hold();
    static_cast<void>(made->operand.any_leaf(plan::NameReleaser()));
  }
  static void run(void* memory) {
    const auto& work = *static_cast<Work*>(memory);
    compute_in_turn({.buffer = work.result.share.get(), .memory = work.result.memory(), .place = work.result.place},
                    {.destination = nullptr, .node = &work}, form_of(work.result.rank), compute);
  }
  static void drop(void* memory) noexcept { static_cast<Work*>(memory)->~Work(); }
  static void look(const void* from, const plan::LeafVisitor& visitor, std::ptrdiff_t* extents) {
    const auto& work = *static_cast<const Work*>(from);
    static_cast<void>(work.operand.any_leaf(visitor));
    std::ranges::copy(work.result.shape(), extents);
  }
  static void compute(const void*, const void* work) { static_cast<const Work*>(work)->compute(); }

  static AssignmentForm& form_of(int rank) {
    static auto forms =
        make_forms({.bytes = sizeof(Work), .alignment = alignof(Work), .make = make, .run = run, .drop = drop}, look);
    return forms[static_cast<std::size_t>(rank)];
  }
};

/// Which axes are reduced. Throws IndexError.
std::array<bool, static_cast<std::size_t>(max_rank)> reduced_of(Reduce op, const DExpression& operand,
                                                                const ReducedAxes& axes) {
  std::array<bool, static_cast<std::size_t>(max_rank)> reduced{};
  if (axes.is_all) {
    reduced.fill(true);
    return reduced;
  }
  for (const int axis : axes.named) {
    const int at = storage::checked_axis(axis, operand.rank(), name_of(op));
    if (!std::exchange(reduced[static_cast<std::size_t>(at)], true)) continue;
    throw IndexError(to_string(Failure{.operation = name_of(op),
                                       .problem = "axis " + std::to_string(at) + " is named twice",
                                       .operands = {"the shape is " + core::shape_text(operand.extents())}}));
  }
  const bool searches = op == Reduce::argmin || op == Reduce::argmax;
  if (searches && axes.named.size() != 1)
    throw IndexError(to_string(Failure{.operation = name_of(op),
                                       .problem = "a position is along one axis, or among all elements; " +
                                                  std::to_string(axes.named.size()) + " axes are named"}));
  return reduced;
}

}  // namespace

DExpression reduce(Reduce op, const DExpression& operand, const ReduceOptions& options) {
  if (op == Reduce::any || op == Reduce::all) {
    if (operand.dtype() != DType::boolean) return reduce(op, cast(operand, DType::boolean), options);
  }
  const Results results =
      results_of(op, operand.dtype(), std::make_index_sequence<static_cast<std::size_t>(Reduce::norm) + 1>{});
  if (results.store == nullptr) {
    throw DTypeError(
        to_string(Failure{.operation = name_of(op),
                          .problem = "it does not take " + std::string(name(operand.dtype())) + " elements",
                          .operands = {"the shape is " + core::shape_text(operand.extents())},
                          .advice = "convert them: cast(x, dtype)"}));
  }
  Work work{.operand = operand,
            .op = op,
            .reduced = reduced_of(op, operand, options.axes),
            .keeps = options.axes.keeps,
            .correction = options.correction,
            .store = results.store,
            .result = {}};
  std::array<std::ptrdiff_t, static_cast<std::size_t>(max_rank)> extents{};
  int rank = 0;
  for (int axis = 0; axis < operand.rank(); ++axis) {
    const std::ptrdiff_t extent = operand.extents()[static_cast<std::size_t>(axis)];
    const bool gone = work.reduced[static_cast<std::size_t>(axis)];
    if (gone && extent == 0 && !has_neutral(op)) {
      throw ShapeError(to_string(Failure{.operation = name_of(op),
                                         .problem = "axis " + std::to_string(axis) + " of the shape " +
                                                    core::shape_text(operand.extents()) + " has no elements",
                                         .advice = "there is no result over nothing"}));
    }
    if (!gone || work.keeps) extents[static_cast<std::size_t>(rank++)] = gone ? 1 : extent;
  }
  const DDim shape(std::span(extents).first(static_cast<std::size_t>(rank)));
  Leaf& result = work.result;
  result.dtype = results.dtype;
  result.place = operand.place();
  result.rank = rank;
  result.extents = extents;
  std::ptrdiff_t step = 1;
  for (int axis = rank; axis-- > 0;) {
    result.strides[static_cast<std::size_t>(axis)] = step;
    step *= std::max<std::ptrdiff_t>(extents[static_cast<std::size_t>(axis)], 1);
  }
  result.share =
      storage::BufferShare::make(result.place, core::checked_multiply(product(shape), item_size(result.dtype)));
  result.data = result.share->data();
  const bool rounds_at_last = kind(operand.dtype()) == Kind::floating && results.dtype == DType::float32;
  const DType nominal = rounds_at_last ? operand.dtype() : results.dtype;
  if (storage::buffers_have_vars.load(std::memory_order_relaxed)) {
    assign_in_order({.buffer = result.share.get(), .memory = result.memory(), .place = result.place, .is_name = true},
                    {.destination = nullptr, .node = &work}, DeferredReduction::form_of(rank),
                    DeferredReduction::compute);
  } else {
    work.compute();
  }
  return DExpression(std::move(work.result), nominal);
}

}  // namespace tessera::dynamic
