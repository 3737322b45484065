// Compiles the CUDA text of kernels for the host, into shared libraries that stay in a folder.
#pragma once

#include <string>
#include <vector>

namespace fake {

/// A variable of the environment; `otherwise` if it is missing or empty.
std::string variable(const char* name, const std::string& otherwise);

/// The bytes of a file; empty if there is none.
std::string contents(const std::string& path);

/// Name of a kernel by its text and all else on which the compiled kernel depends: 16 hexadecimal digits.
std::string name_of(const std::string& source);

/// The folder of libraries: FAKE_NVRTC_CACHE, or one for temporary files.
std::string library_folder();

/// The library that holds the kernel of this name; empty if none does.
std::string library_of(const std::string& name);

struct Compiled {
  bool good = false;
  std::string library;
  std::string log;
};

/// One library with all of these kernels, each under its name. Optimised code for a few kernels that run long, or code that is quick to
/// compile for many that do not.
Compiled compile(const std::vector<std::string>& sources, bool optimised);

}  // namespace fake
