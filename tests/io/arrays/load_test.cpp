// Tests of files as dynamic arrays, and the programs of docs/files.md.
#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

import tessera;

using namespace tessera;

namespace {

/// A folder that goes with its test.
struct Folder {
  std::filesystem::path path;
  Folder()
      : path(std::filesystem::temp_directory_path() /
             ("tessera_load_" + std::to_string(std::hash<const void*>()(this)))) {
    std::filesystem::create_directories(path);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
};

}  // namespace

TEST_CASE("docs/files.md: one array") {
  const Folder folder;
  const std::string path = folder / "x.npy";
  std::string message;
  // --8<-- [start:npy]
  DArray x = arange(DType::float32, 0, 12).reshape({3, 4});
  save(path, x.T());      // any layout; the file is row-major
  DArray y = load(path);  // in memory
  DArray z = open(path);  // the file is the storage: nothing is read yet
  DArray row = z({1, all});
  try {
    row += 1.f;
  } catch (const DTypeError& error) {
    message = error.what();  // a mapped file only reads, unless it is opened as io::MapMode::copy_on_write
  }
  Array<float, 2>& matrix = get<Array<float, 2>>(y);
  // --8<-- [end:npy]
  CHECK(matrix.shape() == Dim{4, 3});
  CHECK(matrix(3, 2) == 11.f);
  CHECK(to_string(row) == "[1. 5. 9.]");
  CHECK(message.find("read only") != std::string::npos);
}

TEST_CASE("docs/files.md: several arrays by their names") {
  const Folder folder;
  const std::string npz = folder / "set.npz", tensors = folder / "model.safetensors";
  // --8<-- [start:named]
  NamedArrays model{{"weight", zeros(DType::bfloat16, make_ddim({10, 20}))}, {"bias", make_darray({0.5f, 1.5f})}};
  save_safetensors(tensors, model, {{"format", "pt"}});
  save_npz(npz, {{"bias", model.at("bias")}}, io::Compression::deflated);
  NamedArrays again = load_safetensors(tensors);
  DArray bias = load_npz(npz).at("bias");
  // --8<-- [end:named]
  CHECK(again.size() == 2);
  CHECK(again.at("weight").dtype() == DType::bfloat16);
  CHECK(again.at("weight").shape() == make_ddim({10, 20}));
  CHECK(to_string(bias) == "[0.5 1.5]");
  CHECK(open_safetensors(tensors).at("bias").is_read_only());
}

TEST_CASE("every type and rank goes through a file and comes back") {
  const Folder folder;
  for (int type = 0; type < dtype_count; ++type) {
    for (int rank = 0; rank <= max_rank; ++rank) {
      std::vector<std::ptrdiff_t> shape(static_cast<std::size_t>(rank), 2);
      const DArray x = full(static_cast<DType>(type), DDim(shape), DValue(true));
      save(folder / "x.npy", x);
      const DArray y = load(folder / "x.npy");
      REQUIRE(y.dtype() == x.dtype());
      REQUIRE(y.shape() == x.shape());
      REQUIRE(to_string(y) == to_string(x));
    }
  }
}

TEST_CASE("a file that is mapped copy-on-write can be written, and stays as it was") {
  const Folder folder;
  save(folder / "x.npy", make_darray({1, 2, 3}));
  DArray x = open(folder / "x.npy", io::MapMode::copy_on_write);
  x += 10;
  CHECK(to_string(x) == "[11 12 13]");
  CHECK(to_string(load(folder / "x.npy")) == "[1 2 3]");
}

TEST_CASE("saving waits for the ops that write the array") {
  const Folder folder;
  Scheduler scheduler({.workers = 1});
  DArray x = make_darray({1000}, 1.0);
  {
    Async on{scheduler};
    for (int k = 0; k < 10; ++k) x = x * 2.0;
    save(folder / "x.npy", x);
  }
  CHECK(double(load(folder / "x.npy")[{7}]) == 1024.0);
}

TEST_CASE("what cannot be saved or loaded says so, and what was there stays") {
  const Folder folder;
  save(folder / "x.npy", make_darray({1, 2, 3}));
  CHECK_THROWS_AS(save(folder / "x.npy", DArray()), ShapeError);
  CHECK(to_string(load(folder / "x.npy")) == "[1 2 3]");
  CHECK_THROWS_AS(save_safetensors(folder / "x.safetensors", {{"c", zeros(DType::complex128, make_ddim({2}))}}),
                  DTypeError);
  CHECK(!std::filesystem::exists(folder / "x.safetensors"));
  CHECK_THROWS(load(folder / "nothing.npy"));
  std::FILE* file = std::fopen((folder / "bad.npy").c_str(), "wb");
  std::fputs("no array", file);
  std::fclose(file);
  CHECK_THROWS_AS(load(folder / "bad.npy"), FormatError);
}
