module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module tessera.io;
import tessera.core;

// The header of safetensors files, read and written.
namespace tessera::io {

namespace {

constexpr std::string_view metadata_key = "__metadata__";
constexpr std::ptrdiff_t length_bytes = 8;

struct TypeName {
  std::string_view text;
  DType dtype;
};

/// In the order in which the reference implementation writes tensors.
constexpr TypeName type_names[] = {
    {"U64", DType::uint64},  {"I64", DType::int64},    {"F64", DType::float64}, {"C64", DType::complex64},
    {"F32", DType::float32}, {"U32", DType::uint32},   {"I32", DType::int32},   {"BF16", DType::bfloat16},
    {"F16", DType::float16}, {"U16", DType::uint16},   {"I16", DType::int16},   {"I8", DType::int8},
    {"U8", DType::uint8},    {"BOOL", DType::boolean},
};

class HeaderReader {
 public:
  HeaderReader(const InputFile& file, std::string_view text)
      : file_(file), reader_(file.name(), length_bytes, text), data_begin_(length_bytes + std::ssize(text)) {}

  SafetensorsHeader read() {
    reader_.object("the header", [this](const std::string& key) {
      if (key == metadata_key) {
        read_metadata();
      } else {
        read_tensor(key);
      }
    });
    reader_.require_end();
    check_places();
    return std::move(header_);
  }

 private:
  void read_metadata() {
    reader_.object("__metadata__", [this](const std::string& key) {
      header_.metadata.emplace_back(key, reader_.string("a value of __metadata__"));
    });
  }

  void read_tensor(const std::string& name) {
    SafetensorsEntry tensor;
    tensor.name = name;
    std::vector<std::ptrdiff_t> places;
    bool has_dtype = false, has_shape = false;
    const std::string what = "tensor " + quoted(name);
    reader_.object(what, [&](const std::string& key) {
      if (key == "dtype") {
        tensor.dtype = read_dtype(what);
        has_dtype = true;
      } else if (key == "shape") {
        tensor.shape = read_shape(what);
        has_shape = true;
      } else if (key == "data_offsets") {
        reader_.array("'data_offsets' of " + what, [&] { places.push_back(reader_.integer("an offset")); });
      } else {
        reader_.refuse("the keys 'dtype', 'shape' and 'data_offsets' alone in " + what, quoted(key) + " as a key");
      }
    });
    if (!has_dtype || !has_shape)
      reader_.refuse("the keys 'dtype', 'shape' and 'data_offsets' in " + what,
                     has_dtype ? "no 'shape'" : "no 'dtype'");
    if (places.size() != 2)
      reader_.refuse("two offsets, begin and end, as 'data_offsets' of " + what, std::to_string(places.size()));
    check_bytes(what, tensor, places[0], places[1]);
    header_.tensors.push_back(std::move(tensor));
  }

  DType read_dtype(const std::string& what) {
    const std::string text = reader_.string("'dtype' of " + what);
    const auto* const found = std::ranges::find(type_names, text, &TypeName::text);
    if (found == std::end(type_names)) {
      reader_.refuse("'dtype' of " + what + " to be one of BOOL, U8-U64, I8-I64, F16, BF16, F32, F64 and C64",
                     quoted(text), "convert the tensor to one of them with the program that wrote it");
    }
    return found->dtype;
  }

  DDim read_shape(const std::string& what) {
    std::vector<std::ptrdiff_t> extents;
    reader_.array("'shape' of " + what, [&] {
      if (std::ssize(extents) == max_rank)
        reader_.refuse("at most " + std::to_string(max_rank) + " axes in 'shape' of " + what, "one more");
      extents.push_back(reader_.integer("an extent"));
    });
    return DDim(extents);
  }

  void check_bytes(const std::string& what, SafetensorsEntry& tensor, std::ptrdiff_t begin, std::ptrdiff_t end) const {
    const std::ptrdiff_t there = file_.size() - data_begin_;
    if (begin > end || end > there) {
      reader_.refuse("'data_offsets' of " + what + " within the " + count_of_bytes(there) + " behind the header",
                     std::to_string(begin) + " to " + std::to_string(end),
                     "the file is cut off, or its header is wrong");
    }
    const std::string elements = std::string(tessera::name(tensor.dtype)) + " " + to_string(tensor.shape);
    const auto bytes = byte_count(tensor.shape, tensor.dtype);
    if (!bytes)
      reader_.refuse(what + " to be of a size that can exist", elements + ", which would be more than 2^63 bytes");
    if (*bytes != end - begin) {
      reader_.refuse(
          "'data_offsets' of " + what + " with the " + count_of_bytes(*bytes) + " of " + elements + " between them",
          count_of_bytes(end - begin));
    }
    tensor.begin = data_begin_ + begin;
    tensor.bytes = *bytes;
  }

  /// Without this two tensors could be the same memory, and a file could hold what none of them shows.
  void check_places() const {
    std::vector<const SafetensorsEntry*> by_place;
    by_place.reserve(header_.tensors.size());
    for (const SafetensorsEntry& tensor : header_.tensors) by_place.push_back(&tensor);
    std::ranges::sort(by_place, [](const SafetensorsEntry* a, const SafetensorsEntry* b) {
      return a->begin != b->begin ? a->begin < b->begin : a->bytes < b->bytes;
    });
    std::ptrdiff_t end = data_begin_;
    for (const SafetensorsEntry* tensor : by_place) {
      if (tensor->begin != end) {
        refuse(end, "tensor " + quoted(tensor->name) + " where the one before it ends",
               "it at byte " + std::to_string(tensor->begin) +
                   (tensor->begin > end ? ", with a hole between them" : ", overlapping that"));
      }
      end += tensor->bytes;
    }
    if (end != file_.size())
      refuse(end, "the end of the file behind the last tensor", count_of_bytes(file_.size() - end));
  }

  [[noreturn]] void refuse(std::ptrdiff_t at, std::string expected, std::string found) const {
    Refusal{.source = file_.name(), .at = at, .expected = std::move(expected), .found = std::move(found)}.raise();
  }

  const InputFile& file_;
  JsonReader reader_;
  std::ptrdiff_t data_begin_;
  SafetensorsHeader header_;
};

const TypeName& type_name(DType dtype) {
  const auto* const found = std::ranges::find(type_names, dtype, &TypeName::dtype);
  if (found == std::end(type_names)) {
    throw DTypeError(
        to_string(Failure{.operation = "save_safetensors",
                          .problem = "the format has no type for " + std::string(name(dtype)),
                          .advice = "save it in a .npz file, or its real and imaginary parts by themselves"}));
  }
  return *found;
}

}  // namespace

SafetensorsHeader read_safetensors_header(const InputFile& file) {
  const auto refuse = [&](std::ptrdiff_t at, std::string expected, std::string found) {
    Refusal{.source = file.name(), .at = at, .expected = std::move(expected), .found = std::move(found)}.raise();
  };
  if (file.size() < length_bytes) refuse(0, "the length of the header, 8 bytes", count_of_bytes(file.size()));
  std::array<std::byte, length_bytes> start{};
  file.read(0, start);
  const std::uint64_t length = little_endian<8>(start.data());
  const std::ptrdiff_t there = file.size() - length_bytes;
  if (length > static_cast<std::uint64_t>(std::min(there, longest_safetensors_header))) {
    refuse(
        0,
        "a header of at most " + (there < longest_safetensors_header ? "the " + count_of_bytes(there) + " that follow"
                                                                     : count_of_bytes(longest_safetensors_header)),
        std::to_string(length) + " bytes");
  }
  std::string text(length, '\0');
  file.read(length_bytes, std::as_writable_bytes(std::span<char>(text)));
  if (!text.starts_with('{'))
    refuse(length_bytes, "'{' at the start of the header",
           text.empty() ? "an empty header" : quoted(text.substr(0, 8)));
  return HeaderReader(file, text).read();
}

std::string safetensors_header_text(std::span<const NamedArrayToSave* const> tensors,
                                    const SafetensorsMetadata& metadata) {
  std::string text = "{";
  if (!metadata.empty()) {
    text += json_string(metadata_key) + ":{";
    for (const auto& [key, value] : metadata) text += json_string(key) + ':' + json_string(value) + ',';
    text.back() = '}';
    text += ',';
  }
  std::ptrdiff_t begin = 0;
  for (const NamedArrayToSave* tensor : tensors) {
    const std::ptrdiff_t end =
        core::checked_add(begin, byte_count(tensor->array.shape, tensor->array.dtype).value_or(0));
    text += json_string(tensor->name) + ":{\"dtype\":\"" + std::string(type_name(tensor->array.dtype).text) +
            "\",\"shape\":[";
    const char* separator = "";
    for (const std::ptrdiff_t extent : tensor->array.shape.extents())
      text += std::exchange(separator, ",") + std::to_string(extent);
    text += "],\"data_offsets\":[" + std::to_string(begin) + ',' + std::to_string(end) + "]},";
    begin = end;
  }
  if (text.back() == ',') text.pop_back();
  text += '}';
  text.resize((text.size() + 7) / 8 * 8, ' ');
  std::string whole;
  append_little_endian(whole, text.size(), 8);
  return whole + text;
}

int safetensors_rank(DType dtype) { return static_cast<int>(&type_name(dtype) - type_names); }

}  // namespace tessera::io
