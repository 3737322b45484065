module;
#include <cstddef>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// The loop for each instruction set.
namespace tessera::plan {

namespace {

template <class T>
struct Quotients {
  using Write = void (*)(T* to, const T* from, std::ptrdiff_t n, T divisor);

  [[gnu::always_inline]] static void write(T* __restrict to, const T* __restrict from, std::ptrdiff_t n, T divisor) {
    for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = from[i] / divisor;
  }

  static void baseline(T* to, const T* from, std::ptrdiff_t n, T divisor) { write(to, from, n, divisor); }
  [[gnu::target("avx2")]] static void avx2(T* to, const T* from, std::ptrdiff_t n, T divisor) {
    write(to, from, n, divisor);
  }
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] static void avx512(T* to, const T* from, std::ptrdiff_t n,
                                                                           T divisor) {
    write(to, from, n, divisor);
  }
};

}  // namespace

template <class T>
void write_quotients(T* to, const T* from, std::ptrdiff_t n, T divisor) {
  using Loops = Quotients<T>;
  static constexpr typename Loops::Write by_isa[] = {Loops::baseline, Loops::avx2, Loops::avx512};
  by_isa[static_cast<int>(device::isa())](to, from, n, divisor);
}

template void write_quotients(float*, const float*, std::ptrdiff_t, float);
template void write_quotients(double*, const double*, std::ptrdiff_t, double);

}  // namespace tessera::plan
