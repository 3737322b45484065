// A fuzz target: an input is a safetensors file, or the index of several. It is refused, or all tensors are read and mapped.
#include <cstdint>
#include <system_error>

#include "input_file.hpp"
import tessera;
import tessera.io;

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  try {
    const io::SafetensorsFile tensors(file.path());
    std::ptrdiff_t bytes = 0;
    for (const auto& name : tensors.names()) {
      const io::StoredArray loaded = tensors.load(name);
      require_consistent(loaded);
      bytes += loaded.buffer->bytes();
      try {
        require_consistent(tensors.map(name));
      } catch (const FormatError&) {  // not aligned
      }
    }
    require(bytes < static_cast<std::ptrdiff_t>(size), "the tensors are larger than the file");
  } catch (const FormatError&) {
  }
  try {
    const io::ShardedSafetensors index(file.path());
  } catch (const FormatError&) {
  } catch (const std::system_error&) {  // a file that is not there
  }
  return 0;
}
