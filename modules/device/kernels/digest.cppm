module;
#include <cstddef>
#include <cstdint>
module tessera.device:digest;
import tessera.standard;

// SHA-256 (FIPS 180-4): names and checks what is kept on disk.
namespace tessera::device {

using Digest = std::array<std::byte, 32>;

class Sha256 {
 public:
  Sha256& add(std::span<const std::byte> bytes);
  /// The text and its length, so that texts added one after the other cannot be mistaken for others.
  Sha256& add(std::string_view text);
  /// Of everything added; the object is used up.
  Digest finish();

 private:
  void add_block(const std::byte* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> pending_{};
  std::uint64_t bytes_ = 0;
};

/// 64 hexadecimal digits.
std::string to_string(const Digest& digest);

}  // namespace tessera::device
