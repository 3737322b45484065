module;
#include <cstddef>
#include <cstdint>
#include <cstring>
export module tessera.expr:short_rows;
import tessera.standard;

// Rows of some ten values, folded in the lanes of one vector: what is left of them is read once more with the values before it, which then
// count as nothing, instead of one by one.
namespace tessera::plan {

/// `other` is combined with `total` half by half, until its first lane has all.
template <class F, int Half, class Vector, std::size_t... Lane>
[[gnu::always_inline]] inline void combine_halves(Vector& total, std::index_sequence<Lane...> lanes) {
  const Vector other =
      __builtin_shufflevector(total, total, ((static_cast<int>(Lane) + Half) % static_cast<int>(sizeof...(Lane)))...);
  F::combine_lanes(total, other);
  if constexpr (Half > 1) combine_halves<F, Half / 2>(total, lanes);
}

template <class Vector, class Number, std::size_t... Lane>
[[gnu::always_inline]] inline void count_lanes(Vector& to, std::index_sequence<Lane...>) {
  to = Vector{static_cast<Number>(Lane)...};
}

/// Folds n >= Lanes numbers of `F`, which has the types Value and Accumulator and the functions identity() and combine_lanes(to, from), of
/// vectors. The watch sees all of them.
template <std::ptrdiff_t Lanes, class F>
[[gnu::always_inline]] inline typename F::Accumulator fold_in_vector(const typename F::Value* from, std::ptrdiff_t n) {
  using A = typename F::Accumulator;
  using C = typename F::Value;
  using Number = std::conditional_t<
      sizeof(A) == 8, std::int64_t,
      std::conditional_t<sizeof(A) == 4, std::int32_t, std::conditional_t<sizeof(A) == 2, std::int16_t, std::int8_t>>>;
  using Values [[gnu::vector_size(Lanes * sizeof(C))]] = C;
  using Vector [[gnu::vector_size(Lanes * sizeof(A))]] = A;
  using Numbers [[gnu::vector_size(Lanes * sizeof(A))]] = Number;
  constexpr auto lanes = std::make_index_sequence<static_cast<std::size_t>(Lanes)>();
  Values values;
  std::memcpy(&values, from, sizeof values);
  Vector total = __builtin_convertvector(values, Vector);
  std::ptrdiff_t i = Lanes;
  for (; i + Lanes <= n; i += Lanes) {
    std::memcpy(&values, from + i, sizeof values);
    const Vector next = __builtin_convertvector(values, Vector);
    F::combine_lanes(total, next);
  }
  if (i < n) {
    std::memcpy(&values, from + n - Lanes, sizeof values);
    Numbers numbers;
    count_lanes<Numbers, Number>(numbers, lanes);
    const Vector nothing = Vector{} + F::identity();
    const Vector last =
        numbers >= static_cast<Number>(Lanes - (n - i)) ? __builtin_convertvector(values, Vector) : nothing;
    F::combine_lanes(total, last);
  }
  combine_halves<F, static_cast<int>(Lanes / 2)>(total, lanes);
  return total[0];
}

}  // namespace tessera::plan
