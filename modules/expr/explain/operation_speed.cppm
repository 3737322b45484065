module;
#include <cstddef>
export module tessera.expr:operation_speed;
import tessera.core;
import tessera.device;
import :plan;
import :conversion;
import :range_guard;
import :explanation;

// Whether an operation vectorises, found out by the only witness that cannot be wrong about the machine code: the clock.
// Its kernel runs beside the same loop compiled without vectorisation, on operands in the L1 cache.
namespace tessera {

/// As KernelOf, one element after the other.
template <class Plan, Element To>
struct ScalarKernelOf {
  template <device::Isa Isa>
  [[gnu::always_inline]] static void body(const void* nodes, void* to, const plan::Input* inputs, std::ptrdiff_t n) {
    const typename Plan::template Bound<Isa> values(*static_cast<const Plan*>(nodes), inputs);
    math::FullRange<Isa != device::Isa::baseline> careful;
    To* out = static_cast<To*>(to);
#pragma clang loop vectorize(disable) interleave(disable) unroll(disable)
    for (std::ptrdiff_t i = 0; i < n; ++i) out[i] = stored<Isa, To>(values.at(i, 0, careful));
  }

  static void baseline(const void* nodes, void* to, const plan::Input* inputs, std::ptrdiff_t n) {
    body<device::Isa::baseline>(nodes, to, inputs, n);
  }
  [[gnu::target("avx2,fma,f16c,bmi,bmi2")]] static void avx2(const void* nodes, void* to, const plan::Input* inputs,
                                                             std::ptrdiff_t n) {
    body<device::Isa::avx2>(nodes, to, inputs, n);
  }
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void avx512(
      const void* nodes, void* to, const plan::Input* inputs, std::ptrdiff_t n) {
    body<device::Isa::avx512>(nodes, to, inputs, n);
  }
};

/// The loop without vectorisation for the CPU at hand.
template <Element To, class Plan>
plan::Kernel scalar_kernel_of(const Plan&) {
  static constexpr plan::Kernel by_isa[] = {ScalarKernelOf<Plan, To>::baseline, ScalarKernelOf<Plan, To>::avx2,
                                            ScalarKernelOf<Plan, To>::avx512};
  return by_isa[static_cast<int>(device::isa())];
}

namespace plan {

/// Nanoseconds an element, the fastest of several runs; 0 both when the operation threw on the sample values.
struct OperationSpeed {
  double kernel = 0;
  double scalar = 0;

  bool known() const { return scalar > 0; }
  /// The kernel is clearly faster than the loop that takes one element after the other.
  bool vectorises() const { return kernel * 1.4 < scalar; }
};

/// Times the operation on 1024 sample values of each argument (floating in [0.5, 1.5), integers from 1 to 100).
OperationSpeed measure(const ExplainedOperation& operation);

}  // namespace plan

}  // namespace tessera
