module;
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
module tessera.schedule;

// Runs ops on the thread that makes them ready: the one that submits them, or that signals what they wait for.
namespace tessera {

namespace {

class InlineExecutor final : public Executor {
 public:
  explicit InlineExecutor(Engine& engine) : engine_(&engine) {}

  void push(ReadyList ready) noexcept override {
    queue_.push(ready);
    drain();
  }

  bool wait(Signal& signal, const Deadline& deadline) override {
    drain();
    return signal.sleep(deadline);
  }

  void stop() override {
    stopped_.store(true);
    while (running_.load() != 0) std::this_thread::yield();
  }
  void start() override {
    stopped_.store(false);
    drain();
  }

  bool may_hand_over(const OpState&) const noexcept override { return false; }  // others may go first
  int workers() const noexcept override { return 1; }
  int running() const noexcept override { return running_.load(std::memory_order_relaxed); }

 private:
  OpState* take() noexcept {
    constexpr unsigned fair_every = 64;
    if (taken_.fetch_add(1, std::memory_order_relaxed) % fair_every == fair_every - 1) {  // so that nobody is starved
      if (OpState* op = queue_.pop(Priority::low)) return op;
      if (OpState* op = queue_.pop(Priority::normal)) return op;
    }
    for (const Priority priority : {Priority::high, Priority::normal, Priority::low}) {
      if (OpState* op = queue_.pop(priority)) return op;
    }
    return nullptr;
  }

  /// An op that submits ops leaves them to the loop below it, so that the stack does not grow.
  void drain() noexcept {
    ThreadContext& context = thread_context();
    if (context.drained == engine_) return;
    Engine* const outer = std::exchange(context.drained, engine_);
    OpState* const outer_op = std::exchange(context.op, nullptr);
    Recorder* const outer_recorder = std::exchange(context.recorder, nullptr);
    running_.fetch_add(1);
    while (!is_stopped()) {
      OpState* op = take();
      if (op == nullptr) break;
      context.handed_over = 0;
      while (op != nullptr) op = op->engine->run(*op);
    }
    engine_->backlog().look_at_waiters();
    running_.fetch_sub(1);
    context.op = outer_op;
    context.recorder = outer_recorder;
    context.drained = outer;
  }

  Engine* engine_;
  ReadyQueue queue_;
  std::atomic<int> running_{0};
  std::atomic<unsigned> taken_{0};
};

}  // namespace

std::shared_ptr<Executor> make_inline_executor(Engine& engine) { return std::make_shared<InlineExecutor>(engine); }

}  // namespace tessera
