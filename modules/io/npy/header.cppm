module;
#include <cstddef>
export module tessera.io:npy_header;
import tessera.standard;
import tessera.core;
import :refusal;

// What stands before the elements in a .npy file (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
namespace tessera::io {

/// What a header says.
struct NpyHeader {
  DType dtype{};
  bool big_endian = false;  // of types of one byte it says nothing
  bool fortran_order = false;
  DDim shape;
  std::ptrdiff_t data_begin = 0;  // bytes from the start of the file or entry
  std::ptrdiff_t data_bytes = 0;
};

/// Bytes of the start that say how long the header is.
inline constexpr std::ptrdiff_t npy_prelude_bytes = 12;

/// Where the header ends and the elements begin, from the first npy_prelude_bytes, or as many as there are. `size` is that of all of the
/// source. Throws FormatError for what is no .npy file, an unknown version, a header that is longer than the source or than 64 KiB.
std::ptrdiff_t npy_header_end(std::string_view source, std::span<const std::byte> prelude, std::ptrdiff_t size);

/// May elements be followed by something else?
export enum class TrailingBytes {
  refused,  ///< the file is one array and no more
  ignored,  ///< as NumPy does it: it can write several arrays into one file, of which this reads the first
};

/// The header, from all bytes before the elements. Nothing is allocated for elements before this returns: it throws FormatError for all that is
/// not as it should be, also where the source is shorter than header and elements, or longer and that is refused.
NpyHeader parse_npy_header(std::string_view source, std::span<const std::byte> start, std::ptrdiff_t size,
                           TrailingBytes trailing);

/// All bytes before the elements of a row-major array, as NumPy writes them: elements begin at a multiple of 64.
std::string npy_header_text(DType dtype, const DDim& shape);

}  // namespace tessera::io
