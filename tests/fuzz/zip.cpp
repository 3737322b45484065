// A fuzz target: an input is a .npz file. Its directory is refused, or each of its arrays is refused or read.
#include <cstdint>

#include "input_file.hpp"
import tessera;
import tessera.io;

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  try {
    const io::NpzFile archive(file.path());
    std::ptrdiff_t bytes = 0;
    for (const auto& name : archive.names()) {
      try {
        const io::StoredArray array = archive.load(name);
        require_consistent(array);
        bytes += array.buffer->bytes();
      } catch (const FormatError&) {
      }
    }
    require(bytes <= static_cast<std::ptrdiff_t>(size) * 1032, "the arrays are larger than the file can be");
  } catch (const FormatError&) {
  }
  return 0;
}
