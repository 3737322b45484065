// Tests of arrays as text, against NumPy's.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <sstream>
#include <string>
#include <vector>

#include "support.hpp"
import tessera;

using namespace tessera;

namespace {

constexpr double not_a_number = NAN;
constexpr double infinity = INFINITY;

template <class T, int Rank>
std::string printed(const Dim<Rank>& shape, std::initializer_list<T> elements) {
  const Array<T, Rank> array(shape);
  std::copy(elements.begin(), elements.end(), array.data());
  return to_string(array);
}

/// numpy.arange(count) * 0.1 - 1
Array<double, 1> tenths(int count) {
  Array<double, 1> array(Dim<1>{count});
  for (int i = 0; i < count; ++i) array[i] = i * 0.1 - 1;
  return array;
}

}  // namespace

TEST_CASE("arrays print as NumPy prints them") {
  struct Case {
    std::string ours, numpy;
  };
  const Case cases[] = {
#include "numpy_print.inc"
  };
  for (const Case& one : cases) CHECK(one.ours == one.numpy);
}

// --8<-- [start:print]
TEST_CASE("printing shows the elements of a view, in one format for all") {
  std::ostringstream text;
  text << make_array({{1.5f, -2.f}, {1000.f, 0.25f}}).T();
  CHECK(text.str() ==
        "[[ 1.5e+00  1.0e+03]\n"
        " [-2.0e+00  2.5e-01]]");
}
// --8<-- [end:print]

TEST_CASE("views print as arrays do") {
  double memory[] = {1, 2.5, 3};
  CHECK(to_string(make_view(memory, Dim<1>{3})(range(none, none, -1))) == "[3.  2.5 1. ]");
  CHECK(to_string(make_view(memory, Dim<1>{3})(1, ellipsis)) == "2.5");
}

TEST_CASE("bfloat16, which NumPy lacks, prints with the digits that tell it apart") {
  CHECK(printed<bfloat16>(Dim<1>{3}, {bfloat16(0.1), bfloat16(1), bfloat16(3.14159)}) == "[0.1  1.   3.14]");
  CHECK(printed<bfloat16>(Dim<1>{1}, {bfloat16(3e38)}) == "[3.e+38]");
  CHECK(printed<bfloat16>(Dim<0>{}, {bfloat16(256)}) == "256.0");
}

TEST_CASE("an array without storage says so") {
  CHECK(to_string(Array<float, 2>()) == "(no storage)");
  CHECK(to_string(Array<float, 0>()) == "(no storage)");
}

TEST_CASE("the layout of elements in memory does not show") {
  const auto a = reshape(arange(0, 6), 2, 3);
  CHECK(to_string(a.T()) == to_string(a.T().clone()));
  CHECK(to_string(broadcast_to(arange(0, 2), Dim{2, 2})) == "[[0 1]\n [0 1]]");
}

TEST_CASE("printing elements that the host cannot read throws") {
  float memory[1] = {};
  const ArrayView<float, 1, Place> on_device(memory, Dim<1>{1}, Place(GpuPlace{0}));
  CHECK_THROWS_WITH_AS(to_string(on_device), doctest::Contains("gpu:0"), PlaceError);
}
