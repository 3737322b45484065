module;
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
module tessera.device;
import :digest;

// SHA-256, as FIPS 180-4 defines it in section 6.2.
namespace tessera::device {

namespace {

/// K of section 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const std::byte* bytes) {
  std::uint32_t word = 0;
  for (int k = 0; k < 4; ++k) word = word << 8 | std::to_integer<std::uint32_t>(bytes[k]);
  return word;
}

std::array<std::uint32_t, 64> schedule(const std::byte* block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t t = 0; t < 16; ++t) w[t] = big_endian(block + 4 * t);
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = s1 + w[t - 7] + s0 + w[t - 16];
  }
  return w;
}

}  // namespace

void Sha256::add_block(const std::byte* block) {
  const std::array<std::uint32_t, 64> w = schedule(block);
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + constants[t] + w[t];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> add = {a, b, c, d, e, f, g, h};
  for (std::size_t k = 0; k < 8; ++k) state_[k] += add[k];
}

Sha256& Sha256::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t at = bytes_ % pending_.size();
    const std::size_t taken = std::min(bytes.size(), pending_.size() - at);
    std::memcpy(pending_.data() + at, bytes.data(), taken);
    bytes_ += taken;
    bytes = bytes.subspan(taken);
    if (bytes_ % pending_.size() == 0) add_block(pending_.data());
  }
  return *this;
}

Sha256& Sha256::add(std::string_view text) {
  const std::uint64_t length = text.size();
  add(std::as_bytes(std::span(&length, 1)));
  return add(std::as_bytes(std::span(text)));
}

Digest Sha256::finish() {
  const std::uint64_t bits = bytes_ * 8;
  std::array<std::byte, 128> padding{std::byte{0x80}};
  const std::size_t zeros = (119 - bytes_ % 64) % 64;  // up to 8 bytes before the end of a block
  for (std::size_t k = 0; k < 8; ++k) padding[1 + zeros + k] = std::byte(bits >> (56 - 8 * k));
  add(std::span<const std::byte>(padding).first(zeros + 9));
  Digest digest{};
  for (std::size_t k = 0; k < digest.size(); ++k) digest[k] = std::byte(state_[k / 4] >> (24 - 8 * (k % 4)));
  return digest;
}

std::string to_string(const Digest& digest) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : digest) {
    text += digits[std::to_integer<std::size_t>(byte >> 4)];
    text += digits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return text;
}

}  // namespace tessera::device
