module;
#include <algorithm>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Handing out pieces of one allocation.
namespace tessera::plan {

namespace {

std::ptrdiff_t piece_size(std::ptrdiff_t bytes) { return core::checked_add(bytes, 63) / 64 * 64; }

std::ptrdiff_t piece_count(std::ptrdiff_t tasks) { return std::min<std::ptrdiff_t>(tasks, num_threads()); }

}  // namespace

Workspaces::Workspaces(std::ptrdiff_t tasks, std::ptrdiff_t bytes)
    : memory_(CpuPlace{}, core::checked_multiply(piece_count(tasks), piece_size(bytes))) {
  for (std::ptrdiff_t at = 0; at < memory_.bytes(); at += piece_size(bytes))
    free_.push_back(static_cast<std::byte*>(memory_.data()) + at);
}

std::byte* Workspaces::take() {
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::byte* piece = free_.back();
        free_.pop_back();
        return piece;
      }
    }
    std::this_thread::yield();  // only when the number of threads was raised since
  }
}

void Workspaces::give_back(std::byte* piece) {
  const std::lock_guard lock(mutex_);
  free_.push_back(piece);  // within the capacity: it was taken from here
}

}  // namespace tessera::plan
