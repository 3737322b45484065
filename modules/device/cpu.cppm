module;
#include <string_view>
export module tessera.device:cpu;

// The CPU's instruction sets, chosen once per process.
namespace tessera::device {

/// The instruction sets for which inner loops are compiled, from the lowest.
export enum class Isa { baseline, avx2, avx512 };

/// The highest set that this CPU has (AVX2 with FMA, F16C, BMI and BMI2; AVX-512 with F, BW, DQ, VL).
/// TESSERA_ISA=baseline, avx2 or avx512 lowers the choice; any other text is ignored.
export Isa isa() noexcept;

/// "baseline", "avx2", "avx512".
export std::string_view name(Isa isa) noexcept;

/// Lowers the choice to at most `highest` from now on, for measurements and tests; Isa::avx512 takes the limit away. Not to
/// be called while expressions run.
export void limit_isa(Isa highest) noexcept;

}  // namespace tessera::device
