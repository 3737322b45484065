// Tests of .npz files: several arrays in a zip file.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <sys/resource.h>
#include <csignal>

#include "support.hpp"
#include "zip_bytes.hpp"
import tessera;
import tessera.io;

using namespace tessera;

namespace {

struct Saved {
  std::string name;
  DType dtype;
  DDim shape;
  std::string bytes;
  std::vector<std::ptrdiff_t> strides;
};

std::vector<Saved> some_arrays() {
  std::vector<Saved> arrays;
  for (const DType dtype : all_dtypes()) {
    for (const DDim& shape : some_shapes()) {
      arrays.push_back({"array " + std::to_string(arrays.size()), dtype, shape,
                        pattern(product(shape) * item_size(dtype), dtype), row_major(shape)});
    }
  }
  return arrays;
}

std::vector<io::NamedArrayToSave> to_save(const std::vector<Saved>& arrays) {
  std::vector<io::NamedArrayToSave> list;
  for (const Saved& one : arrays) list.push_back({one.name, {one.bytes.data(), one.dtype, one.shape, one.strides}});
  return list;
}

const std::string array_file = npy(dict("<f4", "(3,)"), pattern(12));

/// The names of a file, and its arrays' elements.
std::string read_all(const std::string& path) {
  std::string text;
  for (const auto& [name, array] : io::load_npz(path))
    text += name + "=" + std::to_string(elements_of(array).size()) + " ";
  return text;
}

}  // namespace

TEST_CASE("arrays of every type and rank come back by their names, stored and deflated") {
  const TemporaryFolder folder;
  const std::vector<Saved> arrays = some_arrays();
  for (const io::Compression compression : {io::Compression::stored, io::Compression::deflated}) {
    io::save_npz(folder / "a.npz", to_save(arrays), compression);
    const auto loaded = io::load_npz(folder / "a.npz");
    REQUIRE(loaded.size() == arrays.size());
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      CHECK(loaded[i].name == arrays[i].name);
      CHECK(loaded[i].array.dtype == arrays[i].dtype);
      CHECK(loaded[i].array.shape == arrays[i].shape);
      CHECK(elements_of(loaded[i].array) == arrays[i].bytes);
    }
  }
  CHECK(folder.listing() == "a.npz");
}

TEST_CASE("large arrays go through in blocks, whatever their strides") {
  const TemporaryFolder folder;
  const std::string bytes = pattern(9'000'000);
  const DDim shape = make_ddim({3000, 1500});
  const std::vector<std::ptrdiff_t> by_columns{1, 3000};
  const std::vector<std::ptrdiff_t> by_rows = row_major(shape);
  const io::NamedArrayToSave arrays[] = {{"by rows", {bytes.data(), DType::int16, shape, by_rows}},
                                         {"by columns", {bytes.data(), DType::int16, shape, by_columns}}};
  for (const io::Compression compression : {io::Compression::stored, io::Compression::deflated}) {
    io::save_npz(folder / "a.npz", arrays, compression);
    const io::NpzFile file(folder / "a.npz");
    CHECK(file.names() == std::vector<std::string>{"by rows", "by columns"});
    CHECK(elements_of(file.load("by rows")) == bytes);
    CHECK(elements_of(file.load("by columns")) == elements_of(bytes.data(), DType::int16, shape, by_columns));
  }
}

TEST_CASE("names that are not there are refused with those that are") {
  const TemporaryFolder folder;
  const io::NpzFile file(folder.file("a.npz", zip_of({{"x.npy", array_file}, {"y/z.npy", array_file}})));
  CHECK(message_of<IndexError>([&] { file.load("y"); }) ==
        "reading \"" + (folder / "a.npz") + "\": there is no array \"y\"; there are \"x\", \"y/z\"");
  CHECK(elements_of(file.load("y/z")) == pattern(12));
}

TEST_CASE("zip files of other writers are read: comments, data descriptors, zip64, UTF-8, no entries, Fortran order") {
  const TemporaryFolder folder;
  const auto read = [&](const std::vector<ZipPart>& parts, const ZipWhole& whole = {}) {
    return read_all(folder.file("a.npz", zip_of(parts, whole)));
  };
  CHECK(read({}) == "");
  CHECK(read({}, {.large = true}) == "");
  CHECK(read({{"x.npy", array_file}}, {.comment = std::string(65535, 'c')}) == "x=12 ");
  CHECK(read({{"x.npy", array_file}}, {.comment = "PK\x05\x06 is not the end of this one, although it is in it"}) ==
        "x=12 ");
  CHECK(read({{"x.npy", array_file}, deflated_part("y.npy", array_file)}, {.large = true}) == "x=12 y=12 ");
  ZipPart part{"x.npy", array_file};
  part.large = true;
  CHECK(read({part}, {.large = true}) == "x=12 ");
  CHECK(read({part}) == "x=12 ");
  part = deflated_part("x.npy", array_file);
  part.flags = 8;
  CHECK(read({part, deflated_part("y.npy", array_file)}) == "x=12 y=12 ");
  part.descriptor_with_signature = false;
  CHECK(read({part, {"y.npy", array_file}}) == "x=12 y=12 ");
  part = {"\xc3\xa4.npy", array_file};
  part.flags = 1 << 11;
  CHECK(read({part}) == "\xc3\xa4=12 ");
  CHECK(read({{"x.npy", npy(dict(">i2", "(2, 3)", true), pattern(12))}}) == "x=12 ");
  CHECK(read({{"x.npy.npy", array_file}}) == "x.npy=12 ");
}

TEST_CASE("names that are not good ones are refused before the file is touched") {
  const TemporaryFolder folder;
  const std::string bytes = pattern(4);
  const auto save = [&](const std::vector<std::string>& names) {
    std::vector<io::NamedArrayToSave> arrays;
    for (const std::string& name : names) arrays.push_back({name, {bytes.data(), DType::float32, make_ddim({}), {}}});
    return message_of<std::invalid_argument>([&] { io::save_npz(folder / "a.npz", arrays); });
  };
  CHECK(save({""}) == "save_npz: the name \"\" is empty; give each array a name of its own");
  CHECK(save({"a", "b", "a"}).find("the name \"a\" is there twice") != std::string::npos);
  CHECK(save({"/etc/passwd"}).find("is an absolute path") != std::string::npos);
  CHECK(save({"a/../../b"}).find("leads to a folder above, by '..'") != std::string::npos);
  CHECK(save({std::string("a\0b", 3)}).find("has a zero byte") != std::string::npos);
  CHECK(save({"\xff"}).find("the name \"\\xff\" is not UTF-8") != std::string::npos);
  CHECK(save({std::string(70000, 'x')}).find("is longer than a zip file can hold") != std::string::npos);
  CHECK(folder.listing() == "");
  CHECK(save({"..a", "b..", "\xc3\xa4"}) == "nothing was thrown");
  CHECK(io::NpzFile(folder / "a.npz").names() == std::vector<std::string>{"..a", "b..", "\xc3\xa4"});
}

TEST_CASE("many entries need the end records of zip64") {
  const TemporaryFolder folder;
  const std::string bytes = pattern(1);
  std::vector<io::NamedArrayToSave> arrays;
  for (int i = 0; i < 65535; ++i)
    arrays.push_back({std::to_string(i), {bytes.data(), DType::uint8, make_ddim({}), {}}});
  io::save_npz(folder / "a.npz", arrays);
  const io::NpzFile file(folder / "a.npz");
  CHECK(file.names().size() == 65535);
  CHECK(elements_of(file.load("65534")) == bytes);
}

TEST_CASE("a .npz file that cannot be written leaves the old one") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.npz", "old");
  const std::string bytes = pattern(100'000);
  const DDim shape = make_ddim({100'000});
  const std::vector<std::ptrdiff_t> strides{1};
  const std::vector<io::NamedArrayToSave> arrays(1, {"x", {bytes.data(), DType::uint8, shape, strides}});
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  for (const rlim_t bytes_left : {0, 10, 1000, 100'000, 100'200}) {
    const rlimit limit{bytes_left, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string message = message_of<std::system_error>([&] { io::save_npz(path, arrays); });
    ::setrlimit(RLIMIT_FSIZE, &before);
    CHECK(message.find("writing to its temporary file: File too large") != std::string::npos);
    CHECK(content_of(path) == "old");
    CHECK(folder.listing() == "a.npz");
  }
  std::signal(SIGXFSZ, SIG_DFL);
}
