export module tessera.expr:comparisons;
import tessera.standard;
import tessera.core;
import tessera.array;
import :node;
import :map;
import :operand_concepts;
import :weak_scalar;

// Comparisons: operators, and their names in the array API standard. Their elements are bool; complex numbers have equality only.
// An integer scalar that does not fit in the array's type is compared as what it is: uint8 elements are never equal to -1.
namespace tessera {

struct Equal {
  static constexpr const char* name = "operator ==";
  static constexpr const char* device = "$0 == $1";
  template <class C>
  [[gnu::always_inline]] static bool apply(C a, C b) {
    return a == b;
  }
};
struct NotEqual {
  static constexpr const char* name = "operator !=";
  static constexpr const char* device = "$0 != $1";
  template <class C>
  [[gnu::always_inline]] static bool apply(C a, C b) {
    return a != b;
  }
};
struct Less {
  static constexpr const char* name = "operator <";
  static constexpr const char* device = "$0 < $1";
  template <class C>
  [[gnu::always_inline]] static bool apply(C a, C b) {
    return a < b;
  }
};
struct LessEqual {
  static constexpr const char* name = "operator <=";
  static constexpr const char* device = "$0 <= $1";
  template <class C>
  [[gnu::always_inline]] static bool apply(C a, C b) {
    return a <= b;
  }
};
struct Greater {
  static constexpr const char* name = "operator >";
  static constexpr const char* device = "$0 > $1";
  template <class C>
  [[gnu::always_inline]] static bool apply(C a, C b) {
    return a > b;
  }
};
struct GreaterEqual {
  static constexpr const char* name = "operator >=";
  static constexpr const char* device = "$0 >= $1";
  template <class C>
  [[gnu::always_inline]] static bool apply(C a, C b) {
    return a >= b;
  }
};

/// True where a == b; NaN equals nothing.
export template <class L, class R>
  requires Combinable<L, R>
auto operator==(L&& a, R&& b) {
  return make_comparison<Equal>(std::forward<L>(a), std::forward<R>(b));
}
/// True where a != b; NaN differs from everything.
export template <class L, class R>
  requires Combinable<L, R>
auto operator!=(L&& a, R&& b) {
  return make_comparison<NotEqual>(std::forward<L>(a), std::forward<R>(b));
}
/// True where a < b; NaN has no order.
export template <class L, class R>
  requires OrderedOperands<L, R>
auto operator<(L&& a, R&& b) {
  return make_comparison<Less>(std::forward<L>(a), std::forward<R>(b));
}
/// True where a <= b; NaN has no order.
export template <class L, class R>
  requires OrderedOperands<L, R>
auto operator<=(L&& a, R&& b) {
  return make_comparison<LessEqual>(std::forward<L>(a), std::forward<R>(b));
}
/// True where a > b; NaN has no order.
export template <class L, class R>
  requires OrderedOperands<L, R>
auto operator>(L&& a, R&& b) {
  return make_comparison<Greater>(std::forward<L>(a), std::forward<R>(b));
}
/// True where a >= b; NaN has no order.
export template <class L, class R>
  requires OrderedOperands<L, R>
auto operator>=(L&& a, R&& b) {
  return make_comparison<GreaterEqual>(std::forward<L>(a), std::forward<R>(b));
}

/// True where a equals b; NaN equals nothing.
export template <class L, class R>
  requires Combinable<L, R>
auto equal(L&& a, R&& b) {
  return std::forward<L>(a) == std::forward<R>(b);
}
/// True where a differs from b; NaN differs from everything.
export template <class L, class R>
  requires Combinable<L, R>
auto not_equal(L&& a, R&& b) {
  return std::forward<L>(a) != std::forward<R>(b);
}
/// True where a is below b.
export template <class L, class R>
  requires OrderedOperands<L, R>
auto less(L&& a, R&& b) {
  return std::forward<L>(a) < std::forward<R>(b);
}
/// True where a is not above b.
export template <class L, class R>
  requires OrderedOperands<L, R>
auto less_equal(L&& a, R&& b) {
  return std::forward<L>(a) <= std::forward<R>(b);
}
/// True where a is above b.
export template <class L, class R>
  requires OrderedOperands<L, R>
auto greater(L&& a, R&& b) {
  return std::forward<L>(a) > std::forward<R>(b);
}
/// True where a is not below b.
export template <class L, class R>
  requires OrderedOperands<L, R>
auto greater_equal(L&& a, R&& b) {
  return std::forward<L>(a) >= std::forward<R>(b);
}

}  // namespace tessera
