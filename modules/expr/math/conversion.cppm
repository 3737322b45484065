module;
#include <cstdint>
export module tessera.expr:conversion;
import tessera.standard;
import tessera.core;
import tessera.device;

// Between memory and registers: elements as their compute type, and back. AVX2 and AVX-512 come with instructions for float16, which
// the compiler uses for _Float16; without them arithmetic on the bits is faster than the library call that it would make.
namespace tessera {

template <class C>
struct PartOf {
  using type = C;
};
template <Complex C>
struct PartOf<C> {
  using type = typename C::value_type;
};

/// The type of the real part: of complex<P> it is P, any other type is its own.
template <class C>
using part_t = typename PartOf<C>::type;

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
  constexpr bool by_instruction = std::same_as<To, float16> && Isa != device::Isa::baseline;
  if constexpr (by_instruction && std::same_as<From, float>) {
    return float16::from_bits(std::bit_cast<std::uint16_t>(static_cast<_Float16>(value)));
  } else if constexpr (by_instruction && std::same_as<From, double>) {
    return stored<Isa, float16>(core::round_to_odd(value));
  } else {
    return static_cast<To>(value);
  }
}

/// Two neighbouring bfloat16 as they lie in memory.
struct BfloatPair {
  std::uint32_t bits;
};

/// A bound plan whose operands are all bfloat16 or scalars: it is evaluated for elements 2k and 2k + 1 side by side, because the upper half
/// of 32 bits is the second one's value as it stands, and a shift makes the first one's. No half has to move to another lane.
template <class Values>
concept ReadsPairs = requires { requires Values::reads_pairs; };

template <device::Isa Isa>
[[gnu::always_inline]] inline BfloatPair stored_pair(float first, float second) {
  const std::uint32_t low = stored<Isa, bfloat16>(first).bits();
  const std::uint32_t high = stored<Isa, bfloat16>(second).bits();
  return {low | high << 16};
}

}  // namespace tessera
