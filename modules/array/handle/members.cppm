module;
#include <cstddef>
export module tessera.array:members;
import tessera.standard;
import tessera.core;
import :concepts;

// Members that arrays, views and expressions share: functions for those who look for them behind a dot, and the value of what has rank 0.
namespace tessera {

// A member hides the function of its name, which belongs to a room below: these call it, found by its argument.
#define TESSERA_CALL(function)                           \
  template <int... Axis, class X, class... Rest>         \
  auto call_##function(const X& x, const Rest&... rest)  \
    requires requires { function<Axis...>(x, rest...); } \
  {                                                      \
    return function<Axis...>(x, rest...);                \
  }
TESSERA_CALL(sum)
TESSERA_CALL(prod)
TESSERA_CALL(min)
TESSERA_CALL(max)
TESSERA_CALL(mean)
TESSERA_CALL(var)
TESSERA_CALL(stddev)
TESSERA_CALL(any)
TESSERA_CALL(all_of)
TESSERA_CALL(argmin)
TESSERA_CALL(argmax)
TESSERA_CALL(squeeze)
#undef TESSERA_CALL

template <class X>
auto call_item(const X& x) {
  return item(x);
}
template <class X, class... Shape>
auto call_reshape(const X& x, const Shape&... shape)
  requires requires { reshape(x, shape...); }
{
  return reshape(x, shape...);
}
template <class X>
auto call_flatten(const X& x) {
  return flatten(x);
}

/// Base of arrays, views and expressions (`Derived`) with elements of type `Value` along `Rank` axes.
export template <class Derived, class Value, int Rank>
class OperandMembers {
 public:
  /// The value of what has one element and no axis: `double s = mean(x);`, `if (any(x > 0))`. Computes an expression, and waits for what
  /// is pending. Throws IndexError without storage, and what evaluation throws.
  operator Value() const  // only what has rank 0 is a value: index an element, or write sum(x), any(x), all(x)
    requires(Rank == 0)
  {
    return value();
  }
  /// 16-bit elements are computed with as float.
  operator float() const
    requires(Rank == 0 && !std::same_as<compute_t<Value>, Value>)
  {
    return static_cast<float>(value());
  }

  // clang-format off
  explicit operator bool() const  // an array has no truth value: write any(x) or all(x), and & | ! for elements; has_storage() asks for memory
      // clang-format on
    requires(Rank > 0)
  = delete;

// Each is the function of its name: x.sum<1>(keepdims) is sum<1>(x, keepdims).
#define TESSERA_MEMBER(name, function)                                            \
  template <int... Axis, class... Rest>                                           \
  auto name(const Rest&... rest) const                                            \
    requires requires(const Derived& x) { call_##function<Axis...>(x, rest...); } \
  {                                                                               \
    return call_##function<Axis...>(self(), rest...);                             \
  }
  TESSERA_MEMBER(sum, sum)          // it takes what the function takes, which says what is wrong: write sum(x)
  TESSERA_MEMBER(prod, prod)        // it takes what the function takes, which says what is wrong: write prod(x)
  TESSERA_MEMBER(min, min)          // it takes what the function takes, which says what is wrong: write min(x)
  TESSERA_MEMBER(max, max)          // it takes what the function takes, which says what is wrong: write max(x)
  TESSERA_MEMBER(mean, mean)        // it takes what the function takes, which says what is wrong: write mean(x)
  TESSERA_MEMBER(var, var)          // it takes what the function takes, which says what is wrong: write var(x)
  TESSERA_MEMBER(stddev, stddev)    // it takes what the function takes, which says what is wrong: write stddev(x)
  TESSERA_MEMBER(any, any)          // it takes what the function takes, which says what is wrong: write any(x)
  TESSERA_MEMBER(all, all_of)       // it takes what the function takes, which says what is wrong: write all_of(x)
  TESSERA_MEMBER(argmin, argmin)    // it takes what the function takes, which says what is wrong: write argmin(x)
  TESSERA_MEMBER(argmax, argmax)    // it takes what the function takes, which says what is wrong: write argmax(x)
  TESSERA_MEMBER(squeeze, squeeze)  // it takes what the function takes, which says what is wrong: write squeeze(x)
#undef TESSERA_MEMBER

  /// reshape(x, shape): x.reshape(Dim{2, 3}), x.reshape(2, -1).
  template <class... Shape>
  auto reshape(const Shape&... shape) const
    requires requires(const Derived& x) { call_reshape(x, shape...); }
  {
    return call_reshape(self(), shape...);
  }
  /// x.reshape({2, -1}).
  template <std::integral Extent, std::size_t Count>
  auto reshape(const Extent (&shape)[Count]) const {
    return call_reshape(self(), shape);
  }
  auto flatten() const { return call_flatten(self()); }

  /// The value of what has rank 0.
  Value item() const
    requires(Rank == 0)
  {
    return value();
  }

 protected:
  OperandMembers() = default;

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }

  Value value() const {
    if constexpr (requires(const Derived& x) { x.data(); }) {
      return self()[{}];
    } else {
      return call_item(self());
    }
  }
};

}  // namespace tessera
