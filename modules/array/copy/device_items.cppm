module;
#include <cstddef>
export module tessera.array:device_items;
import tessera.standard;

// Elements in CUDA text of which only the size matters.
namespace tessera::device {

/// CUDA's name for elements of 1, 2, 4, 8 or 16 bytes; item_support goes before a text that uses it.
export const char* item_type(std::ptrdiff_t bytes);
export inline constexpr const char* item_support =
    "struct alignas(16) tessera_pair { unsigned long long low, high; };\n";

/// The bytes of a kernel's arguments, of which each is a pointer or a number of 64 bits.
export class WordArguments {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(sizeof(T) == word);
    const auto* from = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), from, from + word);
  }
  void put_all(std::span<const std::ptrdiff_t> values) {
    for (const std::ptrdiff_t value : values) put(value);
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  static constexpr std::size_t word = 8;
  std::vector<std::byte> bytes_;
};

}  // namespace tessera::device
