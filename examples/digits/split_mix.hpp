// A tiny seeded generator whose numbers are fixed by this file, so that the split of the data is the same everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace digits {

/// SplitMix64. Source: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA
/// 2014.
class SplitMix64 {
 public:
  explicit constexpr SplitMix64(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t operator()() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, bound); `bound` must not be 0. Numbers of the last, incomplete round are thrown away: no bias.
  constexpr std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t incomplete = (0 - bound) % bound;  // 2^64 mod bound
    std::uint64_t number = (*this)();
    while (number < incomplete) number = (*this)();
    return number % bound;
  }

 private:
  std::uint64_t state_;
};

/// 0 ... count-1 in an order that depends on the seed alone (Fisher-Yates; std::shuffle differs between libraries).
inline std::vector<std::size_t> shuffled_indices(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  SplitMix64 random(seed);
  for (std::size_t left = count; left > 1; --left) std::swap(order[left - 1], order[random.below(left)]);
  return order;
}

}  // namespace digits
