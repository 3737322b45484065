module;
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
module tessera.device;
import tessera.core;
import :driver_table;
import :gpu_error;

// Errors of the driver. After some of them CUDA refuses all work on that GPU until the process ends: the first one is
// remembered, with what had been launched since the GPU was last known to be good, as the call that notices an error is
// seldom the one to blame.
namespace tessera::device {

namespace {

/// The context is lost: no later call on it succeeds.
bool is_sticky(CuResult result) {
  constexpr std::array sticky = {214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721};
  return std::ranges::find(sticky, result) != sticky.end();
}

/// What is known of the first sticky error of one GPU.
struct GpuHealth {
  std::atomic<bool> failed = false;
  std::mutex mutex;
  std::string story;
};

GpuHealth& health(GpuPlace place) {
  static auto& all = *new std::deque<GpuHealth>(driver().devices.size());
  return all[static_cast<std::size_t>(place.ordinal)];
}

std::string suspects(GpuPlace place) {
  const std::string first = first_unproven_launch(place);
  if (first.empty()) return "all launches before it were known to be good";
  return "the GPU was last known to be good before the launch of " + first;
}

std::string remember(CuResult result, std::string_view operation, GpuPlace place) {
  GpuHealth& gpu = health(place);
  const std::lock_guard lock(gpu.mutex);
  if (gpu.story.empty()) {
    gpu.story = to_string(Place(place)) + " failed with " + error_text(driver(), result) + ", noticed by " +
                std::string(operation) + "; " + suspects(place) +
                "; CUDA does no more work on it in this process unless the process resets it";
    gpu.failed.store(true, std::memory_order_release);
  }
  return gpu.story;
}

[[noreturn]] void refuse(std::string_view operation, const std::string& problem) {
  throw DeviceError(to_string(Failure{.operation = operation, .problem = problem}));
}

}  // namespace

void require_working(GpuPlace place) {
  GpuHealth& gpu = health(place);
  if (!gpu.failed.load(std::memory_order_acquire)) return;
  refuse("CUDA", gpu.story);
}

std::string describe_error(CuResult result, std::string_view operation, GpuPlace place) {
  if (is_sticky(result)) return remember(result, operation, place);
  return error_text(driver(), result);
}

void check(CuResult result, std::string_view operation, Place place) {
  if (result == cuda_success) return;
  refuse(operation, describe_error(result, operation, GpuPlace{place.ordinal()}));
}

void enter(Place place) {
  require_device(place);
  const GpuPlace gpu{place.ordinal()};
  require_working(gpu);
  const CuContext wanted = driver().contexts[static_cast<std::size_t>(gpu.ordinal)];
  CuContext current = nullptr;
  check(driver().get_context(&current), "cuCtxGetCurrent", gpu);
  if (current != wanted) check(driver().set_context(wanted), "cuCtxSetCurrent", gpu);
}

}  // namespace tessera::device
