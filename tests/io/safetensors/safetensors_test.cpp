// Tests of safetensors files and of checkpoints that are spread over several.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support.hpp"
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

std::vector<io::NamedArrayToSave> to_save(const std::vector<Saved>& arrays) {
  std::vector<io::NamedArrayToSave> list;
  for (const Saved& one : arrays) list.push_back({one.name, {one.bytes.data(), one.dtype, one.shape, one.strides}});
  return list;
}

const std::string good = safetensors(
    R"({"__metadata__":{"x":"y"},"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},"b":{"dtype":"BF16","shape":[3],"data_offsets":[24,30]}})",
    pattern(30));

}  // namespace

TEST_CASE("tensors of every type and rank come back by their names, and the metadata") {
  const TemporaryFolder folder;
  std::vector<Saved> tensors;
  for (const DType dtype : all_dtypes()) {
    if (dtype == DType::complex128) continue;
    for (const DDim& shape : some_shapes()) {
      tensors.push_back({"tensor \"" + std::to_string(tensors.size()) + "\"\n\\\x01\xc3\xa4", dtype, shape,
                         pattern(product(shape) * item_size(dtype), dtype), row_major(shape)});
    }
  }
  const io::SafetensorsMetadata metadata{{"format", "pt"}, {"empty", ""}, {"\xf0\x9f\x98\x80", "\t\"\\/\x7f"}};
  const std::string path = folder / "a.safetensors";
  io::save_safetensors(path, to_save(tensors), metadata);
  const io::SafetensorsFile file(path);
  CHECK(file.names().size() == tensors.size());
  CHECK(file.metadata() == metadata);
  for (const Saved& tensor : tensors) {
    REQUIRE(file.contains(tensor.name));
    for (const io::StoredArray& loaded :
         {file.load(tensor.name), file.map(tensor.name), file.map(tensor.name, io::MapMode::read_only)}) {
      CHECK(loaded.dtype == tensor.dtype);
      CHECK(loaded.shape == tensor.shape);
      CHECK(elements_of(loaded) == tensor.bytes);
    }
  }
  CHECK(io::load_safetensors(path).size() == tensors.size());
  CHECK(folder.listing() == "a.safetensors");
}

TEST_CASE("files are those of the Python package, byte for byte") {
  const TemporaryFolder folder;
  const std::string bytes = pattern(24);
  const std::vector<Saved> tensors{{"c", DType::int8, make_ddim({}), bytes.substr(0, 1), {}},
                                   {"b", DType::bfloat16, make_ddim({3}), bytes.substr(0, 6), {1}},
                                   {"a2", DType::float32, make_ddim({2, 3}), bytes, {3, 1}},
                                   {"a1", DType::float32, make_ddim({0}), "", {1}}};
  io::save_safetensors(folder / "a", to_save(tensors), {{"x", "y"}});
  CHECK(
      content_of(folder / "a") ==
      safetensors(
          R"({"__metadata__":{"x":"y"},"a1":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},)"
          R"("a2":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},"b":{"dtype":"BF16","shape":[3],"data_offsets":[24,30]},)"
          R"("c":{"dtype":"I8","shape":[],"data_offsets":[30,31]}})",
          bytes + bytes.substr(0, 6) + bytes.substr(0, 1)));
  io::save_safetensors(folder / "a", {});
  CHECK(content_of(folder / "a") == safetensors("{}", ""));
  CHECK(io::load_safetensors(folder / "a").empty());
}

TEST_CASE("headers may be written in other ways that mean the same") {
  const TemporaryFolder folder;
  const auto names = [&](const std::string& content) {
    std::string text;
    for (const auto& [name, array] : io::load_safetensors(folder.file("a", content)))
      text += name + "=" + elements_of(array) + " ";
    return text;
  };
  CHECK(names(safetensors("{\n \"b\" : { \"data_offsets\" : [ 2 , 4 ] , \"shape\" : [ 2 ],\"dtype\":\"U8\" } "
                          ",\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]}}\n",
                          "1234")) == "b=34 a=12 ");
  CHECK(names(safetensors(
            R"({"\u00e4\ud83d\ude00\n":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"__metadata__":{}})", "1")) ==
        "\xc3\xa4\xf0\x9f\x98\x80\n=1 ");
  // Not padded, as old writers left it.
  std::string file = safetensors("", "");
  const std::string header = R"({"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}} )";
  file = std::string(1, static_cast<char>(header.size())) + std::string(7, '\0') + header + "12345678";
  CHECK(names(file) == "a=12345678 ");
  CHECK(message_of([&] { io::SafetensorsFile(folder / "a").map("a"); })
            .find("at a multiple of 8 bytes, as mapped memory must have them, found them 7 bytes beyond one; load the "
                  "file") != std::string::npos);
}

TEST_CASE("what the format cannot hold is refused before the file is touched") {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  const std::string bytes = pattern(16);
  const std::vector<std::ptrdiff_t> none;
  const auto one = [&](const std::string& name, DType dtype) {
    return io::NamedArrayToSave{name, {bytes.data(), dtype, make_ddim({}), none}};
  };
  const std::vector<io::NamedArrayToSave> complex(1, one("a", DType::complex128));
  CHECK(message_of<DTypeError>([&] {
          io::save_safetensors(path, complex);
        }).find("the format has no type for complex128") != std::string::npos);
  const auto says = [&](const std::vector<io::NamedArrayToSave>& tensors,
                        const io::SafetensorsMetadata& metadata = {}) {
    return message_of<std::invalid_argument>([&] { io::save_safetensors(path, tensors, metadata); });
  };
  CHECK(says({one("__metadata__", DType::int8)}) == "save_safetensors: the name \"__metadata__\" is the format's own");
  CHECK(says({one("a", DType::int8), one("b", DType::int8), one("a", DType::int16)}) ==
        "save_safetensors: the name \"a\" is there twice");
  CHECK(says({one("\xc3", DType::int8)}) == "save_safetensors: the name \"\\xc3\" is not UTF-8");
  CHECK(says({}, {{"a", "b"}, {"a", "c"}}) == "save_safetensors: the key \"a\" of the metadata is there twice");
  CHECK(says({}, {{"a", "\xff"}}) == "save_safetensors: the value \"\\xff\" of the metadata is not UTF-8");
  CHECK(folder.listing() == "");
}

TEST_CASE("tensors of one file share its mapping, and are storage apart") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.safetensors", good);
  io::StoredArray a, b;
  {
    const io::SafetensorsFile file(path);
    a = file.map("a");
    b = file.map("b");
    CHECK_THROWS_AS(file.map("c"), IndexError);
    CHECK_THROWS_AS(file.load("c"), IndexError);
  }
  CHECK(static_cast<char*>(a.buffer->data()) + 24 == static_cast<char*>(b.buffer->data()));
  static_cast<char*>(a.buffer->data())[23] = 'x';
  a = {};
  CHECK(elements_of(b) == pattern(30).substr(24));
  CHECK(content_of(path) == good);
  b = {};
  CHECK(content_of("/proc/self/maps").find(path) == std::string::npos);
}

TEST_CASE("a checkpoint in several files is one by its index") {
  const TemporaryFolder folder;
  folder.file("model-1.safetensors", good);
  folder.file(
      "model-2.safetensors",
      safetensors(
          R"({"c":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"d":{"dtype":"U8","shape":[],"data_offsets":[2,3]}})",
          "xyz"));
  const auto index = [&](const std::string& map) {
    return folder.file(
        "model.safetensors.index.json",
        "{\"metadata\": {\"total_size\": 3.3e1, \"more\": [1, null, {\"a\": -0.5}, true]}, \"weight_map\": " + map +
            "}\n");
  };
  const io::ShardedSafetensors file(
      index(R"({"c": "model-2.safetensors", "a": "model-1.safetensors", "b": "model-1.safetensors"})"));
  CHECK(file.names() == std::vector<std::string>{"c", "a", "b"});
  CHECK(elements_of(file.load("c")) == "xy");
  CHECK(elements_of(file.map("a")) == pattern(24));
  CHECK_THROWS_AS(file.load("d"), IndexError);  // the index does not name it

  const auto refusal = [&](const std::string& map) { return message_of([&] { io::ShardedSafetensors{index(map)}; }); };
  for (const char* name : {"../model-1.safetensors", "/etc/passwd", "a/../model-1.safetensors", "./model-1.safetensors",
                           "..", ".", "", "a\\\\b", "C:x"}) {
    CAPTURE(std::string(name));
    CHECK(refusal(std::string("{\"a\": \"") + name + "\"}")
              .find("expected the name of a file in the index's folder for tensor \"a\", found ") != std::string::npos);
  }
  CHECK(refusal(R"({"x": "model-1.safetensors"})")
            .find("expected tensor \"x\" in \"model-1.safetensors\", found no such tensor there") != std::string::npos);
  CHECK(refusal(R"({"a": 1})").find("expected the file of tensor \"a\", a string, found \"1}}") != std::string::npos);
  CHECK(refusal("[]").find("expected 'weight_map', an object") != std::string::npos);
  CHECK(refusal("{} x").find("expected ',' or '}' behind a member of the index") != std::string::npos);
  CHECK(message_of<std::system_error>([&] {
          io::ShardedSafetensors{index(R"({"a": "model-3.safetensors"})")};
        }).find("model-3.safetensors\": No such file") != std::string::npos);
  const auto alone = [&](const std::string& text) {
    return message_of([&] { io::ShardedSafetensors{folder.file("i.json", text)}; });
  };
  CHECK(alone("{}").find("expected an index with the key 'weight_map', found none") != std::string::npos);
  CHECK(alone("").find("expected the index, an object, found the end of the text") != std::string::npos);
  CHECK(alone("{\"a\": " + std::string(100'000, '[')).find("expected values nested at most 64 deep, found one more") !=
        std::string::npos);
  for (const char* value : {"01", "1.", "1e", "-", ".5", "+1", "nul", "1 2", "NaN"}) {
    CAPTURE(std::string(value));
    CHECK(alone(std::string("{\"a\": ") + value + "}").find("at byte ") != std::string::npos);
  }
}
