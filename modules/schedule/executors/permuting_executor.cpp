module;
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>
module tessera.schedule;

// Runs ops one at a time on the thread that waits, in an order drawn from a seed: a test that fails can be repeated.
namespace tessera {

namespace {

/// splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

class PermutingExecutor final : public Executor {
 public:
  PermutingExecutor(Engine& engine, std::uint64_t seed) : engine_(&engine), random_(seed) {}

  void push(ReadyList ready) noexcept override {
    const std::lock_guard lock(engine_->parking().mutex);
    for (OpState* op = ready.take(); op != nullptr; op = ready.take()) {
      ready_.add(*op);
      ++count_;
    }
    engine_->parking().changed.notify_all();
  }

  bool wait(Signal& signal, const Deadline& deadline) override {
    std::unique_lock lock(engine_->parking().mutex);
    while (!signal.is_set()) {
      if (OpState* op = take()) {
        run(*op, lock);
      } else if (!deadline) {
        signal.await_change(lock);
      } else if (engine_->parking().changed.wait_until(lock, *deadline) == std::cv_status::timeout) {
        return signal.is_set();
      }
    }
    return true;
  }

  void stop() override {
    std::unique_lock lock(engine_->parking().mutex);
    stopped_.store(true);
    engine_->parking().changed.wait(lock, [this] { return !runs_; });
  }
  void start() override {
    const std::lock_guard lock(engine_->parking().mutex);
    stopped_.store(false);
    engine_->parking().changed.notify_all();
  }

  bool may_hand_over(const OpState&) const noexcept override { return false; }
  int workers() const noexcept override { return 1; }
  int running() const noexcept override { return runs_ ? 1 : 0; }

 private:
  /// One of the ready ops of the highest priority there is, now and then of the lowest; the mutex is held.
  OpState* take() {
    if (runs_ || is_stopped() || count_ == 0) return nullptr;
    constexpr std::uint64_t fair_every = 64;
    const bool fair = next_random(random_) % fair_every == 0;
    Priority best = ready_.first->priority;
    for (const OpState* op = ready_.first; op != nullptr; op = op->next) {
      best = fair ? std::max(best, op->priority) : std::min(best, op->priority);
    }
    std::size_t candidates = 0;
    for (const OpState* op = ready_.first; op != nullptr; op = op->next) candidates += op->priority == best ? 1 : 0;
    std::size_t chosen = next_random(random_) % candidates;
    ReadyList rest;
    OpState* taken = nullptr;
    while (OpState* op = ready_.take()) {
      if (taken == nullptr && op->priority == best && chosen-- == 0) {
        taken = op;
      } else {
        rest.add(*op);
      }
    }
    ready_ = rest;
    --count_;
    return taken;
  }

  void run(OpState& op, std::unique_lock<std::mutex>& lock) {
    runs_ = true;
    lock.unlock();
    Recorder* const outer_recorder = std::exchange(thread_context().recorder, nullptr);
    OpState* next = &op;
    while (next != nullptr) next = next->engine->run(*next);
    engine_->backlog().look_at_waiters();
    thread_context().recorder = outer_recorder;
    lock.lock();
    runs_ = false;
    engine_->parking().changed.notify_all();
  }

  Engine* engine_;
  std::uint64_t random_;
  ReadyList ready_;  // guarded, with all that follows, by the engine's parking
  std::size_t count_ = 0;
  std::atomic<bool> runs_{false};
};

}  // namespace

std::shared_ptr<Executor> make_permuting_executor(Engine& engine, std::uint64_t seed) {
  return std::make_shared<PermutingExecutor>(engine, seed);
}

}  // namespace tessera
