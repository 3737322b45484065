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
#include <vector>
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

void Progress::poll_watched(std::vector<Completion>& ended) noexcept {
  std::erase_if(watched_, [&](Pending* pending) {
    if (!poll_one(*pending)) return false;
    ended.push_back(*std::exchange(pending->completion_, std::nullopt));
    return true;
  });
}

namespace {

/// Outside of the lock: an op may go on on this very thread.
void signal_all(std::vector<Completion>& ended) {
  for (const Completion& completion : ended) completion.signal();
  ended.clear();
}

}  // namespace

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
  std::vector<Completion> ended;
  for (int round = 0;; ++round) {
    {
      std::unique_lock lock(mutex_);
      require_thread(lock);
      if (use_ == EngineUse::own_thread) break;
      const bool has_ended = poll_one(pending);
      if (has_ended && watched_.empty()) return;
      poll_watched(ended);
      if (has_ended && ended.empty()) return;
    }
    signal_all(ended);
    pause(round);
  }
  const Completion completion;
  watch(pending, completion);
  while (!completion.is_complete()) std::this_thread::sleep_for(nap);
}

void Progress::watch(Pending& pending, const Completion& completion) {
  const std::lock_guard lock(mutex_);
  if (use_ == EngineUse::thread_of_program) {
    throw CollectiveError(to_string(Failure{
        .operation = "Group",
        .problem = "the program has begun MPI for one thread, so that nothing can be exchanged while others compute",
        .advice = "ask MPI_Init_thread for MPI_THREAD_SERIALIZED or more, or end the Async scope first"}));
  }
  watched_.push_back(&pending);
  pending.completion_ = completion;
  if (!std::exchange(has_thread_, true)) std::thread([this] { run(); }).detach();
  changed_.notify_one();
}

void Progress::run() {
  std::vector<Completion> ended;
  int round = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (watched_.empty() || is_over_) round = 0;
      while (watched_.empty() || is_over_) changed_.wait(lock);
      poll_watched(ended);
    }
    if (!ended.empty()) round = 0;
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
