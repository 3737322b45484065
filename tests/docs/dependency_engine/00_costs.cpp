// What the parts of an engine cost on this machine: a mutex, a line of cache that moves, a coroutine, a thread that is woken.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <cstdio>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace {

constexpr int many = 200'000;
long counted = 0;

/// ns of each of `times` calls, in the fastest of some rounds.
template <class F>
double ns(int times, const F& body) {
  double fastest = 1e30;
  for (int round = 0; round < 20; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
    fastest = std::min(fastest, taken.count() / times);
  }
  return fastest;
}

struct Routine {
  struct promise_type {
    Routine get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

[[gnu::noinline]] Routine count_once() {
  ++counted;
  co_return;
}

struct TransferTo {
  const Routine& other;
  bool await_ready() const { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<>) const { return other.handle; }
  void await_resume() const {}
};

[[gnu::noinline]] Routine pass_to(const Routine& other) {
  for (int i = 0; i < many / 2; ++i) {
    ++counted;
    co_await TransferTo{other};
  }
}

[[gnu::noinline]] std::function<void()> callable_of(long a, long b, long c) {
  return [a, b, c] { counted += a + b + c; };
}

/// Two threads take turns; `wait` returns when it is the turn of the thread with that number.
template <class Wait, class Pass>
double ns_of_turns(int turns, const Wait& wait, const Pass& pass) {
  return ns(turns, [&] {
    const auto play = [&](int player) {
      for (int turn = player; turn < turns; turn += 2) {
        wait(turn);
        ++counted;
        pass(turn + 1);
      }
    };
    pass(0);
    std::jthread other(play, 1);
    play(0);
  });
}

}  // namespace

int main() {
  // A second thread, because locks of a process with one thread alone are cheaper.
  std::atomic<bool> is_over{false};
  std::jthread sleeper([&is_over] { is_over.wait(false); });
  std::mutex mutex;
  const double lock = ns(many, [&mutex] {
    for (int i = 0; i < many; ++i) {
      const std::lock_guard guard(mutex);
      ++counted;
    }
  });
  const double frame = ns(many, [] {
    for (int i = 0; i < many; ++i) {
      const Routine routine = count_once();
      routine.handle.resume();
      routine.handle.destroy();
    }
  });
  const double callable = ns(many, [] {
    for (int i = 0; i < many; ++i) callable_of(1, 0, 0)();
  });
  const double transfer = ns(many, [] {
    Routine a{}, b{};
    a = pass_to(b);
    b = pass_to(a);
    a.handle.resume();
    a.handle.destroy();
    b.handle.destroy();
  });
  std::atomic<int> turn{0};
  constexpr int few = 4'000;
  const double line = ns_of_turns(
      few,
      [&turn](int mine) {
        for (int spins = 0; turn.load(std::memory_order_acquire) != mine; ++spins) {
          if (spins > 10'000) std::this_thread::yield();  // the other one has no core
        }
      },
      [&turn](int next) { turn.store(next, std::memory_order_release); });
  constexpr int very_few = 1'000;
  std::condition_variable changed;
  const double wake = ns_of_turns(
      very_few,
      [&](int mine) {
        std::unique_lock guard(mutex);
        changed.wait(guard, [&] { return turn == mine; });
      },
      [&](int next) {
        const std::lock_guard guard(mutex);
        turn = next;
        changed.notify_one();
      });
  std::printf(
      "a mutex %.1f ns, a callable on the heap %.1f, a coroutine frame %.1f, a transfer %.1f, a moved line %.0f, "
      "waking %.0f\n",
      lock, callable, frame, transfer, line, wake);
  is_over = true;
  is_over.notify_all();
  const long expected = 20L * (4L * many + few + very_few);
  if (counted != expected) std::printf("counted %ld and must be %ld\n", counted, expected);
  return counted == expected ? 0 : 1;
}
