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

/// A file of a header and data; the header is padded to 8 bytes.
std::string safetensors(std::string header, std::string_view data) {
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> 8 * i & 0xff);
  return file + header + std::string(data);
}

/// What opening the file says, behind its name.
std::string refusal_of(const TemporaryFolder& folder, const std::string& content) {
  const std::string path = folder.file("bad.safetensors", content);
  const std::string message = message_of([&] { io::load_safetensors(path); });
  const std::string start = "reading \"" + path + "\": ";
  return message.starts_with(start) ? message.substr(start.size()) : message;
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

TEST_CASE("headers that are no JSON, or not of the format, are refused with the byte and what was found") {
  const TemporaryFolder folder;
  const std::string deep = "{\"__metadata__\":" + std::string(100'000, '[');
  const std::pair<std::string, const char*> cases[] = {
      {"", "at byte 8: expected '{' at the start of the header, found an empty header"},
      {" {}", "expected '{' at the start of the header, found \" {}"},
      {"[]", "expected '{' at the start of the header, found \"[]"},
      {"{", "expected a key, a string, found the end of the text"},
      {"{} {}", "expected nothing but white space behind the value, found \"{}"},
      {"{'a':1}", "expected a key, a string, found \"'a'"},
      {"{\"a\":1}", "expected tensor \"a\", an object, found \"1}"},
      {"{\"a\" 1}", "expected ':' behind a key, found \"1}"},
      {"{\"a\":{}}", "expected the keys 'dtype', 'shape' and 'data_offsets' in tensor \"a\", found no 'dtype'"},
      {"{\"a\":{},}", "expected the keys"},
      {"{\"__metadata__\":{},}", "expected a key, a string, found \"}"},
      {"{\"__metadata__\":{\"a\":1}}", "expected a value of __metadata__, a string, found \"1}}"},
      {"{\"__metadata__\":null}", "expected __metadata__, an object, found \"null}"},
      {"{\"__metadata__\":{},\"__metadata__\":{}}",
       "expected each key of the header once, found \"__metadata__\" again"},
      {"{\"__metadata__\":{\"a\":\"b\",\"\\u0061\":\"b\"}}",
       "expected each key of __metadata__ once, found \"a\" again"},
      {"{\"\xff\":{}}", "at byte 10: expected UTF-8, found \"\\xff"},
      {"{\"\xed\xa0\x80\":{}}", "expected UTF-8"},
      {"{\"a\\ud800\":{}}", "expected both halves of a surrogate pair before this"},
      {"{\"a\\ud800\\u0041\":{}}", "expected the second half of a surrogate pair before this"},
      {"{\"a\\x\":{}}", "expected one of \"\\/bfnrtu behind a backslash, found \"x"},
      {"{\"a\\u00g0\":{}}", "expected four hexadecimal digits"},
      {"{\"a\n\":{}}", "expected control characters of a string as escapes"},
      {"{\"a", "expected the quote that ends a string"},
      {deep, "expected __metadata__, an object, found \"[[["},
  };
  for (const auto& [header, message] : cases) {
    CAPTURE(header.substr(0, 100));
    const std::string said = refusal_of(folder, safetensors(header, ""));
    CHECK_MESSAGE(said.find(message) != std::string::npos, said);
  }
}

TEST_CASE("tensors that are not what the file can hold are refused") {
  const TemporaryFolder folder;
  const std::pair<const char*, const char*> cases[] = {
      {R"({"a":{"dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4]}})",
       "to be one of BOOL, U8-U64, I8-I64, F16, BF16, F32, F64 and C64, found \"F8_E4M3\""},
      {R"({"a":{"dtype":"C128","shape":[],"data_offsets":[0,16]}})", "found \"C128\"; convert the tensor"},
      {R"({"a":{"dtype":"f32","shape":[1],"data_offsets":[0,4]}})", "found \"f32\""},
      {R"({"a":{"dtype":7,"shape":[1],"data_offsets":[0,4]}})",
       "expected 'dtype' of tensor \"a\", a string, found \"7,"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1}})",
       "alone in tensor \"a\", found \"x\" as a key"},
      {R"({"a":{"dtype":"F32","shape":[1],"shape":[1],"data_offsets":[0,4]}})",
       "expected each key of tensor \"a\" once, found \"shape\" again"},
      {R"({"a":{"dtype":"F32","data_offsets":[0,4]}})", "found no 'shape'"},
      {R"({"a":{"dtype":"F32","shape":[1]}})",
       "expected two offsets, begin and end, as 'data_offsets' of tensor \"a\", found 0"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}})", "found 3"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,5]}})",
       "expected 'data_offsets' of tensor \"a\" within the 4 bytes behind the header, found 0 to 5"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})",
       "within the 4 bytes behind the header, found 4 to 0"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})",
       "with the 8 bytes of float32 (2,) between them, found 4 bytes"},
      {R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[1,4]}})",
       "expected tensor \"a\" where the one before it ends, found it at byte"},
      {R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})",
       "expected the end of the file behind the last tensor, found 1 byte"},
      {R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})",
       ", overlapping that"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})",
       ", with a hole between them"},
      {R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})",
       "expected each key of the header once, found \"a\" again"},
      {R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})",
       "expected an extent, which is never negative, found \"-1]"},
      {R"({"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})",
       "expected an extent, an integer without leading zeros, fraction or exponent, found \"1.0]"},
      {R"({"a":{"dtype":"F32","shape":[1e0],"data_offsets":[0,4]}})",
       "an integer without leading zeros, fraction or exponent"},
      {R"({"a":{"dtype":"F32","shape":[01],"data_offsets":[0,4]}})",
       "an integer without leading zeros, fraction or exponent"},
      {R"({"a":{"dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,4]}})",
       "expected an extent, at most 2^63 - 1"},
      {R"({"a":{"dtype":"F32","shape":[9223372036854775807],"data_offsets":[0,4]}})",
       "which would be more than 2^63 bytes"},
      {R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4]}})",
       "which would be more than 2^63 bytes"},
      {R"({"a":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1,4],"data_offsets":[0,4]}})",
       "expected at most 9 axes in 'shape' of tensor \"a\", found one more"},
      {R"({"a":{"dtype":"U8","shape":[4,],"data_offsets":[0,4]}})",
       "expected an extent, in decimal digits, found \"],"},
      {R"({"a":{"dtype":"U8","shape":[2 2],"data_offsets":[0,4]}})",
       "expected ',' or ']' behind an element of 'shape' of tensor \"a\", found \"2]"},
  };
  for (const auto& [header, message] : cases) {
    CAPTURE(std::string(header));
    const std::string said = refusal_of(folder, safetensors(header, pattern(4)));
    CHECK_MESSAGE(said.find(message) != std::string::npos, said);
  }
}

TEST_CASE("lengths of headers that the file has not are refused before anything is allocated") {
  const TemporaryFolder folder;
  CHECK(refusal_of(folder, "") == "at byte 0: expected the length of the header, 8 bytes, found 0 bytes");
  CHECK(refusal_of(folder, "1234567") == "at byte 0: expected the length of the header, 8 bytes, found 7 bytes");
  CHECK(refusal_of(folder, std::string(8, '\xff')) ==
        "at byte 0: expected a header of at most the 0 bytes that follow, found 18446744073709551615 bytes");
  std::string file = safetensors("{}", "");
  file[0] = 9;
  CHECK(refusal_of(folder, file) == "at byte 0: expected a header of at most the 8 bytes that follow, found 9 bytes");
  const std::string path = folder.file("large", std::string("\x01\xe1\xf5\x05\0\0\0\0", 8));
  std::filesystem::resize_file(path, 200'000'000);  // a hole
  CHECK(message_of([&] {
          io::load_safetensors(path);
        }).find("expected a header of at most 100000000 bytes, found 100000001 bytes") != std::string::npos);
}

TEST_CASE("a safetensors file that is cut off anywhere is refused") {
  const TemporaryFolder folder;
  for (std::size_t length = 0; length < good.size(); ++length) {
    CAPTURE(length);
    REQUIRE(refusal_of(folder, good.substr(0, length)).starts_with("at byte "));
  }
  CHECK(refusal_of(folder, good) == "nothing was thrown");
}

TEST_CASE("a header of which any byte is changed is refused, or means tensors that fill the file") {
  const TemporaryFolder folder;
  int read = 0;
  for (std::size_t at = 0; at < good.size() - 30; ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = good;
      changed[at] = static_cast<char>(value);
      const std::string path = folder.file("changed", changed);
      try {
        std::ptrdiff_t bytes = 0;
        for (const auto& [name, tensor] : io::load_safetensors(path)) {
          bytes += static_cast<std::ptrdiff_t>(elements_of(tensor).size());
          REQUIRE(tensor.buffer->bytes() == product(tensor.shape) * item_size(tensor.dtype));
        }
        REQUIRE(bytes == 30);
        ++read;
      } catch (const FormatError&) {
      }
    }
  }
  CHECK(read > 200);  // other names, other types of the same size
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
