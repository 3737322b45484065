// Philox against the published known answers, and the run filler against single blocks.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

import tessera;

using namespace tessera;
using random::Words;

TEST_CASE("philox4x32-10 gives the known answers of the Random123 distribution") {
  CHECK(random::philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(random::philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(random::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

// --8<-- [start:block]
TEST_CASE("the words of a stream are those of its blocks, at any position") {
  const random::Key key{7};
  const random::Words words = random::block(key, 1'000'000);  // words 4,000,000 to 4,000,003
  CHECK(words == random::philox({1'000'000, 0, 0, 0}, {7, 0}));
  const auto dice = [&](std::uint64_t throw_number) {
    return 1 + random::block(key, throw_number)[0] % 6;  // no state: any thread may ask for any throw
  };
  CHECK(dice(17) == dice(17));
}
// --8<-- [end:block]

TEST_CASE("philox is usable at compile time") { static_assert(random::philox({0, 0, 0, 0}, {0, 0})[0] == 0x6627e8d5); }

TEST_CASE("uniform float number i is word i of the stream, in units of 2^-24") {
  const random::Key key{0x123456789abcdef0};
  const Array<float, 1> numbers = random::uniform<float>(key, Dim{1000});
  for (std::ptrdiff_t i = 0; i < 1000; ++i) {
    const std::uint32_t word = random::block(key, static_cast<std::uint64_t>(i / 4))[static_cast<std::size_t>(i % 4)];
    CHECK(numbers[{i}] == std::ldexp(static_cast<float>(word >> 8), -24));
  }
}

TEST_CASE("folded keys give different streams") {
  std::set<std::uint64_t> keys;
  const random::Key key{7};
  for (std::uint64_t i = 0; i < 1000; ++i) keys.insert(key.fold(i).value);
  CHECK(keys.size() == 1000);
  CHECK(key.fold(3) == random::Key{7}.fold(3));
}
