// Step 4: an op is a coroutine, so it can wait in the middle without holding a thread, and all that belongs to it is one allocation.
#include <coroutine>
#include <exception>
#include <utility>

#include "recycling.hpp"
#include "step.hpp"
#include "wait_counters.hpp"

class Engine;

// --8<-- [start:coroutine]
/// The return type of a function that is an op: `co_await engine.access(...)` registers it, what follows runs on a worker.
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
    void await_suspend(Handle handle) noexcept;
    void await_resume() noexcept {}
  };
};
// --8<-- [end:coroutine]

// --8<-- [start:access]
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
  void go_on(Op& op) { workers_.push(op); }

  void end(Op& op) {
    end_accesses(op, [this](Op& next) { workers_.push(next); });
  }
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

void Coroutine::End::await_suspend(Handle handle) noexcept {
  Engine& engine = *handle.promise().engine;
  engine.end(handle.promise());
  handle.destroy();
  engine.has_ended();
}
// --8<-- [end:access]

// --8<-- [start:event]
/// Something that happens once. Ops wait for it by co_await.
class Event {
 public:
  bool await_ready() const { return false; }
  bool await_suspend(Coroutine::Handle handle) {
    const std::lock_guard lock(mutex_);
    if (has_happened_) return false;  // go on at once
    handle.promise().point = handle;
    waiting_.push_back(&handle.promise());
    return true;
  }
  void await_resume() const {}

  void set() {
    const std::lock_guard lock(mutex_);
    has_happened_ = true;
    for (Coroutine::promise_type* op : waiting_) op->engine->go_on(*op);
  }

 private:
  std::mutex mutex_;
  bool has_happened_ = false;
  std::vector<Coroutine::promise_type*> waiting_;
};

Coroutine load(Engine& engine, Event& arrived, const int& source, Var* var, int& value) {
  co_await engine.access({}, std::span(&var, 1));
  co_await arrived;  // has the Var, but no thread
  value = source;
}
// --8<-- [end:event]

/// A thousand ops wait at once for what another op does, on two workers.
bool waits_without_threads() {
  constexpr int many = 1000;
  Engine engine(2);
  Event arrived;
  int source = 0;
  std::deque<Var> vars(many + 1);
  std::vector<int> loaded(many), seen(many);
  for (std::size_t i = 0; i < many; ++i) {
    load(engine, arrived, source, &vars[i], loaded[i]);
    Var* var = &vars[i];
    engine.submit(std::span(&var, 1), {}, [&loaded, &seen, i] { seen[i] = loaded[i]; });
  }
  Var* last = &vars[many];
  engine.submit({}, std::span(&last, 1), [&] {
    source = 7;
    arrived.set();
  });
  engine.wait_all();
  const auto right = std::ranges::count(seen, 7);
  if (right != many) std::printf("coroutines: %td of %d ops saw what they waited for\n", right, many);
  return right == many;
}

int main() { return waits_without_threads() ? step::run<Engine>("coroutines") : 1; }
