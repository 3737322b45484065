// Step 2: operators that return arrays. It reads well, and makes an array for every operation.
#include <utility>

#include "step.hpp"

// --8<-- [start:operators]
struct Vector {
  std::vector<float> values;
};

Vector operator+(const Vector& a, const Vector& b) {
  Vector sum{std::vector<float>(a.values.size())};
  for (std::size_t i = 0; i < a.values.size(); ++i) sum.values[i] = a.values[i] + b.values[i];
  return sum;
}

Vector operator*(float factor, const Vector& a) {
  Vector product{std::vector<float>(a.values.size())};
  for (std::size_t i = 0; i < a.values.size(); ++i) product.values[i] = factor * a.values[i];
  return product;
}
// --8<-- [end:operators]

int main() {
  Vector w{step::weights()};
  const Vector g{step::gradients()};
  using step::eta, step::lambda;
  // --8<-- [start:use]
  const auto update = [&] { w = -eta * (g + lambda * w); };  // three loops, three allocations
  // --8<-- [end:use]
  return step::run("operators", [&] { return w.values.data(); }, update);
}
