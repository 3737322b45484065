// What the tests of the scheduler share: every executor in turn, a rendezvous of ops, and messages of failures. Includes its headers
// first, then imports the library.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

import tessera;

namespace support {

using namespace tessera;
using namespace std::chrono_literals;

/// Options of a scheduler and what a failed test says of them.
struct ExecutorCase {
  std::string name;
  SchedulerOptions options;
  int at_once = 1;  ///< ops that run at the same time
};

inline std::vector<ExecutorCase> executor_cases() {
  std::vector<ExecutorCase> cases{{.name = "inline", .options = {.executor = Inline{}}}};
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    cases.push_back({.name = "permuting, seed " + std::to_string(seed), .options = {.executor = Permuting{seed}}});
  }
  for (const int workers : {1, 2, 4}) {
    cases.push_back(
        {.name = "pool of " + std::to_string(workers), .options = {.workers = workers}, .at_once = workers});
  }
  return cases;
}

/// Calls `body(options)` for every executor; a failed check names the executor and its seed.
template <class Body>
void on_every_executor(const Body& body) {
  for (const ExecutorCase& each : executor_cases()) {
    INFO(each.name);
    body(each.options);
  }
}

/// The same for pools alone: what needs threads.
template <class Body>
void on_every_pool(const Body& body) {
  for (const ExecutorCase& each : executor_cases()) {
    if (each.name.find("pool") == std::string::npos) continue;
    INFO(each.name);
    body(each.options);
  }
}

/// Waits until `condition` holds, at most half a minute. Returns whether it does.
template <class Condition>
bool eventually(const Condition& condition) {
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

/// How many ops are in some section now, and the most that have ever been.
class Overlap {
 public:
  void enter() {
    const int now = ++inside_;
    int most = most_.load();
    while (now > most && !most_.compare_exchange_weak(most, now)) {
    }
  }
  void leave() { --inside_; }
  int most() const { return most_.load(); }
  int inside() const { return inside_.load(); }

 private:
  std::atomic<int> inside_{0}, most_{0};
};

/// What an exception of type E says that `action` throws; "" if it throws none.
template <class E, class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const E& exception) {
    return exception.what();
  }
  return "";
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// An op's body that throws.
struct Throws {
  std::string what = "no such file";
  [[noreturn]] void operator()() const { throw std::runtime_error(what); }
};

inline void spin(std::chrono::nanoseconds duration) {
  const auto end = std::chrono::steady_clock::now() + duration;
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// splitmix64 (Steele, Lea, Flood, 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
  }
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

 private:
  std::uint64_t state_;
};

/// TESSERA_TEST_SCALE=N makes the long tests N times as long.
inline int scale() {
  const char* text = std::getenv("TESSERA_TEST_SCALE");
  return text == nullptr ? 1 : std::max(1, std::atoi(text));
}

}  // namespace support
