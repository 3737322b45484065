// Step 2: each Var has a queue, and an op begins when it stands at the front of all its queues. Draws the queues of a small example.
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>

#include "drawing.hpp"
#include "step.hpp"

// --8<-- [start:var]
struct Access {
  struct Op* op;
  bool writes;
};

struct Var {
  std::deque<Access> queue;  // of the ops that have not ended, in the order of submission

  /// The end of the front: one write, or all the reads before the first write.
  auto front_end() const {
    if (!queue.empty() && queue.front().writes) return queue.begin() + 1;
    return std::ranges::find_if(queue, &Access::writes);
  }
};
// --8<-- [end:var]

// --8<-- [start:op]
struct Op {
  std::vector<Var*> vars;
  std::function<void()> body;
  std::string name;
  bool has_begun = false;

  bool is_ready() const {
    return std::ranges::all_of(vars, [this](const Var* var) {
      const auto of_this = [this](const Access& access) { return access.op == this; };
      return std::any_of(var->queue.begin(), var->front_end(), of_this);
    });
  }
};
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

  // --8<-- [start:submit]
  void submit(std::span<Var* const> reads, std::span<Var* const> writes, std::function<void()> body,
              std::string name = {}) {
    auto* op = new Op{.vars{reads.begin(), reads.end()}, .body = std::move(body), .name = std::move(name)};
    op->vars.insert(op->vars.end(), writes.begin(), writes.end());
    const std::lock_guard lock(mutex_);
    for (Var* var : reads) var->queue.push_back({.op = op, .writes = false});
    for (Var* var : writes) var->queue.push_back({.op = op, .writes = true});
    ++pending_;
    begin_if_ready(*op);
  }
  // --8<-- [end:submit]

  void wait_all() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return pending_ == 0; });
  }

  /// Runs the oldest ready op on this thread. Returns false if there is none.
  bool run_one() {
    std::unique_lock lock(mutex_);
    if (ready_.empty()) return false;
    run_one(lock);
    return true;
  }

 private:
  // --8<-- [start:end]
  void end(Op& op) {
    for (Var* var : op.vars) {
      var->queue.erase(std::ranges::find(var->queue, &op, &Access::op));
      for (auto at = var->queue.begin(); at != var->front_end(); ++at) begin_if_ready(*at->op);
    }
  }

  void begin_if_ready(Op& op) {
    if (op.has_begun || !op.is_ready()) return;
    op.has_begun = true;
    ready_.push_back(&op);
    changed_.notify_one();
  }
  // --8<-- [end:end]

  void run_one(std::unique_lock<std::mutex>& lock) {
    Op* op = ready_.front();
    ready_.pop_front();
    lock.unlock();
    op->body();
    lock.lock();
    end(*op);
    delete op;
    if (--pending_ == 0) ended_.notify_all();
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      if (ready_.empty()) {
        changed_.wait(lock);
      } else {
        run_one(lock);
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_, ended_;
  std::deque<Op*> ready_;
  std::size_t pending_ = 0;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;  // last: joined before the rest is gone
};

/// One line: who stands in a Var's queue, the front in brackets.
std::string drawn(const char* name, const Var& var) {
  std::string line = std::string(name) + std::string(10 - std::string(name).size(), ' ') + "[";
  for (auto at = var.queue.begin(); at != var.queue.end(); ++at) {
    if (at == var.front_end()) line += "]";
    line += (at == var.queue.begin() ? "" : "  ") + at->op->name + (at->writes ? " writes" : " reads");
  }
  return line + (var.front_end() == var.queue.end() ? "]\n" : "\n");
}

int main(int count, char** arguments) {
  return draw_step<Engine>(drawn, count, arguments) ? step::run<Engine>("Var queue") : 1;
}
