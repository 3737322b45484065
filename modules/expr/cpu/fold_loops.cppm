module;
#include <cstddef>
#include <cstdint>
#include <cstring>
export module tessera.expr:fold_loops;
import tessera.standard;
import tessera.core;
import tessera.device;
import :conversion;
import :range_guard;
import :plan;
import :short_rows;
import :reducers;
import :combining;

// The inner loop of a reduction of computed values, which folds them in registers. By the kernel and the reducer they would be written to
// the L1 cache and read again.
namespace tessera {

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

/// Vectors of as many elements as one of the instruction set holds.
template <class T, std::ptrdiff_t Lanes>
[[gnu::always_inline]] inline void read_vector(typename VectorOf<T, Lanes>::type& vector, const T* from) {
  std::memcpy(&vector, from, sizeof vector);
}

/// How all lanes of two vectors become one, for combine_halves: as accumulators, or as extremes without NaN.
template <plan::ReduceOp Op, class A>
struct CombinedLanes {
  template <class Vector>
  [[gnu::always_inline]] static void combine_lanes(Vector& a, const Vector& b) {
    plan::combine_lanes<Op, A>(a, b);
  }
};
template <plan::ReduceOp Op>
struct OrderedLanes {
  template <class Vector>
  [[gnu::always_inline]] static void combine_lanes(Vector& a, const Vector& b) {
    plan::combine_ordered_lanes<Op>(a, b);
  }
};

/// What F makes of all lanes. Changes the vector.
template <class F, class T, std::ptrdiff_t Lanes>
[[gnu::always_inline]] inline T folded_lanes(typename VectorOf<T, Lanes>::type& vector) {
  plan::combine_halves<F, static_cast<int>(Lanes / 2)>(vector,
                                                       std::make_index_sequence<static_cast<std::size_t>(Lanes)>());
  return T(vector[0]);
}

/// Sums in the lanes of a vector; of small integers in the next wider type, which holds more of them in a register.
template <plan::ReduceOp Op, class C, std::ptrdiff_t Lanes>
class FoldedLanes {
  using A = plan::accumulator_t<Op, C>;
  static constexpr bool begins_narrow = std::integral<C> && sizeof(C) <= 2;
  using Number =
      typename std::conditional_t<begins_narrow, std::type_identity<plan::WiderOf<C>>, std::type_identity<A>>::type;
  using Numbers = typename VectorOf<Number, Lanes>::type;
  using Sums = typename VectorOf<plan::WrappingOf<Number>, Lanes>::type;

 public:
  using Values = typename VectorOf<C, Lanes>::type;
  using Accumulators = typename VectorOf<A, Lanes>::type;

  [[gnu::always_inline]] void take(const Values& values) { sums_ += __builtin_convertvector(values, Sums); }
  [[gnu::always_inline]] void join(const FoldedLanes& other) { sums_ += other.sums_; }
  [[gnu::always_inline]] void read(Accumulators& to) const {
    to = __builtin_convertvector(__builtin_bit_cast(Numbers, sums_), Accumulators);
  }
  [[gnu::always_inline]] A folded() const {
    Accumulators all;
    read(all);
    return folded_lanes<CombinedLanes<Op, A>, A, Lanes>(all);
  }

 private:
  Sums sums_{};
};

/// Extremes in the lanes of a vector. NaN is kept beside them, which is cheaper than to let it win each time.
template <plan::ReduceOp Op, class C, std::ptrdiff_t Lanes>
  requires(Op == plan::ReduceOp::minimum || Op == plan::ReduceOp::maximum)
class FoldedLanes<Op, C, Lanes> {
 public:
  using Values = typename VectorOf<C, Lanes>::type;
  using Accumulators = Values;

  [[gnu::always_inline]] void take(const Values& values) {
    plan::combine_ordered_lanes<Op>(extremes_, values);
    if constexpr (std::floating_point<C>) nan_ = values != values ? values : nan_;
  }
  [[gnu::always_inline]] void join(const FoldedLanes& other) {
    plan::combine_ordered_lanes<Op>(extremes_, other.extremes_);
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
  Values extremes_ = Values{} + plan::identity_of<Op, C>();
  Values nan_{};
};

/// Reductions whose values, of type C, are folded by the loop that computes them. Functions with a careful form cost more than their values' way
/// through the cache, and a user's function is called once for each element, where this computes some twice.
template <class Plan, plan::ReduceOp Op, class C>
concept FoldedAsComputed = (Op == plan::ReduceOp::sum || Op == plan::ReduceOp::mean || Op == plan::ReduceOp::minimum ||
                            Op == plan::ReduceOp::maximum) &&
                           std::is_arithmetic_v<C> && !std::same_as<C, bool> &&
                           !math::DependsOnRange<typename Plan::template Bound<device::Isa::avx2>> &&
                           !math::CallsOnce<typename Plan::template Bound<device::Isa::avx2>>;

template <class Plan, plan::ReduceOp Op, class C>
struct FoldLoopsOf {
  using A = plan::accumulator_t<Op, C>;
  template <device::Isa Isa>
  using Bound = typename Plan::template Bound<Isa>;
  template <device::Isa Isa>
  static constexpr std::ptrdiff_t lanes_of =
      (Isa == device::Isa::avx512 ? 64 : 32) / static_cast<std::ptrdiff_t>(sizeof(C));

  /// The number of a vector's lane in each.
  template <class Numbers, std::size_t... Lane>
  [[gnu::always_inline]] static void number_lanes(Numbers& to, std::index_sequence<Lane...>) {
    to = Numbers{static_cast<std::remove_cvref_t<decltype(to[0])>>(Lane)...};
  }

  /// Elements of one vector, or of four. Unrolling the loop over one early would hide it from the vectoriser.
  template <device::Isa Isa, std::ptrdiff_t Lanes, class Values>
  [[gnu::always_inline]] static void compute(C (&block)[Lanes], const Values& values, std::ptrdiff_t first) {
    math::RangeGuard guard;
    if constexpr (Lanes == lanes_of<Isa>) {
#pragma clang loop unroll(disable)
      for (std::ptrdiff_t i = 0; i < Lanes; ++i) block[i] = stored<Isa, C>(values.at(first, i, guard));
    } else {
      for (std::ptrdiff_t i = 0; i < Lanes; ++i) block[i] = stored<Isa, C>(values.at(first, i, guard));
    }
  }

  /// Four vectors at a time, then one; what is left is read once more with the values before it, which then count as nothing.
  template <device::Isa Isa>
  [[gnu::always_inline]] static void fold_rows(const void* nodes, void* accumulators, const plan::InputRows& inputs,
                                               std::ptrdiff_t rows, std::ptrdiff_t n) {
    constexpr std::ptrdiff_t lanes = lanes_of<Isa>;
    using Lanes = FoldedLanes<Op, C, lanes>;
    using Values = typename Lanes::Values;
    const std::ptrdiff_t rest = n % lanes;
    typename LaneNumbers<C, lanes>::type numbers;
    number_lanes(numbers, std::make_index_sequence<static_cast<std::size_t>(lanes)>());
    const auto is_left = numbers >= static_cast<std::remove_cvref_t<decltype(numbers[0])>>(lanes - rest);
    const Values nothing = Values{} + plan::identity_of<Op, C>();
    const Plan& plan = *static_cast<const Plan*>(nodes);
    Bound<Isa> values(plan, inputs.first);
    A* to = static_cast<A*>(accumulators);
#pragma clang loop vectorize(disable) unroll(disable)
    for (; rows > 0; --rows, ++to, values.advance(plan, inputs.pitches)) {
      Lanes total;
      Values vector;
      std::ptrdiff_t i = 0;
      if (n >= 4 * lanes) {
        Lanes of[4];
#pragma clang loop vectorize(disable) unroll(disable)
        for (; i + 4 * lanes <= n; i += 4 * lanes) {
          C block[4 * lanes];
          compute<Isa>(block, values, i);
          for (std::ptrdiff_t v = 0; v < 4; ++v) {
            read_vector<C, lanes>(vector, block + v * lanes);
            of[v].take(vector);
          }
        }
        of[0].join(of[1]);
        of[2].join(of[3]);
        of[0].join(of[2]);
        total = of[0];
      }
#pragma clang loop vectorize(disable) unroll(disable)
      for (; i + lanes <= n; i += lanes) {
        C block[lanes];
        compute<Isa>(block, values, i);
        read_vector<C, lanes>(vector, block);
        total.take(vector);
      }
      if (rest > 0) {
        C block[lanes];
        compute<Isa>(block, values, n - lanes);
        read_vector<C, lanes>(vector, block);
        vector = is_left ? vector : nothing;
        total.take(vector);
      }
      *to = plan::combined<Op>(*to, total.folded());
    }
  }

  /// Adds the elements from `start` on of some rows to their accumulators, without the first `skipped`.
  template <device::Isa Isa, std::ptrdiff_t Vectors>
  [[gnu::always_inline]] static void fold_strip(const Plan& plan, A* to, Bound<Isa> values,
                                                const std::ptrdiff_t* pitches, std::ptrdiff_t rows,
                                                std::ptrdiff_t start, std::ptrdiff_t skipped) {
    constexpr std::ptrdiff_t lanes = lanes_of<Isa>;
    using Lanes = FoldedLanes<Op, C, lanes>;
    Lanes of[Vectors];
#pragma clang loop vectorize(disable) unroll(disable)
    for (; rows > 0; --rows, values.advance(plan, pitches)) {
      C block[Vectors * lanes];
      compute<Isa>(block, values, start);
      for (std::ptrdiff_t v = 0; v < Vectors; ++v) {
        typename Lanes::Values vector;
        read_vector<C, lanes>(vector, block + v * lanes);
        of[v].take(vector);
      }
    }
    for (std::ptrdiff_t v = 0; v < Vectors; ++v) {
      typename Lanes::Accumulators before, after, taken;
      read_vector<A, lanes>(before, to + start + v * lanes);
      after = before;
      of[v].read(taken);
      plan::combine_lanes<Op, A>(after, taken);
      if constexpr (Vectors == 1) {
        typename LaneNumbers<A, lanes>::type numbers;
        number_lanes(numbers, std::make_index_sequence<static_cast<std::size_t>(lanes)>());
        after = numbers >= static_cast<std::remove_cvref_t<decltype(numbers[0])>>(skipped) ? after : before;
      }
      std::memcpy(to + start + v * lanes, &after, sizeof after);
    }
  }

  template <device::Isa Isa>
  [[gnu::always_inline]] static void fold_columns(const void* nodes, void* accumulators, const plan::InputRows& inputs,
                                                  std::ptrdiff_t rows, std::ptrdiff_t n) {
    constexpr std::ptrdiff_t lanes = lanes_of<Isa>;
    constexpr std::ptrdiff_t most = 8;  // rows that are added up before an accumulator is read
    const Plan& plan = *static_cast<const Plan*>(nodes);
    Bound<Isa> values(plan, inputs.first);
    A* const to = static_cast<A*>(accumulators);
    for (;;) {
      const std::ptrdiff_t together = rows < most ? rows : most;
      std::ptrdiff_t start = 0;
#pragma clang loop vectorize(disable) unroll(disable)
      for (; start + 4 * lanes <= n; start += 4 * lanes)
        fold_strip<Isa, 4>(plan, to, values, inputs.pitches, together, start, 0);
#pragma clang loop vectorize(disable) unroll(disable)
      for (; start < n; start += lanes) {
        const std::ptrdiff_t from = start + lanes <= n ? start : n - lanes;
        fold_strip<Isa, 1>(plan, to, values, inputs.pitches, together, from, start - from);
      }
      if (rows <= most) return;
      rows -= most;
      for (std::ptrdiff_t row = 0; row < most; ++row) values.advance(plan, inputs.pitches);
    }
  }

  [[gnu::target("avx2,fma,f16c,bmi,bmi2")]] static void rows_avx2(const void* nodes, void* to,
                                                                  const plan::InputRows& inputs, std::ptrdiff_t rows,
                                                                  std::ptrdiff_t n) {
    fold_rows<device::Isa::avx2>(nodes, to, inputs, rows, n);
  }
  [[gnu::target("avx2,fma,f16c,bmi,bmi2")]] static void columns_avx2(const void* nodes, void* to,
                                                                     const plan::InputRows& inputs, std::ptrdiff_t rows,
                                                                     std::ptrdiff_t n) {
    fold_columns<device::Isa::avx2>(nodes, to, inputs, rows, n);
  }
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void rows_avx512(
      const void* nodes, void* to, const plan::InputRows& inputs, std::ptrdiff_t rows, std::ptrdiff_t n) {
    fold_rows<device::Isa::avx512>(nodes, to, inputs, rows, n);
  }
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void columns_avx512(
      const void* nodes, void* to, const plan::InputRows& inputs, std::ptrdiff_t rows, std::ptrdiff_t n) {
    fold_columns<device::Isa::avx512>(nodes, to, inputs, rows, n);
  }
};

/// The loops that fold a plan's values of type C, for the CPU at hand; none where the kernel and the reducer are to be used.
template <plan::ReduceOp Op, class C, class Plan>
[[gnu::always_inline]] inline plan::FoldLoops fold_loops_of(const Plan&) {
  if constexpr (FoldedAsComputed<Plan, Op, C>) {
    using Folds = FoldLoopsOf<Plan, Op, C>;
    static constexpr plan::FoldLoops by_isa[] = {
        {},
        {Folds::rows_avx2, Folds::columns_avx2, Folds::template lanes_of<device::Isa::avx2>},
        {Folds::rows_avx512, Folds::columns_avx512, Folds::template lanes_of<device::Isa::avx512>}};
    return by_isa[static_cast<int>(device::isa())];
  } else {
    return {};
  }
}

}  // namespace tessera
