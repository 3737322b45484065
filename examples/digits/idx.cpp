// Readers of gzip-compressed IDX files: nothing in a header is believed before the bytes are there.
#include "idx.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <span>
#include <string>
#include <system_error>

#include "errors.hpp"
#include "gzip_reader.hpp"
#include "text.hpp"

namespace digits {

namespace {

constexpr std::uint32_t images_magic = 0x00000803;  // unsigned bytes, three axes
constexpr std::uint32_t labels_magic = 0x00000801;  // unsigned bytes, one axis
constexpr std::uint32_t most_items = 10'000'000;
constexpr std::uint32_t largest_extent = 1024;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
constexpr std::uint64_t best_compression = 1032;  // deflate cannot shrink more than that

/// An open IDX file: its name for messages, its size on disk, and its decompressed bytes.
class IdxFile {
 public:
  explicit IdxFile(const std::filesystem::path& file)
      : name_(in_quotes(file.string())), input_(open(file, name_)), size_(size(file)), reader_(input_, name_) {}

  /// The next number of the header; `read_so_far` and `header_size` stand in the message if it is missing.
  std::uint32_t header_number() {
    std::array<std::uint8_t, 4> bytes{};
    const std::size_t got = reader_.read(bytes);
    if (got < bytes.size()) fail(" ends inside its header, after " + std::to_string(header_bytes_ + got) + " bytes");
    header_bytes_ += got;
    std::uint32_t number = 0;
    for (const std::uint8_t byte : bytes) number = number << 8 | byte;  // big-endian
    return number;
  }

  void require_magic(std::uint32_t expected) {
    const std::uint32_t magic = header_number();
    if (magic != expected)
      fail(" has magic number 0x" + hexadecimal(magic).substr(8) + ", expected 0x" + hexadecimal(expected).substr(8));
  }

  /// A number of the header that must lie in 1 ... most.
  std::uint32_t extent(const std::string& what, std::uint32_t most) {
    const std::uint32_t number = header_number();
    if (number < 1 || number > most)
      fail(" declares " + std::to_string(number) + " " + what + ", allowed are 1 to " + std::to_string(most));
    return number;
  }

  /// The rest of the file, which must be exactly `declared` bytes.
  std::vector<std::uint8_t> payload(std::uint64_t declared) {
    if (declared > most_bytes)
      fail(" declares " + std::to_string(declared) + " bytes of data, allowed are " + std::to_string(most_bytes));
    if (declared / best_compression > size_)
      fail(" declares " + std::to_string(declared) + " bytes of data, which cannot be in a file of " +
           std::to_string(size_) + " bytes");
    std::vector<std::uint8_t> bytes;
    std::array<std::uint8_t, 1 << 16> piece;
    while (bytes.size() < declared) {
      const std::size_t wanted = std::min<std::uint64_t>(piece.size(), declared - bytes.size());
      const std::size_t got = reader_.read(std::span(piece).first(wanted));
      bytes.insert(bytes.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(got));
      if (got < wanted)
        fail(" declares " + std::to_string(declared) + " bytes of data, but holds " + std::to_string(bytes.size()));
    }
    if (reader_.read(std::span(piece).first(1)) > 0)
      fail(" declares " + std::to_string(declared) + " bytes of data, but more follow");
    return bytes;
  }

  [[noreturn]] void fail(const std::string& what) const { throw DataError(name_ + what); }

 private:
  static std::ifstream open(const std::filesystem::path& file, const std::string& name) {
    std::ifstream input(file, std::ios::binary);
    if (!input) throw DataError(name + " cannot be opened: " + std::generic_category().message(errno));
    return input;
  }

  /// Size on disk; without bound for what has no size, such as a pipe.
  static std::uint64_t size(const std::filesystem::path& file) {
    std::error_code error;
    const std::uintmax_t bytes = std::filesystem::file_size(file, error);
    return error ? most_bytes : bytes;
  }

  std::string name_;
  std::ifstream input_;
  std::uint64_t size_;
  GzipReader reader_;
  std::size_t header_bytes_ = 0;
};

}  // namespace

IdxImages read_idx_images(const std::filesystem::path& file) {
  IdxFile idx(file);
  idx.require_magic(images_magic);
  const std::uint64_t count = idx.extent("images", most_items);
  const std::uint64_t rows = idx.extent("rows", largest_extent);
  const std::uint64_t columns = idx.extent("columns", largest_extent);
  // The limits keep the product below 2^44: it cannot wrap.
  return {static_cast<std::int64_t>(count), static_cast<int>(rows), static_cast<int>(columns),
          idx.payload(count * rows * columns)};
}

std::vector<std::uint8_t> read_idx_labels(const std::filesystem::path& file, int classes) {
  IdxFile idx(file);
  idx.require_magic(labels_magic);
  std::vector<std::uint8_t> labels = idx.payload(idx.extent("labels", most_items));
  const auto wrong = std::ranges::find_if(labels, [classes](std::uint8_t label) { return label >= classes; });
  if (wrong != labels.end())
    idx.fail(" has label " + std::to_string(*wrong) + " at position " + std::to_string(wrong - labels.begin()) +
             ", allowed are 0 to " + std::to_string(classes - 1));
  return labels;
}

}  // namespace digits
