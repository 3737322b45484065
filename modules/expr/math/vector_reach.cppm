export module tessera.expr:vector_reach;

// Some functions have a fast form that holds for all but rare arguments (sin of huge ones, log of subnormal ones) and a
// careful form that holds for all. A kernel evaluates a step with Near, which notes whether an argument was out of reach;
// if so it evaluates the step again with Careful. Both give the same value where the fast form holds, so an element's
// value does not depend on its neighbours. An operation offers the two by a function `within(reach, values...)`.
namespace tessera::math {

/// How to evaluate, for operations that do not care.
struct Reach {};

/// Evaluate fast; `beyond` says afterwards whether that was wrong for some argument. Fused: the instruction set multiplies
/// and adds with one rounding.
template <bool Fused>
struct Near : Reach {
  bool beyond = false;
};

/// Evaluate for any argument.
template <bool Fused>
struct Careful : Reach {};

/// A bound plan in which some operation distinguishes Near from Careful.
template <class Values>
concept DependsOnReach = requires { requires Values::depends_on_reach; };

}  // namespace tessera::math
