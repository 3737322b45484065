module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>
module tessera.io;
import tessera.core;

// The checks that make a zip file's directory one that can be trusted.
namespace tessera::io {

namespace {

std::string method_name(unsigned method) {
  struct Method {
    unsigned number;
    const char* name;
  };
  constexpr Method methods[] = {{1, "shrink"},     {6, "implode"}, {9, "deflate64"}, {12, "bzip2"}, {14, "LZMA"},
                                {93, "Zstandard"}, {95, "XZ"},     {98, "PPMd"},     {99, "AES"}};
  const auto* const found = std::ranges::find(methods, method, &Method::number);
  return found != std::end(methods) ? found->name : "method " + std::to_string(method);
}

class DirectoryReader {
 public:
  explicit DirectoryReader(const InputFile& file) : file_(file), end_(find_zip_end(file)) {}

  std::vector<ZipEntry> read() {
    read_records();
    check_overlaps();
    return std::move(entries_);
  }

 private:
  [[noreturn]] void refuse(const ZipRecord& record, std::string expected, std::string found,
                           std::string_view advice = {}) const {
    const std::string source = file_.name() + ", entry " + quoted(record.name);
    Refusal{
        .source = source, .at = record.at, .expected = std::move(expected), .found = std::move(found), .advice = advice}
        .raise();
  }

  void read_records() {
    if (end_.entries > static_cast<std::uint64_t>(end_.directory_bytes / zip_central_bytes)) {
      Refusal{.source = file_.name(),
              .at = end_.directory_begin,
              .expected = "a directory of " + std::to_string(end_.entries) + " entries",
              .found = count_of_bytes(end_.directory_bytes)}
          .raise();
    }
    std::vector<std::byte> directory(static_cast<std::size_t>(end_.directory_bytes));
    file_.read(end_.directory_begin, directory);
    std::span<const std::byte> rest(directory);
    entries_.reserve(end_.entries);
    for (std::uint64_t i = 0; i < end_.entries; ++i) {
      const std::ptrdiff_t at = end_.directory_begin + end_.directory_bytes - std::ssize(rest);
      const ZipRecord record = read_central_record(file_, at, rest);
      check(record);
      add(record);
      rest = rest.subspan(static_cast<std::size_t>(record.record_bytes));
    }
    if (!rest.empty()) {
      Refusal{.source = file_.name(),
              .at = end_.directory_begin + end_.directory_bytes - std::ssize(rest),
              .expected = "the end of the directory behind " + std::to_string(end_.entries) + " entries",
              .found = count_of_bytes(std::ssize(rest))}
          .raise();
    }
  }

  void check(const ZipRecord& record) {
    if (const std::string_view fault = fault_of_entry_name(record.name); !fault.empty()) {
      refuse(record, "a name that could be that of a file in this folder or one below",
             std::string("one that ") += fault);
    }
    if (!names_.insert(record.name).second) refuse(record, "each name once", "this one again");
    if ((record.flags & zip_encrypted) != 0) refuse(record, "an entry that is not encrypted", "an encrypted one");
    if ((record.flags & zip_patched) != 0) refuse(record, "an entry of its own", "a patch for another file");
    if (record.method != 0 && record.method != 8) {
      refuse(record, "an entry that is stored or deflated", "compression by " + method_name(record.method),
             "write the file again with numpy.savez_compressed() or zip");
    }
    const auto most = static_cast<std::uint64_t>(end_.directory_begin);
    if (record.compressed > most) {
      refuse(record, "at most " + std::to_string(most) + " bytes of data, as many as there are before the directory",
             std::to_string(record.compressed));
    }
    if (record.method == 0 && record.uncompressed != record.compressed) {
      refuse(record, "a stored entry of " + std::to_string(record.compressed) + " bytes, as it has them in the file",
             std::to_string(record.uncompressed));
    }
    if (record.method == 8 && record.uncompressed / highest_deflate_ratio > record.compressed) {
      refuse(record,
             "a size that " + std::to_string(record.compressed) + " bytes can be inflated to, at most 1032 each",
             std::to_string(record.uncompressed) + " bytes", "the file is made to use up memory");
    }
  }

  void add(const ZipRecord& record) {
    const std::ptrdiff_t end = end_.directory_begin;
    if (record.local_begin > static_cast<std::uint64_t>(end)) {
      refuse(record, "its data before the directory at byte " + std::to_string(end),
             "it at byte " + std::to_string(record.local_begin));
    }
    const auto begin = static_cast<std::ptrdiff_t>(record.local_begin);
    const ZipRecord local = read_local_record(file_, begin, end);
    const bool same_sizes =
        local.crc == record.crc && local.compressed == record.compressed && local.uncompressed == record.uncompressed;
    if (local.name != record.name || local.method != record.method || local.flags != record.flags ||
        (!same_sizes && (record.flags & zip_has_descriptor) == 0)) {
      refuse(record, "the same name, flags, method, sizes and CRC in the local header at byte " + std::to_string(begin),
             "others");
    }
    const std::ptrdiff_t data_begin = begin + local.record_bytes;
    if (static_cast<std::ptrdiff_t>(record.compressed) > end - data_begin) {
      refuse(record,
             std::to_string(record.compressed) + " bytes of data from byte " + std::to_string(data_begin) + " on",
             "the directory after " + count_of_bytes(end - data_begin));
    }
    entries_.push_back({.name = record.name,
                        .deflated = record.method == 8,
                        .crc = record.crc,
                        .begin = begin,
                        .data_begin = data_begin,
                        .compressed = static_cast<std::ptrdiff_t>(record.compressed),
                        .uncompressed = static_cast<std::ptrdiff_t>(record.uncompressed)});
  }

  /// Else many entries could share the same data, and be more together than the file can hold.
  void check_overlaps() const {
    std::vector<const ZipEntry*> by_place;
    for (const ZipEntry& entry : entries_) by_place.push_back(&entry);
    std::ranges::sort(by_place, {}, &ZipEntry::begin);
    for (std::size_t i = 1; i < by_place.size(); ++i) {
      const std::ptrdiff_t end = by_place[i - 1]->data_begin + by_place[i - 1]->compressed;
      if (by_place[i]->begin >= end) continue;
      refuse({.at = by_place[i]->begin, .name = by_place[i]->name},
             "it behind entry " + quoted(by_place[i - 1]->name) + ", which ends at byte " + std::to_string(end),
             "it overlapping that");
    }
  }

  const InputFile& file_;
  ZipEnd end_;
  std::vector<ZipEntry> entries_;
  std::unordered_set<std::string> names_;
};

}  // namespace

std::string_view fault_of_entry_name(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.find('\0') != std::string_view::npos) return "has a zero byte";
  if (name[0] == '/' || name[0] == '\\' || (name.size() > 1 && name[1] == ':')) return "is an absolute path";
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find_first_of("/\\", begin), name.size());
    if (name.substr(begin, end - begin) == "..") return "leads to a folder above, by '..'";
    begin = end + 1;
  }
  return {};
}

std::vector<ZipEntry> read_zip_directory(const InputFile& file) { return DirectoryReader(file).read(); }

}  // namespace tessera::io
