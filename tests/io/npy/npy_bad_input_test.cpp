// Tests of .npy files that are not as they should be: each is refused with what is wrong with it.
#include <doctest/doctest.h>

#include <clocale>
#include <string>

#include "support.hpp"
import tessera;
import tessera.io;

using namespace tessera;

namespace {

/// What loading and mapping a file of this content say, which is the same.
std::string refusal_of(const TemporaryFolder& folder, const std::string& content) {
  const std::string path = folder.file("bad.npy", content);
  const std::string message = message_of([&] { io::load_npy(path); });
  CHECK(message_of([&] { io::map_npy(path); }) == message);
  const std::string start = "reading \"" + path + "\": ";
  CHECK(message.substr(0, start.size()) == start);
  return message.substr(std::min(start.size(), message.size()));
}

}  // namespace

TEST_CASE("a header that is not NumPy's dict is refused with the byte, what was expected and what was found") {
  const TemporaryFolder folder;
  struct Case {
    const char* dict;
    const char* message;
  };
  const Case cases[] = {
      {"", "at byte 64: expected '{' at the start of the header's dict, found the end of the header"},
      {"[1]", "at byte 10: expected '{' at the start of the header's dict, found \"[1]"},
      {"{'descr': '<f4', 'fortran_order': False, }",
       "expected the keys 'descr', 'fortran_order' and 'shape', found no 'shape'"},
      {"{}", "at byte 12: expected the keys 'descr', 'fortran_order' and 'shape', found no 'descr'"},
      {"{,}", "at byte 11: expected a key, a string, found \",}"},
      {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (), }",
       "at byte 27: expected each key once, found 'descr' again"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (), 'x': 1}",
       "expected the keys 'descr', 'fortran_order' and 'shape' alone, found \"x\" as a key"},
      {"{'descr': '<f4' 'fortran_order': False, 'shape': (), }",
       "at byte 26: expected ',' or '}' behind an item of the header's dict, found \"'fortran_order'"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (), } + 1",
       "expected nothing but white space behind the header's dict, found \"+ 1"},
      {"{'descr': '<f4', 'fortran_order': false, 'shape': (), }",
       "expected 'fortran_order', True or False, found \"false"},
      {"{'descr': '<f4', 'fortran_order': 0, 'shape': (), }", "expected 'fortran_order', True or False, found \"0"},
      {"{'descr' '<f4', 'fortran_order': False, 'shape': (), }", "expected ':' behind a key, found"},
      {"{'descr': '<f4, 'fortran_order': False, 'shape': (), }", "found '<f4, ', which is none of"},
      {"{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (), }", "a string without escapes"},
      {"{'descr': 5, 'fortran_order': False, 'shape': (), }", "expected 'descr', a string, found \"5,"},
      {"{'descr': None, 'fortran_order': False, 'shape': (), }", "expected 'descr', a string, found \"None,"},
  };
  for (const Case& one : cases) {
    CAPTURE(std::string(one.dict));
    const std::string message = refusal_of(folder, npy(one.dict, pattern(4)));
    CHECK_MESSAGE(message.find(one.message) != std::string::npos, message);
  }
}

TEST_CASE("types that are no numbers of ours are refused by name") {
  const TemporaryFolder folder;
  struct Case {
    const char* descr;
    const char* message;
  };
  const Case cases[] = {
      {"", "found '', which is empty"},
      {"|O",
       "found '|O', which stands for Python objects, which are stored as a pickle: reading one runs the code in it"},
      {"<U4", "found '<U4', which is none of b1, i1-i8"},
      {"<f16", "found '<f16', which is none of"},
      {"<M8[ns]", "found '<M8[ns]', which is none of"},
      {"|S3", "found '|S3', which is none of"},
      {"float32", "found 'float32', which is none of"},
      {"hello", "found 'hello', which is none of"},
      {"<", "found '<', which is none of"},
      {"<1", "found '<1', which is none of"},
      {"|f4", "found '|f4', which does not say in which order the bytes of an element are"},
      {"f4", "found 'f4', which does not say in which order"},
      {"|V2", "found '|V2', which stands for two bytes of no type; write view(ml_dtypes.bfloat16) in NumPy"},
  };
  for (const Case& one : cases) {
    CAPTURE(std::string(one.descr));
    const std::string message = refusal_of(folder, npy(dict(one.descr, "(1,)"), pattern(16)));
    CHECK_MESSAGE(message.find(one.message) != std::string::npos, message);
    CHECK_MESSAGE(message.find("at byte 20: expected 'descr' to be the type of a number") != std::string::npos,
                  message);
  }
  const std::string fields = "{'descr': [('x', '<f4'), ('y', '<i4')], 'fortran_order': False, 'shape': (1,), }";
  CHECK(refusal_of(folder, npy(fields, pattern(8))).find("found a list of fields: a structured type") !=
        std::string::npos);
}

TEST_CASE("extents that no array can have are refused") {
  const TemporaryFolder folder;
  struct Case {
    const char* shape;
    const char* message;
  };
  const Case cases[] = {
      {"(-1,)", "expected an extent, which is never negative, found \"-1,)"},
      {"(2147483648, 4)",
       "at byte 128: expected the 34359738368 bytes of float32 (2147483648, 4), found 16 bytes; the file is cut off"},
      {"(9223372036854775807,)",
       "expected the elements of float32 (9223372036854775807,), which would be more than 2^63 bytes, found 16 bytes"},
      {"(9223372036854775808,)", "expected an extent of at most 2^63 - 1, found \"9223372036854775808"},
      {"(99999999999999999999999999,)", "expected an extent of at most 2^63 - 1"},
      {"(9223372036854775807, 2)", "more than 2^63 bytes"},
      {"(4294967296, 4294967296)", "more than 2^63 bytes"},
      {"(3)", "expected a comma behind the extent, as Python writes a tuple of one"},
      {"3", "expected '(' at the start of 'shape', a tuple of extents, found \"3"},
      {"[3]", "expected '(' at the start of 'shape', a tuple of extents, found \"[3]"},
      {"(,)", "expected an extent in decimal digits, found \",)"},
      {"(1 2)", "expected ',' or ')' behind an extent, found \"2)"},
      {"(1.5,)", "expected ',' or ')' behind an extent, found \".5"},
      {"(1_000,)", "expected ',' or ')' behind an extent, found \"_000"},
      {"(1.000, 4)", "expected ',' or ')' behind an extent, found \".000"},
      {"(0x4,)", "expected ',' or ')' behind an extent, found \"x4"},
      {"(04,)", "expected an extent without leading zeros, found \"04"},
      {"(True,)", "expected an extent in decimal digits, found \"True"},
      {"(+4,)", "expected an extent in decimal digits, found \"+4"},
      {"(4", "expected an extent in decimal digits, found \"}\""},
      {"(1,1,1,1,1,1,1,1,1,1)", "expected at most 9 axes, found one more: \"1)"},
  };
  for (const Case& one : cases) {
    CAPTURE(std::string(one.shape));
    const std::string message = refusal_of(folder, npy(dict("<f4", one.shape), pattern(16)));
    CHECK_MESSAGE(message.find(one.message) != std::string::npos, message);
  }
  CHECK(refusal_of(folder, npy(dict("<f4", "(4L,)"), pattern(16), 3)).find("behind an extent, found \"L,)") !=
        std::string::npos);
}

TEST_CASE(
    "what is no .npy file, or of another version, or shorter than it says is refused before anything is allocated") {
  const TemporaryFolder folder;
  CHECK(refusal_of(folder, "") == "at byte 0: expected the six bytes \"\\x93NUMPY\" of a .npy file, found nothing");
  CHECK(refusal_of(folder, "PK\x03\x04 and more") ==
        "at byte 0: expected the six bytes \"\\x93NUMPY\" of a .npy file, found \"PK\\x03\\x04 a\"");
  CHECK(refusal_of(folder, "\x93NUMPY\x01") ==
        "at byte 6: expected a version and the length of the header, found 1 byte");
  std::string file = npy(dict("<f4", "(1,)"), pattern(4));
  file[6] = 4;
  CHECK(refusal_of(folder, file) == "at byte 6: expected version 1.0, 2.0 or 3.0 of the format, found 4.0");
  file[6] = 1;
  file[7] = 1;
  CHECK(refusal_of(folder, file) == "at byte 6: expected version 1.0, 2.0 or 3.0 of the format, found 1.1");
  file[7] = 0;
  file[9] = 1;  // 256 bytes more
  CHECK(refusal_of(folder, file) ==
        "at byte 8: expected a header of at most the 122 bytes that follow, found 374 bytes; the file is cut off, or "
        "is no .npy file");
  // A header of 4 GiB in a file of 132 bytes, and one of 70000 that is there.
  file = npy(dict("<f4", "(1,)"), pattern(4), 2);
  for (std::size_t i = 8; i < 12; ++i) file[i] = '\xff';
  CHECK(refusal_of(folder, file)
            .find("at byte 8: expected a header of at most the 120 bytes that follow, found 4294967295 bytes") == 0);
  CHECK(refusal_of(folder, npy(dict("<f4", "(1,)"), pattern(4), 2, 70000))
            .find("expected a header of at most 65535 bytes") != std::string::npos);
  // 32 GiB out of 80 bytes.
  CHECK(refusal_of(folder, npy(dict("<f8", "(4294967296,)"), "", 1, 5))
            .find("expected the 34359738368 bytes of float64 (4294967296,), found 0 bytes") != std::string::npos);
  CHECK(refusal_of(folder, npy(dict("<f4", "(1,)"), pattern(5)))
            .find("expected the 4 bytes of float32 (1,) and nothing behind them, found 5 bytes; pass "
                  "TrailingBytes::ignored") != std::string::npos);
}

TEST_CASE("a file that is cut off anywhere is refused") {
  const TemporaryFolder folder;
  for (const int version : {1, 3}) {
    const std::string whole = npy(dict("<f4", "(2, 3)"), pattern(24), version);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      CAPTURE(length);
      const std::string message = refusal_of(folder, whole.substr(0, length));
      CHECK_MESSAGE(message.find("at byte ") == 0, message);
    }
  }
}

TEST_CASE("a header of which any byte is changed is refused, or means an array that the file holds") {
  const TemporaryFolder folder;
  const std::string whole = npy(dict("<f4", "(2, 3)"), pattern(24));
  int read = 0;
  for (std::size_t at = 0; at < 70; ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = whole;
      changed[at] = static_cast<char>(value);
      const std::string path = folder.file("changed.npy", changed);
      try {
        const io::StoredArray array = io::load_npy(path);
        ++read;
        REQUIRE(product(array.shape) * item_size(array.dtype) == 24);
        REQUIRE(array.buffer->bytes() == 24);
        REQUIRE(elements_of(array).size() == 24);
      } catch (const FormatError&) {
      }
    }
  }
  CHECK(read > 70);  // those that were not changed, other types of four bytes, other quotes
}

TEST_CASE("the user's locale does not matter") {
  const TemporaryFolder folder;
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* locale : {"de_DE.UTF-8", "en_US.UTF-8", "C.UTF-8"}) {
    if (std::setlocale(LC_ALL, locale) == nullptr) continue;
    const DDim shape = make_ddim({1234567});
    const std::string bytes = pattern(1234567);
    io::save_npy(folder / "a.npy", {bytes.data(), DType::uint8, shape, row_major(shape)});
    CHECK(content_of(folder / "a.npy").find("'shape': (1234567,), }") != std::string::npos);
    CHECK(io::load_npy(folder / "a.npy").shape == shape);
  }
  std::setlocale(LC_ALL, before.c_str());
}

TEST_CASE("files that are not there, folders and pipes are refused") {
  const TemporaryFolder folder;
  CHECK(message_of<std::system_error>([&] { io::load_npy(folder / "none.npy"); }) ==
        "opening \"" + (folder / "none.npy") + "\": No such file or directory");
  CHECK(message_of([&] {
          io::load_npy(folder / "");
        }).find("expected a regular file, whose size says how much there is to read, found a folder") !=
        std::string::npos);
  CHECK(message_of([] { io::load_npy("/dev/zero"); }).find("found a pipe or device") != std::string::npos);
  CHECK(message_of<std::system_error>([] { io::load_npy(std::string("a\0b", 3)); }).find("the path has a zero byte") !=
        std::string::npos);
}
