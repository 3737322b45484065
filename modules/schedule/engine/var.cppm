module;
#include <cstdint>
export module tessera.schedule:var;
import tessera.standard;
import :spin_lock;
import :failure;
import :op_state;

// The Var: what ops say they read or write. It orders them; it holds no data itself.
namespace tessera {

/// Two cache lines: the first is for those who submit, the second for the op that writes. Accesses are granted in the order in which they
/// were appended: reads together, a write alone. If all that wait are writes, the next writer takes the whole queue with it as its
/// batch, and each hands the Var over to the next without a look at the first line, so submitters and workers do not fight for it.
struct alignas(64) VarState {
  SpinLock lock;
  std::uint32_t readers = 0;  // granted
  std::atomic<std::uint32_t> handles{1};
  std::uint32_t queued_reads = 0;
  Access* head = nullptr;  // not granted yet, oldest first
  Access* tail = nullptr;
  Access* fetched = nullptr;          // the last one in the queue that look_ahead() has fetched
  bool closed = false;                // no more ops may name it,
  bool divided = false;               // but joins may, because its parts have Vars of their own
  bool written = false;               // a write is granted
  bool has_many_engines = false;      // what is pending may be of others than `engine` too
  std::atomic<bool> poisoned{false};  // `failure` is one; changed under the lock
  SharedFailure failure;              // of the op that should have written it
  Engine* engine = nullptr;           // of the last access; alive while that is pending

  // The writer's.
  alignas(64) Access* batch = nullptr;            // granted after it
  std::atomic<std::uint64_t> version{0};          // writes that have ended
  std::atomic<const char*> writer_name{nullptr};  // for messages: the op itself may be gone when they are written
  std::atomic<std::source_location> writer_where{};
  std::uint64_t id = 0;
  std::atomic<std::uint32_t> process{0};  // in which it may be used; see process.cppm

  inline bool is_idle() const { return readers == 0 && !written && head == nullptr; }

  /// Takes its place at the end for an op of `by`; the lock is held. Returns whether it is granted at once.
  bool append(Access& access, Engine& by) noexcept;

  /// Ends a granted write and grants the next one of its batch. Returns false if there is none, or if the lock is needed.
  bool end_in_batch(const SharedFailure& failed, Access*& granted) noexcept;

  /// Ends a granted access; the lock is held. `failed` is what went wrong in its op, if anything. Returns the accesses that are granted
  /// now, linked by next; `dropped` takes what must be destroyed when the lock is free.
  Access* end(const Access& access, const SharedFailure& failed, SharedFailure& dropped) noexcept;

  /// Ends a granted access of somebody who only waited: the version and the failure stay. The lock is held.
  Access* pass_on(const Access& access) noexcept;

  /// Takes an access out of the queue; the lock is held. Returns false if it is not there, because it was granted. `granted` takes the
  /// accesses that are granted because it went.
  bool withdraw(Access& access, Access*& granted) noexcept;

 private:
  Access* grant_next() noexcept;
  Access* grant_reads() noexcept;
  void look_ahead() noexcept;
  void set_writer(Access& access) noexcept;
  inline void count_version() noexcept {
    version.store(version.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
};

static_assert(sizeof(VarState) == 128);

namespace schedule {

/// Thrown by a submission that names a Var whose parts are to be named instead: who submits knows them.
export struct VarIsDivided {};

}  // namespace schedule
using schedule::VarIsDivided;

VarState* make_var();
void release_var(VarState* var) noexcept;

/// Gives back a Var's memory if nothing holds it any more; the lock is held and is free afterwards.
void unlock_and_collect(VarState& var) noexcept;

/// Something that ops read and write: an array's storage, a file, a counter. A handle: copies are the same Var, compared by identity.
/// It lives until the last handle is gone and the last op on it has ended.
export class Var {
 public:
  /// Throws std::bad_alloc.
  inline Var() : state_(make_var()) {}
  inline Var(const Var& other) noexcept : state_(other.state_) {
    if (state_ != nullptr) state_->handles.fetch_add(1, std::memory_order_relaxed);
  }
  inline Var(Var&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Var& operator=(Var other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  inline ~Var() {
    if (state_ != nullptr) release_var(state_);
  }

  // clang-format off
  friend std::ostream& operator<<(std::ostream&, const Var&) = delete;  // a Var stands for something: print that, or id()
  // clang-format on

  /// How many ops that write it have ended, failed ones among them; 0 for a Var that has been moved from.
  inline std::uint64_t version() const noexcept {
    return state_ == nullptr ? 0 : state_->version.load(std::memory_order_acquire);
  }

  /// A number that no other Var of this process has had; 0 for one that has been moved from.
  inline std::uint64_t id() const noexcept { return state_ == nullptr ? 0 : state_->id; }

  /// Whether an op failed that should have written it and none has written it since. Says nothing of pending ops.
  bool is_poisoned() const noexcept;

  /// Forgets the failure: what stands there is good enough.
  void clear() const noexcept;

  /// The Var has not been moved from.
  inline explicit operator bool() const noexcept { return state_ != nullptr; }
  friend bool operator==(const Var&, const Var&) = default;

  inline VarState* state() const noexcept { return state_; }
  /// One more handle to a Var.
  inline static Var of(VarState& state) noexcept {
    state.handles.fetch_add(1, std::memory_order_relaxed);
    return Var(&state);
  }

 private:
  explicit Var(VarState* state) noexcept : state_(state) {}

  VarState* state_;
};

}  // namespace tessera
