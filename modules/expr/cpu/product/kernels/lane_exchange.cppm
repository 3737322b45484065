module;
#include <cstddef>
export module tessera.expr:lane_exchange;
import tessera.standard;

// The transposition of as many vectors as each has lanes, in registers.
namespace tessera::plan {

/// Where the lane of a vector comes from when blocks of `Size` x `Size` lanes beside the diagonal of two rows change places.
template <int Lanes, int Size, bool First>
constexpr int lane_from(int lane) {
  const bool second_half = (lane & Size) != 0;
  if (First) return second_half ? lane - Size + Lanes : lane;
  return second_half ? lane + Lanes : lane + Size;
}

/// Exchanges blocks of lanes, from the largest to single ones, until rows are columns.
template <int Lanes, int Size, class Vector, std::size_t... Lane>
[[gnu::always_inline]] inline void exchange_blocks(Vector (&rows)[Lanes], std::index_sequence<Lane...> lanes) {
#pragma clang loop unroll(full)
  for (int i = 0; i < Lanes; ++i) {
    if ((i & Size) != 0) continue;
    const Vector first = rows[i], second = rows[i + Size];
    rows[i] = __builtin_shufflevector(first, second, lane_from<Lanes, Size, true>(static_cast<int>(Lane))...);
    rows[i + Size] = __builtin_shufflevector(first, second, lane_from<Lanes, Size, false>(static_cast<int>(Lane))...);
  }
  if constexpr (Size > 1) exchange_blocks<Lanes, Size / 2>(rows, lanes);
}

}  // namespace tessera::plan
