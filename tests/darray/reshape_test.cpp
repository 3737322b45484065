// Tests of reshapes of dynamic arrays without elements, whatever their strides.
#include <doctest/doctest.h>

#include "support.hpp"

using namespace tessera;

TEST_CASE("arrays without elements are reshaped") {
  const DArray x = zeros(DType::float32, make_ddim({2, 0}));
  CHECK(x.flatten().shape() == make_ddim({0}));
  CHECK(x.T().reshape({0, 7}).shape() == make_ddim({0, 7}));
  CHECK(x.reshape({3, -1, 2}).shape() == make_ddim({3, 0, 2}));
  CHECK_THROWS_AS(x.reshape({0, -1}), ShapeError);  // any number would do
  const DArray part = ones(DType::int16, make_ddim({4, 6}))({range(2, 2), range(none, none, 2)});
  CHECK(part.flatten().shape() == make_ddim({0}));
  CHECK(part.reshape({0, 3, 1}).shape() == make_ddim({0, 3, 1}));
}
