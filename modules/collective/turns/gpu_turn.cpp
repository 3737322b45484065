module;
#include <cstdint>
#include <exception>
#include <mutex>
module tessera.collective;
import tessera.core;
import tessera.device;

// Waiting for GPUs as for other ranks.
namespace tessera::collective {

bool GpuTurn::poll() {
  group_.check(name_of(note_.kind));
  return group_.served_gpu_turns_ == number_;  // those before it have a time limit of their own
}

void GpuTurn::end() {
  const std::lock_guard lock(Progress::here().lock());
  ++group_.served_gpu_turns_;
}

bool GpuWait::poll() {
  group_.check(name_of(note_.kind));
  try {
    if (wire_.is_settled() && mark_.is_reached()) return true;
  } catch (const std::exception& error) {  // NCCL's, or the GPU's
    group_.fail(error.what());
    throw;
  }
  patience_.test(Patience::For::data, note_, collective_, [](int) { return true; });
  return false;
}

}  // namespace tessera::collective
