module;
#include <cstdint>
export module tessera.io:dlpack;
import tessera.standard;
import tessera.core;
import tessera.darray;

// Arrays handed between libraries without a copy, by DLPack (https://dmlc.github.io/dlpack/latest/c_api.html), versions 0 and 1. The
// structs have the layout of dlpack.h, which nobody needs: those that include it hand over its own structs.
namespace tessera {

namespace dlpack {

/// Where memory is: device_type 1 is the CPU, 2 a GPU, 3 pinned memory.
export struct Device {
  std::int32_t device_type;
  std::int32_t device_id;
};

/// An element type: code 0 signed, 1 unsigned, 2 floating, 4 bfloat, 5 complex, 6 bool.
export struct DataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

/// Strides are in elements; null stands for row-major.
export struct Tensor {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};

/// DLManagedTensor: a tensor with what gives it back.
export struct ManagedTensor {
  Tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(ManagedTensor* self);
};

/// The version of the structs.
export struct Version {
  std::uint32_t major;
  std::uint32_t minor;
};

/// DLManagedTensorVersioned; bit 0 of the flags is set if the memory may only be read.
export struct ManagedTensorVersioned {
  Version version;
  void* manager_ctx;
  void (*deleter)(ManagedTensorVersioned* self);
  std::uint64_t flags;
  Tensor dl_tensor;
};

/// dlpack.h's own structs, or others of their layout.
template <class M>
concept Managed = !std::same_as<M, ManagedTensor> && !std::same_as<M, ManagedTensorVersioned> && requires(M& managed) {
  managed.dl_tensor.byte_offset;
  managed.deleter(&managed);
};

}  // namespace dlpack

/// Another library's tensor as an array that shares its memory: it takes over the tensor, whose deleter is called when the last array
/// of it is gone. Throws DTypeError for an element type that the library has not, PlaceError for a device that it does not know,
/// ShapeError for more than max_rank axes or extents that are none, FormatError for a version above 1 and for memory that is not
/// aligned for its elements; the tensor is still the caller's then.
export DArray from_dlpack(dlpack::ManagedTensor* tensor);
/// The same; the array only reads where the flags say so.
export DArray from_dlpack(dlpack::ManagedTensorVersioned* tensor);
/// The same of dlpack.h's structs.
export template <dlpack::Managed M>
DArray from_dlpack(M* tensor) {
  if constexpr (requires { tensor->flags; }) {
    static_assert(sizeof(M) == sizeof(dlpack::ManagedTensorVersioned));
    return from_dlpack(reinterpret_cast<dlpack::ManagedTensorVersioned*>(tensor));
  } else {
    static_assert(sizeof(M) == sizeof(dlpack::ManagedTensor));
    return from_dlpack(reinterpret_cast<dlpack::ManagedTensor*>(tensor));
  }
}

/// The array as a tensor that shares its memory and keeps it until its deleter is called. What is pending on the elements is waited
/// for. Throws ShapeError for an array without storage, DTypeError for one that is read only, which only the other form can say.
export dlpack::ManagedTensor* to_dlpack(const DArray& array);
/// The same, of version 1.
export dlpack::ManagedTensorVersioned* to_dlpack_versioned(const DArray& array);

}  // namespace tessera
