// Zip files made by hand, of which any field can be wrong.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

inline std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(i < 8 ? value >> 8 * i & 0xff : 0);
  return text;
}

inline std::uint32_t crc32_of(std::string_view data) {
  return static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(data.data()), static_cast<uInt>(data.size())));
}

inline std::string deflated(std::string_view data) {
  std::string out(data.size() + 1000, '\0');
  z_stream stream{};
  ::deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));  // zlib does not write to it
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

/// An entry; what the fields say need not be true.
struct ZipPart {
  std::string name;
  std::string data;  // as it stands in the file
  std::uint64_t uncompressed = data.size();
  std::uint32_t crc = crc32_of(data);
  int method = 0;
  int flags = 0;
  std::uint64_t compressed = data.size();
  std::string local_name = name;
  bool descriptor_with_signature = true;  // with flag 8, where the local header has zeros
  bool large = false;                     // sizes and place in extra fields of zip64
  int place_off = 0;                      // added to the place that the directory says
};

inline ZipPart deflated_part(const std::string& name, const std::string& data) {
  ZipPart part{.name = name, .data = deflated(data), .uncompressed = data.size(), .crc = crc32_of(data)};
  part.method = 8;
  return part;
}

struct ZipWhole {
  std::string comment{};
  bool large = false;        // with the end records of zip64
  int entries_off = 0;       // added to the count
  int directory_off = 0;     // added to the directory's place
  std::string before_end{};  // between directory and end
};

inline std::string zip_of(const std::vector<ZipPart>& parts, const ZipWhole& whole = {}) {
  std::string file;
  std::string directory;
  for (const ZipPart& part : parts) {
    const std::uint64_t begin = file.size();
    const bool described = (part.flags & 8) != 0;
    const auto size = [&](std::uint64_t value) { return number(part.large ? 0xffffffff : value, 4); };
    const auto common = number(45, 2) + number(static_cast<std::uint64_t>(part.flags), 2) +
                        number(static_cast<std::uint64_t>(part.method), 2) + number(0, 4);
    const std::string sizes = number(part.uncompressed, 8) + number(part.compressed, 8);
    const std::string extra = part.large ? number(1, 2) + number(16, 2) + sizes : "";
    file += "PK\x03\x04" + common + number(described ? 0 : part.crc, 4) + size(described ? 0 : part.compressed) +
            size(described ? 0 : part.uncompressed) + number(part.local_name.size(), 2) + number(extra.size(), 2) +
            part.local_name + extra + part.data;
    if (described) {
      if (part.descriptor_with_signature) file += "PK\x07\x08";
      file += number(part.crc, 4) + number(part.compressed, 4) + number(part.uncompressed, 4);
    }
    const std::uint64_t place = begin + static_cast<std::uint64_t>(part.place_off);
    const std::string more = part.large ? number(1, 2) + number(24, 2) + sizes + number(place, 8) : "";
    directory += "PK\x01\x02" + number(45, 2) + common + number(part.crc, 4) + size(part.compressed) +
                 size(part.uncompressed) + number(part.name.size(), 2) + number(more.size(), 2) + number(0, 10) +
                 size(place) + part.name + more;
  }
  const std::uint64_t begin = file.size() + static_cast<std::uint64_t>(whole.directory_off);
  const std::uint64_t count = parts.size() + static_cast<std::uint64_t>(whole.entries_off);
  file += directory + whole.before_end;
  if (whole.large) {
    const std::uint64_t end = file.size();
    file += "PK\x06\x06" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) + number(count, 8) +
            number(count, 8) + number(directory.size(), 8) + number(begin, 8) + "PK\x06\x07" + number(0, 4) +
            number(end, 8) + number(1, 4);
  }
  return file + "PK\x05\x06" + number(0, 4) + number(whole.large ? 0xffff : count, 2) +
         number(whole.large ? 0xffff : count, 2) + number(whole.large ? 0xffffffff : directory.size(), 4) +
         number(whole.large ? 0xffffffff : begin, 4) + number(whole.comment.size(), 2) + whole.comment;
}
