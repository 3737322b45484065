module;
#include <cstddef>
module tessera.device:kernel_log;
import tessera.standard;

// What TESSERA_LOG=jit prints: a line on standard error for each kernel that is compiled or read from disk.
namespace tessera::device {

/// TESSERA_LOG has jit in its list.
bool kernels_are_logged();

/// Prints a line if kernels are logged.
void log_kernel(const std::string& line);

/// Prints a line the first time only.
void log_kernel_once(const std::string& line);

}  // namespace tessera::device
