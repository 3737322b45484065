module;
#include <cstddef>
#include <cstdint>
module tessera.device:launch_collector;
import tessera.standard;
import tessera.core;
import :place;
import :stream;
import :driver_table;
import :stream_state;

// Launches that are held back, to be given to the GPU together.
namespace tessera::device {

/// One launch of a kernel; who makes it keeps what it names.
struct Launch {
  CuFunction function = nullptr;
  unsigned blocks = 0;
  unsigned threads = 0;
  unsigned shared_bytes = 0;
  std::span<const std::byte> arguments{};
  std::string_view expression{};
  std::source_location where{};
};

/// CU_LAUNCH_PARAM_*: one buffer with all arguments, which who makes this keeps.
class ArgumentBuffer {
 public:
  explicit ArgumentBuffer(std::span<const std::byte> arguments) noexcept;
  ArgumentBuffer(const ArgumentBuffer&) = delete;
  ArgumentBuffer& operator=(const ArgumentBuffer&) = delete;
  void** extra() noexcept { return extra_; }

 private:
  std::size_t size_;
  void* extra_[5];
};

/// What holds launches of one stream back.
class LaunchCollector {
 public:
  LaunchCollector() = default;
  LaunchCollector(const LaunchCollector&) = delete;
  LaunchCollector& operator=(const LaunchCollector&) = delete;
  virtual ~LaunchCollector() = default;

  virtual void add(Stream& stream, const Launch& launch) = 0;
  virtual bool has_for(const StreamState& stream) const = 0;
  /// Gives CUDA all launches. Throws DeviceError.
  virtual void give() = 0;
};

/// The collector of this thread; null if it does not collect.
LaunchCollector*& thread_collector() noexcept;

/// Gives the launch to CUDA. Throws DeviceError.
void give(const Launch& launch, GpuPlace place, CuStream stream);

/// Takes the launch if this thread collects launches; false if it does not.
bool collect(Stream& stream, const Launch& launch);

/// Gives CUDA what this thread has collected. Throws DeviceError.
void give_collected();
/// The same if it is for the stream.
void give_collected(const StreamState& stream);

}  // namespace tessera::device
