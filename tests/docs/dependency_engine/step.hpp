// Checks and times one step of "A dependency engine in six steps": the same ops in each step's own engine.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <random>
#include <span>
#include <thread>
#include <vector>

namespace step {

/// An op of a workload: which Vars it reads and which it writes. No Var is named twice.
struct Task {
  std::uint64_t number;
  std::vector<std::size_t> reads;
  std::size_t write;
};

/// What all ops do. The result tells in which order they did it.
inline void apply(const Task& task, std::uint64_t* values) {
  std::uint64_t sum = values[task.write] * 31 + task.number;
  for (const std::size_t read : task.reads) sum = sum * 31 + values[read];
  values[task.write] = sum;
}

/// A workload and what comes out of it.
struct Work {
  const char* name;
  std::size_t vars;
  std::vector<Task> tasks;

  std::vector<std::uint64_t> serial_result() const {
    std::vector<std::uint64_t> values(vars);
    for (const Task& task : tasks) apply(task, values.data());
    return values;
  }
};

/// Each op writes the one Var there is.
inline Work chain(std::size_t count) {
  Work work{.name = "chain", .vars = 1, .tasks = {}};
  for (std::size_t i = 0; i < count; ++i) work.tasks.push_back({.number = i, .reads = {}, .write = 0});
  return work;
}

/// Each op writes a Var of its own.
inline Work independent(std::size_t count) {
  Work work{.name = "independent", .vars = count, .tasks = {}};
  for (std::size_t i = 0; i < count; ++i) work.tasks.push_back({.number = i, .reads = {}, .write = i});
  return work;
}

/// Each op reads two of 100 Vars and writes a third.
inline Work random(std::size_t count) {
  Work work{.name = "random", .vars = 100, .tasks = {}};
  std::mt19937 generator(7);
  const auto draw = [&generator] { return std::size_t{generator() % 100}; };
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t a = draw();
    const std::size_t b = (a + 1 + draw() % 99) % 100;
    std::size_t c = draw();
    while (c == a || c == b) c = draw();
    work.tasks.push_back({.number = i, .reads = {a, b}, .write = c});
  }
  return work;
}

/// A workload with an engine's Vars.
template <class Engine>
class Submission {
 public:
  explicit Submission(const Work& work)
      : work_(&work), vars_(work.vars), values_(work.vars), expected_(work.serial_result()) {
    for (const Task& task : work.tasks) {
      for (const std::size_t read : task.reads) named_.push_back(&vars_[read]);
      named_.push_back(&vars_[task.write]);
    }
  }

  void submit_to(Engine& engine) {
    auto* const* named = named_.data();
    for (const Task& task : work_->tasks) {
      const std::span reads(named, task.reads.size());
      const std::span writes(named + task.reads.size(), 1);
      named += task.reads.size() + 1;
      engine.submit(reads, writes, [&task, values = values_.data()] { apply(task, values); });
    }
  }

  void clear() { std::fill(values_.begin(), values_.end(), 0); }

  /// Prints the first difference from the serial result, if there is one.
  bool is_right(const char* engine) const {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i] == expected_[i]) continue;
      std::printf("%s, %s: Var %zu is %#llx and must be %#llx\n", engine, work_->name, i,
                  static_cast<unsigned long long>(values_[i]), static_cast<unsigned long long>(expected_[i]));
      return false;
    }
    return true;
  }

 private:
  const Work* work_;
  std::deque<typename Engine::Var> vars_;
  std::vector<typename Engine::Var*> named_;
  std::vector<std::uint64_t> values_, expected_;
};

/// Ops that keep all workers of an engine busy until they are let go, so that what is submitted meanwhile piles up.
template <class Engine>
class Gates {
 public:
  Gates(Engine& engine, int workers) {
    for (int i = 0; i < workers; ++i) {
      typename Engine::Var* written[] = {&vars_[i]};
      engine.submit(std::span(written, 0), std::span(written), [this] {
        ++entered_;
        entered_.notify_all();
        open_.wait(false);
      });
    }
    for (int seen = entered_; seen != workers; seen = entered_) entered_.wait(seen);
  }
  void open() {
    open_ = true;
    open_.notify_all();
  }

 private:
  typename Engine::Var vars_[2];
  std::atomic<int> entered_{0};
  std::atomic<bool> open_{false};
};

/// The median time of calls of `run` in seconds, or a negative number if one returned false. Of five calls or more, unless they are slow.
template <class F>
double median_seconds(const F& run) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds;
  const auto start = Clock::now();
  const auto runs_for = [start](std::chrono::milliseconds time) { return Clock::now() - start < time; };
  using namespace std::chrono_literals;
  while (seconds.empty() || runs_for(200ms) || (seconds.size() < 5 && runs_for(2s))) {
    const auto begin = Clock::now();
    if (!run()) return -1;
    seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  std::ranges::nth_element(seconds, seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2));
  return seconds[seconds.size() / 2];
}

/// Submits a workload, then lets it run; or replays it.
template <class Engine>
void run_once(Engine& engine, int workers, Submission<Engine>& submission) {
  submission.clear();
  if constexpr (requires { engine.replay(); }) {
    engine.replay();
  } else {
    Gates<Engine> gates(engine, workers);
    submission.submit_to(engine);
    gates.open();
    engine.wait_all();
  }
}

/// Half the ops wait for a slow one, the others do not share a Var with it; it ends after them. Returns ns per op, or a negative number.
template <class Engine>
double time_held_up(const char* name, std::size_t count) {
  typename Engine::Var slow, other;
  typename Engine::Var* named[] = {&slow, &other};
  std::array<std::size_t, 2> ran{};
  std::atomic<bool> is_over{false};
  Engine engine(2);
  const auto submit = [&] {
    engine.submit(std::span(named, 0), std::span(named, 1), [&is_over] { is_over.wait(false); });
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = 2 * i / count;
      engine.submit(std::span(named, 0), std::span(named + at, 1), [&ran, at] { ++ran[at]; });
    }
    engine.submit(std::span(named, 0), std::span(named + 1, 1), [&is_over] {
      is_over = true;
      is_over.notify_all();
    });
  };
  if constexpr (requires { engine.replay(); }) submit();
  const double seconds = median_seconds([&] {
    ran = {};
    is_over = false;
    if constexpr (requires { engine.replay(); }) {
      engine.replay();
    } else {
      submit();
      engine.wait_all();
    }
    return ran[0] + ran[1] == count;
  });
  if (seconds < 0) std::printf("%s: %zu and %zu of %zu ops ran\n", name, ran[0], ran[1], count);
  return seconds / static_cast<double>(count) * 1e9;
}

/// Runs a workload several times, each time checked. Returns ns per op, or a negative number. An engine with replay() is given the ops
/// once, and its replays are timed.
template <class Engine>
double time_of(const char* name, const Work& work, int workers) {
  Engine engine(workers);
  Submission<Engine> submission(work);
  if constexpr (requires { engine.replay(); }) submission.submit_to(engine);
  const double seconds = median_seconds([&] {
    run_once(engine, workers, submission);
    return submission.is_right(name);
  });
  return seconds / static_cast<double>(work.tasks.size()) * 1e9;
}

/// Whether two ops that share no Var run at the same time: each waits until the other has begun.
template <class Engine>
bool runs_two_at_once(const char* name) {
  Engine engine(2);
  typename Engine::Var a, b;
  typename Engine::Var* named[] = {&a, &b};
  std::atomic<int> begun{0}, met{0};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (int i = 0; i < 2; ++i) {
    engine.submit(std::span(named, 0), std::span(named + i, 1), [&] {
      ++begun;
      while (begun != 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
      if (begun == 2) ++met;
    });
  }
  if constexpr (requires { engine.replay(); }) {
    engine.replay();
  } else {
    engine.wait_all();
  }
  if (met != 2) std::printf("%s: two independent ops did not run at once\n", name);
  return met == 2;
}

/// Checks an engine, prints ns per op with one and two workers, and returns what main returns.
template <class Engine>
int run(const char* name, std::size_t count = 10'000) {
  if (!runs_two_at_once<Engine>(name)) return 1;
  std::printf("%-16s", name);
  for (const Work& work : {chain(count), independent(count), random(count)}) {
    const double alone = time_of<Engine>(name, work, 1);
    const double together = alone < 0 ? alone : time_of<Engine>(name, work, 2);
    if (together < 0) return 1;
    std::printf("  %s %.0f / %.0f", work.name, alone, together);
  }
  const double held_up = time_held_up<Engine>(name, count);
  if (held_up < 0) return 1;
  std::printf("  held up %.0f  ns an op, %zu ops\n", held_up, count);
  return 0;
}

}  // namespace step
