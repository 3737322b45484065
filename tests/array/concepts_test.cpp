// Compile-time tests of the contract between arrays and what is computed from them.
#include <doctest/doctest.h>

#include <complex>
#include <concepts>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
import tessera;

using namespace tessera;

namespace {

using Matrix = Array<float, 2>;
using HostMatrix = Array<float, 2, CpuPlace>;
using MatrixView = ArrayView<float, 2>;
using Sum = decltype(std::declval<Matrix>() + std::declval<Matrix>());

template <class Left, class Right>
concept AssignableAsVariable = requires(Left& left, const Right& right) { left = right; };

template <class Left, class Right>
concept AssignableAsRvalue = requires(Left&& left, const Right& right) { std::move(left) = right; };

template <class T>
concept MakesArray = requires { typename Array<T, 1>; };

}  // namespace

static_assert(ArrayHandle<Matrix> && ArrayHandle<const HostMatrix&> && !ArrayHandle<MatrixView> && !ArrayHandle<Sum> &&
              !ArrayHandle<float>);
static_assert(ViewHandle<MatrixView> && ViewHandle<const MatrixView&> && !ViewHandle<Matrix> && !ViewHandle<float*>);
static_assert(Elements<Matrix> && Elements<MatrixView> && !Elements<Sum> && !Elements<std::vector<float>>);
static_assert(ExpressionNode<Sum> && ExpressionNode<const Sum&> && !ExpressionNode<Matrix> && !ExpressionNode<float>);
static_assert(Expression<Sum> && Expression<const Matrix&> && Expression<MatrixView> && !Expression<float>);
static_assert(Operand<Matrix> && Operand<MatrixView> && Operand<Sum> && !Operand<float> && !Operand<std::string>);
static_assert(Scalar<float> && Scalar<long double> && Scalar<float16> && Scalar<std::complex<float>> &&
              !Scalar<Matrix> && !Scalar<std::string>);
static_assert(Source<Matrix> && Source<Sum> && Source<int> && !Source<std::string> && !Source<std::vector<float>> &&
              !Source<float*>);

static_assert(std::same_as<value_of<Matrix>, float> && std::same_as<value_of<const Sum&>, float> &&
              std::same_as<value_of<int>, int>);
static_assert(std::same_as<place_of<Matrix>, Place> && std::same_as<place_of<HostMatrix>, CpuPlace> &&
              std::is_void_v<place_of<int>>);
static_assert(rank_of<Matrix> == 2 && rank_of<Sum> == 2 && rank_of<double> == 0);

static_assert(PlacesMayMeet<Place, CpuPlace> && PlacesMayMeet<GpuPlace, Place> && PlacesMayMeet<CpuPlace, CpuPlace>);
static_assert(PlacesMayMeet<void, GpuPlace> && !PlacesMayMeet<CpuPlace, GpuPlace> &&
              !PlacesMayMeet<PinnedPlace, CpuPlace>);

// Floats narrow, integers do not; never across kinds, except for a C++ scalar that takes the array's type.
static_assert(ValueFits<Array<double, 1>, float> && ValueFits<Array<float, 1>, std::complex<float>> &&
              ValueFits<Array<std::uint8_t, 1>, int> && !ValueFits<Array<int, 1>, std::uint8_t> &&
              !ValueFits<Array<std::int64_t, 1>, int>);
static_assert(!ValueFits<Array<float, 1>, int> && !ValueFits<Array<int, 1>, float> && !ValueFits<Array<bool, 1>, int>);
static_assert(ValueFits<double, float> && ValueFits<int, float> && ValueFits<int, float16> && !ValueFits<float, int> &&
              !ValueFits<int, bool>);

static_assert(AssignableSource<Matrix, float, 2, Place> && AssignableSource<Array<double, 1>, float, 2, CpuPlace> &&
              AssignableSource<int, float, 2, Place>);
static_assert(!AssignableSource<Array<float, 3>, float, 2, Place> && !AssignableSource<Matrix, int, 2, Place>);
static_assert(!AssignableSource<HostMatrix, float, 2, GpuPlace> && !AssignableSource<std::string, float, 2, Place>);
static_assert(NamedSource<Sum, float, 2, Place> && NamedSource<MatrixView, float, 2, Place> &&
              NamedSource<float, float, 2, Place> && !NamedSource<Matrix, float, 2, Place> &&
              !NamedSource<ArrayView<float, 1>, float, 2, Place>);

// A name takes an array of its own type alone as it is; an rvalue writes the elements of whatever fits.
static_assert(AssignableAsVariable<Matrix, Matrix> && AssignableAsVariable<Matrix, HostMatrix> &&
              AssignableAsVariable<Matrix, Sum>);
static_assert(!AssignableAsVariable<Matrix, Array<double, 2>> && !AssignableAsVariable<Matrix, Array<float, 1>> &&
              !AssignableAsVariable<HostMatrix, Matrix>);
static_assert(AssignableAsRvalue<Matrix, Array<double, 2>> && AssignableAsRvalue<Matrix, Array<float, 1>> &&
              AssignableAsRvalue<HostMatrix, Matrix>);
static_assert(!AssignableAsRvalue<Matrix, Array<int, 2>> && !AssignableAsRvalue<Matrix, Array<float, 3>> &&
              !AssignableAsRvalue<HostMatrix, Array<float, 2, GpuPlace>>);
static_assert(!std::is_assignable_v<const Matrix&, Sum>);

static_assert(MakesArray<bool> && MakesArray<bfloat16> && MakesArray<long long> && MakesArray<std::complex<double>>);
static_assert(!MakesArray<char> && !MakesArray<std::string> && !MakesArray<long double> && !MakesArray<float*>);

static_assert(std::is_nothrow_move_constructible_v<Matrix> && std::is_nothrow_move_assignable_v<Matrix> &&
              std::is_nothrow_default_constructible_v<Matrix>);
static_assert(std::is_trivially_copy_constructible_v<MatrixView> && sizeof(ArrayView<float, 1>) <= 4 * sizeof(void*));
static_assert(!std::is_convertible_v<Dim<2>, Matrix> && std::is_convertible_v<HostMatrix, Matrix> &&
              !std::is_convertible_v<Matrix, HostMatrix>);
