// The page "Concepts": who models each of them and who does not. tests/docs/concepts_test.py asks the compiler why not.
#include <complex>
#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support.hpp"

using namespace tessera;

namespace {

// --8<-- [start:models]
using Vector = Array<float, 1>;
using Matrix = Array<float, 2>;
using Integers = Array<int, 1>;
using Bools = Array<bool, 1>;
using Complexes = Array<std::complex<float>, 1>;
using View = ArrayView<float, 1>;
using Sum = decltype(Vector() + Vector());
using Dots = std::remove_const_t<decltype(ellipsis)>;
using OnHost = Array<float, 1, CpuPlace>;
using OnGpu = Array<float, 1, GpuPlace>;
// --8<-- [end:models]

// --8<-- [start:operations]
struct Twice {
  static float map(float x) { return 2 * x; }
  static constexpr const char* device = "2 * $0";
};
struct OfObjects {
  float map(float x) const { return x; }
};
struct OfTwo {
  static float map(float a, float b) { return a + b; }
};
struct Words {
  static std::string map(float) { return ""; }
};
struct Nothing {};
// --8<-- [end:operations]

using Copied = std::function<void()>;
using MovedOnly = std::unique_ptr<Copied>;
struct MovedBody : MovedOnly {
  void operator()() const {}
};
using Recorded = void (*)(Parameter<float>);

// --8<-- [start:core]
static_assert(Element<float16> && Element<std::complex<double>> && !Element<char> && !Element<const float>);
static_assert(Integer<std::uint8_t> && !Integer<bool> && !Integer<float>);
static_assert(Floating<bfloat16> && Floating<double> && !Floating<int> && !Floating<std::complex<float>>);
static_assert(Complex<std::complex<float>> && !Complex<float>);
static_assert(Real<bool> && Real<int> && Real<float> && !Real<std::complex<float>>);
static_assert(Promotable<int, std::int64_t> && Promotable<float16, float> && !Promotable<int, float> &&
              !Promotable<bool, int>);
static_assert(AssignableTo<double, float> && AssignableTo<std::int8_t, int> && !AssignableTo<int, std::int8_t> &&
              !AssignableTo<float, int>);
static_assert(WeakScalar<int> && WeakScalar<double> && !WeakScalar<float16> && !WeakScalar<std::complex<float>>);
static_assert(WeakWith<int, float16> && WeakWith<double, float> && !WeakWith<double, int> && !WeakWith<float16, float>);
// --8<-- [end:core]

// --8<-- [start:device]
static_assert(StaticPlace<CpuPlace> && StaticPlace<GpuPlace> && !StaticPlace<Place>);
static_assert(AnyPlace<PinnedPlace> && AnyPlace<Place> && !AnyPlace<int>);
static_assert(HostPlace<CpuPlace> && HostPlace<PinnedPlace> && !HostPlace<GpuPlace> && !HostPlace<Place>);
// --8<-- [end:device]

// --8<-- [start:memory]
static_assert(memory::Allocator<memory::CpuSystemAllocator> &&
              memory::Allocator<memory::BuddyAllocator<memory::CpuSystemAllocator>> &&
              !memory::Allocator<std::allocator<float>> && !memory::Allocator<int>);
// --8<-- [end:memory]

// --8<-- [start:schedule]
static_assert(OpBody<Copied> && OpBody<MovedBody> && !OpBody<void (*)(int)> && !OpBody<const MovedBody&>);
static_assert(HasVar<Vector> && HasVar<Var> && !HasVar<int>);
static_assert(NamesVar<Var> && NamesVar<Parameter<Vector>> && !NamesVar<Parameter<float>> && !NamesVar<int>);
static_assert(AccessDeclaration<decltype(reads(std::declval<Var&>()))> && !AccessDeclaration<Var>);
static_assert(Recordable<Recorded> && !Recordable<void (*)(float)> && !Recordable<Twice>);
static_assert(ExamplesFor<Recorded, float> && ExamplesFor<Recorded> && !ExamplesFor<Recorded, std::string>);
// --8<-- [end:schedule]

// --8<-- [start:array]
static_assert(ArrayHandle<Vector> && !ArrayHandle<View> && !ArrayHandle<Sum>);
static_assert(ViewHandle<View> && !ViewHandle<Vector> && !ViewHandle<float*>);
static_assert(Elements<Vector> && Elements<View> && !Elements<Sum> && !Elements<std::vector<float>>);
static_assert(WritableElements<Vector> && WritableElements<const View> && !WritableElements<const Vector> &&
              !WritableElements<Array<const float, 1>>);
static_assert(ExpressionNode<Sum> && !ExpressionNode<Vector> && !ExpressionNode<float>);
static_assert(ArrayParameter<Parameter<Vector>> && !ArrayParameter<Vector> && !ArrayParameter<Parameter<float>>);
static_assert(Operand<Vector> && Operand<View> && Operand<Sum> && !Operand<float> && !Operand<std::vector<float>>);
static_assert(Expression<Sum> && Expression<Vector> && !Expression<float>);
static_assert(ScalarValue<long double> && ScalarValue<float16> && !ScalarValue<std::string>);
static_assert(ScalarParameter<Parameter<float>> && !ScalarParameter<float> && !ScalarParameter<Parameter<Vector>>);
static_assert(Scalar<int> && Scalar<Parameter<float>> && !Scalar<Vector> && !Scalar<std::string>);
static_assert(Source<Sum> && Source<int> && !Source<std::vector<float>>);
static_assert(ValueFits<Array<double, 1>, float> && ValueFits<int, float> && !ValueFits<Integers, float> &&
              !ValueFits<float, int>);
static_assert(PlacesMayMeet<CpuPlace, CpuPlace> && PlacesMayMeet<Place, GpuPlace> &&
              !PlacesMayMeet<CpuPlace, GpuPlace>);
static_assert(AssignableSource<Vector, float, 2, Place> && !AssignableSource<Matrix, float, 1, Place> &&
              !AssignableSource<Vector, int, 1, Place> && !AssignableSource<OnHost, float, 1, GpuPlace>);
static_assert(NamedSource<Sum, float, 1, Place> && NamedSource<int, float, 2, Place> &&
              !NamedSource<Array<double, 1>, float, 1, Place> && !NamedSource<Sum, float, 2, Place>);
static_assert(Positional<int> && !Positional<float> && !Positional<Vector>);
static_assert(Indexer<int> && Indexer<Range> && !Indexer<float> && !Indexer<Vector>);
static_assert(SliceIndexers<2, int> && SliceIndexers<2, Range, int> && !SliceIndexers<2, int, int> &&
              !SliceIndexers<1, Range, Range> && !SliceIndexers<2, Dots, Dots>);
static_assert(AxesOf<2, 0, -1> && !AxesOf<2, 2> && !AxesOf<2, 1, -1>);
// --8<-- [end:array]

// --8<-- [start:expr]
static_assert(Numeric<int> && Numeric<std::complex<float>> && !Numeric<bool>);
static_assert(Inexact<float16> && Inexact<std::complex<float>> && !Inexact<int>);
static_assert(NumericOperand<Integers> && !NumericOperand<Bools> && !NumericOperand<int>);
static_assert(RealOperand<Integers> && RealOperand<Sum> && !RealOperand<Complexes>);
static_assert(FloatingOperand<Sum> && !FloatingOperand<Integers> && !FloatingOperand<Complexes>);
static_assert(InexactOperand<Complexes> && !InexactOperand<Integers>);
static_assert(AveragedOperand<Vector> && AveragedOperand<Complexes> && !AveragedOperand<Integers>);
static_assert(OrderedOperand<Bools> && !OrderedOperand<Complexes>);
static_assert(BoolOperand<Bools> && !BoolOperand<Integers> && !BoolOperand<bool>);
static_assert(ElementValue<float> && ElementValue<float16> && !ElementValue<Vector> && !ElementValue<Parameter<float>>);
static_assert(NumericArgument<Integers> && NumericArgument<int> && !NumericArgument<Bools>);
static_assert(RealArgument<Integers> && RealArgument<float> && !RealArgument<Complexes>);
static_assert(FloatingArgument<Vector> && FloatingArgument<float> && !FloatingArgument<Integers>);
static_assert(InexactArgument<Complexes> && InexactArgument<double> && !InexactArgument<Integers>);
static_assert(Combinable<Vector, double> && Combinable<Vector, Sum> && !Combinable<float, float> &&
              !Combinable<Vector, Integers> && !Combinable<OnHost, OnGpu>);
static_assert(ArithmeticOperands<Vector, int> && !ArithmeticOperands<Bools, Bools>);
static_assert(RealOperands<Vector, Matrix> && !RealOperands<Complexes, Complexes>);
static_assert(FloatingOperands<Vector, double> && !FloatingOperands<Integers, Integers>);
static_assert(IntegerOperands<Integers, int> && !IntegerOperands<Vector, Vector>);
static_assert(BitOperands<Integers, int> && BitOperands<Bools, Bools> && !BitOperands<Vector, Vector>);
static_assert(BoolOperands<Bools, bool> && !BoolOperands<Integers, Integers>);
static_assert(OrderedOperands<Vector, int> && !OrderedOperands<Complexes, Complexes>);
static_assert(DotOperands<Matrix, Vector> && !DotOperands<Matrix, Array<float, 3>>);
static_assert(MatmulOperands<Matrix, Array<float, 3>> && !MatmulOperands<Matrix, Array<float, 0>>);
static_assert(ReducibleAxes<Matrix, 0, -1> && !ReducibleAxes<Matrix, 2> && !ReducibleAxes<Matrix, 1, -1>);
static_assert(OneAxisOrAll<> && OneAxisOrAll<1> && !OneAxisOrAll<0, 1>);
static_assert(UserOperation<Twice, Vector> && UserOperation<OfTwo, Vector, int> && !UserOperation<Twice, std::string> &&
              !UserOperation<Twice, float> && !UserOperation<Nothing, Vector> && !UserOperation<OfObjects, Vector> &&
              !UserOperation<OfTwo, Vector> && !UserOperation<Words, Vector> && !UserOperation<OfTwo, OnHost, OnGpu>);
static_assert(DeviceOperation<Twice> && !DeviceOperation<OfTwo>);
// --8<-- [end:expr]

// --8<-- [start:algorithm]
static_assert(SortableOperand<Matrix, 0> && !SortableOperand<Array<float, 0>, 0> && !SortableOperand<Matrix, 2> &&
              !SortableOperand<Complexes, 0>);
static_assert(ScannableOperand<Vector> && ScannableOperand<Matrix, 1> && !ScannableOperand<Matrix> &&
              !ScannableOperand<Array<float, 0>>);
static_assert(MaskOperand<Bools, Vector> && !MaskOperand<Integers, Vector> && !MaskOperand<Bools, Matrix>);
static_assert(TakeOperands<Matrix, Integers> && !TakeOperands<Matrix, Vector> &&
              !TakeOperands<Array<float, 0>, Integers> && !TakeOperands<Vector, Array<int, 2>>);
static_assert(ConditionOperand<Vector> && !ConditionOperand<Array<float, 0>>);
static_assert(MatrixOperand<Matrix> && MatrixOperand<Array<int, 3>> && !MatrixOperand<Vector>);
static_assert(AlongAxis<Matrix, Array<int, 2>, -1> && !AlongAxis<Matrix, Matrix, 0> &&
              !AlongAxis<Matrix, Integers, 0> && !AlongAxis<Matrix, Array<int, 2>, 2>);
static_assert(EinsumOperands<Matrix, Vector> && !EinsumOperands<Vector, Integers> && !EinsumOperands<Bools, Bools> &&
              !EinsumOperands<Vector, Vector, Vector, Vector, Vector, Vector, Vector, Vector, Vector>);
static_assert(random::Parameter<double, 2> && random::Parameter<Vector, 1> && random::Parameter<Integers, 2> &&
              !random::Parameter<Matrix, 1> && !random::Parameter<Complexes, 1>);
static_assert(ResultElements<Vector, float, 1> && !ResultElements<Vector, double, 1> &&
              !ResultElements<Vector, float, 2> && !ResultElements<const Vector, int, 1>);
// --8<-- [end:algorithm]

// --8<-- [start:darray]
using Tree = decltype(DArray() + 1);
static_assert(DynamicOperand<DArray> && DynamicOperand<Tree> && DynamicOperand<DExpression> && !DynamicOperand<Matrix>);
static_assert(DynamicSource<DArray> && DynamicSource<Matrix> && DynamicSource<float> && !DynamicSource<std::string>);
static_assert(DynamicOperands<DArray, Matrix> && DynamicOperands<int, Tree> && !DynamicOperands<Matrix, int>);
static_assert(DynamicTree<Tree> && !DynamicTree<DArray>);
static_assert(DScalar<int> && DScalar<std::complex<float>> && !DScalar<DArray>);
static_assert(HeldArray<Matrix> && HeldArray<Array<const int, 3>> && !HeldArray<OnHost> &&
              !HeldArray<Array<float, 10>>);
// --8<-- [end:darray]

// --8<-- [start:collective]
static_assert(CollectiveOperand<Matrix> && CollectiveOperand<DArray> && !CollectiveOperand<float> &&
              !CollectiveOperand<Parameter<Matrix>> && !CollectiveOperand<Array<float, 10>>);
static_assert(CollectiveResult<Matrix> && CollectiveResult<DArray> && !CollectiveResult<Array<const float, 2>>);
static_assert(ShardedOperand<Sharded<Matrix>> && ShardedOperand<const Sharded<Matrix>&> && !ShardedOperand<Matrix>);
// --8<-- [end:collective]

TEST_CASE("what holds for a concept is known when the program is compiled") {
  CHECK(Operand<Matrix>);
  CHECK_FALSE(Operand<float>);
}

}  // namespace
