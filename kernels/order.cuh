// The order of elements as that of unsigned numbers, in the form that CUB's radix sort takes for the key types of its own: it
// orders keys while it reads them, so that no pass over memory is added. The CPU's counterpart is modules/algorithm/sort/sort_order.cppm.
#pragma once
#include <cub/util_type.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "support.cuh"

namespace tessera::kernels {

/// How bits of elements become ordered ones. `mantissa` is its number of bits, 0 for integers. Merged: equal elements become the same, and
/// so do all NaN.
template <class Bits>
class Order {
 public:
  constexpr __host__ __device__ Order(bool has_sign, int mantissa, bool is_descending, bool is_merged)
      : flipped_(has_sign ? sign : Bits{0}),
        flipped_if_negative_(mantissa > 0 ? static_cast<Bits>(~sign) : Bits{0}),
        shift_(mantissa > 0 ? static_cast<Bits>((Bits{1} << mantissa) - 1) : Bits{0}),
        last_(mantissa > 0 ? ascending(static_cast<Bits>(static_cast<Bits>(~sign) & static_cast<Bits>(~shift_))) : all),
        zero_(ascending(0)),
        negative_zero_(mantissa > 0 ? ascending(sign) : zero_),
        is_descending_(is_descending),
        is_merged_(is_merged) {}

  constexpr __host__ __device__ Bits ordered(Bits bits) const {
    Bits result = ascending(bits);
    if (is_merged_ && result == negative_zero_) result = zero_;
    if (is_merged_ && result > last_) result = all;
    return directed(result);
  }
  constexpr __host__ __device__ Bits original(Bits ordered) const {
    const Bits shifted = static_cast<Bits>(directed(ordered) + shift_);
    return static_cast<Bits>(shifted ^ flipped_ ^ ((shifted & sign) == 0 ? flipped_if_negative_ : Bits{0}));
  }

  static constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  static constexpr Bits all = static_cast<Bits>(~Bits{0});

 private:
  constexpr __host__ __device__ Bits ascending(Bits bits) const {
    const Bits negative = (bits & sign) != 0 ? flipped_if_negative_ : Bits{0};
    return static_cast<Bits>(static_cast<Bits>(bits ^ flipped_ ^ negative) - shift_);
  }
  constexpr __host__ __device__ Bits directed(Bits ordered) const {
    return is_descending_ && ordered <= last_ ? static_cast<Bits>(last_ - ordered) : ordered;
  }

  Bits flipped_, flipped_if_negative_;
  Bits shift_;  // NaN with a sign bit would come first
  Bits last_;   // ordered bits above are NaN
  Bits zero_, negative_zero_;
  bool is_descending_, is_merged_;
};

/// An order that is known at compile time.
template <class Bits_, bool HasSign, int Mantissa, bool IsDescending, bool IsMerged>
struct Code {
  using Bits = Bits_;
  static constexpr __host__ __device__ Bits ordered(Bits bits) { return order().ordered(bits); }
  static constexpr __host__ __device__ Bits original(Bits ordered) { return order().original(ordered); }

 private:
  static constexpr __host__ __device__ Order<Bits> order() { return {HasSign, Mantissa, IsDescending, IsMerged}; }
};

/// An element, seen by its bits.
template <class Code>
struct Key {
  typename Code::Bits bits;
};

template <std::size_t Bytes>
struct Bits;
template <>
struct Bits<1> : Type<std::uint8_t> {};
template <>
struct Bits<2> : Type<std::uint16_t> {};
template <>
struct Bits<4> : Type<std::uint32_t> {};
template <>
struct Bits<8> : Type<std::uint64_t> {};

template <class T>
using BitsOf = typename Bits<sizeof(T)>::type;

template <class T>
inline constexpr int mantissa_bits = 0;
template <>
inline constexpr int mantissa_bits<__half> = 10;
template <>
inline constexpr int mantissa_bits<__nv_bfloat16> = 7;
template <>
inline constexpr int mantissa_bits<float> = 23;
template <>
inline constexpr int mantissa_bits<double> = 52;

template <class T>
inline constexpr bool has_sign = mantissa_bits<T> > 0 || std::is_signed_v<T>;

template <class T, bool IsDescending, bool IsMerged>
using KeyOf = Key<Code<BitsOf<T>, has_sign<T>, mantissa_bits<T>, IsDescending, IsMerged>>;

template <class T>
Order<BitsOf<T>> order_of(bool is_descending, bool is_merged) {
  return {has_sign<T>, mantissa_bits<T>, is_descending, is_merged};
}

}  // namespace tessera::kernels

CUB_NAMESPACE_BEGIN

template <class Code>
struct NumericTraits<tessera::kernels::Key<Code>> {
  using UnsignedBits = typename Code::Bits;
  static constexpr UnsignedBits LOWEST_KEY = Code::original(0);
  static constexpr UnsignedBits MAX_KEY = Code::original(static_cast<UnsignedBits>(~UnsignedBits{0}));

  static __host__ __device__ __forceinline__ UnsignedBits TwiddleIn(UnsignedBits bits) { return Code::ordered(bits); }
  static __host__ __device__ __forceinline__ UnsignedBits TwiddleOut(UnsignedBits ordered) {
    return Code::original(ordered);
  }
};

CUB_NAMESPACE_END
