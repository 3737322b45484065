module;
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>
module tessera.darray;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;

// Products, compiled for each element type: of vectors, of matrices, which a vector beside one is seen as, and of batches at the highest rank.
namespace tessera::dynamic {

namespace {

[[noreturn]] void throw_shapes(const char* operation, std::string problem, const DArray& a, const DArray& b,
                               std::string_view advice = {}) {
  throw ShapeError(
      to_string(Failure{.operation = operation,
                        .problem = std::move(problem),
                        .operands = {"a has the shape " + to_string(a.shape()), "b has " + to_string(b.shape())},
                        .advice = advice}));
}

/// The axis of a factor's inner extent.
int inner_axis(const DArray& x, bool is_left) { return is_left || x.rank() == 1 ? x.rank() - 1 : x.rank() - 2; }

void check_inner(const char* operation, const DArray& a, const DArray& b) {
  const std::ptrdiff_t left = a.shape()[inner_axis(a, true)], right = b.shape()[inner_axis(b, false)];
  if (left == right) return;
  throw_shapes(operation,
               "the inner extents differ: axis " + std::to_string(inner_axis(a, true)) + " of a has " +
                   std::to_string(left) + " and axis " + std::to_string(inner_axis(b, false)) + " of b has " +
                   std::to_string(right),
               a, b);
}

/// The product of vectors and matrices of type T. Beside a matrix a vector is a row on the left and a column on the right: which loop multiplies
/// follows from extents and strides. Two vectors are summed as their length says.
template <Element T>
DArray plain_product(const DArray& a, const DArray& b) {
  if (a.rank() == 1 && b.rank() == 1) return evaluate(tessera::dot(elements_of<T, 1>(a), elements_of<T, 1>(b)));
  const int row = 0, column = -1;
  const DArray left = a.rank() == 1 ? a.with_layout(expanded(a.layout(), {&row, 1})) : a;
  const DArray right = b.rank() == 1 ? b.with_layout(expanded(b.layout(), {&column, 1})) : b;
  DArray product = evaluate(tessera::dot(elements_of<T, 2>(left), elements_of<T, 2>(right)));
  if (a.rank() == 2 && b.rank() == 2) return product;
  std::vector<std::ptrdiff_t> shape;
  if (a.rank() == 2) shape.push_back(product.shape()[0]);
  if (b.rank() == 2) shape.push_back(product.shape()[1]);
  return product.reshape(shape);
}

/// The products of batches of type T, both of them with leading axes of extent 1.
template <Element T>
DArray batch_product(const DArray& a, const DArray& b) {
  return evaluate(tessera::matmul(rows_of<T>(a), rows_of<T>(b)));
}

/// Calls product(a, b) for factors of their common type.
template <class Product>
DArray in_common_type(const char* operation, const DArray& a, const DArray& b, const Product& product) {
  const DType common = promote(a.dtype(), b.dtype());
  const DArray left = a.dtype() == common ? a : a.cast(common);
  const DArray right = b.dtype() == common ? b : b.cast(common);
  return with_element(common, [&]<class T>() -> DArray {
    if constexpr (Numeric<T>) {
      return product.template operator()<T>(left, right);
    } else {
      throw_dtype(operation, dtype_of<T>, "numbers");
    }
  });
}

DArray product_of_few_axes(const char* operation, const DArray& a, const DArray& b) {
  check_inner(operation, a, b);
  return in_common_type(operation, a, b,
                        []<class T>(const DArray& left, const DArray& right) { return plain_product<T>(left, right); });
}

/// The leading axes of both, broadcast, and then the axes of one product.
std::vector<std::ptrdiff_t> batch_shape(const DArray& a, const DArray& b) {
  const int left = std::max(a.rank() - 2, 0), right = std::max(b.rank() - 2, 0), count = std::max(left, right);
  std::vector<std::ptrdiff_t> shape;
  for (int axis = 0; axis < count; ++axis) {
    const std::ptrdiff_t x = axis < count - left ? 1 : a.shape()[axis - (count - left)];
    const std::ptrdiff_t y = axis < count - right ? 1 : b.shape()[axis - (count - right)];
    if (x != y && x != 1 && y != 1)
      throw_shapes("matmul", "the leading axes do not broadcast: " + std::to_string(x) + " and " + std::to_string(y), a,
                   b);
    shape.push_back(x == 1 ? y : x);
  }
  if (a.rank() > 1) shape.push_back(a.shape()[a.rank() - 2]);
  if (b.rank() > 1) shape.push_back(b.shape()[b.rank() - 1]);
  return shape;
}

}  // namespace

DArray dot(const DArray& a, const DArray& b) {
  const auto is_taken = [](const DArray& x) { return x.rank() == 1 || x.rank() == 2; };
  if (!is_taken(a) || !is_taken(b))
    throw_shapes("dot", "it multiplies vectors and matrices", a, b, "matmul takes batches of matrices");
  return product_of_few_axes("dot", a, b);
}

DArray matmul(const DArray& a, const DArray& b) {
  if (a.rank() == 0 || b.rank() == 0)
    throw_shapes("matmul", "it multiplies vectors, matrices and batches of matrices", a, b,
                 "a scalar is multiplied by *");
  if (a.rank() <= 2 && b.rank() <= 2) return product_of_few_axes("matmul", a, b);
  check_inner("matmul", a, b);
  const std::vector<std::ptrdiff_t> shape = batch_shape(a, b);
  const int row = 0, column = -1;
  const DArray left = a.rank() == 1 ? a.with_layout(expanded(a.layout(), {&row, 1})) : a;
  const DArray right = b.rank() == 1 ? b.with_layout(expanded(b.layout(), {&column, 1})) : b;
  const DArray product = in_common_type("matmul", left, right, []<class T>(const DArray& x, const DArray& y) {
    return batch_product<T>(with_all_axes(x), with_all_axes(y));
  });
  return product.reshape(shape);
}

void check_vectors(const DArray& a, const DArray& b, int axis) {
  if (axis >= 0) {
    throw IndexError(to_string(Failure{.operation = "vecdot",
                                       .problem = "axis " + std::to_string(axis) + " does not count from the end",
                                       .advice = "the last one is -1"}));
  }
  const std::ptrdiff_t left = a.shape()[storage::checked_axis(axis, a.rank(), "vecdot")];
  const std::ptrdiff_t right = b.shape()[storage::checked_axis(axis, b.rank(), "vecdot")];
  if (left != right)
    throw_shapes("vecdot",
                 "the extents along axis " + std::to_string(axis) + " differ: " + std::to_string(left) + " and " +
                     std::to_string(right),
                 a, b);
}

void check_outer(const DArray& a, const DArray& b) {
  if (a.rank() != 1 || b.rank() != 1) throw_shapes("outer", "it takes two vectors", a, b);
}

}  // namespace tessera::dynamic
