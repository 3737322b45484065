module;
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>
module tessera.algorithm;
import tessera.core;
import tessera.memory;

// Keys at places that a linear congruential generator names, the same whenever the row is read.
namespace tessera::selecting {

namespace {

constexpr std::ptrdiff_t long_row = std::ptrdiff_t{1} << 16;  // which has a larger sample

}  // namespace

std::ptrdiff_t sample_size(std::ptrdiff_t row_length) { return row_length < long_row ? 2048 : 8192; }

template <class Key>
std::vector<Key> sampled(const KeyRow<Key>& row) {
  const auto n = static_cast<std::uint64_t>(row.length);
  const std::ptrdiff_t size = sample_size(row.length);
  std::vector<Key> sample(static_cast<std::size_t>(2 * size));  // half of it for sorting
  std::uint64_t state = 0x9e3779b97f4a7c15u;
  for (Key& key : std::span(sample).first(static_cast<std::size_t>(size))) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    key = key_at(row, static_cast<std::ptrdiff_t>((static_cast<unsigned __int128>(state) * n) >> 64));
  }
  sorting::sort_keys(sample.data(), size, sample.data() + size);
  sample.resize(static_cast<std::size_t>(size));
  return sample;
}

std::ptrdiff_t slack(std::ptrdiff_t from_end, std::ptrdiff_t size) {
  const double most = 2.12 * std::sqrt(static_cast<double>(size));
  return static_cast<std::ptrdiff_t>(std::min(most, 12 + 4.5 * std::sqrt(static_cast<double>(from_end))));
}

template std::vector<std::uint8_t> sampled(const KeyRow<std::uint8_t>&);
template std::vector<std::uint16_t> sampled(const KeyRow<std::uint16_t>&);
template std::vector<std::uint32_t> sampled(const KeyRow<std::uint32_t>&);
template std::vector<std::uint64_t> sampled(const KeyRow<std::uint64_t>&);

}  // namespace tessera::selecting
