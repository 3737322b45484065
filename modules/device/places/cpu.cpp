module;
#include <atomic>
#include <cstdlib>
#include <string_view>
module tessera.device;

// Asks the CPU what it can do.
namespace tessera::device {

namespace {

Isa detected() noexcept {
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return avx512 ? Isa::avx512 : avx2 ? Isa::avx2 : Isa::baseline;
}

Isa chosen() noexcept {
  const Isa highest = detected();
  const char* text = std::getenv("TESSERA_ISA");
  if (text == nullptr) return highest;
  const std::string_view wish = text;
  for (const Isa lower : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (wish == name(lower) && lower < highest) return lower;
  }
  return highest;
}

}  // namespace

Isa find_isa() noexcept {
  int expected = -1;  // a limit that another thread set meanwhile stands
  isa_in_use.compare_exchange_strong(expected, static_cast<int>(chosen()), std::memory_order_relaxed);
  return static_cast<Isa>(isa_in_use.load(std::memory_order_relaxed));
}

std::string_view name(Isa isa) noexcept {
  return isa == Isa::avx512 ? "avx512" : isa == Isa::avx2 ? "avx2" : "baseline";
}

void limit_isa(Isa highest) noexcept {
  const Isa possible = chosen();
  isa_in_use.store(static_cast<int>(highest < possible ? highest : possible), std::memory_order_relaxed);
}

}  // namespace tessera::device
