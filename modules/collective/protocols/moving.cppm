module;
#include <cstddef>
#include <cstdint>
export module tessera.collective:moving;
import tessera.standard;
import tessera.core;
import :protocol;
import :operation;

// The steps of the collectives that move elements and compute nothing.
namespace tessera::collective {

/// Extent of part `index` of `count` parts of `extent`: as equal as possible, the first ones one larger.
inline constexpr std::ptrdiff_t part_extent(std::ptrdiff_t extent, int count, int index) {
  return extent / count + (index < extent % count ? 1 : 0);
}

/// The same bytes for each rank.
std::vector<std::int64_t> equal_bytes(int size, std::int64_t bytes);
/// Bytes of each rank's part of some rows.
std::vector<std::int64_t> part_bytes(int size, std::ptrdiff_t rows, std::ptrdiff_t row_bytes);

Protocol barrier_steps(Operation& operation);
/// `from` of rank `note.root` to `to` of the others.
Protocol broadcast_steps(Operation& operation);
/// `note.own` is each rank's number of rows; those of all come to all, or to rank `note.root`.
Protocol all_gather_steps(Operation& operation);
Protocol gather_steps(Operation& operation);
/// `note.own` of rank `note.root` is the number of rows that are scattered from there.
Protocol scatter_steps(Operation& operation);
/// The rows of each rank in as many parts as there are ranks, part r to rank r.
Protocol all_to_all_steps(Operation& operation);

/// What each rank says for itself comes to operation.said: for what must be known before a result can be made.
Protocol notes_steps(Operation& operation);
/// The shape of rank `note.root`'s array comes to operation.facts: its extents, as many as `note.rank` says.
Protocol shape_steps(Operation& operation);

}  // namespace tessera::collective
