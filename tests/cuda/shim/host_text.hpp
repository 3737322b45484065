// The text of a CUDA kernel as the host's compiler reads it after cuda_language.hpp.
#pragma once

#include <regex>
#include <string>

namespace shim {

/// Memory that a launch gives a block, `extern __shared__ T name[];`, becomes a pointer to where the shim keeps it.
inline std::string host_text(const std::string& cuda) {
  static const std::regex dynamic(
      R"(extern\s+__shared__\s+((__align__|alignas)\s*\([^)]*\)\s*)?([A-Za-z_][\w:<> ]*?)\s+(\w+)\s*\[\s*\]\s*;)");
  return std::regex_replace(cuda, dynamic, "static $3* const $4 = reinterpret_cast<$3*>(shim::dynamic_shared);");
}

}  // namespace shim
