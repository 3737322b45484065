module;
#include <cstddef>
export module tessera.algorithm:running;
import tessera.standard;
import tessera.core;
import :rows;

// Running extreme values and sums of exponentials along an axis, for element types that are known at run time.
namespace tessera::scanning {

enum class Running { max, min, logsumexp };

/// Writes each row's running results in the elements' own type: NaN from the first NaN on. `to` may be `from`. Throws OutOfMemory before
/// anything is written.
void run_along_rows(const rows::Call& call, Running operation);

}  // namespace tessera::scanning
