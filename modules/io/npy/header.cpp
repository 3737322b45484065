module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>
module tessera.io;
import tessera.core;

// The header of .npy files: versions 1 to 3 are read, version 1 is written, which has room for any array of ours.
namespace tessera::io {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
// A header of nine axes has 300 bytes. NumPy reads no more than 10,000 unless it is told to.
constexpr std::ptrdiff_t longest_header = 65535;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct TypeName {
  std::string_view text;  // behind the byte order
  DType dtype;
};

constexpr TypeName type_names[] = {
    {"b1", DType::boolean}, {"i1", DType::int8},      {"i2", DType::int16},       {"i4", DType::int32},
    {"i8", DType::int64},   {"u1", DType::uint8},     {"u2", DType::uint16},      {"u4", DType::uint32},
    {"u8", DType::uint64},  {"f2", DType::float16},   {"V2", DType::bfloat16},    {"f4", DType::float32},
    {"f8", DType::float64}, {"c8", DType::complex64}, {"c16", DType::complex128},
};

/// Reads the value of 'descr' into a header.
class DescrReader {
 public:
  DescrReader(const LiteralReader& reader, std::string_view descr) : reader_(reader), descr_(descr) {}

  void read_into(NpyHeader& header) const {
    if (descr_.empty()) refuse("is empty");
    if (descr_.find('O') != std::string_view::npos) {
      refuse("stands for Python objects, which are stored as a pickle: reading one runs the code in it",
             "save an array of numbers from NumPy");
    }
    const char order = descr_[0];
    const bool has_order = order == '<' || order == '>' || order == '|' || order == '=';
    const std::string_view text = descr_.substr(has_order ? 1 : 0);
    const auto* const found = std::ranges::find(type_names, text, &TypeName::text);
    if (found == std::end(type_names)) {
      refuse("is none of b1, i1-i8, u1-u8, f2, f4, f8, c8, c16 and <V2 (bfloat16)", "convert it in NumPy by astype()");
    }
    if (item_size(found->dtype) > 1 && (!has_order || order == '|')) {
      if (found->dtype == DType::bfloat16) {
        refuse("stands for two bytes of no type",
               "write view(ml_dtypes.bfloat16) in NumPy if they are that, which saves '<V2'");
      }
      refuse("does not say in which order the bytes of an element are", "put '<' before it if they are little-endian");
    }
    header.dtype = found->dtype;
    header.big_endian = order == '>' && item_size(found->dtype) > 1;
  }

 private:
  [[noreturn]] void refuse(const std::string& found, std::string_view advice = {}) const {
    reader_.refuse("'descr' to be the type of a number, as '<f4'", "'" + printable() + "', which " + found, advice);
  }
  std::string printable() const {
    const std::string text = quoted(descr_);
    return text.substr(1, text.rfind('"') - 1);
  }

  const LiteralReader& reader_;
  std::string_view descr_;
};

/// Reads the dict with its three keys.
class DictReader {
 public:
  DictReader(LiteralReader reader, bool python2) : reader_(reader), python2_(python2) {}

  NpyHeader read() {
    reader_.require('{', "at the start of the header's dict");
    bool first = true;
    while (!reader_.take('}')) {
      if (!first) {
        reader_.require(',', "or '}' behind an item of the header's dict");
        if (reader_.take('}')) break;
      }
      first = false;
      read_item();
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!seen_[i])
        reader_.refuse("the keys 'descr', 'fortran_order' and 'shape'", "no '" + std::string(keys[i]) + "'");
    }
    reader_.require_end();
    return header_;
  }

 private:
  static constexpr std::array<std::string_view, 3> keys{"descr", "fortran_order", "shape"};

  void read_item() {
    reader_.skip_space();
    const LiteralReader before = reader_;
    const std::string_view key = reader_.string("a key");
    const auto* const found = std::ranges::find(keys, key);
    if (found == keys.end()) {
      before.refuse("the keys 'descr', 'fortran_order' and 'shape' alone", quoted(key) + " as a key");
    }
    bool& seen = seen_[static_cast<std::size_t>(found - keys.begin())];
    if (seen) before.refuse("each key once", "'" + std::string(key) + "' again");
    seen = true;
    reader_.require(':', "behind a key");
    if (key == "descr") {
      read_descr();
    } else if (key == "fortran_order") {
      header_.fortran_order = reader_.boolean("'fortran_order'");
    } else {
      read_shape();
    }
  }

  void read_descr() {
    reader_.skip_space();
    const LiteralReader before = reader_;
    if (LiteralReader(before).take('[') || LiteralReader(before).take('(')) {
      before.refuse("'descr' to be the type of a number, as '<f4'", "a list of fields: a structured type",
                    "save each field as an array of its own, as a['x']");
    }
    const std::string_view descr = reader_.string("'descr'");
    DescrReader(before, descr).read_into(header_);
  }

  void read_shape() {
    reader_.require('(', "at the start of 'shape', a tuple of extents");
    std::vector<std::ptrdiff_t> extents;
    while (!reader_.take(')')) {
      if (!extents.empty()) {
        reader_.require(',', "or ')' behind an extent");
        if (reader_.take(')')) {
          header_.shape = DDim(extents);
          return;
        }
      }
      if (std::ssize(extents) == max_rank) {
        reader_.refuse("at most " + std::to_string(max_rank) + " axes", "one more: " + reader_.next(),
                       "reshape the array in NumPy");
      }
      extents.push_back(reader_.extent(python2_));
    }
    if (extents.size() == 1) reader_.refuse("a comma behind the extent, as Python writes a tuple of one", "')'");
    header_.shape = DDim(extents);
  }

  LiteralReader reader_;
  bool python2_;
  NpyHeader header_;
  std::array<bool, 3> seen_{};
};

void check_size(std::string_view source, const NpyHeader& header, std::ptrdiff_t size, TrailingBytes trailing) {
  const std::ptrdiff_t there = size - header.data_begin;
  const std::string elements = std::string(name(header.dtype)) + " " + to_string(header.shape);
  const auto refuse = [&](std::string expected, std::string_view advice) {
    Refusal{.source = source,
            .at = header.data_begin,
            .expected = std::move(expected),
            .found = count_of_bytes(there),
            .advice = advice}
        .raise();
  };
  const auto declared = byte_count(header.shape, header.dtype);
  if (!declared) refuse("the elements of " + elements + ", which would be more than 2^63 bytes", "the header is wrong");
  if (*declared > there) {
    refuse("the " + count_of_bytes(*declared) + " of " + elements, "the file is cut off, or its header is wrong");
  }
  if (*declared < there && trailing == TrailingBytes::refused) {
    refuse("the " + count_of_bytes(*declared) + " of " + elements + " and nothing behind them",
           "pass TrailingBytes::ignored to read the first array alone, as NumPy does");
  }
}

}  // namespace

std::ptrdiff_t npy_header_end(std::string_view source, std::span<const std::byte> prelude, std::ptrdiff_t size) {
  const auto refuse = [&](std::ptrdiff_t at, std::string expected, std::string found, std::string_view advice = {}) {
    Refusal{.source = source, .at = at, .expected = std::move(expected), .found = std::move(found), .advice = advice}
        .raise();
  };
  const std::string_view text = text_of(prelude);
  if (!text.starts_with(magic)) {
    refuse(0, "the six bytes \"\\x93NUMPY\" of a .npy file",
           text.empty() ? "nothing" : quoted(text.substr(0, magic.size())));
  }
  if (text.size() < 10) refuse(6, "a version and the length of the header", count_of_bytes(std::ssize(text) - 6));
  const int major = std::to_integer<int>(prelude[6]);
  const int minor = std::to_integer<int>(prelude[7]);
  if (major < 1 || major > 3 || minor != 0) {
    refuse(6, "version 1.0, 2.0 or 3.0 of the format", std::to_string(major) + "." + std::to_string(minor));
  }
  const std::ptrdiff_t begin = major == 1 ? 10 : 12;
  if (std::ssize(text) < begin) refuse(8, "the length of the header, 4 bytes", count_of_bytes(std::ssize(text) - 8));
  const auto length =
      static_cast<std::ptrdiff_t>(major == 1 ? little_endian<2>(&prelude[8]) : little_endian<4>(&prelude[8]));
  if (length > size - begin) {
    refuse(8, "a header of at most the " + count_of_bytes(size - begin) + " that follow", count_of_bytes(length),
           "the file is cut off, or is no .npy file");
  }
  if (length > longest_header) {
    refuse(8, "a header of at most " + count_of_bytes(longest_header), count_of_bytes(length));
  }
  return begin + length;
}

NpyHeader parse_npy_header(std::string_view source, std::span<const std::byte> start, std::ptrdiff_t size,
                           TrailingBytes trailing) {
  const int major = std::to_integer<int>(start[6]);
  const std::ptrdiff_t begin = major == 1 ? 10 : 12;
  const std::string_view text = text_of(start).substr(static_cast<std::size_t>(begin));
  NpyHeader header = DictReader(LiteralReader(source, begin, text), major < 3).read();
  header.data_begin = std::ssize(start);
  check_size(source, header, size, trailing);
  header.data_bytes = byte_count(header.shape, header.dtype).value_or(0);
  return header;
}

std::string npy_header_text(DType dtype, const DDim& shape) {
  const auto* const type = std::ranges::find(type_names, dtype, &TypeName::dtype);
  std::string dict = "{'descr': '";
  dict += item_size(dtype) == 1 ? "|" : "<";
  dict += type->text;
  dict += "', 'fortran_order': False, 'shape': (";
  for (const std::ptrdiff_t extent : shape.extents()) dict += std::to_string(extent) + ", ";
  if (shape.rank() > 0) dict.resize(dict.size() - (shape.rank() == 1 ? 1 : 2));
  dict += "), }";
  // NumPy leaves room for an extent that grows to 21 digits; with it the files are the same, byte for byte.
  if (shape.rank() > 0) dict.append(21 - std::to_string(shape[0]).size(), ' ');
  const std::size_t before = magic.size() + 4;
  dict.append(64 - (before + dict.size() + 1) % 64, ' ');
  dict += '\n';
  std::string text(magic);
  text += {'\x01', '\x00'};
  append_little_endian(text, dict.size(), 2);
  return text + dict;
}

}  // namespace tessera::io
