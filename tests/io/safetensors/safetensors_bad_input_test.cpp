// Tests of safetensors files that are not as they should be.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "support.hpp"
import tessera;
import tessera.io;

using namespace tessera;

namespace {

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
