// Step 4: the tree is a type. The compiler sees through it and writes the loop of step 1.
#include <utility>

#include "step.hpp"

// --8<-- [start:nodes]
template <class Self>
struct Expression {  // marks the types that the operators below accept
  const Self& self() const { return static_cast<const Self&>(*this); }
};

template <class A, class B>
struct Sum : Expression<Sum<A, B>> {
  const A& a;
  const B& b;
  Sum(const A& left, const B& right) : a(left), b(right) {}
  float at(std::size_t i) const { return a.at(i) + b.at(i); }
};

template <class A>
struct Scaled : Expression<Scaled<A>> {
  float factor;
  const A& a;
  Scaled(float by, const A& of) : factor(by), a(of) {}
  float at(std::size_t i) const { return factor * a.at(i); }
};

template <class A, class B>
Sum<A, B> operator+(const Expression<A>& a, const Expression<B>& b) {
  return {a.self(), b.self()};
}
template <class A>
Scaled<A> operator*(float factor, const Expression<A>& a) {
  return {factor, a.self()};
}
// --8<-- [end:nodes]

// --8<-- [start:assign]
struct Vector : Expression<Vector> {
  std::vector<float> values;
  explicit Vector(std::vector<float> from) : values(std::move(from)) {}
  float at(std::size_t i) const { return values[i]; }

  template <class E>
  Vector& operator=(const Expression<E>& expression) {
    float* const to = values.data();
    for (std::size_t i = 0, n = values.size(); i < n; ++i) to[i] = expression.self().at(i);
    return *this;
  }
};
// --8<-- [end:assign]

int main() {
  Vector w(step::weights());
  const Vector g(step::gradients());
  using step::eta, step::lambda;
  const auto update = [&] { w = -eta * (g + lambda * w); };
  return step::run("templates", [&] { return w.values.data(); }, update);
}
