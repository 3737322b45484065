module;
#include <cstddef>
#include <cstdint>
export module tessera.device:quotients;
import tessera.standard;

// Quotients by an extent that a kernel is given as an argument: multiplied by a reciprocal from the host, since a GPU divides by some twenty
// instructions, and numbers of 64 bits by a call.
namespace tessera::device::launching {

/// What a quotient by one extent is found with. T. Granlund and P. L. Montgomery, "Division by invariant integers using multiplication" (1994).
export struct Divisor {
  std::uint64_t factor;
  int shift;
};

/// The divisor of an extent, at least 1, for numbers below 2^31, or below 2^63 if `wide`.
export Divisor divisor_of(std::ptrdiff_t extent, bool wide);

/// The quotient as the text computes it.
export std::uint64_t quotient(std::uint64_t number, const Divisor& divisor, bool wide);

/// CUDA text of tessera_quotient(number, factor, shift) for a type tessera_index of 32 or of 64 bits, which is defined before.
export const char* quotient_support(bool wide);

}  // namespace tessera::device::launching
