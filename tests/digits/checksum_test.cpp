// Tests of the checksum.
#include "checksum.hpp"

#include <doctest/doctest.h>

#include <span>
#include <string_view>

using digits::Checksum;

namespace {

void add(Checksum& sum, std::string_view text) { sum.add(std::as_bytes(std::span(text))); }

std::uint64_t checksum(std::string_view text) {
  Checksum sum;
  add(sum, text);
  return sum.value();
}

}  // namespace

TEST_CASE("the checksum gives the published FNV-1a values") {
  CHECK(checksum("") == 0xcbf29ce484222325);
  CHECK(checksum("a") == 0xaf63dc4c8601ec8c);
  CHECK(checksum("foobar") == 0x85944171f73967e8);
}

TEST_CASE("a checksum of pieces is the checksum of the whole") {
  Checksum pieces;
  for (const std::string_view piece : {"fo", "", "ob", "ar"}) add(pieces, piece);
  CHECK(pieces.value() == checksum("foobar"));
}

TEST_CASE("bytes above 127 count as positive numbers") {
  CHECK(checksum("\xff") == (0xcbf29ce484222325 ^ 0xff) * 0x100000001b3);
}
