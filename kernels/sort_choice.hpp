// How rows are sorted: all at once, each by one block of threads, or one after another, each by the whole GPU.
#pragma once
#include <cstdint>

namespace tessera::kernels {

/// From so many rows on their blocks can fill a GPU.
inline constexpr std::int64_t fewest_segments = 64;

// Estimates, of which only the ratio counts: in the time that starting the sort of one row takes, a whole GPU sorts so many elements, and so
// many while one block sorts one element of a row.
inline constexpr std::int64_t elements_of_a_start = 150'000;
inline constexpr std::int64_t elements_beside_a_block = 375;

/// Whether a block for each row is done sooner than the rows one after another are: their number and their length decide.
constexpr bool sorts_at_once(std::int64_t rows, std::int64_t length) {
  if (rows < fewest_segments) return false;
  if (rows >= elements_beside_a_block) return true;
  return rows * (elements_of_a_start + length) >= elements_beside_a_block * length;
}

}  // namespace tessera::kernels
