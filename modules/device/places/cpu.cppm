export module tessera.device:cpu;
import tessera.standard;

// The CPU's instruction sets, chosen once per process.
namespace tessera::device {

/// The instruction sets for which inner loops are compiled, from the lowest.
export enum class Isa { baseline, avx2, avx512 };

/// The set in use, once it is known; -1 before. Small expressions ask at every evaluation, so asking is one load.
inline constinit std::atomic<int> isa_in_use = -1;

/// Asks the CPU and the environment, and remembers the answer.
Isa find_isa() noexcept;

/// The highest set that this CPU has (AVX2 with FMA, F16C, BMI and BMI2; AVX-512 with F, BW, DQ, VL).
/// TESSERA_ISA=baseline, avx2 or avx512 lowers the choice; any other text is ignored.
export inline Isa isa() noexcept {
  const int known = isa_in_use.load(std::memory_order_relaxed);
  return known >= 0 ? static_cast<Isa>(known) : find_isa();
}

/// "baseline", "avx2", "avx512".
export std::string_view name(Isa isa) noexcept;

/// Lowers the choice to at most `highest` from now on, for measurements and tests; Isa::avx512 takes the limit away. Not to
/// be called while expressions run.
export void limit_isa(Isa highest) noexcept;

}  // namespace tessera::device
