module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:key_samples;
import tessera.standard;
import :key_rows;

// A sorted sample of a long row's keys, and how far a rank may be from its place there.
namespace tessera::selecting {

inline constexpr std::ptrdiff_t short_row = 4096;  // which needs none

/// The number of a sample's keys.
std::ptrdiff_t sample_size(std::ptrdiff_t row_length);

/// A sample of a row's keys, sorted.
template <class Key>
std::vector<Key> sampled(const KeyRow<Key>& row);

/// How far the place of a rank in the sample may be from where it is expected, at so many keys from the sample's nearer end: some four deviations.
std::ptrdiff_t slack(std::ptrdiff_t from_end, std::ptrdiff_t size);

}  // namespace tessera::selecting
