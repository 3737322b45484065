// Tests of <tessera/mdspan.hpp>, where the standard library has <mdspan>: compiled with libc++ by libcxx_test.cmake.
#include <doctest/doctest.h>

#include <tessera/mdspan.hpp>

import tessera;

using namespace tessera;

#ifdef __cpp_lib_mdspan

TEST_CASE("docs/darray.md: an array is an mdspan, and an mdspan a view") {
  // --8<-- [start:mdspan]
  Array<float, 2> a = zeros<float>(Dim{2, 3});
  auto span = as_mdspan(a);  // std::mdspan<float, std::dextents<std::ptrdiff_t, 2>, std::layout_stride>
  span[1, 2] = 4;            // an element of a
  as_view(span) += 1;        // a view, as borrow() gives one
  auto column = as_mdspan(make_view(a)(all, 2));  // strides are kept
  // --8<-- [end:mdspan]
  CHECK(a(1, 2) == 5);
  CHECK(column.rank() == 1);
  CHECK(column[1] == 5);
}

TEST_CASE("const elements stay const, and what no mdspan expresses is refused") {
  const Array<double, 1> a{1, 2, 3};
  static_assert(std::is_same_v<decltype(as_mdspan(a))::element_type, const double>);
  CHECK(as_mdspan(make_view(a)(range(none, none, 2))).extent(0) == 2);
  CHECK_THROWS_AS(as_mdspan(make_view(a)(range(none, none, -1))), ShapeError);
  const Array<double, 0> total = sum(a);
  CHECK(as_mdspan(total)[] == 6);
}

#else

TEST_CASE("the header is empty where there is no <mdspan>") {}

#endif
