module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>
module tessera.io;
import tessera.core;

// Reading records of zip files, those of zip64 among them.
namespace tessera::io {

namespace {

constexpr std::ptrdiff_t longest_comment = 65535;

[[noreturn]] void refuse(const InputFile& file, std::ptrdiff_t at, std::string expected, std::string found,
                         std::string_view advice = {}) {
  Refusal{.source = file.name(), .at = at, .expected = std::move(expected), .found = std::move(found), .advice = advice}
      .raise();
}

/// The end record that all of the file's last bytes belong to; the last one, should the comment hold others.
std::ptrdiff_t find_end_record(const InputFile& file, std::span<const std::byte> tail) {
  const std::ptrdiff_t tail_begin = file.size() - std::ssize(tail);
  for (std::ptrdiff_t at = std::ssize(tail) - zip_end_bytes; at >= 0; --at) {
    if (little_endian<4>(&tail[static_cast<std::size_t>(at)]) != zip_end_signature) continue;
    const auto comment = static_cast<std::ptrdiff_t>(little_endian<2>(&tail[static_cast<std::size_t>(at + 20)]));
    if (at + zip_end_bytes + comment == std::ssize(tail)) return tail_begin + at;
  }
  refuse(file, file.size(), "the record that ends a zip file", "none in the last " + count_of_bytes(std::ssize(tail)),
         "the file is cut off, or is no zip file");
}

/// The values of zip64, in their order, for those that the record itself has no room for.
class Zip64Values {
 public:
  Zip64Values(const InputFile& file, std::ptrdiff_t at, std::span<const std::byte> extra) : file_(file), at_(at) {
    while (extra.size() >= 4) {
      const std::uint64_t id = little_endian<2>(extra.data());
      const std::size_t bytes = little_endian<2>(&extra[2]);
      if (bytes > extra.size() - 4) {
        refuse(file, at, "extra fields that end with the record",
               "one of " + count_of_bytes(static_cast<std::ptrdiff_t>(bytes)) + " where " +
                   count_of_bytes(std::ssize(extra) - 4) + " are left");
      }
      if (id == zip64_extra_id && !present_) {
        values_ = extra.subspan(4, bytes);
        present_ = true;
      }
      extra = extra.subspan(4 + bytes);
    }
  }

  void replace(std::uint64_t& value, const char* what) {
    if (value != zip_in_extra_field) return;
    if (values_.size() < 8) {
      refuse(file_, at_, std::string(what) + " in the extra field of zip64",
             present_ ? "an extra field that is too short" : "no such field");
    }
    value = little_endian<8>(values_.data());
    values_ = values_.subspan(8);
  }

 private:
  const InputFile& file_;
  std::ptrdiff_t at_;
  std::span<const std::byte> values_;
  bool present_ = false;
};

void read_name(ZipRecord& record, const InputFile& file, std::span<const std::byte> bytes) {
  record.name.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const bool ascii = std::ranges::all_of(record.name, [](char c) { return static_cast<signed char>(c) >= 0; });
  if (!ascii && ((record.flags & zip_utf8) == 0 || find_broken_utf8(record.name))) {
    refuse(file, record.at, "a name in ASCII, or in UTF-8 with the flag that says so", quoted(record.name));
  }
}

ZipEnd read_zip64_end(const InputFile& file, std::span<const std::byte> locator, std::ptrdiff_t locator_at) {
  const std::uint64_t at = little_endian<8>(&locator[8]);
  if (little_endian<4>(&locator[4]) != 0 || little_endian<4>(&locator[16]) > 1) {
    refuse(file, locator_at, "a zip file in one part", "one of several");
  }
  if (locator_at < zip64_end_bytes || at > static_cast<std::uint64_t>(locator_at - zip64_end_bytes)) {
    refuse(file, locator_at, "the place of the end record of zip64 before byte " + std::to_string(locator_at),
           std::to_string(at));
  }
  std::array<std::byte, zip64_end_bytes> end{};
  const auto begin = static_cast<std::ptrdiff_t>(at);
  file.read(begin, end);
  const std::uint64_t rest = little_endian<8>(&end[4]);
  if (little_endian<4>(end.data()) != zip64_end_signature ||
      rest != static_cast<std::uint64_t>(locator_at - begin - 12)) {
    refuse(file, begin, "the end record of zip64 up to its locator", "something else");
  }
  const std::uint64_t entries = little_endian<8>(&end[32]);
  if (little_endian<4>(&end[16]) != 0 || little_endian<4>(&end[20]) != 0 || little_endian<8>(&end[24]) != entries) {
    refuse(file, begin, "a zip file in one part", "one of several");
  }
  const std::uint64_t bytes = little_endian<8>(&end[40]);
  const std::uint64_t directory = little_endian<8>(&end[48]);
  if (directory > at || bytes != at - directory) {
    refuse(file, begin, "a directory that ends here",
           std::to_string(bytes) + " bytes from byte " + std::to_string(directory) + " on");
  }
  return {static_cast<std::ptrdiff_t>(directory), static_cast<std::ptrdiff_t>(bytes), entries};
}

}  // namespace

ZipEnd find_zip_end(const InputFile& file) {
  std::vector<std::byte> tail(
      static_cast<std::size_t>(std::min(file.size(), zip64_locator_bytes + zip_end_bytes + longest_comment)));
  file.read(file.size() - std::ssize(tail), tail);
  const std::ptrdiff_t at = find_end_record(file, tail);
  const std::byte* const end = tail.data() + (at - (file.size() - std::ssize(tail)));
  const std::uint64_t disk = little_endian<2>(end + 4);
  const std::uint64_t entries = little_endian<2>(end + 10);
  const std::uint64_t bytes = little_endian<4>(end + 12);
  const std::uint64_t directory = little_endian<4>(end + 16);
  const bool has_locator = end - tail.data() >= zip64_locator_bytes &&
                           little_endian<4>(end - zip64_locator_bytes) == zip64_locator_signature;
  if (has_locator) {
    const ZipEnd large = read_zip64_end(
        file, {end - zip64_locator_bytes, static_cast<std::size_t>(zip64_locator_bytes)}, at - zip64_locator_bytes);
    const auto agrees = [](std::uint64_t small, std::uint64_t value, std::uint64_t none) {
      return small == none || small == value;
    };
    if (!agrees(entries, large.entries, 0xffff) ||
        !agrees(bytes, static_cast<std::uint64_t>(large.directory_bytes), zip_in_extra_field) ||
        !agrees(directory, static_cast<std::uint64_t>(large.directory_begin), zip_in_extra_field)) {
      refuse(file, at, "the same directory in both end records", "another one in the second");
    }
    return large;
  }
  if ((disk != 0 && disk != 0xffff) || little_endian<2>(end + 6) != disk || little_endian<2>(end + 8) != entries) {
    refuse(file, at, "a zip file in one part", "one of several");
  }
  if (directory > static_cast<std::uint64_t>(at) || bytes != static_cast<std::uint64_t>(at) - directory) {
    refuse(file, at, "a directory that ends here",
           std::to_string(bytes) + " bytes from byte " + std::to_string(directory) + " on");
  }
  return {static_cast<std::ptrdiff_t>(directory), static_cast<std::ptrdiff_t>(bytes), entries};
}

ZipRecord read_central_record(const InputFile& file, std::ptrdiff_t at, std::span<const std::byte> bytes) {
  if (std::ssize(bytes) < zip_central_bytes || little_endian<4>(bytes.data()) != zip_central_signature) {
    refuse(file, at, "a record of the directory", bytes.empty() ? "its end" : "something else");
  }
  const std::size_t name_bytes = little_endian<2>(&bytes[28]);
  const std::size_t extra_bytes = little_endian<2>(&bytes[30]);
  const std::size_t all = zip_central_bytes + name_bytes + extra_bytes + little_endian<2>(&bytes[32]);
  if (all > bytes.size()) {
    refuse(file, at, "a record of at most the " + count_of_bytes(std::ssize(bytes)) + " that are left of the directory",
           count_of_bytes(static_cast<std::ptrdiff_t>(all)));
  }
  ZipRecord record{.at = at,
                   .flags = static_cast<unsigned>(little_endian<2>(&bytes[8])),
                   .method = static_cast<unsigned>(little_endian<2>(&bytes[10])),
                   .crc = static_cast<std::uint32_t>(little_endian<4>(&bytes[16])),
                   .compressed = little_endian<4>(&bytes[20]),
                   .uncompressed = little_endian<4>(&bytes[24]),
                   .name = {},
                   .local_begin = little_endian<4>(&bytes[42]),
                   .record_bytes = static_cast<std::ptrdiff_t>(all)};
  read_name(record, file, bytes.subspan(zip_central_bytes, name_bytes));
  Zip64Values large(file, at, bytes.subspan(zip_central_bytes + name_bytes, extra_bytes));
  large.replace(record.uncompressed, "the size of the entry");
  large.replace(record.compressed, "the compressed size of the entry");
  large.replace(record.local_begin, "the place of the entry");
  return record;
}

ZipRecord read_local_record(const InputFile& file, std::ptrdiff_t at, std::ptrdiff_t end) {
  std::array<std::byte, zip_local_bytes> fixed{};
  if (end - at < zip_local_bytes) refuse(file, at, "the local header of an entry", "the directory");
  file.read(at, fixed);
  if (little_endian<4>(fixed.data()) != zip_local_signature)
    refuse(file, at, "the local header of an entry", "something else");
  const std::size_t name_bytes = little_endian<2>(&fixed[26]);
  const std::size_t extra_bytes = little_endian<2>(&fixed[28]);
  ZipRecord record{.at = at,
                   .flags = static_cast<unsigned>(little_endian<2>(&fixed[6])),
                   .method = static_cast<unsigned>(little_endian<2>(&fixed[8])),
                   .crc = static_cast<std::uint32_t>(little_endian<4>(&fixed[14])),
                   .compressed = little_endian<4>(&fixed[18]),
                   .uncompressed = little_endian<4>(&fixed[22]),
                   .name = {},
                   .record_bytes = zip_local_bytes + static_cast<std::ptrdiff_t>(name_bytes + extra_bytes)};
  if (record.record_bytes > end - at) {
    refuse(file, at, "a local header of at most the " + count_of_bytes(end - at) + " before the directory",
           count_of_bytes(record.record_bytes));
  }
  std::vector<std::byte> variable(name_bytes + extra_bytes);
  file.read(at + zip_local_bytes, variable);
  read_name(record, file, std::span(variable).first(name_bytes));
  Zip64Values large(file, at, std::span<const std::byte>(variable).subspan(name_bytes));
  large.replace(record.uncompressed, "the size of the entry");
  large.replace(record.compressed, "the compressed size of the entry");
  return record;
}

}  // namespace tessera::io
