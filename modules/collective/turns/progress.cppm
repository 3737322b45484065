module;
#include <cstddef>
#include <cstdint>
export module tessera.collective:progress;
import tessera.standard;
import tessera.core;
import tessera.schedule;

// Who asks the engine how far exchanges are. There is no thread for a wait outside of a scheduler: it asks by itself. For ops one thread of the process
// asks, so that they hold no worker; it sleeps while there are none.
namespace tessera::collective {

/// Something that goes on when it is asked, until it has ended.
class Pending {
 public:
  Pending() = default;
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  virtual ~Pending() = default;

  /// Goes on as far as it can without waiting. Returns whether it has ended. Called by one thread at a time, which holds the lock of
  /// Progress. What it throws is its failure, and it has ended.
  virtual bool poll() = 0;

  /// Why it has failed, if it has. For when it has ended.
  inline const std::exception_ptr& failure() const noexcept { return failure_; }

 private:
  friend class Progress;

  Pending* next_ = nullptr;  // of those that are watched; guarded by the lock, as has_ended_
  bool has_ended_ = false;
  std::exception_ptr failure_;            // set before has_ended_
  std::optional<Completion> completion_;  // is told of the end
};

/// Threads that may use the engine: any, one at a time; that of Progress; or the one on which the program has begun the engine.
enum class EngineUse : std::uint8_t { any_thread, own_thread, thread_of_program };

class Progress {
 public:
  /// The one of this process. Throws CollectiveError in a child process of one that has one.
  static Progress& here();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Returns when it has ended.
  void wait(Pending& pending);
  /// Whether a thread may ask: not where the program has begun MPI for its own thread alone.
  bool can_watch();
  /// Makes that thread, so that watch() cannot fail. Throws std::system_error.
  void prepare_to_watch();
  /// Signals the completion when it has ended. It must live until then.
  void watch(Pending& pending, const Completion& completion) noexcept;

  /// Calls `task` where the engine may be used, while nothing else uses it. Throws what it throws.
  void call(const std::function<void()>& task);

  /// Before other threads use it; for `thread_of_program` on that thread.
  void set_use(EngineUse use);
  /// The processes of this host are more than its processors: who waits lets others go first at once.
  inline void yield_at_once() noexcept { yields_at_once_.store(true, std::memory_order_relaxed); }

  /// Guards what pending things share.
  inline std::mutex& lock() noexcept { return mutex_; }

  /// At the end of the program, when nothing is pending: calls `last` where the engine may be used, and nothing any more after that.
  void end(const std::function<void()>& last) noexcept;

 private:
  Progress() = default;
  ~Progress() = default;  // it is never destroyed

  /// Those that have ended, one linked to the next.
  Pending* poll_watched() noexcept;
  static void signal_all(Pending* ended);
  bool poll_one(Pending& pending) noexcept;
  void require_thread(const std::unique_lock<std::mutex>& lock);
  [[noreturn]] void run();
  void pause(int round) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  Pending *watched_ = nullptr, **end_of_watched_ = &watched_;
  bool has_thread_ = false, is_over_ = false;
  EngineUse use_ = EngineUse::any_thread;
  std::uintptr_t program_thread_ = 0;
  std::atomic<bool> yields_at_once_{false};
};

}  // namespace tessera::collective
