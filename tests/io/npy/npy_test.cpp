// Tests of .npy files that are as they should be: written, read, and written as NumPy does it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support.hpp"
import tessera;
import tessera.io;

using namespace tessera;

namespace {

/// Elements in the other byte order: numbers of `width` bytes turned round.
std::string turned_round(std::string bytes, std::ptrdiff_t width) {
  for (std::size_t at = 0; at < bytes.size(); at += static_cast<std::size_t>(width)) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at) + width);
  }
  return bytes;
}

const char* descr_of(DType dtype) {
  constexpr const char* descrs[] = {"|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4",
                                    "<u8", "<f2", "<V2", "<f4", "<f8", "<c8", "<c16"};
  return descrs[static_cast<int>(dtype)];
}

}  // namespace

TEST_CASE("every type and rank comes back as it was saved") {
  const TemporaryFolder folder;
  for (const DType dtype : all_dtypes()) {
    for (const DDim& shape : some_shapes()) {
      CAPTURE(name(dtype));
      CAPTURE(shape);
      const std::string bytes = pattern(product(shape) * item_size(dtype), dtype);
      io::save_npy(folder / "a.npy", {bytes.data(), dtype, shape, row_major(shape)});
      const io::StoredArray loaded = io::load_npy(folder / "a.npy");
      CHECK(loaded.dtype == dtype);
      CHECK(loaded.shape == shape);
      CHECK(elements_of(loaded) == bytes);
      CHECK(elements_of(io::map_npy(folder / "a.npy")) == bytes);
    }
  }
  CHECK(folder.listing() == "a.npy");
}

TEST_CASE("files are those of numpy.save, byte for byte") {
  const TemporaryFolder folder;
  const auto saved = [&](DType dtype, const DDim& shape) {
    const std::string bytes = pattern(product(shape) * item_size(dtype), dtype);
    io::save_npy(folder / "a.npy", {bytes.data(), dtype, shape, row_major(shape)});
    return content_of(folder / "a.npy");
  };
  // In the order of NumPy 2.4's headers: 128 bytes with the padding.
  CHECK(saved(DType::float32, make_ddim({2, 3})) == npy(dict("<f4", "(2, 3)"), pattern(24)));
  CHECK(saved(DType::complex64, make_ddim({})) == npy(dict("<c8", "()"), pattern(8)));
  CHECK(saved(DType::boolean, make_ddim({3})) == npy(dict("|b1", "(3,)"), pattern(3, DType::boolean)));
  CHECK(saved(DType::bfloat16, make_ddim({3, 0})) == npy(dict("<V2", "(3, 0)"), ""));
  CHECK(saved(DType::float32, make_ddim({2, 3})).size() == 128 + 24);
  // The room for a first extent of 21 digits makes these 192.
  CHECK(saved(DType::float32, make_ddim({1, 1, 1, 1, 1, 1, 1, 1, 1})).size() == 192 - 64 + 4);
}

TEST_CASE("elements of any strides are written in row-major order") {
  const TemporaryFolder folder;
  const auto check = [&](const void* data, DType dtype, const DDim& shape, const std::vector<std::ptrdiff_t>& strides) {
    io::save_npy(folder / "a.npy", {data, dtype, shape, strides});
    CHECK(elements_of(io::load_npy(folder / "a.npy")) == elements_of(data, dtype, shape, strides));
  };
  const std::string bytes = pattern(3 * 700 * 1000);
  const char* const data = bytes.data();
  check(data, DType::float32, make_ddim({6, 4}), {1, 6});                 // transposed
  check(data + 23 * 4, DType::float32, make_ddim({4, 6}), {-6, -1});      // from the end
  check(data, DType::complex128, make_ddim({5, 7}), {0, 3});              // repeated rows, every third column
  check(data, DType::int16, make_ddim({1000, 700}), {1, 1000});           // more than a block of 1 MiB
  check(data, DType::uint8, make_ddim({2, 1050000}), {1050000, -1 + 2});  // a row of more than a block
  check(data + 1399999, DType::uint8, make_ddim({2, 700000}), {-700000, -1});
  check(data, DType::uint8, make_ddim({1100000, 2}), {0, 1});            // many short rows
  check(data, DType::float64, make_ddim({3, 1, 2, 1}), {2, 99, 1, -7});  // axes of extent 1 have any stride
  check(data, DType::int32, make_ddim({2, 3, 4}), {1, 8, 2});
}

TEST_CASE("Fortran order is a transposed view of the same bytes") {
  const TemporaryFolder folder;
  const io::StoredArray array = io::load_npy(folder.file("a.npy", npy(dict("<u2", "(2, 3)", true), pattern(12))));
  CHECK(array.shape == make_ddim({2, 3}));
  CHECK(array.strides[0] == 1);
  CHECK(array.strides[1] == 2);
  CHECK(std::string(static_cast<const char*>(array.buffer->data()), 12) == pattern(12));
  const io::StoredArray mapped = io::map_npy(folder / "a.npy");
  CHECK(mapped.strides == array.strides);
  CHECK(elements_of(mapped) == elements_of(array));
}

TEST_CASE("elements of the other byte order are turned round, each part of a complex number by itself") {
  const TemporaryFolder folder;
  for (const DType dtype : all_dtypes()) {
    CAPTURE(name(dtype));
    const std::ptrdiff_t width = kind(dtype) == Kind::complex ? item_size(dtype) / 2 : item_size(dtype);
    const std::string bytes = pattern(6 * item_size(dtype), dtype);
    std::string descr = descr_of(dtype);
    descr[0] = '>';
    const std::string path = folder.file("a.npy", npy(dict(descr, "(3, 2)"), turned_round(bytes, width)));
    CHECK(elements_of(io::load_npy(path)) == bytes);
    if (width == 1) {
      CHECK(elements_of(io::map_npy(path)) == bytes);
    } else {
      const std::string message = message_of([&] { io::map_npy(path); });
      CHECK(message.find("at byte 128: expected little-endian elements") != std::string::npos);
      CHECK(message.find("load the file") != std::string::npos);
    }
  }
}

TEST_CASE("a large array of the other byte order is turned round by several threads") {
  const TemporaryFolder folder;
  const std::string bytes = pattern(20'000'008);
  const std::string path = folder.file("a.npy", npy(dict(">f8", "(2500001,)"), turned_round(bytes, 8)));
  CHECK(elements_of(io::load_npy(path)) == bytes);
}

TEST_CASE("versions 2 and 3 of the format are read") {
  const TemporaryFolder folder;
  for (const int version : {1, 2, 3}) {
    const std::string path = folder.file("a.npy", npy(dict("<i4", "(3,)"), pattern(12), version));
    CHECK(elements_of(io::load_npy(path)) == pattern(12));
    CHECK(elements_of(io::map_npy(path)) == pattern(12));
  }
  // Version 1 has room for 65535 bytes.
  CHECK(elements_of(io::load_npy(folder.file("a.npy", npy(dict("<i4", "(3,)"), pattern(12), 1, 65000)))) ==
        pattern(12));
}

TEST_CASE("headers may be written in other ways that mean the same") {
  const TemporaryFolder folder;
  for (const char* text : {
           "{'shape': (2, 3), 'fortran_order': False, 'descr': '<i2'}",
           "{'descr':'<i2','fortran_order':False,'shape':(2,3,),}",
           " { \"descr\" : \"<i2\" ,\n\t'fortran_order' : False , 'shape' : ( 2 , 3 ) , } ",
           "{'descr': '=i2', 'fortran_order': False, 'shape': (2L, 3L), }",  // Python 2
       }) {
    CAPTURE(text);
    const io::StoredArray array = io::load_npy(folder.file("a.npy", npy(text, pattern(12))));
    CHECK(array.dtype == DType::int16);
    CHECK(array.shape == make_ddim({2, 3}));
    CHECK(elements_of(array) == pattern(12));
  }
  for (const char* descr : {"<i1", ">i1", "=i1", "|i1", "i1"}) {
    CHECK(io::load_npy(folder.file("a.npy", npy(dict(descr, "(2,)"), pattern(2)))).dtype == DType::int8);
  }
}

TEST_CASE("empty arrays may have extents beside 0 that multiply to more than 64 bits") {
  const TemporaryFolder folder;
  const char* const shape = "(4611686018427387904, 0, 4611686018427387904)";
  const std::string path = folder.file("a.npy", npy(dict("<f8", shape), ""));
  CHECK(io::load_npy(path).shape == make_ddim({std::ptrdiff_t{1} << 62, 0, std::ptrdiff_t{1} << 62}));
  CHECK(io::map_npy(path).buffer->bytes() == 0);
}

TEST_CASE("of a file with several arrays the first is read when the rest is to be ignored") {
  const TemporaryFolder folder;
  const std::string one = npy(dict("<i4", "(3,)"), pattern(12));
  const std::string path = folder.file("a.npy", one + one);
  CHECK(elements_of(io::load_npy(path, io::TrailingBytes::ignored)) == pattern(12));
  CHECK(elements_of(io::map_npy(path, io::MapMode::copy_on_write, io::TrailingBytes::ignored)) == pattern(12));
  CHECK(message_of([&] {
          io::load_npy(path);
        }).find("expected the 12 bytes of int32 (3,) and nothing behind them, found 152 bytes") != std::string::npos);
}

TEST_CASE("bytes of bool beside 0 and 1 become 1 when they are loaded, and are refused when they are mapped") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.npy", npy(dict("|b1", "(5,)"), std::string("\0\1\2\xff\0", 5)));
  CHECK(elements_of(io::load_npy(path)) == std::string("\0\1\1\1\0", 5));
  CHECK(message_of([&] { io::map_npy(path); }) ==
        "reading \"" + path +
            "\": at byte 130: expected 0 or 1 for an element of bool, found 2; load the file, which makes 1 of it");
}

TEST_CASE("where there is no memory for the elements, nothing is kept") {
  const TemporaryFolder folder;
  const std::string bytes = pattern(8'000'000);
  const DDim shape = make_ddim({8'000'000});
  const std::vector<std::ptrdiff_t> strides{1};
  const io::NamedArrayToSave array{"a", {bytes.data(), DType::uint8, shape, strides}};
  io::save_npy(folder / "a.npy", array.array);
  io::save_npz(folder / "a.npz", {&array, 1}, io::Compression::deflated);
  io::save_safetensors(folder / "a.safetensors", {&array, 1});
  memory::pool(CpuPlace{}).trim();
  const std::ptrdiff_t before = memory::used(CpuPlace{});
  memory::set_limit(CpuPlace{}, before + 1'000'000);
  CHECK_THROWS_AS(io::load_npy(folder / "a.npy"), OutOfMemory);
  CHECK_THROWS_AS(io::load_npz(folder / "a.npz"), OutOfMemory);
  CHECK_THROWS_AS(io::load_safetensors(folder / "a.safetensors"), OutOfMemory);
  CHECK(elements_of(io::map_npy(folder / "a.npy")) == bytes);  // takes none
  memory::set_limit(CpuPlace{}, PTRDIFF_MAX);
  CHECK(memory::used(CpuPlace{}) == before);
  CHECK(elements_of(io::load_npz(folder / "a.npz")[0].array) == bytes);
}
