module;
#include <cstddef>
#include <cstdint>
module tessera.device:nvrtc;
import tessera.standard;
import tessera.core;
import :library;

// NVRTC, CUDA's compiler as a library, found by name at run time. It needs no GPU. That of the driver's version is preferred, if a driver has
// been opened. TESSERA_NVRTC names another library to open in its place.
namespace tessera::device {

class Nvrtc {
 public:
  /// Opened on first use and never closed.
  static const Nvrtc& instance();

  Nvrtc();

  /// The driver is of a major version before the newest one that is looked for, so that another library is looked for first.
  static bool prefers_older();

  /// Why it cannot be used; empty if it can.
  const std::string& reason() const { return reason_; }
  /// The library's file; empty if it is not known.
  const std::string& path() const { return path_; }
  /// "13.0"
  const std::string& version() const { return version_; }
  /// Numbers of the architectures for which it compiles: 80 for sm_80.
  const std::vector<int>& architectures() const { return architectures_; }

  /// Machine code for one architecture, or PTX, which the driver compiles.
  enum class Output { cubin, ptx };

  struct Compiled {
    bool good = false;
    std::vector<std::byte> code{};
    std::string log{};
  };
  Compiled compile(const std::string& source, std::span<const std::string> options, Output output) const;

 private:
  using Program = void*;

  void find_functions(runtime::Library& library);
  void read_version();
  void find_path();
  void run(Program program, std::span<const std::string> options, Output output, Compiled& compiled) const;

  std::string reason_;
  std::string path_;
  std::string version_;
  std::vector<int> architectures_;

  int (*version_of_)(int*, int*) = nullptr;
  int (*count_architectures_)(int*) = nullptr;
  int (*list_architectures_)(int*) = nullptr;
  int (*create_)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*destroy_)(Program*) = nullptr;
  int (*compile_)(Program, int, const char* const*) = nullptr;
  int (*log_size_)(Program, std::size_t*) = nullptr;
  int (*log_)(Program, char*) = nullptr;
  int (*cubin_size_)(Program, std::size_t*) = nullptr;
  int (*cubin_)(Program, char*) = nullptr;
  int (*ptx_size_)(Program, std::size_t*) = nullptr;
  int (*ptx_)(Program, char*) = nullptr;
  const char* (*error_)(int) = nullptr;
};

}  // namespace tessera::device
