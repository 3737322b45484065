module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:searching;
import tessera.standard;
import tessera.core;
import :rows;
import :host_elements;

// Finding elements for types that are known at run time. Both vectors of a call have one type.
namespace tessera {

/// Where a value goes among the elements that equal it.
export enum class SearchSide { left, right };

}  // namespace tessera

namespace tessera::searching {

/// Writes, for each value, before how many of the sorted elements' end it goes: how many are below it, or not above it. Throws OutOfMemory
/// before anything is written.
void search(const rows::Vector& sorted, const rows::Vector& values, SearchSide side, std::int64_t* to);

/// Writes the number of the bin of each value, edges being in ascending or descending order. Throws std::invalid_argument for edges in no
/// order, OutOfMemory.
void find_bins(const rows::Vector& edges, const rows::Vector& values, SearchSide side, std::int64_t* to,
               const rows::Argument& argument);

}  // namespace tessera::searching
