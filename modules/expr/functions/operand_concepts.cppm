export module tessera.expr:operand_concepts;
import tessera.standard;
import tessera.core;
import tessera.array;
import :conversion;
import :map;

// What elementwise operations ask of the element types of their operands; each failure says what to write instead.
namespace tessera {

/// Element types with arithmetic: all but bool.
export template <class T>
concept Numeric = Element<T> && kind_of<T> != Kind::boolean;

/// Floating or complex element types.
export template <class T>
concept Inexact = Floating<T> || Complex<T>;

/// An operand of numbers.
export template <class O>
concept NumericOperand =
    Operand<O> && (Numeric<value_of<O>> || unsatisfied<"bool has no arithmetic: write cast<T>(...)">);

/// An operand of ordered numbers: integers or floating.
export template <class O>
concept RealOperand =
    NumericOperand<O> &&
    (Real<value_of<O>> || unsatisfied<"the function takes ordered numbers, which complex numbers are not">);

/// An operand of floating elements.
export template <class O>
concept FloatingOperand = Operand<O> && (Floating<value_of<O>> ||
                                         unsatisfied<"the function takes floating elements: write cast<float>(...)">);

/// An operand of floating or complex elements.
export template <class O>
concept InexactOperand =
    Operand<O> &&
    (Inexact<value_of<O>> || unsatisfied<"the function takes floating or complex elements: write cast<float>(...)">);

/// An element of an array, or a value of an element type. Functions of one operand compute it at once and return a value.
export template <class S>
concept ElementValue = !Operand<S> && Scalar<S> && !ScalarParameter<S> && Element<scalar_of<S>>;

template <class S>
concept InexactValue = ElementValue<S> && Inexact<scalar_of<S>>;
template <class S>
concept FloatingValue = ElementValue<S> && Floating<scalar_of<S>>;

/// What a function of one operand takes: an operand, or a value of the same kind.
export template <class O>
concept NumericArgument = (ElementValue<O> && Numeric<scalar_of<O>>) || NumericOperand<O>;
/// As NumericArgument, of real elements.
export template <class O>
concept RealArgument = (ElementValue<O> && Numeric<scalar_of<O>> && Real<scalar_of<O>>) || RealOperand<O>;
/// As NumericArgument, of floating elements.
export template <class O>
concept FloatingArgument = FloatingValue<O> || FloatingOperand<O>;
/// As NumericArgument, of floating or complex elements.
export template <class O>
concept InexactArgument = InexactValue<O> || InexactOperand<O>;

/// An operand of bool.
export template <class O>
concept BoolOperand =
    Operand<O> && (std::same_as<value_of<O>, bool> ||
                   unsatisfied<"logic takes elements of bool: write x != 0, or bitwise_and(...) for integers">);

/// Two operands of arithmetic.
export template <class L, class R>
concept ArithmeticOperands =
    Combinable<L, R> && (Numeric<common_value_t<L, R>> || unsatisfied<"bool has no arithmetic: write cast<T>(...)">);

/// Two operands of ordered numbers.
export template <class L, class R>
concept RealOperands =
    ArithmeticOperands<L, R> &&
    (Real<common_value_t<L, R>> || unsatisfied<"the function takes ordered numbers, which complex numbers are not">);

/// Two operands of floating elements.
export template <class L, class R>
concept FloatingOperands =
    Combinable<L, R> &&
    (Floating<common_value_t<L, R>> || unsatisfied<"the function takes floating elements: write cast<float>(...)">);

/// Two operands of integers.
export template <class L, class R>
concept IntegerOperands =
    Combinable<L, R> && (Integer<common_value_t<L, R>> || unsatisfied<"the operation takes integers">);

/// Two operands of integers, bool among them.
export template <class L, class R>
concept BitOperands = Combinable<L, R> && (Integer<common_value_t<L, R>> || std::same_as<common_value_t<L, R>, bool> ||
                                           unsatisfied<"operations on bits take integers or bool">);

/// Two operands of bool.
export template <class L, class R>
concept BoolOperands =
    Combinable<L, R> && (std::same_as<common_value_t<L, R>, bool> ||
                         unsatisfied<"logic takes elements of bool: write x != 0, or bitwise_and(...) for integers">);

/// Two operands with an order.
export template <class L, class R>
concept OrderedOperands =
    Combinable<L, R> && (Real<common_value_t<L, R>> || unsatisfied<"complex numbers have no order: compare abs(...)">);

template <class C>
inline constexpr bool is_integer = std::integral<C> && !std::same_as<C, bool>;

}  // namespace tessera
