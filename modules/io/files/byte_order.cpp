module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
module tessera.io;
import tessera.core;
import tessera.schedule;

// Byte order. Loops over words, which the compiler turns into shuffles of vectors.
namespace tessera::io {

namespace {

std::uint16_t reversed(std::uint16_t word) { return __builtin_bswap16(word); }
std::uint32_t reversed(std::uint32_t word) { return __builtin_bswap32(word); }
std::uint64_t reversed(std::uint64_t word) { return __builtin_bswap64(word); }

template <class Word>
void reverse_words(std::span<std::byte> bytes) {
  constexpr std::ptrdiff_t piece = (std::ptrdiff_t{1} << 20) / static_cast<std::ptrdiff_t>(sizeof(Word));
  const std::ptrdiff_t words = std::ssize(bytes) / static_cast<std::ptrdiff_t>(sizeof(Word));
  parallel_for((words + piece - 1) / piece, [&](std::ptrdiff_t block) {
    const std::ptrdiff_t last = std::min((block + 1) * piece, words);
    for (std::ptrdiff_t i = block * piece; i < last; ++i) {
      std::byte* const at = bytes.data() + i * static_cast<std::ptrdiff_t>(sizeof(Word));
      Word word;
      std::memcpy(&word, at, sizeof(Word));
      word = reversed(word);
      std::memcpy(at, &word, sizeof(Word));
    }
  });
}

}  // namespace

void reverse_bytes(std::span<std::byte> elements, DType dtype) {
  switch (kind(dtype) == Kind::complex ? item_size(dtype) / 2 : item_size(dtype)) {
    case 2: return reverse_words<std::uint16_t>(elements);
    case 4: return reverse_words<std::uint32_t>(elements);
    case 8: return reverse_words<std::uint64_t>(elements);
    default: return;
  }
}

void append_little_endian(std::string& to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> 8 * i & 0xff);
}

}  // namespace tessera::io
