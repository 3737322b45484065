module;
#include <cstddef>
export module tessera.expr:fold_loops;
import tessera.standard;
import tessera.core;
import tessera.device;
import :conversion;
import :range_guard;
import :plan;
import :reducers;
import :folded_lanes;

// The inner loop of a reduction of computed values, which folds them in registers. By the kernel and the reducer they would be written to
// the L1 cache and read again.
namespace tessera {

/// Reductions whose values, of type C, are folded by the loop that computes them. It computes some twice, which long functions cost more than their values' way
/// through the cache, and a user's function is called once for each element.
template <class Plan, plan::ReduceOp Op, class C>
concept FoldedAsComputed =
    plan::lanes_folded<Op, C, 64>() > 0 && !math::TakesLong<typename Plan::template Bound<device::Isa::avx2>> &&
    !math::CallsOnce<typename Plan::template Bound<device::Isa::avx2>>;

/// The values of rows, computed where they are read.
template <device::Isa Isa, class C, class Plan>
class ComputedRows {
  using Bound = typename Plan::template Bound<Isa>;
  static constexpr std::ptrdiff_t lanes =
      plan::lanes_folded<plan::ReduceOp::sum, C, Isa == device::Isa::avx512 ? 64 : 32>();

 public:
  using Value = C;

  [[gnu::always_inline]] ComputedRows(const void* nodes, const plan::InputRows& inputs,
                                      const std::ptrdiff_t* set_pitches)
      : plan_(static_cast<const Plan*>(nodes)),
        pitches_(inputs.pitches),
        set_pitches_(set_pitches),
        values_(*static_cast<const Plan*>(nodes), inputs.first) {}

  /// Elements of one vector, or of four. Unrolling the loop over one early would hide it from the vectoriser.
  template <std::ptrdiff_t Count>
  [[gnu::always_inline]] void read(C (&block)[Count], std::ptrdiff_t first) const {
    math::RangeGuard guard;
    if constexpr (Count == lanes) {
#pragma clang loop unroll(disable)
      for (std::ptrdiff_t i = 0; i < Count; ++i) block[i] = stored<Isa, C>(values_.at(first, i, guard));
    } else {
      for (std::ptrdiff_t i = 0; i < Count; ++i) block[i] = stored<Isa, C>(values_.at(first, i, guard));
    }
  }
  [[gnu::always_inline]] void advance() { values_.advance(*plan_, pitches_); }

  /// From the first row of a set to that of the next.
  [[gnu::always_inline]] void advance_set() { values_.advance(*plan_, set_pitches_); }

 private:
  const Plan* plan_;
  const std::ptrdiff_t* pitches_;
  const std::ptrdiff_t* set_pitches_;
  Bound values_;
};

template <class Plan, plan::ReduceOp Op, class C>
struct FoldLoopsOf {
  using A = plan::accumulator_t<Op, C>;
  template <device::Isa Isa>
  using Rows = ComputedRows<Isa, C, Plan>;

  template <device::Isa Isa>
  static constexpr std::ptrdiff_t lanes = plan::lanes_folded<Op, C, Isa == device::Isa::avx512 ? 64 : 32>();

  /// Calls fold(accumulators of a set, its first row) for every set.
  template <device::Isa Isa, class Fold>
  [[gnu::always_inline]] static void for_each_set(const void* nodes, void* to, const plan::InputRows& inputs,
                                                  const plan::RowSets& sets, const Fold& fold) {
    A* accumulators = static_cast<A*>(to);
    Rows<Isa> rows(nodes, inputs, sets.pitches);
    for (std::ptrdiff_t left = sets.sets;;) {
      fold(accumulators, rows);
      if (--left == 0) return;
      rows.advance_set();
      accumulators += sets.accumulators;
    }
  }

  template <device::Isa Isa>
  struct FoldRows {
    std::ptrdiff_t rows, n;
    [[gnu::always_inline]] void operator()(A* to, const Rows<Isa>& first) const {
      plan::fold_rows<Op, lanes<Isa>>(to, first, rows, n);
    }
  };
  template <device::Isa Isa>
  struct FoldColumns {
    std::ptrdiff_t rows, n;
    [[gnu::always_inline]] void operator()(A* to, const Rows<Isa>& first) const {
      plan::fold_columns<Op, lanes<Isa>>(to, first, rows, n);
    }
  };

  [[gnu::target("avx2,fma,f16c,bmi,bmi2")]] static void rows_avx2(const void* nodes, void* to,
                                                                  const plan::InputRows& inputs,
                                                                  const plan::RowSets& sets) {
    constexpr auto isa = device::Isa::avx2;
    for_each_set<isa>(nodes, to, inputs, sets, FoldRows<isa>{sets.rows, sets.n});
  }
  [[gnu::target("avx2,fma,f16c,bmi,bmi2")]] static void columns_avx2(const void* nodes, void* to,
                                                                     const plan::InputRows& inputs,
                                                                     const plan::RowSets& sets) {
    constexpr auto isa = device::Isa::avx2;
    for_each_set<isa>(nodes, to, inputs, sets, FoldColumns<isa>{sets.rows, sets.n});
  }
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void rows_avx512(
      const void* nodes, void* to, const plan::InputRows& inputs, const plan::RowSets& sets) {
    constexpr auto isa = device::Isa::avx512;
    for_each_set<isa>(nodes, to, inputs, sets, FoldRows<isa>{sets.rows, sets.n});
  }
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void columns_avx512(
      const void* nodes, void* to, const plan::InputRows& inputs, const plan::RowSets& sets) {
    constexpr auto isa = device::Isa::avx512;
    for_each_set<isa>(nodes, to, inputs, sets, FoldColumns<isa>{sets.rows, sets.n});
  }
};

/// The loops that fold a plan's values of type C, for the CPU at hand; none where the kernel and the reducer are to be used.
template <plan::ReduceOp Op, class C, class Plan>
[[gnu::always_inline]] inline plan::FoldLoops fold_loops_of(const Plan&) {
  if constexpr (FoldedAsComputed<Plan, Op, C>) {
    using Folds = FoldLoopsOf<Plan, Op, C>;
    static constexpr plan::FoldLoops by_isa[] = {
        {}, {Folds::rows_avx2, Folds::columns_avx2}, {Folds::rows_avx512, Folds::columns_avx512}};
    return by_isa[static_cast<int>(device::isa())];
  } else {
    return {};
  }
}

}  // namespace tessera
