module;
#include <cstddef>
#include <cstdint>
export module tessera.io:byte_order;
import tessera.standard;
import tessera.core;

// Little-endian numbers of file formats, and elements in the other byte order.
namespace tessera::io {

/// Reverses the bytes of each number: those of a complex element are its two parts. The size is a multiple of the element's.
void reverse_bytes(std::span<std::byte> elements, DType dtype);

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
