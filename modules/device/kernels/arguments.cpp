module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>
module tessera.device;
import :arguments;

// Laying out the members of a struct as CUDA does.
namespace tessera::device::launching {

void Arguments::align(std::size_t alignment) {
  bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment);
  alignment_ = std::max(alignment_, alignment);
}

void Arguments::put(std::span<const std::byte> bytes, std::size_t alignment) {
  align(alignment);
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

void Arguments::put(const void* pointer) {
  put({reinterpret_cast<const std::byte*>(&pointer), sizeof pointer}, sizeof pointer);
}

void Arguments::put_index(std::ptrdiff_t value, bool wide) {
  wide ? put(value) : put(static_cast<std::int32_t>(value));
}

std::vector<std::byte> Arguments::take() && {
  align(alignment_);
  return std::move(bytes_);
}

}  // namespace tessera::device::launching
