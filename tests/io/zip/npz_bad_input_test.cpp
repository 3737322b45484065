// Tests of .npz files that are not as they should be.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support.hpp"
#include "zip_bytes.hpp"
import tessera;
import tessera.io;

using namespace tessera;

namespace {

const std::string array_file = npy(dict("<f4", "(3,)"), pattern(12));

/// What opening the file and loading all of it says, behind the file's name.
std::string refusal_of(const TemporaryFolder& folder, const std::string& content) {
  const std::string path = folder.file("bad.npz", content);
  const std::string message = message_of([&] { io::load_npz(path); });
  const std::string start = "reading \"" + path + "\"";
  return message.starts_with(start) ? message.substr(start.size()) : message;
}

std::string refusal_of(const std::vector<ZipPart>& parts, const ZipWhole& whole = {}) {
  const TemporaryFolder folder;
  return refusal_of(folder, zip_of(parts, whole));
}

void check_says(const std::string& message, std::string_view wanted) {
  CHECK_MESSAGE(message.find(wanted) != std::string::npos, message);
}

ZipPart part_of(const std::string& name) { return {name, array_file}; }

}  // namespace

TEST_CASE("names that lead out of the folder, and names that are there twice, are refused") {
  check_says(refusal_of({part_of("../x.npy")}),
             ", entry \"../x.npy\": at byte 178: expected a name that could be that of a file in this folder or one "
             "below, found one "
             "that leads to a folder above, by '..'");
  check_says(refusal_of({part_of("a/../../x.npy")}), "leads to a folder above");
  check_says(refusal_of({part_of("a\\..\\x.npy")}), "leads to a folder above");
  check_says(refusal_of({part_of("..")}), "leads to a folder above");
  check_says(refusal_of({part_of("/x.npy")}), "found one that is an absolute path");
  check_says(refusal_of({part_of("\\x.npy")}), "is an absolute path");
  check_says(refusal_of({part_of("C:x.npy")}), "is an absolute path");
  check_says(refusal_of({part_of("")}), "found one that is empty");
  check_says(refusal_of({part_of(std::string("x\0.npy", 6))}), "found one that has a zero byte");
  check_says(refusal_of({part_of("x.npy"), part_of("y.npy"), part_of("x.npy")}), ", entry \"x.npy\": at byte ");
  check_says(refusal_of({part_of("x.npy"), part_of("y.npy"), part_of("x.npy")}),
             "expected each name once, found this one again");
  check_says(refusal_of({part_of("x.txt")}), "expected entries whose names end in .npy, found \"x.txt\"");
  check_says(refusal_of({part_of("folder/")}), "expected entries whose names end in .npy, found \"folder/\"");
  check_says(refusal_of({part_of("\xe4.npy")}),
             "expected a name in ASCII, or in UTF-8 with the flag that says so, found \"\\xe4.npy\"");
}

TEST_CASE("encryption and compression that is not deflate are refused by name") {
  ZipPart part = part_of("x.npy");
  part.flags = 1;
  check_says(refusal_of({part}), "expected an entry that is not encrypted, found an encrypted one");
  part.flags = 0;
  const std::pair<int, const char*> methods[] = {{1, "shrink"},     {9, "deflate64"}, {12, "bzip2"},    {14, "LZMA"},
                                                 {93, "Zstandard"}, {99, "AES"},      {77, "method 77"}};
  for (const auto& [method, name] : methods) {
    part.method = method;
    check_says(refusal_of({part}),
               std::string("expected an entry that is stored or deflated, found compression by ") + name);
  }
}

TEST_CASE("data of another CRC, and data that cannot be inflated, are refused") {
  ZipPart part = part_of("x.npy");
  part.crc ^= 1;
  check_says(refusal_of({part}), ", entry \"x.npy\": at byte 35: expected data of the CRC 0x");
  check_says(refusal_of({part}), "; the file is damaged");
  part = deflated_part("x.npy", array_file);
  part.crc ^= 1;
  check_says(refusal_of({part}), "expected data of the CRC 0x");
  part = deflated_part("x.npy", array_file);
  part.data[0] = static_cast<char>(0xff);
  check_says(refusal_of({part}), "expected deflated data, found invalid block type");
  part = deflated_part("x.npy", array_file);
  part.data = std::string(part.data.size(), '\0');
  check_says(refusal_of({part}), "expected deflated data, found");
}

TEST_CASE("sizes that the data cannot have are refused before anything is allocated") {
  ZipPart part = deflated_part("x.npy", array_file);
  part.uncompressed = part.compressed * 1032 + 1032;
  check_says(refusal_of({part}), "can be inflated to, at most 1032 each, found ");
  check_says(refusal_of({part}), "the file is made to use up memory");
  part.uncompressed = std::uint64_t{1} << 62;
  part.large = true;
  check_says(refusal_of({part}), "at most 1032 each, found 4611686018427387904 bytes");
  part = part_of("x.npy");
  part.uncompressed += 1;
  check_says(refusal_of({part}), "expected a stored entry of 140 bytes, as it has them in the file, found 141");
  part.compressed += 1;
  check_says(refusal_of({part}), "expected 141 bytes of data from byte 35 on, found the directory after 140 bytes");
  part.compressed = part.uncompressed = std::uint64_t{1} << 63;
  part.large = true;
  check_says(refusal_of({part}), "bytes of data, as many as there are before the directory, found 9223372036854775808");
  part = deflated_part("x.npy", array_file);
  part.uncompressed += 1;
  check_says(refusal_of({part}), "expected the 12 bytes of float32 (3,) and nothing behind them, found 13 bytes");
  part.uncompressed -= 2;
  check_says(refusal_of({part}), "expected the 12 bytes of float32 (3,), found 11 bytes");
  // The array's header and the entry agree on a size that is not that of the data.
  part = deflated_part("x.npy", array_file + "more");
  part.uncompressed = array_file.size();
  check_says(refusal_of({part}), "expected the end of the data behind 140 bytes, found more");
  part = deflated_part("x.npy", npy(dict("<f4", "(4,)"), pattern(12)));
  part.uncompressed += 4;
  check_says(refusal_of({part}), "expected data for 144 bytes, found its end after 140 bytes");
}

TEST_CASE("deflated data that goes on behind its end is refused") {
  ZipPart part = deflated_part("x.npy", array_file);
  part.data += "more";
  part.compressed += 4;
  check_says(refusal_of({part}), "expected the end of the data behind 140 bytes, found more");
}

TEST_CASE("entries that share data are refused") {
  ZipPart second = part_of("x.npy");
  ZipPart first = second;
  second.place_off = -static_cast<int>(30 + 5 + array_file.size());  // the directory has the first one's data twice
  second.name = "y.npy";
  second.local_name = "y.npy";
  check_says(refusal_of({first, second}),
             "expected the same name, flags, method, sizes and CRC in the local header at byte 0, found others");
  // An entry in the data of another.
  const std::string inner = zip_of({part_of("y.npy")});
  ZipPart outer{"x.npy", inner.substr(0, 35 + array_file.size())};
  ZipPart within = part_of("y.npy");
  within.place_off = -static_cast<int>(outer.data.size());
  check_says(refusal_of({outer, within}),
             ", entry \"y.npy\": at byte 35: expected it behind entry \"x.npy\", which ends at byte 210, found it "
             "overlapping that");
}

TEST_CASE("headers that contradict the directory are refused") {
  ZipPart part = part_of("x.npy");
  part.local_name = "y.npy";
  check_says(refusal_of({part}),
             "expected the same name, flags, method, sizes and CRC in the local header at byte 0, found others");
  part = part_of("x.npy");
  part.place_off = 1;
  check_says(refusal_of({part}), "expected the local header of an entry, found something else");
  part.place_off = 170;
  check_says(refusal_of({part}), "expected the local header of an entry, found the directory");
  part.place_off = 1000;
  check_says(refusal_of({part}), "expected its data before the directory at byte 175, found it at byte 1000");
}

TEST_CASE("a directory that is not where or what the end says is refused") {
  const TemporaryFolder folder;
  check_says(refusal_of(folder, ""), "expected the record that ends a zip file, found none in the last 0 bytes");
  check_says(refusal_of(folder, array_file),
             "found none in the last 140 bytes; the file is cut off, or is no zip file");
  check_says(refusal_of(folder, zip_of({part_of("x.npy")}) + "."), "expected the record that ends a zip file");
  check_says(refusal_of({part_of("x.npy")}, {.entries_off = 1}), "expected a directory of 2 entries, found 51 bytes");
  check_says(refusal_of({part_of("x.npy"), part_of("y.npy")}, {.entries_off = -1}),
             "expected the end of the directory behind 1 entries, found 51 bytes");
  check_says(refusal_of({part_of("x.npy")}, {.directory_off = 1}),
             "expected a directory that ends here, found 51 bytes from byte 176 on");
  check_says(refusal_of({part_of("x.npy")}, {.before_end = "."}), "expected a directory that ends here");
  check_says(refusal_of({part_of("x.npy")}, {.large = true, .entries_off = 1}), "expected a directory of 2 entries");
  check_says(refusal_of({part_of("x.npy")}, {.large = true, .directory_off = 1}),
             "expected a directory that ends here");
  check_says(refusal_of({part_of("x.npy")}, {.large = true, .before_end = "."}), "expected a directory that ends here");
}

TEST_CASE("a .npz file that is cut off anywhere is refused") {
  const TemporaryFolder folder;
  for (const bool large : {false, true}) {
    ZipPart part = deflated_part("y.npy", array_file);
    part.large = large;
    const std::string whole = zip_of({part_of("x.npy"), part}, {.comment = "a comment", .large = large});
    for (std::size_t length = 0; length < whole.size(); ++length) {
      CAPTURE(length);
      const std::string message = refusal_of(folder, whole.substr(0, length));
      REQUIRE_MESSAGE(message.find("at byte ") != std::string::npos, message);
    }
  }
}

TEST_CASE("a .npz file of which any byte is changed is refused, or holds the same arrays") {
  const TemporaryFolder folder;
  int refused = 0;
  for (const bool large : {false, true}) {
    ZipPart part = deflated_part("y.npy", array_file);
    part.large = large;
    const std::string whole = zip_of({part_of("x.npy"), part}, {.comment = "c", .large = large});
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const int change : {1, 2, 0x10, 0x80, 0xff}) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ change);
        try {
          for (const auto& [name, array] : io::load_npz(folder.file("changed.npz", changed))) {
            REQUIRE(array.shape == make_ddim({3}));
            REQUIRE(elements_of(array) == pattern(12));
          }
        } catch (const FormatError&) {
          ++refused;
        }
      }
    }
  }
  CHECK(refused > 3000);
}
