module;
#include <cstddef>
#include <cstring>
export module tessera.expr:kernel;
import tessera.core;
import tessera.device;
import :plan;

// The inner loop of an expression, compiled for each instruction set and chosen at run time.
namespace tessera {

/// Writes Plan's values as elements of type To. The loop body is plain scalar code that the compiler vectorises: each step
/// computes a fixed number of elements into a local array, which cannot alias the operands, and then stores it.
template <class Plan, Element To>
struct KernelOf {
  /// Computes as many blocks of Step elements as there are from i on.
  template <std::ptrdiff_t Step, class Values>
  [[gnu::always_inline]] static void steps(const Values& values, To* out, std::ptrdiff_t& i, std::ptrdiff_t n) {
    for (; i + Step <= n; i += Step) {
      To block[Step];
      for (std::ptrdiff_t k = 0; k < Step; ++k) block[k] = static_cast<To>(values.at(i + k));
      std::memcpy(out + i, block, sizeof block);
    }
  }

  /// The same for less than a vector. Unrolling the inner loop early would hide it from the vectoriser.
  template <std::ptrdiff_t Step, class Values>
  [[gnu::always_inline]] static void half_steps(const Values& values, To* out, std::ptrdiff_t& i, std::ptrdiff_t n) {
#pragma clang loop vectorize(disable) unroll(disable)
    for (; i + Step <= n; i += Step) {
      To block[Step];
#pragma clang loop unroll(disable)
      for (std::ptrdiff_t k = 0; k < Step; ++k) block[k] = static_cast<To>(values.at(i + k));
      std::memcpy(out + i, block, sizeof block);
    }
  }

  template <std::ptrdiff_t VectorBytes>
  [[gnu::always_inline]] static void body(const void* nodes, void* to, const void* const* operands, std::ptrdiff_t n) {
    const auto values = static_cast<const Plan*>(nodes)->bind(operands);
    To* out = static_cast<To*>(to);
    constexpr auto widest =
        static_cast<std::ptrdiff_t>(sizeof(values.at(0)) > sizeof(To) ? sizeof(values.at(0)) : sizeof(To));
    std::ptrdiff_t i = 0;
    steps<4 * VectorBytes / widest>(values, out, i, n);
    half_steps<(VectorBytes > 16 ? VectorBytes / 2 : 16) / widest>(values, out, i, n);
#pragma clang loop vectorize(disable) unroll(disable)
    for (; i < n; ++i) out[i] = static_cast<To>(values.at(i));
  }

  static void baseline(const void* nodes, void* to, const void* const* operands, std::ptrdiff_t n) {
    body<16>(nodes, to, operands, n);
  }

  [[gnu::target("avx2,fma,f16c,bmi,bmi2")]] static void avx2(const void* nodes, void* to, const void* const* operands,
                                                             std::ptrdiff_t n) {
    body<32>(nodes, to, operands, n);
  }

  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void avx512(
      const void* nodes, void* to, const void* const* operands, std::ptrdiff_t n) {
    body<64>(nodes, to, operands, n);
  }
};

/// The kernel of a plan for the CPU at hand.
template <Element To, class Plan>
plan::Kernel kernel_of(const Plan&) {
  switch (device::isa()) {
    case device::Isa::avx512: return KernelOf<Plan, To>::avx512;
    case device::Isa::avx2: return KernelOf<Plan, To>::avx2;
    case device::Isa::baseline: break;
  }
  return KernelOf<Plan, To>::baseline;
}

}  // namespace tessera
