module;
#include <cstddef>
#include <cstdint>
module tessera.device:kernel_cache;
import tessera.standard;
import tessera.core;
import :digest;

// Compiled kernels on disk. An entry is a file of its own: it is written beside its place and renamed, and read only if
// its length and digest are right. Nothing here throws for what a disk does: without a cache, kernels are compiled.
namespace tessera::device {

struct CachedKernel {
  std::vector<std::byte> cubin{};  // or PTX
  std::string log{};               // the compiler's
};

/// TESSERA_CACHE_DIR, else tessera under XDG_CACHE_HOME, else under ~/.cache. Empty if the environment has none of
/// them.
std::string cache_directory();

/// Path of the entry with this key.
std::string cache_path(const std::string& directory, const Digest& key);

/// The bytes of a file; none if it cannot be read.
std::vector<std::byte> read_file(const std::string& path);

/// Writes a file beside its place and renames it, makes directories as needed. Returns why it could not; empty if it could.
std::string write_file(const std::string& path, std::span<const std::byte> bytes);

/// The entry, or nothing. One that is damaged is removed, and `remark` says what was wrong with it.
std::optional<CachedKernel> read_cached(const std::string& path, const Digest& key, std::string& remark);

/// Keeps the kernel, makes directories as needed. Returns why it could not; empty if it could.
std::string write_cached(const std::string& path, const Digest& key, const CachedKernel& kernel);

}  // namespace tessera::device
