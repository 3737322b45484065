module;
#include <cstddef>
#include <cstdint>
export module tessera.device:kernel;
import tessera.standard;
import tessera.core;
import :place;
import :stream;

// CUDA kernels, loaded and launched by the driver.
namespace tessera::device {

/// A CUDA kernel that is loaded on one GPU. Lives for ever.
export class Kernel {
 public:
  /// Loads the kernel `tessera_kernel` of a cubin. Throws DeviceError if the driver refuses it.
  Kernel(GpuPlace place, std::span<const std::byte> cubin);
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  /// Gives the stream, which is of the kernel's GPU, one launch. `arguments` are the bytes of the kernel's one
  /// parameter, a struct; they are copied. `expression` and `where` say in errors what was computed and where it was
  /// assigned. Throws DeviceError if the driver refuses.
  void launch(Stream& stream, unsigned blocks, unsigned threads, std::ptrdiff_t shared_bytes,
              std::span<const std::byte> arguments, std::string_view expression,
              const std::source_location& where) const;

  GpuPlace place() const { return place_; }
  /// Registers of a thread.
  int registers() const { return registers_; }
  /// Bytes of local memory of a thread: 0 unless arrays or registers are spilled there.
  int local_bytes() const { return local_bytes_; }
  /// Threads that a block can have at most.
  int most_threads() const { return most_threads_; }
  /// Blocks that one multiprocessor runs at the same time, with so many threads and so much dynamic shared memory each.
  int blocks_per_multiprocessor(unsigned threads, std::ptrdiff_t shared_bytes) const;

 private:
  void allow_shared(std::ptrdiff_t bytes) const;

  GpuPlace place_;
  void* function_ = nullptr;
  int registers_ = 0;
  int local_bytes_ = 0;
  int most_threads_ = 0;
  mutable std::atomic<std::ptrdiff_t> shared_allowed_ = 48 << 10;  // what a kernel may have without asking
};

}  // namespace tessera::device
