// Step 5: one node for every operation, the user's included. An operation is a type with a static function on scalars.
#include <tuple>
#include <type_traits>
#include <utility>

#include "step.hpp"

// --8<-- [start:map]
struct Node {};  // the base of all expressions

template <class Op, class... Arguments>
struct Map : Node {
  std::tuple<Arguments...> arguments;
  explicit Map(Arguments... from) : arguments(std::move(from)...) {}
  float at(std::size_t i) const {
    return std::apply([i](const auto&... argument) { return Op::map(argument.at(i)...); }, arguments);
  }
};

struct Scalar : Node {
  float value;
  explicit Scalar(float constant) : value(constant) {}
  float at(std::size_t) const { return value; }
};
// --8<-- [end:map]

struct Leaf : Node {
  const float* values;
  explicit Leaf(const float* from) : values(from) {}
  float at(std::size_t i) const { return values[i]; }
};

struct Vector {
  std::vector<float> values;

  template <class E>
    requires std::is_base_of_v<Node, E>
  Vector& operator=(const E& expression) {
    float* const to = values.data();
    for (std::size_t i = 0, n = values.size(); i < n; ++i) to[i] = expression.at(i);
    return *this;
  }
};

// --8<-- [start:apply]
inline Leaf node(const Vector& vector) { return Leaf(vector.values.data()); }
inline Scalar node(float value) { return Scalar(value); }
template <class E>
  requires std::is_base_of_v<Node, E>
E node(E expression) {
  return expression;
}

/// Applies Op::map to the elements of the arguments.
template <class Op, class... Sources>
auto F(const Sources&... sources) {
  return Map<Op, decltype(node(sources))...>(node(sources)...);
}
// --8<-- [end:apply]

// --8<-- [start:ops]
struct add {
  static float map(float a, float b) { return a + b; }
};
struct multiply {
  static float map(float a, float b) { return a * b; }
};

template <class A, class B>
auto operator+(const A& a, const B& b) {
  return F<add>(a, b);
}
template <class A, class B>
auto operator*(const A& a, const B& b) {
  return F<multiply>(a, b);
}

struct clamp {  // a user's own, of three arguments; it fuses like the others
  static float map(float x, float low, float high) { return x < low ? low : x > high ? high : x; }
};
// --8<-- [end:ops]

int main() {
  Vector w{step::weights()}, clamped{std::vector<float>(step::count)};
  const Vector g{step::gradients()};
  using step::eta, step::lambda;

  clamped = F<clamp>(2.0f * g, -10.0f, 10.0f);
  for (std::size_t i = 0; i < step::count; ++i) {
    const float expected = std::clamp(2 * g.values[i], -10.0f, 10.0f);
    if (clamped.values[i] != expected) return step::fail("clamp", i, double{clamped.values[i]}, double{expected});
  }
  return step::run("user operations", [&] { return w.values.data(); }, [&] { w = -eta * (g + lambda * w); });
}
