module;
#include <bit>
#include <cstddef>
#include <cstdint>
module tessera.device;
import :quotients;

// Reciprocals of extents.
namespace tessera::device::launching {

namespace {

__extension__ using Wide = unsigned __int128;

}  // namespace

// With 2^(bits - 1) < extent <= 2^bits the factor is 2^(31 + bits) / extent, rounded up: too large by e / extent with e < extent, which adds less than
// number * 2^bits / 2^(31 + bits) < 1 / extent to a quotient. It fits 32 bits. The same holds with 63 for 31.
Divisor divisor_of(std::ptrdiff_t extent, bool wide) {
  const auto number = static_cast<std::uint64_t>(extent);
  const int bits = std::bit_width(number - 1);
  if (wide && bits == 0) return {.factor = 0, .shift = 0};  // its factor would be that of no shift at all
  const int power = (wide ? 63 : 31) + bits;
  const auto factor = static_cast<std::uint64_t>(((Wide{1} << power) + number - 1) / number);
  return {.factor = factor, .shift = wide ? bits - 1 : power};
}

std::uint64_t quotient(std::uint64_t number, const Divisor& divisor, bool wide) {
  if (!wide) return (number * divisor.factor) >> divisor.shift;
  if (divisor.factor == 0) return number;
  return static_cast<std::uint64_t>((Wide{number} * divisor.factor) >> 64) >> divisor.shift;
}

const char* quotient_support(bool wide) {
  if (!wide) {
    return "static __device__ __forceinline__ tessera_index tessera_quotient(tessera_index n, tessera_index factor, "
           "tessera_index shift) {\n"
           "  return (tessera_index)(((unsigned long long)n * factor) >> shift);\n}\n\n";
  }
  return "static __device__ __forceinline__ tessera_index tessera_quotient(tessera_index n, tessera_index factor, "
         "tessera_index shift) {\n"
         "  return factor == 0 ? n : __umul64hi(n, factor) >> shift;\n}\n\n";
}

}  // namespace tessera::device::launching
