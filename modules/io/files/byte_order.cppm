module;
#include <cstddef>
#include <cstdint>
export module tessera.io:byte_order;
import tessera.standard;
import tessera.core;

// Little-endian numbers of file formats, and elements as the machine has them.
namespace tessera::io {

/// Makes elements out of the bytes of a file, in place. Big-endian numbers are turned round; those of a complex element are its two parts.
/// For bool any byte but 0 is true, as NumPy has it, and becomes the 1 that C++ asks for. The size is a multiple of the element's.
void make_elements(std::span<std::byte> bytes, DType dtype, bool big_endian);

/// The place of the first byte that no bool of C++ has; the number of bytes if there is none.
std::ptrdiff_t find_no_bool(std::span<const std::byte> bytes);

/// The little-endian number of `Bytes` bytes at a place that has as many.
template <int Bytes>
std::uint64_t little_endian(const std::byte* at) {
  std::uint64_t value = 0;
  for (int i = Bytes; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(at[i]);
  return value;
}

/// Appends the number's lowest `bytes` bytes, lowest first.
void append_little_endian(std::string& to, std::uint64_t value, int bytes);

}  // namespace tessera::io
