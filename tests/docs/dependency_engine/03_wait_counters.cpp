// Step 3: an op counts the accesses that it still waits for, so each Var can have a mutex of its own and no thread stops all others.
#include <functional>
#include <memory>

#include "step.hpp"
#include "wait_counters.hpp"

// --8<-- [start:engine]
class Engine {
 public:
  using Var = ::Var;

  explicit Engine(int workers) : workers_(workers, run) {}
  ~Engine() { wait_all(); }

  void submit(std::span<Var* const> reads, std::span<Var* const> writes, std::function<void()> body) {
    auto op = std::make_unique<CallableOp>(*this, std::move(body));
    op->declare(reads, writes);
    pending_.add();
    CallableOp& submitted = *op.release();
    if (take_places(submitted)) workers_.push(submitted);
  }

  void wait_all() { pending_.wait(); }

 private:
  struct CallableOp : Op {
    CallableOp(Engine& of, std::function<void()> from) : engine(of), body(std::move(from)) {}
    Engine& engine;
    std::function<void()> body;
  };

  static void run(Op& ready) {
    const std::unique_ptr<CallableOp> op(static_cast<CallableOp*>(&ready));
    op->body();
    end_accesses(*op, [&op](Op& next) { op->engine.workers_.push(next); });
    op->engine.pending_.remove();
  }

  Pending pending_;
  Workers workers_;
};
// --8<-- [end:engine]

int main() { return step::run<Engine>("wait counters"); }
