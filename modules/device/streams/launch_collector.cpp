module;
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
module tessera.device;
import tessera.core;
import :driver_table;
import :gpu_error;
import :launch_collector;
import :stream_state;

// Giving launches to CUDA, at once or by the thread's collector.
namespace tessera::device {

ArgumentBuffer::ArgumentBuffer(std::span<const std::byte> arguments) noexcept
    : size_(arguments.size()),
      extra_{reinterpret_cast<void*>(std::uintptr_t{1}), const_cast<std::byte*>(arguments.data()),
             reinterpret_cast<void*>(std::uintptr_t{2}), &size_, nullptr} {}

LaunchCollector*& thread_collector() noexcept {
  static constinit thread_local LaunchCollector* collector = nullptr;
  return collector;
}

void give(const Launch& launch, GpuPlace place, CuStream stream) {
  ArgumentBuffer arguments(launch.arguments);
  const CuResult result = driver().launch(launch.function, launch.blocks, 1, 1, launch.threads, 1, 1,
                                          launch.shared_bytes, stream, nullptr, arguments.extra());
  if (result == cuda_success) return;
  throw DeviceError(to_string(Failure{.operation = "launch",
                                      .problem = describe_error(result, "cuLaunchKernel", place),
                                      .operands = {std::string(launch.expression)},
                                      .where = launch.where}));
}

bool collect(Stream& stream, const Launch& launch) {
  if (thread_collector() == nullptr || TracedWork::is_traced()) return false;
  thread_collector()->add(stream, launch);
  return true;
}

void give_collected() {
  if (thread_collector() != nullptr) thread_collector()->give();
}

void give_collected(const StreamState& stream) {
  if (thread_collector() != nullptr && thread_collector()->has_for(stream)) thread_collector()->give();
}

}  // namespace tessera::device
