// Tests of references: elements wherever they live.
#include <doctest/doctest.h>

#include <complex>
#include <concepts>
#include <sstream>
#include <type_traits>
#include <utility>
import tessera;

using namespace tessera;

static_assert(std::same_as<decltype(std::declval<Array<float, 1>>()[0]), Reference<float>>);
static_assert(std::same_as<decltype(std::declval<Array<float, 1, CpuPlace>>()[0]), float&>);
static_assert(std::same_as<decltype(std::declval<Array<float, 1, PinnedPlace>>()[0]), float&>);
static_assert(std::same_as<decltype(std::declval<Array<float, 1, GpuPlace>>()[0]), Reference<float>>);
static_assert(std::convertible_to<Reference<float>, float> && !std::is_default_constructible_v<Reference<float>>);

TEST_CASE("a reference reads on conversion and writes on assignment") {
  Array<float, 2> a = zeros<float>(Dim{2, 2});
  a[{0, 1}] = 1.5f;
  const float x = a[{0, 1}];
  CHECK(x == 1.5f);
  CHECK(a[{0, 1}] == 1.5f);
  CHECK(a[{0, 0}] == 0);
}

TEST_CASE("assigning one reference to another copies the element") {
  Array<int, 1> a = make_array({1, 2, 3});
  a[0] = a[2];
  CHECK(a[0] == 3);
  a[2] = 9;
  CHECK(a[0] == 3);
}

TEST_CASE("compound assignments change the element") {
  Array<double, 1> a = make_array({8.0});
  a[0] += 2;
  CHECK(a[0] == 10.0);
  a[0] -= 4;
  CHECK(a[0] == 6.0);
  a[0] *= 3;
  CHECK(a[0] == 18.0);
  a[0] /= 4;
  CHECK(a[0] == 4.5);
}

TEST_CASE("compound assignments of narrow integers wrap") {
  Array<std::uint8_t, 1> a = full(Dim<1>{1}, std::uint8_t{250});
  a[0] += 10;
  CHECK(a[0] == 4);
}

TEST_CASE("a const array is a handle, so its elements can be written") {
  Array<int, 1> a = make_array({1, 2});
  a[1] = 5;
  CHECK(a[1] == 5);
}

TEST_CASE("16-bit elements read as float too") {
  Array<float16, 1> half = full(Dim<1>{2}, float16(0.5f));
  const float x = half[0];
  const float16 exact = half[1];
  CHECK(x == 0.5f);
  CHECK(exact == 0.5f);
  CHECK(half[0] == 0.5f);
  half[0] += 1;
  CHECK(half[0] + 1.0f == 2.5f);
  Array<bfloat16, 1> brain = full(Dim<1>{1}, bfloat16(3));
  CHECK(brain[0] == 3.0f);
}

TEST_CASE("complex elements compare as std::complex does") {
  using C = std::complex<float>;
  Array<C, 1> a = full(Dim<1>{2}, C(1, 2));
  CHECK(a[0] == C(1, 2));
  CHECK(C(1, 2) == a[0]);
  CHECK(a[0] == a[1]);
  a[1] = 3.0f;
  CHECK(a[1] == 3.0f);
  CHECK(a[0] != a[1]);
}

TEST_CASE("references of equal elements are equal") {
  const Array<int, 1> a = make_array({4, 4, 5});
  CHECK(a[0] == a[1]);
  CHECK(a[0] != a[2]);
  CHECK(a[0] < a[2]);
}

TEST_CASE("a reference prints its element") {
  std::ostringstream text;
  text << make_array({1.5, 2.5})[1] << ' ' << full(Dim<1>{1}, float16(0.25f))[0];
  CHECK(text.str() == "2.5 0.25");
}

TEST_CASE("with a static host place an element is a plain reference") {
  Array<int, 1, CpuPlace> a(Dim<1>{2});
  int& element = a[1];
  element = 4;
  CHECK(a.data()[1] == 4);
}
