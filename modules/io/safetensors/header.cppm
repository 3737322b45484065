module;
#include <cstddef>
export module tessera.io:safetensors_header;
import tessera.standard;
import tessera.core;
import :byte_order;
import :input_file;
import :refusal;
import :safetensors_json;
import :stored;

// What stands before the elements in a safetensors file (https://github.com/huggingface/safetensors#format).
namespace tessera::io {

/// A tensor whose elements lie within the file.
struct SafetensorsEntry {
  std::string name;
  DType dtype{};
  DDim shape;
  std::ptrdiff_t begin = 0;  // byte of the file
  std::ptrdiff_t bytes = 0;
};

/// Free text of a file, by keys.
export using SafetensorsMetadata = std::vector<std::pair<std::string, std::string>>;

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> tensors;  // in the order of the header
  SafetensorsMetadata metadata;
};

/// The most bytes that a header may have, as in the reference implementation.
inline constexpr std::ptrdiff_t longest_safetensors_header = 100'000'000;

/// Reads and checks the header as the reference implementation does: the tensors follow each other without holes up to the end of the file, and each
/// has the bytes of its shape and type. Throws FormatError.
SafetensorsHeader read_safetensors_header(const InputFile& file);

/// All bytes before the elements of tensors that follow each other in this order; their names, types and shapes. The elements begin at a
/// multiple of 8. Throws DTypeError for a type that the format has not.
std::string safetensors_header_text(std::span<const NamedArrayToSave* const> tensors,
                                    const SafetensorsMetadata& metadata);

/// The format's order of types, the largest alignment first. Throws DTypeError for a type that it has not.
int safetensors_rank(DType dtype);

}  // namespace tessera::io
