module;
#include <pthread.h>

#include <atomic>
#include <cstdint>
module tessera.schedule;

// Counts forks.
namespace tessera {

namespace {

constinit std::atomic<std::uint32_t> generation{0};

[[maybe_unused]] const int fork_is_watched =
    pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1, std::memory_order_relaxed); });

}  // namespace

std::uint32_t process_number() noexcept { return generation.load(std::memory_order_relaxed); }

}  // namespace tessera
