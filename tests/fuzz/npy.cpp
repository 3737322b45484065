// A fuzz target: an input is a .npy file. It is refused, or read and mapped as the same array.
#include <cstdint>
#include <cstring>

#include "input_file.hpp"
import tessera;
import tessera.io;

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  try {
    const io::StoredArray loaded = io::load_npy(file.path(), io::TrailingBytes::ignored);
    require_consistent(loaded);
    const io::StoredArray mapped = io::map_npy(file.path(), io::MapMode::read_only, io::TrailingBytes::ignored);
    require_consistent(mapped);
    require(mapped.shape == loaded.shape && mapped.dtype == loaded.dtype && mapped.strides == loaded.strides,
            "the mapped array is another one");
    require(std::memcmp(mapped.buffer->data(), loaded.buffer->data(),
                        static_cast<std::size_t>(loaded.buffer->bytes())) == 0,
            "the mapped array has other elements");
  } catch (const FormatError&) {
  }
  return 0;
}
