module;
#include <cstddef>
export module tessera.io:refusal;
import tessera.standard;
import tessera.core;

// The one form in which readers of files say what is wrong: the file, the byte, what was expected and what was found.
namespace tessera::io {

/// Something that a reader does not accept. Throws FormatError: "reading "a.npy": at byte 8: expected ..., found ...; advice".
struct Refusal {
  std::string_view source;       // the file, and what of it: a.npz, entry "x.npy"
  std::ptrdiff_t at = 0;         // byte of the source
  std::string expected;          // "a header of at most 70 bytes, as the file has no more"
  std::string found;             // "1 of 118 bytes"
  std::string_view advice = {};  // what to do about it

  [[noreturn]] void raise() const;
};

/// The bytes in quotes, as they are where they are printable, and cut after 40.
std::string quoted(std::string_view bytes);

/// A path in quotes, whole.
std::string quoted_path(std::string_view path);

/// "1 byte", "2 bytes"
std::string count_of_bytes(std::ptrdiff_t count);

/// Throws std::system_error for the error number: "saving "a.npy": writing to its temporary file: No space left on device".
[[noreturn]] void raise_system_error(int error_number, const std::string& what);

/// Whether the bytes are UTF-8 without overlong forms and surrogates; otherwise the place of the first that is not.
std::optional<std::size_t> find_broken_utf8(std::string_view text);

}  // namespace tessera::io
