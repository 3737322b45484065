module;
#include <cstddef>
export module tessera.algorithm:scanning;
import tessera.standard;
import tessera.core;
import :rows;

// Running sums and products along an axis for element types that are known at run time.
namespace tessera::scanning {

enum class Operation { sum, product };

/// Writes each row's running sums or products: of bool and integers as 64-bit integers, else of the elements' own type. `to` may be
/// `from`. Throws OutOfMemory before anything is written.
void scan_rows(const rows::Call& call, Operation operation);

}  // namespace tessera::scanning
