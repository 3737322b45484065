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

/// Gives the launch to CUDA. Throws DeviceError.
void give(const Launch& launch, GpuPlace place, CuStream stream);

/// Takes the launch if this thread collects launches; false if it does not.
bool collect(Stream& stream, const Launch& launch);

/// Gives CUDA what this thread has collected. Throws DeviceError.
void give_collected();
/// The same if it is for the stream.
void give_collected(const StreamState& stream);

}  // namespace tessera::device
