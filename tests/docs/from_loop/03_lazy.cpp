// Step 3: operators that only note what is to be done. One loop, no temporary; but each element walks the whole tree by virtual calls.
#include <memory>
#include <utility>

#include "step.hpp"

// --8<-- [start:nodes]
struct Node {
  virtual ~Node() = default;
  virtual float at(std::size_t i) const = 0;
};
using Expression = std::shared_ptr<const Node>;

struct Sum : Node {
  Expression a, b;
  Sum(Expression left, Expression right) : a(std::move(left)), b(std::move(right)) {}
  float at(std::size_t i) const override { return a->at(i) + b->at(i); }
};

struct Scaled : Node {
  float factor;
  Expression a;
  Scaled(float by, Expression of) : factor(by), a(std::move(of)) {}
  float at(std::size_t i) const override { return factor * a->at(i); }
};

Expression operator+(const Expression& a, const Expression& b) { return std::make_shared<Sum>(a, b); }
Expression operator*(float factor, const Expression& a) { return std::make_shared<Scaled>(factor, a); }
// --8<-- [end:nodes]

// --8<-- [start:assign]
struct Vector : Node {
  std::vector<float> values;
  explicit Vector(std::vector<float> from) : values(std::move(from)) {}
  float at(std::size_t i) const override { return values[i]; }

  Vector& operator=(const Expression& expression) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = expression->at(i);
    return *this;
  }
};
// --8<-- [end:assign]

int main() {
  const auto w = std::make_shared<Vector>(step::weights());
  const auto g = std::make_shared<Vector>(step::gradients());
  const Expression weights = w, gradients = g;
  const auto update = [&] { *w = -step::eta * (gradients + step::lambda * weights); };
  return step::run("lazy, virtual", [&] { return w->values.data(); }, update);
}
