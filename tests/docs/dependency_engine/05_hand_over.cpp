// Step 5: an op that ends resumes the first op that waited for it, on its own thread; only what else became ready is queued.
#include <coroutine>
#include <exception>
#include <utility>

#include "recycling.hpp"
#include "step.hpp"
#include "wait_counters.hpp"

class Engine;

struct Coroutine {
  struct promise_type : Op {
    Engine* engine = nullptr;
    std::coroutine_handle<> point;  // where it goes on

    static void* operator new(std::size_t bytes) { return Recycled::take(bytes); }
    static void operator delete(void* frame, std::size_t bytes) { Recycled::give(frame, bytes); }

    Coroutine get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept { return End{}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  using Handle = std::coroutine_handle<promise_type>;

  struct End {
    bool await_ready() noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle handle) noexcept;
    void await_resume() noexcept {}
  };
};

struct AccessAwaiter {
  Engine& engine;
  std::span<Var* const> reads, writes;

  bool await_ready() { return false; }
  void await_suspend(Coroutine::Handle handle);
  void await_resume() {}
};

class Engine {
 public:
  using Var = ::Var;

  explicit Engine(int workers) : workers_(workers, run) {}
  ~Engine() { wait_all(); }

  AccessAwaiter access(std::span<Var* const> reads, std::span<Var* const> writes) { return {*this, reads, writes}; }

  void submit(Coroutine::promise_type& op) {
    pending_.add();
    if (take_places(op)) workers_.push(op);
  }

  // --8<-- [start:end]
  /// Returns the first op that became ready; the others are queued.
  Op* end(Op& op) {
    Op* first = nullptr;
    end_accesses(op, [&](Op& next) {
      if (first == nullptr) {
        first = &next;
      } else {
        workers_.push(next);
      }
    });
    return first;
  }
  // --8<-- [end:end]
  void has_ended() { pending_.remove(); }
  void wait_all() { pending_.wait(); }

  template <class F>
  void submit(std::span<Var* const> reads, std::span<Var* const> writes, F body) {
    run_callable(*this, reads, writes, std::move(body));
  }

 private:
  static void run(Op& op) { static_cast<Coroutine::promise_type&>(op).point.resume(); }

  template <class F>
  static Coroutine run_callable(Engine& engine, std::span<Var* const> reads, std::span<Var* const> writes, F body) {
    co_await engine.access(reads, writes);
    body();
  }

  Pending pending_;
  Workers workers_;
};

void AccessAwaiter::await_suspend(Coroutine::Handle handle) {
  Coroutine::promise_type& op = handle.promise();
  op.engine = &engine;
  op.point = handle;
  op.declare(reads, writes);
  engine.submit(op);
}

// --8<-- [start:hand_over]
std::coroutine_handle<> Coroutine::End::await_suspend(Handle handle) noexcept {
  Engine& engine = *handle.promise().engine;
  Op* const next = engine.end(handle.promise());
  handle.destroy();
  engine.has_ended();
  if (next == nullptr) return std::noop_coroutine();  // back to the worker
  return static_cast<promise_type*>(next)->point;
}
// --8<-- [end:hand_over]

/// The ops of a chain are run by the thread that runs the first of them, without a deeper stack.
bool chain_stays_on_its_thread() {
  constexpr int many = 100'000;
  Engine engine(2);
  Var var;
  Var* written = &var;
  std::vector<std::thread::id> ran_on;
  std::vector<const char*> stack;  // where it stands in each op
  ran_on.reserve(many);
  stack.reserve(many);
  step::Gates<Engine> gates(engine, 2);
  for (int i = 0; i < many; ++i) {
    engine.submit({}, std::span(&written, 1), [&] {
      stack.push_back(static_cast<const char*>(__builtin_frame_address(0)));
      ran_on.push_back(std::this_thread::get_id());
    });
  }
  gates.open();
  engine.wait_all();
  const auto same = std::ranges::count(ran_on, ran_on.front());
  const auto [lowest, highest] = std::ranges::minmax(stack);
  const std::ptrdiff_t depth = highest - lowest;
  if (same != many || depth > 4096) {
    std::printf("hand-over: %td of %d ops ran on the first one's thread, stacks differ by %td bytes\n", same, many,
                depth);
  }
  return same == many && depth <= 4096;
}

int main() { return chain_stays_on_its_thread() ? step::run<Engine>("hand-over") : 1; }
