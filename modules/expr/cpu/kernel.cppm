module;
#include <cstddef>
#include <cstring>
export module tessera.expr:kernel;
import tessera.core;
import tessera.device;
import :plan;
import :conversion;
import :range_guard;

// The inner loop of an expression, compiled for each instruction set and chosen at run time.
namespace tessera {

/// Writes Plan's values as elements of type To. The loop body is plain scalar code that the compiler vectorises: each step
/// computes a fixed number of elements into a local array, which cannot alias the operands, and then stores it. Compiling the
/// body is most of what an expression costs the compiler; so there are as few copies of it as speed permits.
template <class Plan, Element To>
struct KernelOf {
  template <device::Isa Isa>
  using Bound = typename Plan::template Bound<Isa>;
  template <device::Isa Isa>
  using FastRange = math::FastRange<Isa != device::Isa::baseline>;
  template <device::Isa Isa>
  using FullRange = math::FullRange<Isa != device::Isa::baseline>;

  /// Bytes of the widest values on the way to an element. Truth values do not count how wide what they compare is: they are packed the faster the
  /// more there are.
  template <device::Isa Isa>
  static constexpr std::size_t computed =
      std::same_as<typename Bound<Isa>::value_type, bool> ? 1 : Bound<Isa>::widest_value;

  /// Elements of a step that computes in so many bytes.
  template <device::Isa Isa>
  static constexpr std::ptrdiff_t elements_in(std::ptrdiff_t bytes) {
    return bytes / static_cast<std::ptrdiff_t>(computed<Isa> > sizeof(To) ? computed<Isa> : sizeof(To));
  }

  template <device::Isa Isa, std::ptrdiff_t Step, class Values, class RangeGuard>
  [[gnu::always_inline]] static void fill(To (&block)[Step], const Values& values, std::ptrdiff_t first,
                                          RangeGuard& guard) {
    for (std::ptrdiff_t i = 0; i < Step; ++i) block[i] = stored<Isa, To>(values.at(first, i, guard));
  }

  /// The same, in pairs.
  template <device::Isa Isa, std::ptrdiff_t Pairs, class Values, class RangeGuard>
  [[gnu::always_inline]] static void fill(BfloatPair (&block)[Pairs], const Values& values, std::ptrdiff_t first,
                                          RangeGuard& guard) {
    for (std::ptrdiff_t i = 0; i < Pairs; ++i)
      block[i] = stored_pair<Isa>(values.at(first, 2 * i, guard), values.at(first, 2 * i + 1, guard));
  }

  template <device::Isa Isa>
  static constexpr bool in_pairs =
      std::same_as<To, bfloat16> && ReadsPairs<Bound<Isa>> && std::same_as<typename Bound<Isa>::value_type, float>;

  /// A step's elements before they are stored.
  template <device::Isa Isa, std::ptrdiff_t Step>
  using BlockOf = std::conditional_t<in_pairs<Isa>, BfloatPair[Step / 2], To[Step]>;

  /// As fill, for one vector: elements `start` and on of the step. Unrolling the loop early would hide it from the vectoriser.
  template <device::Isa Isa, std::ptrdiff_t Count, class Values, class RangeGuard>
  [[gnu::always_inline]] static void fill_vector(To (&block)[Count], const Values& values, std::ptrdiff_t first,
                                                 std::ptrdiff_t start, RangeGuard& guard) {
#pragma clang loop unroll(disable)
    for (std::ptrdiff_t i = 0; i < Count; ++i) block[i] = stored<Isa, To>(values.at(first, start + i, guard));
  }

  template <device::Isa Isa, std::ptrdiff_t Pairs, class Values, class RangeGuard>
  [[gnu::always_inline]] static void fill_vector(BfloatPair (&block)[Pairs], const Values& values, std::ptrdiff_t first,
                                                 std::ptrdiff_t start, RangeGuard& guard) {
#pragma clang loop unroll(disable)
    for (std::ptrdiff_t i = 0; i < Pairs; ++i)
      block[i] = stored_pair<Isa>(values.at(first, start + 2 * i, guard), values.at(first, start + 2 * i + 1, guard));
  }

  /// Elements are stored in fewer bytes than they are computed in, which fill half a register of AVX-512 each time: storing each
  /// half by itself saves the instructions that join them.
  template <device::Isa Isa>
  static constexpr bool narrows =
      Isa == device::Isa::avx512 && sizeof(To) < computed<Isa> && !in_pairs<Isa> && !math::DependsOnRange<Bound<Isa>>;

  template <device::Isa Isa, std::ptrdiff_t Step, class Values, class RangeGuard>
  [[gnu::always_inline]] static void store_by_vectors(To* out, const Values& values, std::ptrdiff_t first,
                                                      RangeGuard& guard) {
    for (std::ptrdiff_t start = 0; start < Step; start += Step / 4) {
      To block[Step / 4];
      fill_vector<Isa>(block, values, first, start, guard);
      std::memcpy(out + start, block, sizeof block);
    }
  }

  /// Elements first to last, of which the first goes to `out`: a vector at a time and the last few one by one.
  template <std::ptrdiff_t VectorBytes, device::Isa Isa>
  [[gnu::always_inline]] static void vectors(const void* nodes, To* out, const plan::Input* inputs,
                                             std::ptrdiff_t first, std::ptrdiff_t last) {
    constexpr std::ptrdiff_t step = elements_in<Isa>(VectorBytes);
    const Bound<Isa> values(*static_cast<const Plan*>(nodes), inputs);
    FullRange<Isa> careful;
#pragma clang loop vectorize(disable) unroll(disable)
    for (; first + step <= last; first += step, out += step) {
      To block[step];
      FastRange<Isa> near;
      fill_vector<Isa>(block, values, first, 0, near);
      if constexpr (math::DependsOnRange<Bound<Isa>>) {
        if (near.beyond) [[unlikely]]
          fill_vector<Isa>(block, values, first, 0, careful);
      }
      std::memcpy(out, block, sizeof block);
    }
#pragma clang loop vectorize(disable) unroll(disable)
    for (; first < last; ++first, ++out) *out = stored<Isa, To>(values.at(first, 0, careful));
  }

  [[gnu::noinline, gnu::target("avx2,fma,f16c,bmi,bmi2")]] static void vectors_avx2(const void* nodes, To* out,
                                                                                    const plan::Input* inputs,
                                                                                    std::ptrdiff_t first,
                                                                                    std::ptrdiff_t last) {
    vectors<32, device::Isa::avx2>(nodes, out, inputs, first, last);
  }

  /// Elements of four vectors, and of the vector of AVX2 in which what they leave is computed.
  template <device::Isa Isa>
  static constexpr std::ptrdiff_t step_of = elements_in<Isa>(Isa == device::Isa::avx512 ? 256 : 128);
  static constexpr std::ptrdiff_t vector_of = elements_in<device::Isa::avx2>(32);

  /// As vectors(), four vectors at a time; what is left, and a step that is out of the fast functions' range, is for vectors_avx2. AVX-512
  /// computes the same values as AVX2.
  template <device::Isa Isa>
  [[gnu::always_inline]] static void steps(const void* nodes, To* out, const plan::Input* inputs, std::ptrdiff_t first,
                                           std::ptrdiff_t last) {
    constexpr std::ptrdiff_t step = step_of<Isa>;
    while (first + step <= last) {
      const Bound<Isa> values(*static_cast<const Plan*>(nodes), inputs);
#pragma clang loop vectorize(disable) unroll(disable)
      for (; first + step <= last; first += step, out += step) {
        FastRange<Isa> near;
        if constexpr (narrows<Isa>) {
          store_by_vectors<Isa, step>(out, values, first, near);
          continue;
        }
        BlockOf<Isa, step> block;
        fill<Isa>(block, values, first, near);
        if constexpr (math::DependsOnRange<Bound<Isa>>) {
          if (near.beyond) [[unlikely]]
            break;
        }
        std::memcpy(out, block, sizeof block);
      }
      if constexpr (!math::DependsOnRange<Bound<Isa>>) break;
      if (first + step > last) break;
      vectors_avx2(nodes, out, inputs, first, first + step);
      first += step;
      out += step;
    }
    if (first < last) vectors_avx2(nodes, out, inputs, first, last);
  }

  [[gnu::noinline, gnu::target("avx2,fma,f16c,bmi,bmi2")]] static void steps_avx2(const void* nodes, To* out,
                                                                                  const plan::Input* inputs,
                                                                                  std::ptrdiff_t first,
                                                                                  std::ptrdiff_t last) {
    steps<device::Isa::avx2>(nodes, out, inputs, first, last);
  }

  [[gnu::noinline, gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void steps_avx512(
      const void* nodes, To* out, const plan::Input* inputs, std::ptrdiff_t first, std::ptrdiff_t last) {
    steps<device::Isa::avx512>(nodes, out, inputs, first, last);
  }

  /// Plans of which all is computed by the same loops: they need not look whether fast functions sufficed, may compute an element twice, and have
  /// one vector for the elements of one.
  template <device::Isa Isa>
  static constexpr bool in_whole_rows =
      !math::DependsOnRange<Bound<Isa>> && !math::CallsOnce<Bound<Isa>> && computed<Isa> == Bound<Isa>::widest_value;

  /// What is one value for a row is repeated for one vector, and four vectors are read one by one, unless that takes more addresses than there are
  /// registers.
  template <device::Isa Isa>
  static constexpr bool reads_by_vectors = Bound<Isa>::leaves <= 3;

  /// Four vectors of a row.
  template <device::Isa Isa>
  [[gnu::always_inline]] static void store_four(To* out, const Bound<Isa>& values, std::ptrdiff_t first) {
    constexpr std::ptrdiff_t vector = step_of<Isa> / 4;
    math::RangeGuard guard;
    if constexpr (narrows<Isa>) {
      for (std::ptrdiff_t v = 0; v < 4; ++v) {
        To block[vector];
        fill_vector<Isa>(block, values, first + v * vector, 0, guard);
        std::memcpy(out + v * vector, block, sizeof block);
      }
    } else if constexpr (!reads_by_vectors<Isa>) {
      BlockOf<Isa, 4 * vector> block;
      fill<Isa>(block, values, first, guard);
      std::memcpy(out, block, sizeof block);
    } else {
      BlockOf<Isa, vector> blocks[4];
      for (std::ptrdiff_t v = 0; v < 4; ++v) fill_vector<Isa>(blocks[v], values, first + v * vector, 0, guard);
      std::memcpy(out, blocks, sizeof blocks);
    }
  }

  /// Rows of n elements, a vector at least: four vectors at a time, and what these leave of a row by single ones. The last of them ends with the
  /// row and may overlap what lies before it: it is computed before anything of the row is stored, for that may lie where it reads.
  template <device::Isa Isa>
  [[gnu::always_inline]] static void whole_rows(const void* nodes, To* row, std::ptrdiff_t pitch,
                                                const plan::InputRows& inputs, std::ptrdiff_t rows, std::ptrdiff_t n) {
    constexpr std::ptrdiff_t step = step_of<Isa>;
    constexpr std::ptrdiff_t vector = step / 4;
    static_assert(vector * static_cast<std::ptrdiff_t>(sizeof(To)) <= plan::vector_bytes);
    const Plan& plan = *static_cast<const Plan*>(nodes);
    const std::ptrdiff_t whole = n - n % step;
    Bound<Isa> values(plan, inputs.first);
    math::RangeGuard guard;
    for (;;) {
      alignas(plan::vector_bytes) To last[vector];  // what crosses a line is read again late
      To* out = last;
#pragma clang loop vectorize(disable) unroll(disable)
      for (std::ptrdiff_t first = n - vector, next = whole; next < n; next += vector) {
        To block[vector];
        fill_vector<Isa>(block, values, first, 0, guard);
        std::memcpy(out, block, sizeof block);
        first = next;
        out = row + first;
      }
#pragma clang loop vectorize(disable) unroll(disable)
      for (std::ptrdiff_t first = 0; first < whole; first += step) store_four<Isa>(row + first, values, first);
      if (whole < n) std::memcpy(row + (n - vector), last, sizeof last);
      if (--rows == 0) return;
      values.advance(plan, inputs.pitches);
      row = reinterpret_cast<To*>(reinterpret_cast<std::byte*>(row) + pitch);
    }
  }

  [[gnu::noinline, gnu::target("avx2,fma,f16c,bmi,bmi2")]] static void rows_avx2(const void* nodes, void* to,
                                                                                 std::ptrdiff_t pitch,
                                                                                 const plan::InputRows& inputs,
                                                                                 std::ptrdiff_t rows,
                                                                                 std::ptrdiff_t n) {
    whole_rows<device::Isa::avx2>(nodes, static_cast<To*>(to), pitch, inputs, rows, n);
  }

  [[gnu::noinline, gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void rows_avx512(
      const void* nodes, void* to, std::ptrdiff_t pitch, const plan::InputRows& inputs, std::ptrdiff_t rows,
      std::ptrdiff_t n) {
    whole_rows<device::Isa::avx512>(nodes, static_cast<To*>(to), pitch, inputs, rows, n);
  }

  /// n elements by the loops that take no rows.
  template <device::Isa Isa>
  [[gnu::always_inline]] static void compute(const void* nodes, To* out, const plan::Input* inputs, std::ptrdiff_t n) {
    if constexpr (!in_whole_rows<Isa>) {
      if (n >= step_of<Isa>) return (Isa == device::Isa::avx512 ? steps_avx512 : steps_avx2)(nodes, out, inputs, 0, n);
    }
    vectors_avx2(nodes, out, inputs, 0, n);
  }

  /// n elements. Those that fill no vector are the end of one that overlaps what lies before it: it is computed before anything is stored, for
  /// that may lie where it reads. A user's function is not called twice for an element.
  template <device::Isa Isa>
  [[gnu::always_inline]] static void body(const void* nodes, void* to, const plan::Input* inputs, std::ptrdiff_t n) {
    constexpr std::ptrdiff_t step = step_of<Isa>;
    static_assert(step * static_cast<std::ptrdiff_t>(sizeof(To)) <= plan::repeated_bytes && step % vector_of == 0);
    if constexpr (in_whole_rows<Isa>) {
      const plan::InputRows rows{.first = inputs, .pitches = nullptr};
      if (n >= step / 4) return (Isa == device::Isa::avx512 ? rows_avx512 : rows_avx2)(nodes, to, 0, rows, 1, n);
    }
    To* const out = static_cast<To*>(to);
    const std::ptrdiff_t rest = n % vector_of;
    if (math::CallsOnce<Bound<Isa>> || n <= vector_of || rest <= 1) return compute<Isa>(nodes, out, inputs, n);
    To last[vector_of];
    vectors_avx2(nodes, last, inputs, n - vector_of, n);
    compute<Isa>(nodes, out, inputs, n - rest);
    std::memcpy(out + (n - vector_of), last, sizeof last);
  }

  static void baseline(const void* nodes, void* to, const plan::Input* inputs, std::ptrdiff_t n) {
    // Loops of two iterations are not vectorised: elements of 64 bits are computed four at a time.
    constexpr std::ptrdiff_t bytes = elements_in<device::Isa::baseline>(16) < 4 ? 32 : 16;
    vectors<bytes, device::Isa::baseline>(nodes, static_cast<To*>(to), inputs, 0, n);
  }

  static void avx2(const void* nodes, void* to, const plan::Input* inputs, std::ptrdiff_t n) {
    body<device::Isa::avx2>(nodes, to, inputs, n);
  }

  static void avx512(const void* nodes, void* to, const plan::Input* inputs, std::ptrdiff_t n) {
    body<device::Isa::avx512>(nodes, to, inputs, n);
  }
};

/// The kernel of a plan for the CPU at hand.
template <Element To, class Plan>
[[gnu::always_inline]] inline plan::Kernel kernel_of(const Plan&) {
  static constexpr plan::Kernel by_isa[] = {KernelOf<Plan, To>::baseline, KernelOf<Plan, To>::avx2,
                                            KernelOf<Plan, To>::avx512};
  return by_isa[static_cast<int>(device::isa())];
}

/// The same for rows; none where all rows are not computed by the same loops.
template <Element To, class Plan>
[[gnu::always_inline]] inline plan::RowsKernel rows_kernel_of(const Plan&) {
  using Kernels = KernelOf<Plan, To>;
  if constexpr (Kernels::template in_whole_rows<device::Isa::avx2> &&
                Kernels::template in_whole_rows<device::Isa::avx512>) {
    constexpr std::ptrdiff_t copied =
        Kernels::template reads_by_vectors<device::Isa::avx512> ? plan::vector_bytes : plan::repeated_bytes;
    static constexpr plan::RowsKernel by_isa[] = {
        {}, {.run = Kernels::rows_avx2, .copied_bytes = copied}, {.run = Kernels::rows_avx512, .copied_bytes = copied}};
    return by_isa[static_cast<int>(device::isa())];
  } else {
    return {};
  }
}

}  // namespace tessera
