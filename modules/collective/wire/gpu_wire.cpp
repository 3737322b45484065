module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <utility>
module tessera.collective;
import tessera.core;
import tessera.device;

// Calling NCCL.
namespace tessera::collective {

namespace {

[[noreturn]] void throw_nccl_error(NcclResult result, NcclCommunicator communicator) {
  const char* const more = nccl().last_error(communicator);
  std::string problem = nccl().words(result);
  if (more != nullptr && *more != '\0') problem += ": " + std::string(more);
  throw CollectiveError(to_string(Failure{.operation = "NCCL", .problem = problem}));
}

bool is_error(NcclResult result) { return result != nccl_success && result != nccl_in_progress; }

}  // namespace

GpuWire::GpuWire(GpuPlace place, int rank, int size)
    : place_(place), rank_(rank), size_(size), stream_(&device::Stream::create(place)) {}

void GpuWire::check(NcclResult result) const {
  if (is_error(result)) throw_nccl_error(result, communicator_);
}

void* GpuWire::enter() const {
  if (has_given_up_)
    throw CollectiveError(to_string(Failure{.operation = "NCCL", .problem = "the group has failed before"}));
  device::launching::make_current(place_);
  return stream_->native();
}

NcclId GpuWire::make_id() {
  NcclId id{};
  if (const NcclResult result = nccl().unique_id(&id); is_error(result)) throw_nccl_error(result, nullptr);
  return id;
}

void GpuWire::begin(const NcclId& id) {
  const std::lock_guard lock(mutex_);
  enter();
  NcclConfig config;
  check(nccl().begin(&communicator_, size_, id, rank_, &config));
}

bool GpuWire::is_settled() const {
  const std::lock_guard lock(mutex_);
  enter();
  NcclResult state = nccl_success;
  check(nccl().state(communicator_, &state));
  check(state);
  return state == nccl_success;
}

void GpuWire::exchange(std::span<const GpuPart> sent, std::span<const GpuPart> received) {
  const std::lock_guard lock(mutex_);
  void* const native = enter();
  const auto is_own = [&](const GpuPart& part) { return part.peer == rank_; };
  auto to = std::ranges::find_if(received, is_own);
  for (const GpuPart& part : sent) {
    if (!is_own(part)) continue;
    if (to->data != part.data) device::copy_async(to->data, place_, part.data, place_, part.bytes, *stream_);
    to = std::find_if(to + 1, received.end(), is_own);
  }
  NcclResult failure = nccl_success;
  const auto note = [&](NcclResult result) {
    if (is_error(result) && failure == nccl_success) failure = result;
  };
  note(nccl().group_start());
  for (const GpuPart& part : sent) {
    if (is_own(part) || part.bytes == 0) continue;
    note(nccl().send(part.data, static_cast<std::size_t>(part.bytes), nccl_bytes, part.peer, communicator_, native));
  }
  for (const GpuPart& part : received) {
    if (is_own(part) || part.bytes == 0) continue;
    note(nccl().receive(part.data, static_cast<std::size_t>(part.bytes), nccl_bytes, part.peer, communicator_, native));
  }
  note(nccl().group_end());
  check(failure);
  stream_->count_work();
}

void GpuWire::broadcast(const std::byte* from, std::byte* to, std::int64_t bytes, int root) {
  const std::lock_guard lock(mutex_);
  check(nccl().broadcast(from, to, static_cast<std::size_t>(bytes), nccl_bytes, root, communicator_, enter()));
  stream_->count_work();
}

void GpuWire::all_gather(const std::byte* from, std::byte* to, std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  check(nccl().all_gather(from, to, static_cast<std::size_t>(bytes), nccl_bytes, communicator_, enter()));
  stream_->count_work();
}

void GpuWire::give_up() noexcept {
  const std::lock_guard lock(mutex_);
  if (communicator_ == nullptr || std::exchange(has_given_up_, true)) return;
  nccl().abort(communicator_);
}

}  // namespace tessera::collective
