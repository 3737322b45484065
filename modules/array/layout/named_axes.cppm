module;
#include <cstddef>
export module tessera.array:named_axes;
import tessera.standard;
import tessera.core;

// Axes as template arguments: squeeze<0, -1>(x).
namespace tessera {

namespace storage {

/// Which axes are named; negative ones count from the end, and naming none names all.
export template <int Rank, int... Axis>
constexpr std::array<bool, static_cast<std::size_t>(Rank)> named_axes() {
  std::array<bool, static_cast<std::size_t>(Rank)> named{};
  if (sizeof...(Axis) == 0) named.fill(true);
  ((named[static_cast<std::size_t>(Axis < 0 ? Axis + Rank : Axis)] = true), ...);
  return named;
}

}  // namespace storage
using storage::named_axes;

template <int Rank, int... Axis>
constexpr bool names_axes() {
  if (!((Axis >= -Rank && Axis < Rank) && ...)) return false;
  int count = 0;
  for (const bool named : named_axes<Rank, Axis...>()) count += named ? 1 : 0;
  return sizeof...(Axis) == 0 || count == static_cast<int>(sizeof...(Axis));
}

/// Axes of an operand of rank `Rank`: each in [-Rank, Rank), none twice.
export template <int Rank, int... Axis>
concept AxesOf = names_axes<Rank, Axis...>() || unsatisfied<"an axis is out of range or named twice">;

}  // namespace tessera
