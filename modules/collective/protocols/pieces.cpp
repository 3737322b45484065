module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>
module tessera.collective;

// Pieces in bytes.
namespace tessera::collective {

namespace {

/// Bytes that are reduced at a time.
constexpr std::ptrdiff_t chunk_bytes = 1024 * 1024;

}  // namespace

std::vector<std::int64_t> Pieces::bytes(std::ptrdiff_t item) const {
  std::vector<std::int64_t> of_all;
  of_all.reserve(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank) of_all.push_back(count_of(rank) * item);
  return of_all;
}

std::vector<std::int64_t> equal_bytes(int size, std::int64_t bytes) {
  return std::vector<std::int64_t>(static_cast<std::size_t>(size), bytes);
}

std::vector<Pieces> chunks_of(std::ptrdiff_t count, int size, std::ptrdiff_t item) {
  const std::ptrdiff_t most = std::max<std::ptrdiff_t>(chunk_bytes / item / size, 1) * size;
  std::vector<Pieces> chunks;
  for (std::ptrdiff_t at = 0; at < count; at += most) chunks.push_back({std::min(most, count - at), size, at});
  return chunks;
}

}  // namespace tessera::collective
