export module tessera.expr:range_guard;

// Some functions have a fast form that holds for all but rare arguments (sin of huge ones, log of subnormal ones) and a
// careful form that holds for all. A kernel evaluates a step with FastRange, which notes whether an argument was out of range;
// if so it evaluates the step again with FullRange. Both give the same value where the fast form holds, so an element's
// value does not depend on its neighbours. An operation offers the two by a function `within(guard, values...)`.
namespace tessera::math {

/// How to evaluate, for operations that do not care.
struct RangeGuard {};

/// Evaluate fast; `beyond` says afterwards whether that was wrong for some argument. Fused: the instruction set multiplies
/// and adds with one rounding.
template <bool Fused>
struct FastRange : RangeGuard {
  bool beyond = false;
};

/// Evaluate for any argument.
template <bool Fused>
struct FullRange : RangeGuard {};

/// A bound plan in which some operation distinguishes FastRange from FullRange.
template <class Values>
concept DependsOnRange = requires { requires Values::depends_on_range; };

/// A function, or a bound plan with such a function, that is called once for each element: a user's, who may count its calls.
template <class Values>
concept CallsOnce = requires { requires Values::calls_once; };

/// A function of some ten instructions and more, or a bound plan with such a function.
template <class Values>
concept TakesLong = requires { requires Values::takes_long; };

}  // namespace tessera::math
