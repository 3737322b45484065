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

constexpr std::ptrdiff_t piece_bytes = std::ptrdiff_t{1} << 20;

/// Calls `work` with parts of the bytes, on several threads; all but the last have piece_bytes.
template <class Work>
void for_pieces(std::span<std::byte> bytes, const Work& work) {
  parallel_for((std::ssize(bytes) + piece_bytes - 1) / piece_bytes, [&](std::ptrdiff_t piece) {
    const auto first = static_cast<std::size_t>(piece * piece_bytes);
    work(bytes.subspan(first, std::min(static_cast<std::size_t>(piece_bytes), bytes.size() - first)));
  });
}

template <class Word>
void reverse_words(std::span<std::byte> bytes) {
  for_pieces(bytes, [](std::span<std::byte> piece) {
    for (std::size_t at = 0; at + sizeof(Word) <= piece.size(); at += sizeof(Word)) {
      Word word;
      std::memcpy(&word, &piece[at], sizeof(Word));
      word = reversed(word);
      std::memcpy(&piece[at], &word, sizeof(Word));
    }
  });
}

void make_bools(std::span<std::byte> bytes) {
  for_pieces(bytes, [](std::span<std::byte> piece) {
    for (std::byte& byte : piece) byte = static_cast<std::byte>(byte != std::byte{0});
  });
}

}  // namespace

void make_elements(std::span<std::byte> bytes, DType dtype, bool big_endian) {
  if (dtype == DType::boolean) return make_bools(bytes);
  if (!big_endian) return;
  switch (kind(dtype) == Kind::complex ? item_size(dtype) / 2 : item_size(dtype)) {
    case 2: return reverse_words<std::uint16_t>(bytes);
    case 4: return reverse_words<std::uint32_t>(bytes);
    case 8: return reverse_words<std::uint64_t>(bytes);
    default: return;
  }
}

std::ptrdiff_t find_no_bool(std::span<const std::byte> bytes) {
  return std::ranges::find_if(bytes, [](std::byte byte) { return byte > std::byte{1}; }) - bytes.begin();
}

void append_little_endian(std::string& to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> 8 * i & 0xff);
}

}  // namespace tessera::io
