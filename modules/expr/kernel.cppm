module;
#include <cstddef>
#include <cstring>
export module tessera.expr:kernel;
import tessera.core;
import tessera.device;
import :plan;
import :conversion;
import :vector_reach;

// The inner loop of an expression, compiled for each instruction set and chosen at run time.
namespace tessera {

/// Writes Plan's values as elements of type To. The loop body is plain scalar code that the compiler vectorises: each step
/// computes a fixed number of elements into a local array, which cannot alias the operands, and then stores it.
template <class Plan, Element To>
struct KernelOf {
  template <device::Isa Isa>
  using Near = math::Near<Isa != device::Isa::baseline>;
  template <device::Isa Isa>
  using Careful = math::Careful<Isa != device::Isa::baseline>;

  template <device::Isa Isa, std::ptrdiff_t Step, class Values, class Reach>
  [[gnu::always_inline]] static void fill(To (&block)[Step], const Values& values, std::ptrdiff_t first, Reach& reach) {
    for (std::ptrdiff_t i = 0; i < Step; ++i) block[i] = stored<Isa, To>(math::value_within(reach, values, first, i));
  }

  /// As fill, for less than a vector. Unrolling the loop early would hide it from the vectoriser.
  template <device::Isa Isa, std::ptrdiff_t Step, class Values, class Reach>
  [[gnu::always_inline]] static void fill_half(To (&block)[Step], const Values& values, std::ptrdiff_t first,
                                               Reach& reach) {
#pragma clang loop unroll(disable)
    for (std::ptrdiff_t i = 0; i < Step; ++i) block[i] = stored<Isa, To>(math::value_within(reach, values, first, i));
  }

  /// Computes as many steps of Step elements as there are from `first` on.
  template <std::ptrdiff_t Step, device::Isa Isa, class Values>
  [[gnu::always_inline]] static void steps(const Values& values, To* out, std::ptrdiff_t& first, std::ptrdiff_t n) {
    for (; first + Step <= n; first += Step) {
      To block[Step];
      Near<Isa> near;
      fill<Isa>(block, values, first, near);
      if constexpr (math::DependsOnReach<Values>) {
        Careful<Isa> careful;
        if (near.beyond) [[unlikely]]
          fill_half<Isa>(block, values, first, careful);
      }
      std::memcpy(out + first, block, sizeof block);
    }
  }

  /// The same for less than a vector.
  template <std::ptrdiff_t Step, device::Isa Isa, class Values>
  [[gnu::always_inline]] static void half_steps(const Values& values, To* out, std::ptrdiff_t& first,
                                                std::ptrdiff_t n) {
#pragma clang loop vectorize(disable) unroll(disable)
    for (; first + Step <= n; first += Step) {
      To block[Step];
      Near<Isa> near;
      fill_half<Isa>(block, values, first, near);
      if constexpr (math::DependsOnReach<Values>) {
        Careful<Isa> careful;
        if (near.beyond) [[unlikely]]
          fill_half<Isa>(block, values, first, careful);
      }
      std::memcpy(out + first, block, sizeof block);
    }
  }

  template <std::ptrdiff_t VectorBytes, device::Isa Isa>
  [[gnu::always_inline]] static void body(const void* nodes, void* to, const plan::Input* inputs, std::ptrdiff_t n) {
    const auto values = static_cast<const Plan*>(nodes)->template bind<Isa>(inputs);
    To* out = static_cast<To*>(to);
    constexpr auto widest =
        static_cast<std::ptrdiff_t>(sizeof(values.at(0, 0)) > sizeof(To) ? sizeof(values.at(0, 0)) : sizeof(To));
    static_assert(4 * VectorBytes <= plan::repeated_bytes);
    std::ptrdiff_t i = 0;
    steps<4 * VectorBytes / widest, Isa>(values, out, i, n);
    half_steps<(VectorBytes > 16 ? VectorBytes / 2 : 16) / widest, Isa>(values, out, i, n);
    Careful<Isa> careful;
#pragma clang loop vectorize(disable) unroll(disable)
    for (; i < n; ++i) out[i] = stored<Isa, To>(math::value_within(careful, values, i, 0));
  }

  static void baseline(const void* nodes, void* to, const plan::Input* inputs, std::ptrdiff_t n) {
    body<16, device::Isa::baseline>(nodes, to, inputs, n);
  }

  [[gnu::target("avx2,fma,f16c,bmi,bmi2")]] static void avx2(const void* nodes, void* to, const plan::Input* inputs,
                                                             std::ptrdiff_t n) {
    body<32, device::Isa::avx2>(nodes, to, inputs, n);
  }

  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void avx512(
      const void* nodes, void* to, const plan::Input* inputs, std::ptrdiff_t n) {
    body<64, device::Isa::avx512>(nodes, to, inputs, n);
  }
};

/// The kernel of a plan for the CPU at hand.
template <Element To, class Plan>
[[gnu::always_inline]] inline plan::Kernel kernel_of(const Plan&) {
  static constexpr plan::Kernel by_isa[] = {KernelOf<Plan, To>::baseline, KernelOf<Plan, To>::avx2,
                                            KernelOf<Plan, To>::avx512};
  return by_isa[static_cast<int>(device::isa())];
}

}  // namespace tessera
