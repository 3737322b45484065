// How long an idle engine takes until it runs an op, and how much of a core it uses while it is idle.
#pragma once

#include <time.h>

#include <atomic>
#include <thread>

#include "harness.hpp"

namespace bench {

/// Notes when it ran.
struct Stamp {
  std::atomic<double>* when;
  void operator()(std::uint32_t) const { when->store(now(), std::memory_order_relaxed); }
};

inline double processor_time() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

/// Percent of one core that the process uses from 100 ms after its last op on.
inline double idle_use() {
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const double wall = now(), used = processor_time();
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  return 100 * (processor_time() - used) / (now() - wall);
}

template <class Way>
void answer_latency(const Request& request) {
  if (!Way::takes("single")) return;
  const Work work = chain(1);
  for (const int workers : request.workers) {
    std::atomic<double> when = 0;
    const Stamp stamp{&when};
    Way way(work, workers);
    prepare(way, stamp);
    std::vector<double> latencies;
    for (int i = 0; i < 100; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      const double start = now();
      way.submit(stamp, 0, 1);
      // This thread sleeps rather than waits: a way whose waiting thread runs ops itself would show no wake-up.
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      way.wait();
      latencies.push_back(when.load() - start);
    }
    Answer answer("latency", Way::name, "single", workers);
    answer.add("latency", latencies);
    answer.add("idle", {idle_use()});
  }
}

}  // namespace bench
