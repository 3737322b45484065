module;
#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
module tessera.collective;
import tessera.core;
import tessera.schedule;

// Asking, by who waits and by a thread for the ops.
namespace tessera::collective {

namespace {

using namespace std::chrono_literals;

/// Rounds of asking before a waiting thread lets others go first, and before it sleeps in between: some 50 us, and some milliseconds.
constexpr int eager_rounds = 1000;
constexpr int rounds_before_sleep = 20'000;
constexpr auto nap = 20us;

std::uintptr_t this_thread() noexcept { return static_cast<std::uintptr_t>(pthread_self()); }

/// Something to be called where the engine may be used, as what is waited for.
class Task final : public Pending {
 public:
  explicit Task(const std::function<void()>& body) : body_(body) {}
  bool poll() override {
    body_();
    return true;
  }

 private:
  const std::function<void()>& body_;
};

}  // namespace

Progress& Progress::here() {
  static Progress* const made = new Progress;
  static const pid_t process = getpid();
  if (process == getpid()) return *made;
  throw CollectiveError(
      to_string(Failure{.operation = "Group",
                        .problem = "this is a child process, which has no part in the groups of its parent",
                        .advice = "start processes by mpirun"}));
}

bool Progress::poll_one(Pending& pending) noexcept {
  if (pending.has_ended_) return true;
  try {
    pending.has_ended_ = pending.poll();
  } catch (...) {
    pending.failure_ = std::current_exception();
    pending.has_ended_ = true;
  }
  return pending.has_ended_;
}

Pending* Progress::poll_watched() noexcept {
  Pending *ended = nullptr, **end_of_ended = &ended;
  for (Pending** at = &watched_; *at != nullptr;) {
    Pending* const pending = *at;
    if (!poll_one(*pending)) {
      at = &pending->next_;
      continue;
    }
    *at = std::exchange(pending->next_, nullptr);
    *end_of_ended = pending;
    end_of_ended = &pending->next_;
  }
  end_of_watched_ = &watched_;
  while (*end_of_watched_ != nullptr) end_of_watched_ = &(*end_of_watched_)->next_;
  return ended;
}

/// Outside of the lock: an op may go on on this very thread.
void Progress::signal_all(Pending* ended) {
  while (ended != nullptr) {
    Pending* const next = ended->next_;  // it may be gone after the signal
    const Completion completion = *std::move(ended->completion_);
    completion.signal();
    ended = next;
  }
}

void Progress::pause(int round) const {
  if (round < eager_rounds && !yields_at_once_.load(std::memory_order_relaxed)) {
    __builtin_ia32_pause();
  } else if (round < rounds_before_sleep) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(nap);
  }
}

void Progress::wait(Pending& pending) {
  for (int round = 0;; ++round) {
    Pending* ended = nullptr;
    bool has_ended = false;
    {
      std::unique_lock lock(mutex_);
      require_thread(lock);
      if (use_ == EngineUse::own_thread) break;
      has_ended = poll_one(pending);
      ended = poll_watched();
    }
    signal_all(ended);
    if (has_ended) return;
    pause(round);
  }
  prepare_to_watch();
  const Completion completion;
  watch(pending, completion);
  while (!completion.is_complete()) std::this_thread::sleep_for(nap);
}

bool Progress::can_watch() {
  const std::lock_guard lock(mutex_);
  return use_ != EngineUse::thread_of_program;
}

void Progress::prepare_to_watch() {
  const std::lock_guard lock(mutex_);
  if (has_thread_) return;
  std::thread([this] { run(); }).detach();
  has_thread_ = true;
}

void Progress::watch(Pending& pending, const Completion& completion) noexcept {
  const std::lock_guard lock(mutex_);
  pending.completion_ = completion;
  *end_of_watched_ = &pending;
  end_of_watched_ = &pending.next_;
  changed_.notify_one();
}

void Progress::run() {
  int round = 0;
  for (;;) {
    Pending* ended = nullptr;
    {
      std::unique_lock lock(mutex_);
      if (watched_ == nullptr || is_over_) round = 0;
      while (watched_ == nullptr || is_over_) changed_.wait(lock);
      ended = poll_watched();
    }
    if (ended != nullptr) round = 0;
    signal_all(ended);
    pause(round++);
  }
}

void Progress::call(const std::function<void()>& task) {
  Task pending(task);
  wait(pending);
  if (pending.failure()) std::rethrow_exception(pending.failure());
}

void Progress::set_use(EngineUse use) {
  const std::lock_guard lock(mutex_);
  use_ = use;
  program_thread_ = this_thread();
}

void Progress::require_thread(const std::unique_lock<std::mutex>&) {
  if (use_ != EngineUse::thread_of_program || this_thread() == program_thread_) return;
  throw CollectiveError(
      to_string(Failure{.operation = "Group",
                        .problem = "the program has begun MPI for one thread, and this is another one",
                        .advice = "ask MPI_Init_thread for MPI_THREAD_SERIALIZED or more"}));
}

void Progress::end(const std::function<void()>& last) noexcept {
  try {
    call(last);
  } catch (...) {  // what fails now is nobody's any more
  }
  const std::lock_guard lock(mutex_);
  is_over_ = true;
}

}  // namespace tessera::collective
