export module tessera.collective:sharded_operators;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import :group;
import :layout;
import :sharded;
import :shard_map;

// C++'s operators on sharded arrays: each is that of arrays, of what each rank has.
namespace tessera {

namespace collective {

#define TESSERA_OF_PARTS(sign, named)                                                              \
  struct named##_parts {                                                                           \
    auto operator()(const auto& a, const auto& b) const -> decltype(a sign b) { return a sign b; } \
  };
TESSERA_OF_PARTS(+, add)
TESSERA_OF_PARTS(-, subtract)
TESSERA_OF_PARTS(*, multiply)
TESSERA_OF_PARTS(/, divide)
TESSERA_OF_PARTS(%, modulo)
TESSERA_OF_PARTS(==, equal)
TESSERA_OF_PARTS(!=, not_equal)
TESSERA_OF_PARTS(<, less)
TESSERA_OF_PARTS(<=, less_equal)
TESSERA_OF_PARTS(>, greater)
TESSERA_OF_PARTS(>=, greater_equal)
TESSERA_OF_PARTS(&, bitwise_and)
TESSERA_OF_PARTS(|, bitwise_or)
TESSERA_OF_PARTS(^, bitwise_xor)
TESSERA_OF_PARTS(<<, bitwise_left_shift)
TESSERA_OF_PARTS(>>, bitwise_right_shift)
#undef TESSERA_OF_PARTS

struct negative_parts {
  auto operator()(const auto& x) const -> decltype(-x) { return -x; }
};
struct bitwise_invert_parts {
  auto operator()(const auto& x) const -> decltype(~x) { return ~x; }
};
struct logical_not_parts {
  auto operator()(const auto& x) const -> decltype(!x) { return !x; }
};

}  // namespace collective

#define TESSERA_OPERATOR(sign, named)                                                                     \
  export template <class A, class B>                                                                      \
    requires collective::ShardedOperands<A, B> && collective::TakesParts<collective::named##_parts, A, B> \
  auto operator sign(const A& a, const B& b) {                                                            \
    return shard_map(collective::named##_parts(), a, b);                                                  \
  }
/// Sum, computed by each rank alone; integers wrap. Operands lie alike, or are scalars, or replicated and repeated along the axis that is split. Throws ShapeError for layouts
/// that do not go together.
TESSERA_OPERATOR(+, add)
/// Difference; integers wrap. Of sharded operands as +.
TESSERA_OPERATOR(-, subtract)
/// Product of elements; integers wrap. Of sharded operands as +.
TESSERA_OPERATOR(*, multiply)
/// Quotient; for integers truncated as in C++, x / 0 is 0 and the lowest value divided by -1 wraps to itself. Of sharded operands as +.
TESSERA_OPERATOR(/, divide)
/// Remainder of the truncated quotient, with the sign of a, as in C++; x % 0 is 0. Of sharded operands as +.
TESSERA_OPERATOR(%, modulo)
/// True where a == b; NaN equals nothing.
TESSERA_OPERATOR(==, equal)
/// True where a != b; NaN differs from everything.
TESSERA_OPERATOR(!=, not_equal)
/// True where a < b; NaN has no order.
TESSERA_OPERATOR(<, less)
/// True where a <= b; NaN has no order.
TESSERA_OPERATOR(<=, less_equal)
/// True where a > b; NaN has no order.
TESSERA_OPERATOR(>, greater)
/// True where a >= b; NaN has no order.
TESSERA_OPERATOR(>=, greater_equal)
/// The bits that both have; of bool, and.
TESSERA_OPERATOR(&, bitwise_and)
/// The bits that one of them has or both; of bool, or.
TESSERA_OPERATOR(|, bitwise_or)
/// The bits that one of them has and the other has not; of bool, either or.
TESSERA_OPERATOR(^, bitwise_xor)
/// Shift; by the width of the type or more, or by a negative number, everything is shifted out (>> leaves the sign).
TESSERA_OPERATOR(<<, bitwise_left_shift)
/// Shift to lower bits, of signed integers with copies of the sign; by the width of the type or more, or by a negative number, only the sign is left.
TESSERA_OPERATOR(>>, bitwise_right_shift)
#undef TESSERA_OPERATOR

/// -x.
export template <ShardedOperand A>
  requires collective::TakesParts<collective::negative_parts, A>
auto operator-(const A& a) {
  return shard_map(collective::negative_parts(), a);
}
/// Each bit inverted.
export template <ShardedOperand A>
  requires collective::TakesParts<collective::bitwise_invert_parts, A>
auto operator~(const A& a) {
  return shard_map(collective::bitwise_invert_parts(), a);
}
/// True where a is false.
export template <ShardedOperand A>
  requires collective::TakesParts<collective::logical_not_parts, A>
auto operator!(const A& a) {
  return shard_map(collective::logical_not_parts(), a);
}

namespace collective {

/// Writes the result, and remembers the collectives that have made it.
template <class A, class X>
void write(Sharded<A>& to, const Sharded<X>& result) {
  assign(to, result);
  if (result.collectives().size() != to.collectives().size())
    to = Sharded<A>(to.group(), to.shape(), to.layout(), to.local(), result.collectives());
}

}  // namespace collective

/// Each rank writes the result of the operation into the elements it has, for every name that shares them; returns the array. Throws ShapeError if the result has another shape or layout
/// than what is written.
// clang-format off
#define TESSERA_COMPOUND(sign)                                                                                  \
  export template <ArrayHandle A, class B>                                                                      \
    requires collective::BesideSharded<B> && requires(const Sharded<A>& a, const B& b) { assign(a, a sign b); } \
  Sharded<A>& operator sign##=(Sharded<A>& a, const B& b) {                                                     \
    collective::write(a, a sign b);                                                                             \
    return a;                                                                                                   \
  }
// clang-format on
TESSERA_COMPOUND(+)
TESSERA_COMPOUND(-)
TESSERA_COMPOUND(*)
TESSERA_COMPOUND(/)
TESSERA_COMPOUND(%)
TESSERA_COMPOUND(&)
TESSERA_COMPOUND(|)
TESSERA_COMPOUND(^)
TESSERA_COMPOUND(<<)
TESSERA_COMPOUND(>>)
#undef TESSERA_COMPOUND

}  // namespace tessera
