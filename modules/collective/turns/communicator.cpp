module;
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module tessera.collective;
import tessera.core;
import tessera.device;

// Failing, and seeing that others have.
namespace tessera::collective {

Communicator::Communicator(std::unique_ptr<Wire> wire, std::string name)
    : wire_(std::move(wire)), name_(std::move(name)), rank_(wire_->rank()), size_(wire_->size()) {
  for (int rank = 0; rank < size_; ++rank) {
    boards_.push_back(static_cast<Board*>(wire_->board(rank)));
    has_all_boards_ = has_all_boards_ && boards_.back() != nullptr;
  }
  if (Board* const own = board(rank_)) own->process.store(getpid(), std::memory_order_release);
  const auto here = std::ranges::count_if(boards_, [](const Board* board) { return board != nullptr; });
  if (here > sysconf(_SC_NPROCESSORS_ONLN)) Progress::here().yield_at_once();
}

Communicator::~Communicator() = default;

std::string Communicator::text() const {
  return "rank " + std::to_string(rank_) + " of group " + name_ + " (" + std::to_string(size_) +
         (size_ == 1 ? " rank)" : " ranks)");
}

void Communicator::fail(const std::string& why) noexcept {
  if (std::exchange(has_failed_, true)) return;
  failure_ = why;
  for (const auto& [gpus, wire] : gpu_wires_) wire->give_up();
  Board* const own = board(rank_);
  if (own == nullptr) return;
  std::strncpy(own->failure, why.c_str(), failure_bytes - 1);
  own->has_failed.store(1, std::memory_order_release);
}

void Communicator::check(std::string_view operation) const {
  if (!has_failed_) return;
  throw CollectiveError(to_string(Failure{.operation = operation,
                                          .problem = "the group has failed before: " + failure_,
                                          .advice = "end the program, and go on from its last checkpoint"}));
}

GpuWire& Communicator::gpu_wire(const std::vector<device::GpuIdentity>& gpus, GpuPlace place) {
  const std::lock_guard lock(Progress::here().lock());
  for (const auto& [joined, wire] : gpu_wires_)
    if (joined == gpus) return *wire;
  return *gpu_wires_.emplace_back(gpus, std::make_unique<GpuWire>(place, rank_, size_)).second;
}

void Communicator::say_farewell() noexcept {
  if (Board* const own = board(rank_)) own->has_ended.store(1, std::memory_order_release);
  if (!std::exchange(has_failed_, true)) failure_ = "MPI has been ended";
}

std::string Communicator::why_gone(int rank, bool has_come) const {
  const Board* const other = board(rank);
  if (other == nullptr) return {};
  const std::string name = "rank " + std::to_string(rank);
  if (other->has_failed.load(std::memory_order_acquire) != 0) return name + " has failed: " + other->failure;
  if (!has_come && other->has_ended.load(std::memory_order_acquire) != 0) return name + " has ended its program";
  const auto process = static_cast<pid_t>(other->process.load(std::memory_order_acquire));
  if (process != 0 && kill(process, 0) != 0 && errno == ESRCH)
    return name + " (process " + std::to_string(process) + ") has died";
  return {};
}

}  // namespace tessera::collective
