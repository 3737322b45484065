module;
#include <cstddef>
export module tessera.device:find_kernel;
import tessera.standard;
import tessera.core;
import :place;
import :kernel;

// CUDA kernels from text: compiled by NVRTC at run time, kept on disk and in memory.
namespace tessera::device {

/// What the compiler says of a kernel.
export struct KernelReport {
  int registers = 0;        ///< of a thread
  int local_bytes = 0;      ///< stack and spilled registers of a thread
  bool from_cache = false;  ///< it was on disk
  std::string ptx{};        ///< version of the PTX, "8.7"; empty for machine code
  std::string log;          ///< the compiler's words
};

/// The kernel `tessera_kernel` of a CUDA text on a GPU: from memory, from the disk, or from NVRTC. `cause` says in the
/// log, and in errors, what it is for. Throws DeviceError without the GPU or NVRTC, and with NVRTC's words if the text
/// does not compile. Safe from any thread: threads that want the same kernel compile it once.
export const Kernel& find_kernel(GpuPlace place, const std::string& source, std::string_view cause);

/// Compiles a text for an architecture (90 for sm_90) into the disk cache, unless it is there. Needs no GPU. A driver's CUDA, 12080 for 12.8, that
/// is of an earlier major version than NVRTC gets PTX, as find_kernel would make it there; 0 stands for one that is not. Throws DeviceError as
/// find_kernel does.
export KernelReport compile_kernel(const std::string& source, int architecture, std::string_view cause,
                                   int driver_version = 0);

/// Architectures for which NVRTC compiles: 80 for sm_80. Empty without NVRTC.
export std::vector<int> compiler_architectures();

/// NVRTC's version, "13.0". Empty without NVRTC.
export std::string compiler_version();

/// Folder of the cache on disk: TESSERA_CACHE_DIR, else tessera under XDG_CACHE_HOME, else under ~/.cache. Empty if the
/// environment has none of them.
export std::string kernel_folder();

/// Why kernels cannot be compiled: which libraries were looked for. Empty if they can.
export std::string no_compiler_reason();

}  // namespace tessera::device
