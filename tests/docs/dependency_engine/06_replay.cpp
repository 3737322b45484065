// Step 6: ops that are submitted again and again are recorded once, with what waits for what; replaying them knows no Vars any more.
#include <functional>
#include <memory>
#include <unordered_map>

#include "step.hpp"
#include "wait_counters.hpp"

// --8<-- [start:recorded]
struct Recorded : Op {
  std::function<void()> body;
  std::size_t waits_for = 0;  // ops
  std::vector<Recorded*> next_ops;
  class Engine* engine = nullptr;
};
// --8<-- [end:recorded]

class Engine {
 public:
  struct Var {};

  explicit Engine(int workers) : workers_(workers, run) {}

  // --8<-- [start:record]
  /// Records an op: an edge leads to it from each op that it must wait for.
  void submit(std::span<Var* const> reads, std::span<Var* const> writes, std::function<void()> body) {
    Recorded& op = ops_.emplace_back();
    op.body = std::move(body);
    op.engine = this;
    for (const Var* var : reads) {
      History& history = histories_[var];
      if (history.writer != nullptr) add_edge(*history.writer, op);
      history.readers.push_back(&op);
    }
    for (const Var* var : writes) {
      History& history = histories_[var];
      for (Recorded* reader : history.readers) add_edge(*reader, op);
      if (history.readers.empty() && history.writer != nullptr) add_edge(*history.writer, op);
      history = {.writer = &op, .readers = {}};
    }
  }
  // --8<-- [end:record]

  // --8<-- [start:replay]
  /// Runs all recorded ops, and returns when they have ended.
  void replay() {
    for (Recorded& op : ops_) op.waits.store(op.waits_for, std::memory_order_relaxed);
    left_.store(ops_.size());
    for (Recorded& op : ops_) {
      if (op.waits_for == 0) workers_.push(op);
    }
    for (std::size_t seen = left_; seen != 0; seen = left_) left_.wait(seen);
  }

 private:
  static void run(Op& ready) {
    Recorded* op = static_cast<Recorded*>(&ready);
    std::size_t ran = 0;
    Engine& engine = *op->engine;
    while (op != nullptr) {
      op->body();
      ++ran;
      op = engine.end(*op);
    }
    if (engine.left_.fetch_sub(ran) == ran) engine.left_.notify_all();
  }

  /// Returns the op to run next on this thread.
  Recorded* end(Recorded& op) {
    Recorded* first = nullptr;
    for (Recorded* next : op.next_ops) {
      // Only the ops that it waits for lower the count, so if 1 is left it is this one.
      if (next->waits.load(std::memory_order_acquire) != 1 && next->waits.fetch_sub(1) != 1) continue;
      if (first == nullptr) {
        first = next;
      } else {
        workers_.push(*next);
      }
    }
    return first;
  }
  // --8<-- [end:replay]

  struct History {
    Recorded* writer = nullptr;
    std::vector<Recorded*> readers;  // since then
  };

  static void add_edge(Recorded& from, Recorded& to) {
    if (!from.next_ops.empty() && from.next_ops.back() == &to) return;
    from.next_ops.push_back(&to);
    ++to.waits_for;
  }

  std::deque<Recorded> ops_;
  std::unordered_map<const Var*, History> histories_;
  std::atomic<std::size_t> left_{0};
  Workers workers_;
};

/// A replay computes with what its arguments are then, not with what they were when it was recorded.
bool replays_with_new_arguments() {
  Engine engine(2);
  Engine::Var gradient, weight;
  Engine::Var* g = &gradient;
  Engine::Var* w = &weight;
  double x = 0, dw = 0, value = 10;
  engine.submit({}, std::span(&g, 1), [&] { dw = 2 * x; });
  engine.submit(std::span(&g, 1), std::span(&w, 1), [&] { value -= dw; });
  for (x = 1; x < 4; ++x) engine.replay();
  if (value != -2) std::printf("replay: the weight is %g and must be -2\n", value);
  return value == -2;
}

int main() { return replays_with_new_arguments() && step::run<Engine>("replay") == 0 ? 0 : 1; }
