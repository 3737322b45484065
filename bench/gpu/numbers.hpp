// What all programs of this folder share without a word: the numbers that operands are filled with, and which elements of a result
// are compared. peers.py has the same in Python.
#pragma once

#include <cstdint>

namespace bench {

/// Number i of a stream, in [0, 1) with 24 random bits: an integer hash, so that any element is known without those before it.
constexpr float number(std::uint32_t i, std::uint32_t seed) {
  std::uint32_t bits = i + seed * 0x9E3779B9u;
  bits = (bits ^ (bits >> 16)) * 0x21F0AAADu;
  bits = (bits ^ (bits >> 15)) * 0x735A2D97u;
  bits ^= bits >> 15;
  return static_cast<float>(bits >> 8) * 0x1p-24f;
}

/// Elements of a result that are compared.
inline constexpr std::int64_t compared = 61;

/// How many of `count` elements are compared.
constexpr std::int64_t samples_of(std::int64_t count) { return count < compared ? count : compared; }

/// Position of the k-th one: from the first element to the last in equal steps.
constexpr std::int64_t position(std::int64_t k, std::int64_t count) {
  return count == 1 ? 0 : static_cast<std::int64_t>(k * (count - 1) / (samples_of(count) - 1));
}

// Constants of the kernels.
inline constexpr float rate = 0.25f;      // of the updates
inline constexpr float decay = 0.01f;     // of the updates
inline constexpr float momentum = 0.9f;   // of the update with momentum
inline constexpr float interest = 0.02f;  // of Black and Scholes
inline constexpr float volatility = 0.3f;

/// From a number in [0, 1) to a price, a strike price and a time to maturity in years.
constexpr float price_of(float x) { return 10.0f + 90.0f * x; }
constexpr float years_of(float x) { return 0.25f + 1.75f * x; }

}  // namespace bench
