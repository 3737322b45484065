module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
module tessera.io;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.darray;

// DLPack's tensors to arrays and back.
namespace tessera {

namespace {

enum Code : std::uint8_t { signed_integer, unsigned_integer, floating, opaque, bfloat, complex, boolean };
enum DeviceType : std::int32_t { cpu = 1, gpu = 2, pinned = 3 };
constexpr std::uint64_t read_only_flag = 1;
constexpr std::uint32_t version_major = 1;

constexpr dlpack::DataType type_of(DType dtype) {
  const auto bits = static_cast<std::uint8_t>(8 * item_size(dtype));
  switch (kind(dtype)) {
    case Kind::boolean: return {boolean, 8, 1};
    case Kind::signed_integer: return {signed_integer, bits, 1};
    case Kind::unsigned_integer: return {unsigned_integer, bits, 1};
    case Kind::floating: return {dtype == DType::bfloat16 ? bfloat : floating, bits, 1};
    case Kind::complex: break;
  }
  return {complex, bits, 1};
}

DType dtype_from(const dlpack::DataType& type) {
  for (int number = 0; number < dtype_count; ++number) {
    const dlpack::DataType known = type_of(static_cast<DType>(number));
    if (known.code == type.code && known.bits == type.bits && type.lanes == 1) return static_cast<DType>(number);
  }
  throw DTypeError(to_string(Failure{.operation = "from_dlpack",
                                     .problem = "elements of code " + std::to_string(type.code) + " with " +
                                                std::to_string(type.bits) + " bits and " + std::to_string(type.lanes) +
                                                " lanes are of no type of the library"}));
}

Place place_from(const dlpack::Device& device) {
  switch (device.device_type) {
    case cpu: return CpuPlace{};
    case gpu: return GpuPlace{device.device_id};
    case pinned: return PinnedPlace{};
    default: break;
  }
  throw PlaceError(to_string(Failure{.operation = "from_dlpack",
                                     .problem = "device type " + std::to_string(device.device_type) +
                                                " is not the CPU (1), a GPU (2) or pinned memory (3)",
                                     .advice = "copy the tensor to one of them first"}));
}

dlpack::Device device_of(Place place) {
  switch (place.kind()) {
    case PlaceKind::gpu: return {gpu, place.ordinal()};
    case PlaceKind::pinned: return {pinned, 0};
    case PlaceKind::cpu: break;
  }
  return {cpu, 0};
}

/// An array over the tensor's memory, which `owner` keeps.
DArray array_over(const dlpack::Tensor& tensor, bool is_read_only, std::shared_ptr<const void> owner) {
  const DType dtype = dtype_from(tensor.dtype);
  const Place place = place_from(tensor.device);
  if (tensor.ndim < 0 || tensor.ndim > max_rank) {
    throw ShapeError(to_string(
        Failure{.operation = "from_dlpack",
                .problem = std::to_string(tensor.ndim) + " axes; an array has at most " + std::to_string(max_rank)}));
  }
  const auto rank = static_cast<std::size_t>(tensor.ndim);
  std::array<std::ptrdiff_t, static_cast<std::size_t>(max_rank)> extents{};
  if (rank > 0) std::copy_n(tensor.shape, rank, extents.begin());
  const DDim shape(std::span(extents).first(rank));
  dynamic::DLayout layout = dynamic::row_major(shape.extents());
  if (tensor.strides != nullptr) std::copy_n(tensor.strides, rank, layout.strides.begin());
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset;
  const auto part = static_cast<std::uintptr_t>(kind(dtype) == Kind::complex ? item_size(dtype) / 2 : item_size(dtype));
  if (product(shape) > 0 && (tensor.data == nullptr || address % part != 0)) {
    throw FormatError(to_string(Failure{.operation = "from_dlpack",
                                        .problem = "the elements begin at address " + std::to_string(address) +
                                                   ", where no " + std::string(name(dtype)) + " can be",
                                        .advice = "copy the tensor first"}));
  }
  void* const first = reinterpret_cast<void*>(address);
  if (is_read_only)
    return adopt(static_cast<const void*>(first), dtype, shape, layout.steps(), place, std::move(owner));
  return adopt(first, dtype, shape, layout.steps(), place, std::move(owner));
}

/// The array of a tensor that is taken over only if nothing is thrown.
template <class Managed>
DArray taken(Managed* tensor, bool is_read_only) {
  struct Owner {
    Managed* tensor = nullptr;
    // The deleter takes the other library's struct of this layout, which UndefinedBehaviorSanitizer sees as another type.
    [[clang::no_sanitize("function")]] ~Owner() {
      if (tensor != nullptr && tensor->deleter != nullptr) tensor->deleter(tensor);
    }
  };
  const auto owner = std::make_shared<Owner>();
  DArray array = array_over(tensor->dl_tensor, is_read_only, owner);
  owner->tensor = tensor;
  return array;
}

/// A tensor with the array that it shares.
template <class Managed>
struct Shared {
  Managed managed{};
  DArray array;
  std::array<std::int64_t, static_cast<std::size_t>(max_rank)> shape{}, strides{};
};

template <class Managed>
Managed* shared(const DArray& array) {
  if (!array.has_storage())
    throw ShapeError(to_string(Failure{.operation = "to_dlpack",
                                       .problem = "the array has no storage",
                                       .advice = "give it some: zeros(dtype, shape)"}));
  array.wait();
  auto made = std::make_unique<Shared<Managed>>();
  made->array = array;
  const dynamic::DLayout layout = array.layout();
  std::ranges::copy(layout.shape(), made->shape.begin());
  std::ranges::copy(layout.steps(), made->strides.begin());
  made->managed.dl_tensor = {.data = array.data(),
                             .device = device_of(array.place()),
                             .ndim = array.rank(),
                             .dtype = type_of(array.dtype()),
                             .shape = made->shape.data(),
                             .strides = made->strides.data(),
                             .byte_offset = 0};
  made->managed.manager_ctx = made.get();
  made->managed.deleter = [](Managed* self) { delete static_cast<Shared<Managed>*>(self->manager_ctx); };
  return &made.release()->managed;
}

}  // namespace

DArray from_dlpack(dlpack::ManagedTensor* tensor) { return taken(tensor, false); }

DArray from_dlpack(dlpack::ManagedTensorVersioned* tensor) {
  if (tensor->version.major > version_major) {
    throw FormatError(to_string(Failure{.operation = "from_dlpack",
                                        .problem = "the tensor is of version " + std::to_string(tensor->version.major) +
                                                   "." + std::to_string(tensor->version.minor) +
                                                   ", known are versions up to " + std::to_string(version_major)}));
  }
  return taken(tensor, (tensor->flags & read_only_flag) != 0);
}

dlpack::ManagedTensor* to_dlpack(const DArray& array) {
  if (array.is_read_only()) {
    throw DTypeError(to_string(Failure{.operation = "to_dlpack",
                                       .problem = "the array is read only, which a tensor of version 0 cannot say",
                                       .advice = "to_dlpack_versioned(x) can, and x.clone() is a copy"}));
  }
  return shared<dlpack::ManagedTensor>(array);
}

dlpack::ManagedTensorVersioned* to_dlpack_versioned(const DArray& array) {
  dlpack::ManagedTensorVersioned* const made = shared<dlpack::ManagedTensorVersioned>(array);
  made->version = {version_major, 0};
  made->flags = array.is_read_only() ? read_only_flag : 0;
  return made;
}

}  // namespace tessera
