module;
#include <cstdint>
export module tessera.expr:conversion;
import tessera.standard;
import tessera.core;
import tessera.device;

// Between memory and registers: elements as their compute type, and back. AVX2 and AVX-512 come with instructions for float16, which
// the compiler uses for _Float16; without them arithmetic on the bits is faster than the library call that it would make.
namespace tessera {

/// The element in its compute type.
template <device::Isa Isa, Element T>
[[gnu::always_inline]] inline compute_t<T> load(const T& element) {
  if constexpr (std::same_as<T, float16> && Isa != device::Isa::baseline) {
    return static_cast<float>(std::bit_cast<_Float16>(element.bits()));
  } else {
    return static_cast<compute_t<T>>(element);
  }
}

/// An instruction set that loads elements of type T just as the given one does, the same for all that do.
template <Element T>
constexpr device::Isa loads_alike(device::Isa isa) {
  const bool converts = std::same_as<T, float16> && isa != device::Isa::baseline;
  return converts ? device::Isa::avx2 : device::Isa::baseline;
}

/// A computed value as an element, converted as an assignment converts.
template <device::Isa Isa, Element To, class From>
[[gnu::always_inline]] inline To stored(From value) {
  if constexpr (std::same_as<To, float16> && std::same_as<From, float> && Isa != device::Isa::baseline) {
    return float16::from_bits(std::bit_cast<std::uint16_t>(static_cast<_Float16>(value)));
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace tessera
