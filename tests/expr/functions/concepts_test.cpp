// The concepts of this room, asserted both ways at compile time.
#include "support.hpp"

using namespace tessera;

namespace {

template <class T>
using A1 = Array<T, 1>;
template <class T>
using A2 = Array<T, 2>;
using Sum = decltype(std::declval<A1<float>>() + 1);
using Mask = decltype(std::declval<A1<float>>() > 0);
using Total = decltype(sum(std::declval<A2<float>>()));

static_assert(ExpressionNode<Sum> && ExpressionNode<Mask> && ExpressionNode<Total> && !ExpressionNode<A1<float>> &&
              !ExpressionNode<float>);
static_assert(Expression<Sum> && Expression<A1<float>> && !Expression<float>);
static_assert(Operand<Sum> && Operand<A1<float>> && Operand<ArrayView<float, 1>> && !Operand<float> &&
              !Operand<std::string>);
static_assert(Source<Sum> && Source<float> && Source<float16> && !Source<std::string> && !Source<std::vector<float>>);
static_assert(rank_of<Sum> == 1 && rank_of<Total> == 0 && rank_of<float> == 0);
static_assert(std::same_as<value_of<Mask>, bool> && std::same_as<value_of<Total>, float>);

static_assert(Combinable<A1<float>, A2<double>> && Combinable<A1<float>, int> && Combinable<Sum, Mask> == false);
static_assert(!Combinable<float, float> && !Combinable<A1<float>, A1<int>> && !Combinable<A1<float>, std::string>);
static_assert(!Combinable<Array<float, 1, CpuPlace>, Array<float, 1, GpuPlace>>);

static_assert(Numeric<float> && Numeric<std::int8_t> && Numeric<std::complex<float>> && !Numeric<bool>);
static_assert(ArithmeticOperands<A1<float>, A1<float>> && !ArithmeticOperands<A1<bool>, A1<bool>>);
static_assert(BitOperands<A1<bool>, A1<bool>> && BitOperands<A1<int>, int> && !BitOperands<A1<float>, A1<float>>);
static_assert(OrderedOperands<A1<float>, int> && !OrderedOperands<A1<std::complex<float>>, A1<std::complex<float>>>);
static_assert(FloatingOperand<A1<float16>> && FloatingOperand<Sum> && !FloatingOperand<A1<int>> &&
              !FloatingOperand<float>);
static_assert(RealOperand<A1<int>> && RealOperand<A1<double>> && !RealOperand<A1<bool>> &&
              !RealOperand<A1<std::complex<double>>>);
using C1 = A1<std::complex<float>>;
static_assert(InexactOperand<C1> && InexactOperand<A1<bfloat16>> && !InexactOperand<A1<int>> &&
              !InexactOperand<A1<bool>> && !InexactOperand<float>);
static_assert(NumericOperand<C1> && NumericOperand<A1<int>> && !NumericOperand<A1<bool>> && !NumericOperand<int>);
static_assert(BoolOperand<Mask> && !BoolOperand<A1<int>> && !BoolOperand<bool>);
static_assert(BoolOperands<Mask, A1<bool>> && BoolOperands<Mask, bool> && !BoolOperands<A1<int>, A1<int>>);
static_assert(IntegerOperands<A1<int>, A1<std::int8_t>> && IntegerOperands<A1<int>, long> &&
              !IntegerOperands<A1<bool>, A1<bool>> && !IntegerOperands<A1<float>, int>);
static_assert(RealOperands<A1<int>, int> && RealOperands<A1<float>, A1<double>> && !RealOperands<C1, C1> &&
              !RealOperands<A1<bool>, A1<bool>>);
static_assert(Inexact<float16> && Inexact<std::complex<double>> && !Inexact<int> && !Inexact<bool>);
static_assert(FloatingOperands<A1<float>, double> && !FloatingOperands<A1<int>, A1<int>>);
static_assert(OrderedOperand<A1<bool>> && OrderedOperand<Sum> && !OrderedOperand<A1<std::complex<float>>>);

static_assert(ReducibleAxes<A2<float>> && ReducibleAxes<A2<float>, 0> && ReducibleAxes<A2<float>, -1, 0>);
static_assert(!ReducibleAxes<A2<float>, 2> && !ReducibleAxes<A2<float>, -3> && !ReducibleAxes<A2<float>, 0, 0>);
static_assert(!ReducibleAxes<A2<float>, 1, -1> && !ReducibleAxes<float>);

static_assert(DotOperands<A2<float>, A1<double>> && DotOperands<Sum, A2<float>>);
static_assert(!DotOperands<A2<float>, Array<float, 3>> && !DotOperands<A2<float>, Array<float, 0>> &&
              !DotOperands<A2<float>, float>);
static_assert(!DotOperands<A2<bool>, A2<bool>> && !DotOperands<A2<float>, A2<int>>);

static_assert(AssignableSource<Sum, float, 1, Place> && AssignableSource<Sum, float16, 3, Place> &&
              AssignableSource<int, float, 0, Place>);
static_assert(!AssignableSource<Sum, float, 0, Place> && !AssignableSource<Sum, int, 1, Place> &&
              !AssignableSource<float, int, 1, Place>);

template <class A>
concept HasArgmax = requires(A a) { argmax<0>(a); };
static_assert(HasArgmax<A1<bool>> && !HasArgmax<A1<std::complex<float>>> && !HasArgmax<std::string>);
template <class A>
concept HasItem = requires(A a) { item(a); };
static_assert(HasItem<Total> && HasItem<Array<float, 0>> && HasItem<Sum> && !HasItem<std::string>);
/// A function of a user's, constrained by the name that comes to mind.
template <Expression E>
auto distance_from_one(const E& x) {
  return abs(x - 1);
}

template <class A>
concept HasDistance = requires(A a) { distance_from_one(a); };
static_assert(HasDistance<A1<float>> && HasDistance<Sum> && !HasDistance<float> && !HasDistance<std::string>);

template <class A>
concept HasNot = requires(A a) { !a; };
static_assert(HasNot<Mask> && !HasNot<Sum>);

}  // namespace

TEST_CASE("the concepts of expressions hold for what they should and for nothing else") {
  CHECK(ExpressionNode<Sum>);  // the assertions above are the test
}

TEST_CASE("a function of expressions takes arrays, views, slices and what is computed of them") {
  const A1<float> a{1, 2, 4};
  const A1<float> expected{0, 1, 3};
  CHECK(array_equal(distance_from_one(a), expected));
  CHECK(array_equal(distance_from_one(make_view(a)), expected));
  CHECK(array_equal(distance_from_one(a(range(1, 3))), A1<float>{1, 3}));
  CHECK(array_equal(distance_from_one(a * 2), A1<float>{1, 3, 7}));
  CHECK(array_equal(distance_from_one(sum(a)), Array<float, 0>(6)));
}
