module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:device_kernels;
import tessera.standard;
import tessera.core;

// The library of CUDA kernels that are compiled ahead of time (kernels/), opened at run time. TESSERA_CUDA_KERNELS names another one than
// libtessera_cuda_kernels.so beside the program, in ../lib from there, or where the system finds libraries.
namespace tessera::device_kernels {

/// Where the work of a call goes, and where its temporaries come from. `allocate` returns memory for work that the stream is given from
/// now on, or null; `free` takes memory that work uses which the stream has been given. Both may be called from any thread.
export struct Target {
  void* stream;  ///< CUstream; the context of its device is current
  void* context;
  void* (*allocate)(void* context, std::size_t bytes, void* stream);
  void (*free)(void* context, void* memory, std::size_t bytes, void* stream);
};

/// Sorts `rows` contiguous rows, or writes the positions (int64) of their elements in order. All pointers are device memory, and `to` shares
/// none with `from`. Each of these functions enqueues its work and does not wait; they throw DeviceError without the library or with
/// CUDA's error, OutOfMemory without memory for temporaries, DTypeError for types without a kernel.
export struct Sort {
  DType dtype;
  bool descending;
  std::int64_t rows, length;
  const void* from;
  void* to;
};
export void sort(const Sort& call, const Target& target);
export void argsort(const Sort& call, const Target& target);

/// Running sums or products of contiguous rows, of the types of cumulative_sum().
export struct Scan {
  DType dtype;
  bool is_product;
  std::int64_t rows, length;
  const void* from;
  void* to;
};
export void scan(const Scan& call, const Target& target);

/// The elements whose byte in the mask is 1, and their number. `to` has room for all that are picked.
export struct Select {
  DType dtype;
  std::int64_t length;
  const void* from;
  const bool* mask;
  void* to;
  std::int64_t* count;
};
export void select(const Select& call, const Target& target);

/// Whether the library is there.
export bool has_kernels();

/// The file that was opened. Throws DeviceError that says where it was looked for.
export const char* kernels_library();

}  // namespace tessera::device_kernels
