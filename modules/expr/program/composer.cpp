module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.array;

// A function applied to operands: their common type, the conversions into it, and the shape to which they broadcast.
namespace tessera {

namespace {

using dynamic::Function;
using dynamic::Name;
using dynamic::OperandOf;
using dynamic::ScalarOperand;
using dynamic::ScalarRule;
using dynamic::Term;
using dynamic::Variant;

DType compute_type(DType dtype) {
  return kind(dtype) == Kind::floating && item_size(dtype) == 2 ? DType::float32 : dtype;
}

/// A C++ number of this type takes elements of type `beside`: at run time what WeakWith is for types.
bool is_weak_with(DType scalar, DType beside) {
  if (scalar == DType::boolean) return beside == DType::boolean;
  if (core::is_integer(scalar)) return beside != DType::boolean;
  return kind(beside) == Kind::floating || kind(beside) == Kind::complex;
}

std::string described(const OperandOf& operand) {
  if (const auto* scalar = dynamic::scalar_in(operand))
    return "the scalar " + to_string(scalar->value) + " (" + std::string(name(scalar->value.dtype())) + ")";
  const auto& expression = std::get<DExpression>(operand);
  return std::string(name(expression.dtype())) + " " + core::shape_text(expression.extents()) + " on " +
         to_string(expression.place());
}

[[noreturn]] void throw_types(const Function& function, std::span<const OperandOf> operands, std::string problem,
                              std::string_view advice) {
  for (std::size_t k = 0; k < operands.size(); ++k)
    problem += std::string(k == 0 ? "; the operands are " : ", ") + described(operands[k]);
  throw DTypeError(to_string(Failure{.operation = function.name, .problem = std::move(problem), .advice = advice}));
}

DType type_of(const OperandOf& operand) {
  if (const auto* scalar = dynamic::scalar_in(operand)) return scalar->value.dtype();
  return std::get<DExpression>(operand).dtype();
}

bool is_weak(const OperandOf& operand) {
  const auto* scalar = dynamic::scalar_in(operand);
  return scalar != nullptr && scalar->is_weak;
}

/// Where two C++ numbers meet without an array, as they do in C++.
DType in_cpp(DType a, DType b) {
  if (a == b) return a;
  const auto promoted = [](DType type) {
    return kind(type) != Kind::floating && item_size(type) < 4 ? DType::int32 : type;
  };
  const DType left = promoted(a), right = promoted(b);
  const bool left_wins = kind(left) != Kind::floating && kind(right) == Kind::floating   ? false
                         : kind(left) == Kind::floating && kind(right) != Kind::floating ? true
                         : item_size(left) != item_size(right) ? item_size(left) > item_size(right)
                                                               : kind(left) == Kind::unsigned_integer;
  return left_wins ? left : right;
}

/// The type in which the operands meet.
DType common_type(const Function& function, std::span<const OperandOf> operands) {
  std::optional<DType> common;  // there is an operand
  for (const OperandOf& operand : operands) {
    if (is_weak(operand)) continue;
    const std::optional<DType> joined = common ? try_promote(*common, type_of(operand)) : type_of(operand);
    if (!joined)
      throw_types(function, operands,
                  "the element types have no common type (bool with numbers, integers with floats, int64 with uint64)",
                  "convert one of them: cast(x, dtype)");
    common = joined;
  }
  if (!common) {
    for (const OperandOf& operand : operands) {
      const DType natural = std::get<ScalarOperand>(operand).natural;
      common = common ? in_cpp(*common, natural) : natural;
    }
  }
  for (const OperandOf& operand : operands) {
    if (is_weak(operand) && !is_weak_with(type_of(operand), *common))
      throw_types(function, operands, "the scalar has no common type with " + std::string(name(*common)) + " elements",
                  "convert the array: cast(x, dtype)");
  }
  return common.value();
}

/// -1, 0 or 1: the integer is below, in, or above the range of an integer type.
int beside_range_of(const DValue& scalar, DType dtype) {
  if (!core::is_integer(dtype) || !core::is_integer(scalar.dtype())) return 0;
  return visit(
      [&]<class T>(const T&) -> int {
        if constexpr (Integer<T>) {
          if (scalar.dtype() == DType::uint64) return beside_range<T>(scalar.as<std::uint64_t>());
          return beside_range<T>(scalar.as<std::int64_t>());
        } else {
          return 0;
        }
      },
      DValue::zero(dtype));
}

/// The scalar as a value of the compute type, wrapped where it does not fit.
DValue constant_of(const ScalarOperand& scalar, DType compute) {
  return visit(
      [&]<class From>(const From& from) -> DValue {
        return visit(
            [&]<class To>(const To&) -> DValue {
              if constexpr (requires { static_cast<To>(static_cast<compute_t<From>>(from)); })
                return static_cast<To>(static_cast<compute_t<From>>(from));
              else
                return scalar.value.cast(compute);
            },
            DValue::zero(compute));
      },
      scalar.value);
}

/// The scalar as the function means it beside elements of that type. Throws DTypeError if it must fit and does not.
ScalarOperand fitted(const Function& function, const ScalarOperand& scalar, DType dtype) {
  const int side = beside_range_of(scalar.value, dtype);
  if (!scalar.is_weak || side == 0) return scalar;
  if (function.scalars == ScalarRule::fits) throw_scalar_does_not_fit(function.name, to_string(scalar.value), dtype);
  if (function.scalars != ScalarRule::shifts) return scalar;
  return {.value = visit(
              []<class T>(const T&) -> DValue {
                if constexpr (Integer<T>) return std::numeric_limits<T>::max();
                return DValue();
              },
              DValue::zero(dtype)),
          .is_weak = true};
}

}  // namespace

namespace {

/// A long program is computed before it becomes a part of a longer one, so that an expression that is doubled again and again does not
/// grow without bound.
bool is_long(const dynamic::Steps& steps) {
  constexpr std::size_t most = 500;
  return steps.steps.size() + steps.leaves.size() > most;
}

/// Its arguments as one of at most three operands are more than a share of what a kernel takes, as those of static expressions must not be
/// (device_split.cppm).
bool is_too_large_for_device(const DExpression& expression) {
  if (expression.place().on_host()) return false;
  const std::size_t leaf = 8 + 8 * static_cast<std::size_t>(expression.rank());
  const dynamic::Steps& steps = expression.steps();
  return steps.leaves.size() * leaf + steps.constants.size() * plan::scalar_slot >
         (most_device_argument_bytes - 256) / 3;
}

/// The same values in memory, in their compute type.
DExpression computed_first(const DExpression& expression) {
  dynamic::Leaf leaf{.dtype = compute_type(expression.dtype()), .place = expression.place(), .rank = expression.rank()};
  std::ranges::copy(expression.extents(), leaf.extents.begin());
  std::ptrdiff_t elements = 1;
  for (auto axis = static_cast<std::size_t>(leaf.rank); axis-- > 0;) {
    leaf.strides[axis] = elements;
    elements *= std::max<std::ptrdiff_t>(leaf.extents[axis], 1);
  }
  leaf.share = storage::BufferShare::make(leaf.place, core::checked_multiply(expression.size(), item_size(leaf.dtype)));
  leaf.data = leaf.share->data();
  dynamic::assign({.share = &leaf.share,
                   .data = leaf.share->data(),
                   .dtype = leaf.dtype,
                   .place = leaf.place,
                   .shape = leaf.shape(),
                   .strides = leaf.memory().strides},
                  expression, true);
  return {std::move(leaf), expression.dtype()};
}

}  // namespace

/// Builds one expression of several.
class Composer {
 public:
  explicit Composer(const Function& function) : function_(function) {}

  DExpression apply(std::span<OperandOf> operands) {
    const std::span<OperandOf> common_ones = operands.subspan(function_.has_mask ? 1 : 0);
    const DType common = common_type(function_, common_ones);
    if (function_.has_mask && type_of(operands[0]) != DType::boolean)
      throw_types(function_, operands, "the condition is no expression of bool", "compare first, as in z > 0");
    const Variant& variant = function_.of(common);
    if (variant.kernel == nullptr)
      throw_types(function_, operands,
                  std::string("it takes ") + function_.takes + ", not " + std::string(name(common)),
                  "convert first: cast(x, dtype)");
    broadcast(operands);
    for (OperandOf& operand : operands) {
      if (auto* expression = dynamic::expression_in(operand);
          expression != nullptr && (is_long(expression->steps()) || is_too_large_for_device(*expression)))
        *expression = computed_first(*expression);
    }
    if (function_.scalars == ScalarRule::compares) {
      if (std::optional<DExpression> answer = answer_beside(operands, common)) return *std::move(answer);
    }
    dynamic::Step step{.kernel = variant.kernel,
                       .nodes = variant.nodes,
                       .result = compute_type(variant.result),
                       .arguments = static_cast<std::uint8_t>(operands.size()),
                       .device = variant.device};
    take_base(operands);
    for (std::size_t k = 0; k < operands.size(); ++k)
      step.from[k] = take(operands[k], function_.has_mask && k == 0 ? DType::boolean : common);
    return finished(step, variant.result);
  }

  /// A conversion by a cast.
  static DExpression cast(DExpression expression, DType to) {
    const Variant& variant = dynamic::cast_to(to).of(expression.dtype());
    dynamic::Step step{.kernel = variant.kernel,
                       .nodes = variant.nodes,
                       .result = compute_type(to),
                       .arguments = 1,
                       .device = variant.device};
    step.from[0] = loaded(*expression.steps_, expression.term_);
    return finished(std::move(expression), step, to);
  }

 private:
  void broadcast(std::span<const OperandOf> operands) {
    const DExpression* first = nullptr;
    bool all_alike = true;
    for (const OperandOf& operand : operands) {
      const auto* expression = dynamic::expression_in(operand);
      if (expression == nullptr) continue;
      if (first == nullptr) {
        first = expression;
        rank_ = expression->rank_;
      }
      all_alike = all_alike && expression->rank_ == first->rank_ && expression->extents_ == first->extents_;
      rank_ = std::max(rank_, expression->rank_);
    }
    if (all_alike) {
      extents_ = first->extents_;
      return;
    }
    std::fill_n(extents_.begin(), rank_, 1);
    std::span<const std::ptrdiff_t> shapes[3];
    std::size_t count = 0;
    for (const OperandOf& operand : operands) {
      if (const auto* expression = dynamic::expression_in(operand)) shapes[count++] = expression->extents();
    }
    plan::broadcast_into(std::span(extents_).first(static_cast<std::size_t>(rank_)), std::span(shapes, count),
                         function_.name);
  }

  /// A comparison with an integer that no element can be equal to: all or none.
  std::optional<DExpression> answer_beside(std::span<OperandOf> operands, DType common) {
    for (std::size_t k = 0; k < 2; ++k) {
      const auto* scalar = dynamic::scalar_in(operands[k]);
      if (scalar == nullptr || !scalar->is_weak) continue;
      const int side = beside_range_of(scalar->value, common);
      if (side == 0) return std::nullopt;
      const std::int64_t left = k == 0 ? side : 0, right = k == 0 ? 0 : side;
      const std::string_view sign = std::string_view(function_.name).substr(9);
      const bool answer = sign == "=="   ? left == right
                          : sign == "!=" ? left != right
                          : sign == "<"  ? left < right
                          : sign == "<=" ? left <= right
                          : sign == ">"  ? left > right
                                         : left >= right;
      // Elements equal themselves, so that the shape stays that of the operand.
      OperandOf pair[] = {operands[1 - k], operands[1 - k]};
      return dynamic::apply(dynamic::function(answer ? Name::equal : Name::not_equal), pair);
    }
    return std::nullopt;
  }

  /// The steps of one operand become those of the result.
  void take_base(std::span<OperandOf> operands) {
    for (OperandOf& operand : operands) {
      auto* expression = dynamic::expression_in(operand);
      if (expression == nullptr) continue;
      result_ = std::move(*expression);
      base_ = &operand;
      return;
    }
  }

  Term take(OperandOf& operand, DType common) {
    dynamic::Steps& steps = *result_.steps_;
    if (auto* scalar = dynamic::scalar_in(operand)) {
      const DType type = compute_type(common);
      steps.constants.push_back({constant_of(fitted(function_, *scalar, common), type)});
      return {Term::Kind::constant, static_cast<std::uint16_t>(steps.constants.size() - 1)};
    }
    auto& expression = std::get<DExpression>(operand);
    const DType from = compute_type(&operand == base_ ? result_.dtype_ : expression.dtype_);
    Term term = result_.term_;
    if (&operand != base_) term = steps.append(std::move(*expression.steps_))(expression.term_);
    term = loaded(steps, term);
    return from == compute_type(common) ? term : converted(steps, term, from, compute_type(common));
  }

  /// Values of 16-bit elements, which are computed with as float.
  static Term loaded(dynamic::Steps& steps, Term term) {
    if (term.kind != Term::Kind::leaf) return term;
    const Variant load = dynamic::load_of(steps.leaves[term.number].dtype);
    return load.kernel == nullptr ? term
                                  : appended(steps, {load.kernel, load.nodes, DType::float32, 1, {term}, load.device});
  }

  static Term converted(dynamic::Steps& steps, Term term, DType from, DType to) {
    const Variant& conversion = dynamic::cast_to(to).of(from);
    return appended(steps, {conversion.kernel, conversion.nodes, to, 1, {term}, conversion.device});
  }

  static Term appended(dynamic::Steps& steps, const dynamic::Step& step) {
    steps.steps.push_back(step);
    return {Term::Kind::step, static_cast<std::uint16_t>(steps.steps.size() - 1)};
  }

  static DExpression finished(DExpression result, const dynamic::Step& step, DType dtype) {
    result.term_ = appended(*result.steps_, step);
    result.dtype_ = dtype;
    return result;
  }
  DExpression finished(const dynamic::Step& step, DType dtype) {
    result_.rank_ = rank_;
    result_.extents_ = extents_;
    return finished(std::move(result_), step, dtype);
  }

  const Function& function_;
  DExpression result_;
  const OperandOf* base_ = nullptr;
  int rank_ = 0;
  dynamic::Extents extents_{};
};

namespace dynamic {

DExpression apply(const Function& function, std::span<OperandOf> operands) {
  return Composer(function).apply(operands);
}

DExpression cast(DExpression expression, DType to) { return Composer::cast(std::move(expression), to); }

}  // namespace dynamic

}  // namespace tessera
