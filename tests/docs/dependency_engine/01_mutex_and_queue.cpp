// Step 1: a mutex and a queue. A worker looks through all ops that have not ended for one that conflicts with none before it.
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>

#include "step.hpp"

// --8<-- [start:op]
struct Var {};  // only its address counts

struct Op {
  std::vector<const Var*> reads, writes;
  std::function<void()> body;
  bool is_running = false;
};

bool share_one(const std::vector<const Var*>& some, const std::vector<const Var*>& others) {
  return std::ranges::find_first_of(some, others) != some.end();
}

/// Whether two ops must not run at the same time, nor change places.
bool conflict(const Op& a, const Op& b) {
  return share_one(a.writes, b.writes) || share_one(a.writes, b.reads) || share_one(a.reads, b.writes);
}
// --8<-- [end:op]

class Engine {
 public:
  using Var = ::Var;

  explicit Engine(int workers) {
    for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Engine() {
    wait_all();
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }

  void submit(std::span<Var* const> reads, std::span<Var* const> writes, std::function<void()> body) {
    const std::lock_guard lock(mutex_);
    ops_.push_back(
        {.reads{reads.begin(), reads.end()}, .writes{writes.begin(), writes.end()}, .body = std::move(body)});
    changed_.notify_one();
  }

  void wait_all() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return ops_.empty(); });
  }

 private:
  // --8<-- [start:find]
  /// The first op that nothing before it is in the way of.
  std::list<Op>::iterator find_ready() {
    return std::find_if(ops_.begin(), ops_.end(), [this](const Op& op) {
      if (op.is_running) return false;
      for (const Op& before : ops_) {
        if (&before == &op) return true;
        if (conflict(before, op)) return false;
      }
      return true;
    });
  }
  // --8<-- [end:find]

  // --8<-- [start:work]
  void work() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      const auto op = find_ready();
      if (op == ops_.end()) {
        changed_.wait(lock);
        continue;
      }
      op->is_running = true;
      lock.unlock();
      op->body();
      lock.lock();
      ops_.erase(op);
      changed_.notify_all();
      if (ops_.empty()) ended_.notify_all();
    }
  }
  // --8<-- [end:work]

  std::mutex mutex_;
  std::condition_variable changed_, ended_;
  std::list<Op> ops_;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;  // last: joined before the rest is gone
};

int main() { return step::run<Engine>("mutex and queue"); }
