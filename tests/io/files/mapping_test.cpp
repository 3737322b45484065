// Tests of arrays whose storage is a file.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

#include "support.hpp"
import tessera;
import tessera.io;

using namespace tessera;

namespace {

bool is_mapped(const std::string& path) { return content_of("/proc/self/maps").find(path) != std::string::npos; }

std::string file_of_int32(const TemporaryFolder& folder, std::ptrdiff_t count) {
  const std::string bytes = pattern(4 * count);
  const DDim shape = make_ddim({count});
  io::save_npy(folder / "a.npy", {bytes.data(), DType::int32, shape, row_major(shape)});
  return folder / "a.npy";
}

}  // namespace

TEST_CASE("writing to a mapped array changes the array and not the file") {
  const TemporaryFolder folder;
  const std::string path = file_of_int32(folder, 3000);
  const std::string before = content_of(path);
  const io::StoredArray array = io::map_npy(path);
  const io::StoredArray other = io::map_npy(path);
  static_cast<std::int32_t*>(array.buffer->data())[1500] = 42;
  CHECK(content_of(path) == before);
  CHECK(elements_of(other) == pattern(12000));
  std::string changed = pattern(12000);
  const std::int32_t value = 42;
  std::memcpy(&changed[6000], &value, 4);
  CHECK(elements_of(array) == changed);
}

TEST_CASE("the mapping lives as long as the storage, whatever becomes of the file's name") {
  const TemporaryFolder folder;
  const std::string path = file_of_int32(folder, 3000);
  io::StoredArray array = io::map_npy(path, io::MapMode::read_only);
  CHECK(is_mapped(path));
  CHECK(array.buffer->bytes() == 12000);
  CHECK_FALSE(array.buffer->owns());
  io::save_npy(path, {pattern(4).data(), DType::int32, make_ddim({}), {}});  // another file of that name
  std::filesystem::remove(path);
  const storage::BufferShare share = array.buffer;
  array = {};
  CHECK(is_mapped(path));
  CHECK(std::string(static_cast<const char*>(share->data()), 12000) == pattern(12000));
  {
    const storage::BufferShare last = std::move(const_cast<storage::BufferShare&>(share));
  }
  CHECK_FALSE(is_mapped(path));
}

TEST_CASE("a mapped array is read as far as it is touched") {
  const TemporaryFolder folder;
  const std::string path = folder.file("large.npy", npy(dict("<f8", "(134217728,)"), ""));
  std::filesystem::resize_file(path, 128 + (std::uintmax_t{1} << 30));  // a hole
  rusage before{};
  ::getrusage(RUSAGE_SELF, &before);
  const io::StoredArray array = io::map_npy(path);
  CHECK(static_cast<const double*>(array.buffer->data())[100'000'000] == 0.0);
  rusage after{};
  ::getrusage(RUSAGE_SELF, &after);
  CHECK(after.ru_maxrss - before.ru_maxrss < 16 << 10);  // KiB, of the GiB
}

TEST_CASE("elements that are not aligned for their type are loaded, not mapped") {
  const TemporaryFolder folder;
  const std::string text = dict("<f8", "(2,)");
  const int to_80 = 80 - 10 - static_cast<int>(text.size()) - 1;
  const std::string bytes = pattern(16);
  CHECK(elements_of(io::map_npy(folder.file("a.npy", npy(text, bytes, 1, to_80)))) == bytes);
  for (int beyond = 1; beyond < 8; ++beyond) {
    const std::string path = folder.file("a.npy", npy(text, bytes, 1, to_80 + beyond));
    CHECK(message_of([&] { io::map_npy(path); }) ==
          "reading \"" + path + "\": at byte " + std::to_string(80 + beyond) +
              ": expected the elements of float64 at a multiple of 8 bytes, as mapped memory must have them, found "
              "them " +
              std::to_string(beyond) + (beyond == 1 ? " byte" : " bytes") +
              " beyond one; load the file, or save it again with this library");
    CHECK(elements_of(io::load_npy(path)) == bytes);
  }
  CHECK(elements_of(io::map_npy(folder.file("a.npy", npy(dict("<c16", "(1,)"), bytes, 1, to_80 - 1)))) == bytes);
  CHECK(io::map_npy(folder.file("a.npy", npy(dict("<f8", "(0, 2)"), "", 1, to_80 + 1))).buffer->bytes() == 0);
}

TEST_CASE("no descriptor stays open") {
  const TemporaryFolder folder;
  const std::string path = file_of_int32(folder, 30);
  const std::string bad = folder.file("bad.npy", "nothing");
  const auto open_descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  const auto before = open_descriptors();
  const io::StoredArray mapped = io::map_npy(path);
  const io::StoredArray loaded = io::load_npy(path);
  message_of([&] { io::load_npy(bad); });
  message_of([&] { io::load_npy(folder / ""); });
  CHECK(open_descriptors() == before);
}
