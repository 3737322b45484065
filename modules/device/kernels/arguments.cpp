module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>
module tessera.device;
import tessera.core;
import :arguments;

// Laying out the members of a struct as CUDA does.
namespace tessera::device::launching {

void Arguments::align(std::size_t alignment) {
  bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment);
  alignment_ = std::max(alignment_, alignment);
}

void Arguments::put(std::span<const std::byte> bytes, std::size_t alignment) {
  align(alignment);
  bytes_.append(bytes.data(), bytes.size());
}

void Arguments::put(const void* pointer) {
  put({reinterpret_cast<const std::byte*>(&pointer), sizeof pointer}, sizeof pointer);
}

void Arguments::put_index(std::ptrdiff_t value, bool wide) {
  wide ? put(value) : put(static_cast<std::int32_t>(value));
}

std::span<const std::byte> Arguments::padded() {
  align(alignment_);
  return {bytes_.data(), bytes_.size()};
}

std::vector<std::byte> Arguments::take() && {
  const std::span<const std::byte> all = padded();
  return {all.begin(), all.end()};
}

}  // namespace tessera::device::launching
