module;
#include <cstddef>
#include <cstdint>
#include <new>
export module tessera.schedule:op_state;
import tessera.standard;
import tessera.device;
import :failure;
import :op_name;
import :spin_lock;

// An op as the engine sees it: what it waits for, what it accesses and how it is run.
namespace tessera {

struct VarState;
namespace schedule {

export struct OpState;

}  // namespace schedule
using schedule::OpState;

export class Engine;

/// Which of the ready ops are begun first. Ops of a lower priority are not starved: now and then one of them goes first.
export enum class Priority : std::uint8_t { high, normal, low };
inline constexpr int priorities = 3;

/// What may be said of an op besides its Vars and its body.
export struct OpOptions {
  OpName name = "op";                    ///< shown in errors, traces and pictures
  Priority priority = Priority::normal;  ///< among the ops that are ready
  bool always_run = false;    ///< run it even if an op failed that wrote what it reads, or if it is cancelled
  std::stop_token stop = {};  ///< when a stop is requested before it begins, it is cancelled
  std::ptrdiff_t bytes = 0;   ///< memory that it keeps alive until it has ended, for SchedulerOptions::window_bytes
  /// A GPU, for a body that takes a stream: the body gives its work to the stream of that GPU, and the op ends when the GPU has done it.
  Place place = {};
};

namespace schedule {

/// One op's place in the queue of one Var. The address of the Var, which is a multiple of 64, leaves room for what kind it is.
export struct Access {
  static constexpr std::uintptr_t write_bit = 1, read_bit = 2, index_bits = 4 + 8, index_unit = 4, long_bit = 16,
                                  inherited_bit = 32, all_bits = 63;

  std::uintptr_t tagged = 0;
  Access* next = nullptr;

  inline VarState* var() const { return reinterpret_cast<VarState*>(tagged & ~all_bits); }
  inline bool writes() const { return (tagged & write_bit) != 0; }
  inline bool reads() const { return (tagged & read_bit) != 0; }
  /// A read of a Var that an op around this one reads: it must not queue, for writes in the queue wait for that op.
  inline bool is_inherited() const { return (tagged & inherited_bit) != 0; }
  OpState& op();
  /// Fetches the op into this core's cache, for it will run here soon.
  void prefetch_op();
};

}  // namespace schedule
using schedule::Access;

/// An access of an op that has more of them than fit into the op.
struct LongAccess : Access {
  OpState* owner = nullptr;
};

struct LongList {
  LongAccess* list;
  std::size_t capacity;
};

/// How the engine treats an op of one type.
struct OpKind {
  void (*run)(OpState&);            ///< its body; for a coroutine, from where it stands
  void (*drop)(OpState&) noexcept;  ///< destroys the body of a callable, run or not
  void (*free)(OpState&) noexcept;  ///< gives the memory back
};

struct OpAwaiter;
class Outcomes;

/// What few ops have.
struct OpExtras {
  std::stop_token stop;
  std::ptrdiff_t bytes = 0;
  std::atomic<OpAwaiter*> awaiters{nullptr};  // of a handle; see op_end.cppm
  std::int64_t queued = 0, started = 0;       // ns, while a trace is taken
  std::uint64_t number = 0;                   // in the order of submission, while a trace is taken
  int worker = -1;
  bool skipped = false;
  const Outcomes* outcomes = nullptr;  // of the Vars that it writes, if they differ
  bool only_launches = false;          // its body does nothing but give kernels to the stream of its thread
  int open_scopes = 0;                 // of a coroutine: Async scopes of its thread when it began
  std::shared_ptr<void> local;         // what a coroutine takes with it from thread to thread
  OpState* begun_before = nullptr;     // neighbours in BegunCoroutines
  OpState* begun_after = nullptr;
};

namespace schedule {

export struct OpState {
  static constexpr int inline_accesses = 4;
  static constexpr std::size_t storage_bytes = 48;
  enum Flag : std::uint8_t {
    always_run = 1,
    is_coroutine = 2,
    is_waiter = 4,      // not an op: somebody who waits for a Var, told by kind->run as soon as the access is granted
    has_long_list = 8,  // of accesses
    started = 16,       // it has been begun, so it is resumed from now on
    closes_vars = 32,   // no op after it may name its Vars
    is_submitted = 64,
    recorded = 128,  // it is a replay that has not begun, or, if started, an op of a recording; see recording.cppm
  };

  inline OpState() noexcept : accesses() {}
  OpState(const OpState&) = delete;
  OpState& operator=(const OpState&) = delete;

  OpState* next = nullptr;  // in a list of ready ops
  const OpKind* kind = nullptr;
  Engine* engine = nullptr;
  OpState* parent = nullptr;              // the op that submitted it
  std::atomic<std::uint32_t> pending{0};  // accesses that are not granted yet
  std::uint16_t access_count = 0;
  std::uint8_t flags = 0;
  Priority priority = Priority::normal;
  std::atomic<std::uint32_t> open{1};    // its body and the ops that it submitted
  std::atomic<std::uint32_t> shares{1};  // the engine and the handles to it
  SharedFailure failure;
  OpExtras* extras = nullptr;
  const char* name = "op";
  std::source_location where;
  union {
    Access accesses[inline_accesses];
    LongList many;
  };
  alignas(8) std::byte storage[storage_bytes];

  inline bool has(Flag flag) const { return (flags & flag) != 0; }
  inline void set(Flag flag) { flags = static_cast<std::uint8_t>(flags | flag); }

  /// Where a coroutine op goes on.
  inline void set_resume_point(std::coroutine_handle<> point) {
    ::new (static_cast<void*>(storage)) void*(point.address());
  }
  inline std::coroutine_handle<> resume_point() const {
    return std::coroutine_handle<>::from_address(*std::launder(reinterpret_cast<void* const*>(storage)));
  }

  // NOLINTBEGIN(clang-analyzer-security.ArrayBound): the flag says which member of the union there is.
  inline const Access& access(int at) const { return has(has_long_list) ? many.list[at] : accesses[at]; }
  inline Access& access(int at) { return has(has_long_list) ? many.list[at] : accesses[at]; }
  // NOLINTEND(clang-analyzer-security.ArrayBound)
};

}  // namespace schedule
using schedule::OpState;

static_assert(sizeof(OpState) <= 192, "a pending op costs three cache lines");

inline Access* address_of_inline(Access* access) {
  return access - (access->tagged & Access::index_bits) / Access::index_unit;
}

inline OpState& Access::op() {
  if ((tagged & long_bit) != 0) return *static_cast<LongAccess*>(this)->owner;
  return *reinterpret_cast<OpState*>(reinterpret_cast<std::byte*>(address_of_inline(this)) -
                                     offsetof(OpState, accesses));
}

inline void Access::prefetch_op() {
  const auto* bytes = reinterpret_cast<const std::byte*>(&op());
  prefetch_to_write(bytes);
  prefetch_to_write(bytes + 64);
  prefetch_to_write(bytes + 128);
}

namespace schedule {

/// Adds an access to an op that has room for it; `bits` are Access::read_bit, write_bit or both.
export inline void add_access(OpState& op, const VarState* var, std::uintptr_t bits) noexcept {
  op.access(op.access_count++).tagged = reinterpret_cast<std::uintptr_t>(var) | bits;
}

/// Ops that have become ready, in that order.
struct ReadyList {
  OpState* first = nullptr;
  OpState* last = nullptr;

  inline void add(OpState& op) {
    op.next = nullptr;
    (first == nullptr ? first : last->next) = &op;
    last = &op;
  }
  inline OpState* take() {
    OpState* op = first;
    if (op != nullptr) first = op->next;
    return op;
  }
};

}  // namespace schedule
using schedule::add_access;
using schedule::ReadyList;

}  // namespace tessera
