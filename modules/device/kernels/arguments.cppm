module;
#include <cstddef>
export module tessera.device:arguments;
import tessera.standard;
import tessera.core;

// The bytes that a kernel is given.
namespace tessera::device::launching {

/// The bytes of a kernel's one parameter, a struct, member by member.
export class Arguments {
 public:
  /// A number, at the alignment of its size.
  template <class T>
    requires(std::is_arithmetic_v<T>)
  void put(T value) {
    put({reinterpret_cast<const std::byte*>(&value), sizeof value}, sizeof value);
  }
  void put(const void* pointer);
  void put_all(std::span<const std::ptrdiff_t> values) {
    for (const std::ptrdiff_t value : values) put(value);
  }
  /// A number of 64 bits if `wide`, otherwise of 32.
  void put_index(std::ptrdiff_t value, bool wide);
  /// Any bytes, at this alignment, a power of two.
  void put(std::span<const std::byte> bytes, std::size_t alignment);

  /// All of them, padded to the alignment of the whole, for as long as this object.
  std::span<const std::byte> padded();
  /// The same as bytes of their own.
  std::vector<std::byte> take() &&;

 private:
  void align(std::size_t alignment);

  core::SmallVector<std::byte, 512> bytes_;
  std::size_t alignment_ = 1;
};

}  // namespace tessera::device::launching
