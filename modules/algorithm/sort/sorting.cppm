module;
#include <cstddef>
export module tessera.algorithm:sorting;
import tessera.standard;
import tessera.core;
import :rows;

// Sorting along an axis for element types that are known at run time.
namespace tessera::sorting {

/// Sorts each row; `to` may be `from`. Throws OutOfMemory before anything is written.
void sort_rows(const rows::Call& call, bool descending);

/// Writes the positions (int64) of each row's elements in their order to `to`; equal elements, and NaN, keep theirs. Throws OutOfMemory
/// before anything is written.
void argsort_rows(const rows::Call& call, bool descending);

}  // namespace tessera::sorting
