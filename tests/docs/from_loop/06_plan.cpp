// Step 6: nodes describe, plans compute. A node owns its operands; its plan is pointers and strides, made when shapes are known.
#include <memory>
#include <utility>

#include "step.hpp"

struct Shape {
  std::size_t rows, columns;
};

// --8<-- [start:leaf]
struct LeafPlan {
  const float* values;
  std::size_t row_stride, column_stride;  // 0 along an axis that repeats
  float at(std::size_t i, std::size_t j) const { return values[i * row_stride + j * column_stride]; }
};

struct Matrix {  // a handle: copies share the elements
  std::shared_ptr<std::vector<float>> storage;
  Shape shape;

  LeafPlan plan(Shape target) const {
    return {storage->data(), shape.rows == target.rows ? shape.columns : 0, shape.columns == target.columns ? 1u : 0u};
  }
  template <class Node>
  void operator=(const Node& node) const;
};
// --8<-- [end:leaf]

// --8<-- [start:nodes]
template <class A, class B>
struct SumPlan {
  A a;
  B b;
  float at(std::size_t i, std::size_t j) const { return a.at(i, j) + b.at(i, j); }
};
template <class A, class B>
struct Sum {
  A a;
  B b;
  auto plan(Shape target) const { return SumPlan{a.plan(target), b.plan(target)}; }
};

template <class A>
struct ScaledPlan {
  float factor;
  A a;
  float at(std::size_t i, std::size_t j) const { return factor * a.at(i, j); }
};
template <class A>
struct Scaled {
  float factor;
  A a;
  auto plan(Shape target) const { return ScaledPlan{factor, a.plan(target)}; }
};
// --8<-- [end:nodes]

template <class A, class B>
Sum<A, B> operator+(A a, B b) {
  return {std::move(a), std::move(b)};
}
template <class A>
Scaled<A> operator*(float factor, A a) {
  return {factor, std::move(a)};
}

// --8<-- [start:assign]
template <class Node>
void Matrix::operator=(const Node& node) const {
  const auto plan = node.plan(shape);
  float* to = storage->data();
  for (std::size_t i = 0; i < shape.rows; ++i) {
    for (std::size_t j = 0; j < shape.columns; ++j) *to++ = plan.at(i, j);
  }
}
// --8<-- [end:assign]

Matrix matrix(std::vector<float> values, Shape shape) {
  return {std::make_shared<std::vector<float>>(std::move(values)), shape};
}

// --8<-- [start:keep]
auto kept_expression() {
  const Matrix column = matrix({10, 20}, {2, 1}), row = matrix({1, 2, 3}, {1, 3});
  return column + 2.0f * row;  // the nodes hold the handles: nothing dangles
}
// --8<-- [end:keep]

int main() {
  const Matrix table = matrix(std::vector<float>(6), {2, 3});
  table = kept_expression();
  for (std::size_t i = 0; i < 6; ++i) {
    const float expected = static_cast<float>(10 * (i / 3 + 1) + 2 * (i % 3 + 1));
    if ((*table.storage)[i] != expected)
      return step::fail("broadcast", i, double{(*table.storage)[i]}, double{expected});
  }
  const Shape shape{64, step::count / 64};
  const Matrix w = matrix(step::weights(), shape), g = matrix(step::gradients(), shape);
  using step::eta, step::lambda;
  return step::run("plan", [&] { return w.storage->data(); }, [&] { w = -eta * (g + lambda * w); });
}
