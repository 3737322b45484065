module;
#include <cstddef>
#include <cstdint>
#include <cstring>
export module tessera.expr:folded_lanes;
import tessera.standard;
import tessera.core;
import :plan;
import :reducers;
import :combining;

// Rows of numbers folded in the lanes of vectors, one row after the other or side by side. Where the numbers come from is a type: the memory in which
// they lie or the expression that computes them, so that both are added up in the same order.
namespace tessera::plan {

template <class T, std::ptrdiff_t Lanes>
struct VectorOf {
  using type [[gnu::vector_size(Lanes * sizeof(T))]] = T;
};

/// As many integers as a vector of T has lanes, to number them.
template <class T, std::ptrdiff_t Lanes>
using LaneNumbers =
    VectorOf<std::conditional_t<sizeof(T) == 8, std::int64_t,
                                std::conditional_t<sizeof(T) == 4, std::int32_t,
                                                   std::conditional_t<sizeof(T) == 2, std::int16_t, std::int8_t>>>,
             Lanes>;

/// Reads as many elements as the vector has lanes.
template <class T, std::ptrdiff_t Lanes>
[[gnu::always_inline]] inline void read_vector(typename VectorOf<T, Lanes>::type& vector, const T* from) {
  std::memcpy(&vector, from, sizeof vector);
}

/// How all lanes of two vectors become one, for combine_halves: as accumulators, or as extremes without NaN.
template <ReduceOp Op, class A>
struct CombinedLanes {
  template <class Vector>
  [[gnu::always_inline]] static void combine_lanes(Vector& a, const Vector& b) {
    plan::combine_lanes<Op, A>(a, b);
  }
};
template <ReduceOp Op>
struct OrderedLanes {
  template <class Vector>
  [[gnu::always_inline]] static void combine_lanes(Vector& a, const Vector& b) {
    plan::combine_ordered_lanes<Op>(a, b);
  }
};

/// `other` is combined with `total` half by half, until its first lane has all.
template <class F, int Half, class Vector, std::size_t... Lane>
[[gnu::always_inline]] inline void combine_halves(Vector& total, std::index_sequence<Lane...> lanes) {
  const Vector other =
      __builtin_shufflevector(total, total, ((static_cast<int>(Lane) + Half) % static_cast<int>(sizeof...(Lane)))...);
  F::combine_lanes(total, other);
  if constexpr (Half > 1) combine_halves<F, Half / 2>(total, lanes);
}

/// What F makes of all lanes. Changes the vector.
template <class F, class T, std::ptrdiff_t Lanes>
[[gnu::always_inline]] inline T folded_lanes(typename VectorOf<T, Lanes>::type& vector) {
  combine_halves<F, static_cast<int>(Lanes / 2)>(vector, std::make_index_sequence<static_cast<std::size_t>(Lanes)>());
  return T(vector[0]);
}

/// Sums or products in the lanes of a vector; sums of small integers in the next wider type, of which a register holds more.
template <ReduceOp Op, class C, std::ptrdiff_t Lanes>
class FoldedLanes {
  using A = accumulator_t<Op, C>;
  static constexpr bool begins_narrow = Op != ReduceOp::product && std::integral<C> && sizeof(C) <= 2;
  using Number =
      typename std::conditional_t<begins_narrow, std::type_identity<WiderOf<C>>, std::type_identity<A>>::type;
  using Numbers = typename VectorOf<Number, Lanes>::type;
  using Wrapped = WrappingOf<Number>;
  using Folded = typename VectorOf<Wrapped, Lanes>::type;

 public:
  using Values = typename VectorOf<C, Lanes>::type;
  using Accumulators = typename VectorOf<A, Lanes>::type;

  [[gnu::always_inline]] void take(const Values& values) {
    combine_lanes<Op, Wrapped>(folded_, __builtin_convertvector(values, Folded));
  }
  [[gnu::always_inline]] void join(const FoldedLanes& other) { combine_lanes<Op, Wrapped>(folded_, other.folded_); }
  [[gnu::always_inline]] void read(Accumulators& to) const {
    to = __builtin_convertvector(__builtin_bit_cast(Numbers, folded_), Accumulators);
  }
  [[gnu::always_inline]] A folded() const {
    Accumulators all;
    read(all);
    return folded_lanes<CombinedLanes<Op, A>, A, Lanes>(all);
  }

 private:
  Folded folded_ = Folded{} + identity_of<Op, Wrapped>();
};

/// Extremes in the lanes of a vector. NaN is kept beside them, which is cheaper than to let it win each time.
template <ReduceOp Op, class C, std::ptrdiff_t Lanes>
  requires(Op == ReduceOp::minimum || Op == ReduceOp::maximum)
class FoldedLanes<Op, C, Lanes> {
 public:
  using Values = typename VectorOf<C, Lanes>::type;
  using Accumulators = Values;

  [[gnu::always_inline]] void take(const Values& values) {
    combine_ordered_lanes<Op>(extremes_, values);
    if constexpr (std::floating_point<C>) nan_ = values != values ? values : nan_;
  }
  [[gnu::always_inline]] void join(const FoldedLanes& other) {
    combine_ordered_lanes<Op>(extremes_, other.extremes_);
    if constexpr (std::floating_point<C>) nan_ = other.nan_ != other.nan_ ? other.nan_ : nan_;
  }
  [[gnu::always_inline]] void read(Accumulators& to) const {
    to = extremes_;
    if constexpr (std::floating_point<C>) to = nan_ != nan_ ? nan_ : to;
  }
  [[gnu::always_inline]] C folded() const {
    Values all;
    if constexpr (std::floating_point<C>) {
      if (__builtin_reduce_or(nan_ != nan_) != 0) [[unlikely]] {
        read(all);
        return folded_lanes<CombinedLanes<Op, C>, C, Lanes>(all);
      }
    }
    all = extremes_;
    return folded_lanes<OrderedLanes<Op>, C, Lanes>(all);
  }

 private:
  Values extremes_ = Values{} + identity_of<Op, C>();
  Values nan_{};
};

/// Numbers that lie in memory, row after row.
template <class C>
class RowsInMemory {
 public:
  using Value = C;

  [[gnu::always_inline]] RowsInMemory(const C* first, std::ptrdiff_t stride) : row_(first), stride_(stride) {}

  /// Elements `first` and on of the row.
  template <std::ptrdiff_t Count>
  [[gnu::always_inline]] void read(C (&block)[Count], std::ptrdiff_t first) const {
    std::memcpy(block, row_ + first, sizeof block);
  }
  [[gnu::always_inline]] void advance() { row_ += stride_; }

 private:
  const C* row_;
  std::ptrdiff_t stride_;
};

/// Values that a lane takes at most: sums of bytes fit, and rounding errors do not grow.
inline constexpr std::ptrdiff_t most_in_lane = 256;

/// The number of a vector's lane in each.
template <class Numbers, std::size_t... Lane>
[[gnu::always_inline]] inline void number_lanes(Numbers& to, std::index_sequence<Lane...>) {
  to = Numbers{static_cast<std::remove_cvref_t<decltype(to[0])>>(Lane)...};
}

/// What the lanes of a vector take of the elements from `first` on.
template <class Lanes, std::ptrdiff_t Count, std::size_t Vectors, class Rows>
[[gnu::always_inline]] inline void take_elements(Lanes (&of)[Vectors], const Rows& rows, std::ptrdiff_t first) {
  typename Rows::Value block[static_cast<std::ptrdiff_t>(Vectors) * Count];
  rows.read(block, first);
  for (std::size_t v = 0; v < Vectors; ++v) {
    typename Lanes::Values vector;
    read_vector<typename Rows::Value, Count>(vector, block + static_cast<std::ptrdiff_t>(v) * Count);
    of[v].take(vector);
  }
}

/// Folds rows of n >= Count numbers, at most most_in_lane for each lane, into an accumulator each: four vectors at a time, then one; what is left is read
/// once more with the numbers before it, which then count as nothing.
template <ReduceOp Op, std::ptrdiff_t Count, class A, class Rows>
[[gnu::always_inline]] inline void fold_rows(A* to, Rows rows, std::ptrdiff_t number, std::ptrdiff_t n) {
  using C = typename Rows::Value;
  using Lanes = FoldedLanes<Op, C, Count>;
  const std::ptrdiff_t rest = n % Count;
  typename LaneNumbers<C, Count>::type numbers;
  number_lanes(numbers, std::make_index_sequence<static_cast<std::size_t>(Count)>());
  const auto is_left = numbers >= static_cast<std::remove_cvref_t<decltype(numbers[0])>>(Count - rest);
  const typename Lanes::Values nothing = typename Lanes::Values{} + identity_of<Op, C>();
#pragma clang loop vectorize(disable) unroll(disable)
  for (; number > 0; --number, ++to, rows.advance()) {
    Lanes total[1];
    std::ptrdiff_t i = 0;
    if (n >= 4 * Count) {
      Lanes of[4];
#pragma clang loop vectorize(disable) unroll(disable)
      for (; i + 4 * Count <= n; i += 4 * Count) take_elements<Lanes, Count>(of, rows, i);
      of[0].join(of[1]);
      of[2].join(of[3]);
      of[0].join(of[2]);
      total[0] = of[0];
    }
#pragma clang loop vectorize(disable) unroll(disable)
    for (; i + Count <= n; i += Count) take_elements<Lanes, Count>(total, rows, i);
    if (rest > 0) {
      C block[Count];
      rows.read(block, n - Count);
      typename Lanes::Values vector;
      read_vector<C, Count>(vector, block);
      vector = is_left ? vector : nothing;
      total[0].take(vector);
    }
    *to = combined<Op>(*to, total[0].folded());
  }
}

/// Adds the elements from `start` on of some rows to their accumulators, without the first `skipped`.
template <ReduceOp Op, std::ptrdiff_t Count, std::ptrdiff_t Vectors, class A, class Rows>
[[gnu::always_inline]] inline void fold_strip(A* to, Rows rows, std::ptrdiff_t number, std::ptrdiff_t start,
                                              std::ptrdiff_t skipped) {
  using Lanes = FoldedLanes<Op, typename Rows::Value, Count>;
  Lanes of[Vectors];
#pragma clang loop vectorize(disable) unroll(disable)
  for (; number > 0; --number, rows.advance()) take_elements<Lanes, Count>(of, rows, start);
  for (std::ptrdiff_t v = 0; v < Vectors; ++v) {
    typename Lanes::Accumulators before, after, taken;
    read_vector<A, Count>(before, to + start + v * Count);
    after = before;
    of[v].read(taken);
    combine_lanes<Op, A>(after, taken);
    if constexpr (Vectors == 1) {
      typename LaneNumbers<A, Count>::type numbers;
      number_lanes(numbers, std::make_index_sequence<static_cast<std::size_t>(Count)>());
      after = numbers >= static_cast<std::remove_cvref_t<decltype(numbers[0])>>(skipped) ? after : before;
    }
    std::memcpy(to + start + v * Count, &after, sizeof after);
  }
}

/// Folds rows of n >= Count numbers side by side into n accumulators.
template <ReduceOp Op, std::ptrdiff_t Count, class A, class Rows>
[[gnu::always_inline]] inline void fold_columns(A* to, Rows rows, std::ptrdiff_t number, std::ptrdiff_t n) {
  constexpr std::ptrdiff_t most = 8;  // rows that are added up before an accumulator is read
  for (;;) {
    const std::ptrdiff_t together = number < most ? number : most;
    std::ptrdiff_t start = 0;
#pragma clang loop vectorize(disable) unroll(disable)
    for (; start + 4 * Count <= n; start += 4 * Count) fold_strip<Op, Count, 4>(to, rows, together, start, 0);
#pragma clang loop vectorize(disable) unroll(disable)
    for (; start < n; start += Count) {
      const std::ptrdiff_t from = start + Count <= n ? start : n - Count;
      fold_strip<Op, Count, 1>(to, rows, together, from, start - from);
    }
    if (number <= most) return;
    number -= most;
    for (std::ptrdiff_t row = 0; row < most; ++row) rows.advance();
  }
}

/// Lanes of a vector of so many bytes, for reductions and types that are folded by these loops; 0 for others.
template <ReduceOp Op, class C, std::ptrdiff_t VectorBytes>
constexpr std::ptrdiff_t lanes_folded() {
  const bool folds = Op == ReduceOp::sum || Op == ReduceOp::mean || Op == ReduceOp::product ||
                     Op == ReduceOp::minimum || Op == ReduceOp::maximum;
  const bool is_number = std::is_arithmetic_v<C> && !std::same_as<C, bool>;
  return folds && is_number ? VectorBytes / static_cast<std::ptrdiff_t>(sizeof(C)) : 0;
}

}  // namespace tessera::plan
