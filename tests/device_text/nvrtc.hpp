// NVRTC, CUDA's compiler as a library, opened at run time where there is one. It needs no GPU and no header.
#pragma once

#include <string>
#include <vector>

class Nvrtc {
 public:
  /// The library of the loader's path or of the usual prefix of a CUDA toolkit; TESSERA_NVRTC names another.
  Nvrtc();

  bool found() const { return library_ != nullptr; }
  /// "13.0"
  std::string version() const;
  /// The numbers of the architectures for which it can compile: 80 for sm_80.
  std::vector<int> architectures() const;

  struct Compiled {
    bool good;
    std::size_t cubin_bytes;
    std::string log;
  };
  /// Compiles to a cubin for sm_<architecture>; the log has the use of registers and memory.
  Compiled compile(const std::string& source, int architecture) const;

 private:
  template <class Function>
  Function function(const char* name) const;

  void* library_ = nullptr;
};
