// What explain() says of the way in which a product is multiplied is the way of the whole product, whatever its tiles are.
#include "../expr/support.hpp"

using namespace tessera;
using namespace support;

namespace {

Array<float, 2> matrix(std::ptrdiff_t rows, std::ptrdiff_t columns) { return ones<float>(Dim{rows, columns}); }

}  // namespace

TEST_CASE("explain names the way of a product") {
  CHECK(contains(explain(dot(matrix(4, 5), matrix(5, 6))), "by loops over registers, whole, on 1 thread"));
  CHECK(contains(explain(dot(ones<int>(Dim{90, 50}), ones<int>(Dim{50, 60}))), "by loops over registers"));
  CHECK(contains(explain(dot(matrix(40, 50), matrix(50, 60))), "by loops over registers, whole, on 1 thread"));
  CHECK(contains(explain(dot(matrix(40, 50), matrix(60, 50).T())), "by loops over blocks that fit the caches, whole"));
  CHECK(contains(explain(dot(matrix(40, 50), matrix(50, 65))), "by loops over blocks that fit the caches, whole"));
  CHECK(contains(explain(dot(matrix(40, 50), matrix(50, 60)(all, 0))), "as inner products with its rows"));
  CHECK(contains(explain(dot(matrix(50, 40).T(), matrix(50, 60)(all, 0))), "as a sum of its columns"));
  CHECK(contains(explain(dot(matrix(40, 50)(0, all), matrix(50, 60))), "as a sum of its rows"));
  CHECK(contains(explain(dot(matrix(40, 50)(0, all), matrix(60, 50).T())), "as inner products with its columns"));
  CHECK(contains(explain(dot(matrix(40, 100)(all, range(0, 100, 2)), matrix(50, 60)(all, 0))), "over blocks"));
  CHECK(contains(explain(dot(matrix(5, 0), matrix(0, 6))), "zeros"));
  CHECK(contains(explain(dot(matrix(0, 5), matrix(5, 6))), "nothing"));
}

TEST_CASE("explain says which factors are packed") {
  const auto small = matrix(64, 64);
  const std::string direct = explain(dot(small, small));
  CHECK(contains(direct, "x0 strides (64, 1)  read as it lies"));
  CHECK(contains(direct, "x1 strides (64, 1)  read as it lies"));
  CHECK(contains(explain(dot(small, small.T())), "x1 strides (1, 64)  packed block by block"));
  CHECK(contains(explain(dot(small.T(), matrix(64, 7))), "x0 strides (1, 64)  read as it lies"));
  const auto wide = matrix(300, 400);
  CHECK(contains(explain(dot(matrix(300, 200).T(), wide)), "x0 strides (1, 200)  packed block by block"));
}

TEST_CASE("a product by the library's own loops calls no BLAS and needs none") {
  CHECK(!blas::is_chosen());
  CHECK(!blas::has_bfloat16());
  CHECK(message_of<DeviceError>([] { static_cast<void>(blas::description()); }) != "");
}
