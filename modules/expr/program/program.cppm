module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:program;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :lowering;
import :gpu_form;
import :function;
import :dvalue;

// An expression as a list of steps: leaves in memory, constants, and functions of earlier steps. It is what a tree of nodes is where
// types are known at compile time. Evaluators see it as one kernel (interpreter.cppm).
namespace tessera::dynamic {

/// Extents or strides of what has a rank known at run time.
export using Extents = std::array<std::ptrdiff_t, static_cast<std::size_t>(max_rank)>;

/// An array that a program reads, with a share of its storage.
export struct Leaf {
  storage::BufferShare share{};
  const void* data = nullptr;
  DType dtype = DType::boolean;  // of the elements in memory
  Place place{};
  int rank = 0;
  Extents extents{};
  Extents strides{};  // in elements

  inline std::span<const std::ptrdiff_t> shape() const { return {extents.data(), static_cast<std::size_t>(rank)}; }
  plan::Written memory() const {
    return {data, shape(), {strides.data(), static_cast<std::size_t>(rank)}, item_size(dtype)};
  }
};

/// What a step reads: a leaf, a constant, or the values of an earlier step.
struct Term {
  enum class Kind : std::uint8_t { leaf, constant, step };
  Kind kind = Kind::leaf;
  std::uint16_t number = 0;
};

/// A kernel on the values of its arguments, in their compute types.
struct Step {
  plan::Kernel kernel = nullptr;
  const void* nodes = nullptr;
  DType result = DType::boolean;  // the values' type, as a compute type
  std::uint8_t arguments = 0;
  std::array<Term, 3> from{};
  std::span<const plan::DeviceOperation> device{};
};

/// One value for all elements, of a compute type.
struct Constant {
  DValue value;
};

/// The list.
struct Steps {
  std::vector<Leaf> leaves;
  std::vector<Constant> constants;
  std::vector<Step> steps;

  void clear();
  /// Appends all of another; returns how its terms are numbered from now on.
  struct Shift {
    std::size_t leaves, constants, steps;
    Term operator()(Term term) const;
  };
  Shift append(Steps&& other);
  Shift append(const Steps& other);
};

/// Steps that are given back to their thread, which makes the next ones without an allocation.
struct Recycle {
  void operator()(Steps* steps) const noexcept;
};
using StepsOwner = std::unique_ptr<Steps, Recycle>;
StepsOwner make_steps();

}  // namespace tessera::dynamic

namespace tessera {

/// An expression whose types are known at run time only: what operators and functions make of dynamic arrays. Like every expression it
/// computes nothing until it meets an array, keeps the storage of its operands, and can be kept. Its dtype and shape are known.
export class DExpression {
 public:
  /// The expression that is one array.
  explicit DExpression(dynamic::Leaf leaf);
  /// The same, whose values count as elements of another dtype with the same compute type: results of reductions that have not been
  /// rounded.
  DExpression(dynamic::Leaf leaf, DType dtype);
  DExpression(const DExpression& other);
  DExpression(DExpression&&) noexcept;
  DExpression& operator=(const DExpression& other);
  DExpression& operator=(DExpression&&) noexcept;
  ~DExpression();

  /// The common type of its operands, as the static rules of promotion have it.
  inline DType dtype() const { return dtype_; }
  inline int rank() const { return rank_; }
  inline DDim shape() const { return DDim(extents()); }
  /// The place of its operands; the CPU without any.
  Place place() const;
  std::ptrdiff_t size() const;

  /// The value of an expression of rank 0. Throws ShapeError for others, and what evaluation throws.
  DValue value() const;
  template <Element T>
  operator T() const {
    return value().as<T>();
  }

  /// For evaluators and functions.
  inline std::span<const std::ptrdiff_t> extents() const { return {extents_.data(), static_cast<std::size_t>(rank_)}; }
  inline const dynamic::Steps& steps() const { return *steps_; }
  inline dynamic::Term term() const { return term_; }
  /// The one array that the expression is, or null.
  const dynamic::Leaf* as_leaf() const;
  /// Whether the visitor says yes to an operand.
  bool any_leaf(const plan::LeafVisitor& visit) const;

 private:
  friend class Composer;
  DExpression() = default;

  dynamic::StepsOwner steps_;
  dynamic::Term term_;
  DType dtype_ = DType::boolean;
  int rank_ = 0;
  dynamic::Extents extents_{};
};

}  // namespace tessera

namespace tessera::dynamic {

/// A C++ scalar or an element among the operands of a function. Weak ones take the type of the arrays that they meet.
export struct ScalarOperand {
  DValue value;
  bool is_weak = false;
  DType natural = value.dtype();  // of the C++ number that a weak one was
};

/// An operand of a function.
export using OperandOf = std::variant<DExpression, ScalarOperand>;

/// The expression or the scalar that an operand is; null for the other one.
inline DExpression* expression_in(OperandOf& operand) { return operand.index() == 0 ? &std::get<0>(operand) : nullptr; }
inline const DExpression* expression_in(const OperandOf& operand) {
  return operand.index() == 0 ? &std::get<0>(operand) : nullptr;
}
inline ScalarOperand* scalar_in(OperandOf& operand) { return operand.index() == 1 ? &std::get<1>(operand) : nullptr; }
inline const ScalarOperand* scalar_in(const OperandOf& operand) {
  return operand.index() == 1 ? &std::get<1>(operand) : nullptr;
}

}  // namespace tessera::dynamic
