// FNV-1a, 64 bit: a short name for a long run of bytes, to compare the weights of two runs bit by bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace digits {

/// FNV-1a over everything that was added so far; adding in pieces gives what adding at once gives.
/// Source: G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm", RFC 9923.
class Checksum {
 public:
  constexpr void add(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) value_ = (value_ ^ static_cast<std::uint64_t>(byte)) * prime;
  }

  constexpr std::uint64_t value() const { return value_; }

 private:
  static constexpr std::uint64_t prime = 0x100000001b3;
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace digits
