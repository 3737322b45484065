module;
#include <cstddef>
export module tessera.io:npy;
import tessera.standard;
import tessera.core;
import :byte_order;
import :input_file;
import :mapping;
import :npy_header;
import :npy_literal;
import :output_file;
import :refusal;
import :stored;

// Files of one array, as numpy.save() writes them.
namespace tessera::io {

/// Reads a .npy file of version 1, 2 or 3. Elements of the other byte order are turned round; those in Fortran order lie as in the file, and
/// the strides say so. All that the header says is checked against the file before memory is taken. Throws FormatError with the byte, what
/// was expected and what was found; std::system_error where the system refuses; OutOfMemory.
export StoredArray load_npy(const std::string& path, TrailingBytes trailing = TrailingBytes::refused);

/// The array of a .npy file with the file as its storage: the time is the same for any size, and only pages that are touched are read. Throws
/// what load_npy throws, and FormatError for elements of the other byte order or that are not aligned for their type. Elements of bool are all read, because only
/// 0 and 1 are some. The file must
/// keep its length as long as the storage is used: pages that are gone end the program with SIGBUS.
export StoredArray map_npy(const std::string& path, MapMode mode = MapMode::copy_on_write,
                           TrailingBytes trailing = TrailingBytes::refused);

/// Writes a .npy file in row-major order, as NumPy does byte for byte. The file appears under its name when it is complete and on the
/// disk; when that fails, what was there before is still there. Throws std::system_error where the system refuses, ShapeError for
/// strides that do not fit the shape.
export void save_npy(const std::string& path, const ArrayToSave& array);

}  // namespace tessera::io
