// Replays a trace of allocations (memory::start_trace) on pools of both strategies, and on malloc:
// memory_replay TRACE [REPEATS]. Ends with status 1 if the trace cannot be honoured. A line of JSON for each way.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>
import tessera;

using namespace tessera;

namespace {

using Events = std::vector<memory::TraceEvent>;

struct Needs {
  std::ptrdiff_t allocations = 0, peak_live = 0;
};

/// What the trace itself asks for.
Needs needs_of(const Events& events) {
  std::vector<std::ptrdiff_t> bytes;
  Needs needs;
  std::ptrdiff_t live = 0;
  for (const memory::TraceEvent& event : events) {
    if (event.bytes < 0) {
      live -= bytes[event.allocation];
      continue;
    }
    bytes.push_back(event.bytes);
    live += event.bytes;
    needs.peak_live = std::max(needs.peak_live, live);
  }
  needs.allocations = static_cast<std::ptrdiff_t>(bytes.size());
  return needs;
}

/// Runs the trace; blocks that it leaves live are freed at its end. False if an allocation fails.
template <class Allocate, class Free>
bool replay(const Events& events, std::vector<void*>& blocks, const Allocate& allocate, const Free& free) {
  blocks.clear();
  bool honoured = true;
  for (const memory::TraceEvent& event : events) {
    if (event.bytes >= 0) {
      blocks.push_back(allocate(event.bytes));
      honoured = honoured && blocks.back() != nullptr;
      if (!honoured) break;
    } else {
      free(blocks[event.allocation]);
      blocks[event.allocation] = nullptr;
    }
  }
  for (void* block : blocks) free(block);
  return honoured;
}

/// False if the pool throws OutOfMemory on the way.
bool replay_on(memory::Pool& pool, const Events& events, std::vector<void*>& blocks) {
  const auto allocate = [&](std::ptrdiff_t bytes) -> void* {
    try {
      return pool.allocate(bytes);
    } catch (const OutOfMemory&) {
      return nullptr;
    }
  };
  return replay(events, blocks, allocate, [&](void* block) { pool.deallocate(block); });
}

std::unique_ptr<memory::Pool> new_pool(memory::StrategyKind strategy) {
  return std::make_unique<memory::Pool>(memory::CpuSystemAllocator{}, memory::PoolOptions{.strategy = strategy});
}

/// The smallest limit with which the trace completes, to a page.
std::ptrdiff_t smallest_capacity(const Events& events, memory::StrategyKind strategy, std::ptrdiff_t below,
                                 std::ptrdiff_t enough) {
  std::vector<void*> blocks;
  while (enough - below > 4096) {
    const std::ptrdiff_t middle = below + (enough - below) / 2;
    const auto pool = new_pool(strategy);
    pool->set_limit(middle);
    (replay_on(*pool, events, blocks) ? enough : below) = middle;
  }
  return enough;
}

double nanoseconds_of(const std::function<bool()>& run, std::ptrdiff_t events, int repeats, bool& honoured) {
  double best = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    honoured = run() && honoured;
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    const double each = time.count() / static_cast<double>(std::max<std::ptrdiff_t>(events, 1));
    best = repeat == 0 ? each : std::min(best, each);
  }
  return best;
}

bool report(const Events& events, const Needs& needs, memory::StrategyKind strategy, const char* name, int repeats) {
  std::vector<void*> blocks;
  bool honoured = true;
  const auto pool = new_pool(strategy);
  const double each =
      nanoseconds_of([&] { return replay_on(*pool, events, blocks); }, std::ssize(events), repeats, honoured);
  const memory::Stats stats = pool->stats();
  const std::ptrdiff_t capacity = smallest_capacity(events, strategy, needs.peak_live - 1, 2 * stats.peak_reserved);
  const auto live = static_cast<double>(std::max<std::ptrdiff_t>(needs.peak_live, 1));
  std::printf(
      "{\"way\": \"%s\", \"events\": %td, \"allocations\": %td, \"peak_live\": %td, \"ns\": %.2f, \"peak_reserved\": "
      "%td, "
      "\"reserved_ratio\": %.4f, \"capacity\": %td, \"capacity_ratio\": %.4f, \"honoured\": %s}\n",
      name, std::ssize(events), needs.allocations, needs.peak_live, each, stats.peak_reserved,
      static_cast<double>(stats.peak_reserved) / live, capacity, static_cast<double>(capacity) / live,
      honoured ? "true" : "false");
  return honoured;
}

bool report_malloc(const Events& events, int repeats) {
  std::vector<void*> blocks;
  bool honoured = true;
  const auto run = [&] {
    return replay(
        events, blocks,
        [](std::ptrdiff_t bytes) { return std::malloc(static_cast<std::size_t>(std::max<std::ptrdiff_t>(bytes, 1))); },
        [](void* block) { std::free(block); });
  };
  const double each = nanoseconds_of(run, std::ssize(events), repeats, honoured);
  std::printf("{\"way\": \"malloc\", \"events\": %td, \"ns\": %.2f, \"honoured\": %s}\n", std::ssize(events), each,
              honoured ? "true" : "false");
  return honoured;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return std::fprintf(stderr, "usage: memory_replay TRACE [REPEATS]\n"), 2;
  const int repeats = count > 2 ? std::max(std::atoi(arguments[2]), 1) : 5;
  try {
    const Events events = memory::read_trace(arguments[1]);
    const Needs needs = needs_of(events);
    const bool fit = report(events, needs, memory::StrategyKind::segregated_fit, "segregated_fit", repeats);
    const bool buddy = report(events, needs, memory::StrategyKind::buddy, "buddy", repeats);
    return fit && buddy && report_malloc(events, repeats) ? 0 : 1;
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
