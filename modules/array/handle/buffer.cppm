module;
#include <cstddef>
#include <cstdint>
export module tessera.array:buffer;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import :footprint;

// Storage shared by the arrays that view it.
namespace tessera {

struct ViewVars;

/// What the scheduler knows of a buffer.
struct BufferVar {
  BufferVar() = default;
  BufferVar(const BufferVar&) = delete;
  BufferVar& operator=(const BufferVar&) = delete;
  ~BufferVar();

  Var var;
  std::atomic<const Engine*> last_named{nullptr};  // the last one for which an op on it was made; it may be gone
  std::atomic<bool> is_named{false};               // by ops that know no other Var of the buffer
  std::atomic<ViewVars*> views{nullptr};  // while parts of the buffer have Vars of their own; see view_vars.cppm
};

namespace storage {

/// Whether any buffer has ever been named by an op, or may be used by streams: until then nothing has to be waited for.
export inline std::atomic<bool> buffers_have_vars{false};

export class BufferShare;

}  // namespace storage
using storage::buffers_have_vars;

/// One allocation with its size and place, and who shares it: the last one gives the memory back.
export class Buffer {
 public:
  /// Uninitialised. Throws OutOfMemory, or DeviceError if the place does not exist.
  Buffer(Place place, std::ptrdiff_t bytes) : allocation_(place, bytes) { watch_streams(); }

  /// Takes over an allocation, which may be a borrowing one.
  explicit Buffer(memory::Allocation allocation) : allocation_(std::move(allocation)) { watch_streams(); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (BufferVar* var = var_.load(std::memory_order_relaxed)) delete var;
  }

  void* data() const { return allocation_.data(); }
  std::ptrdiff_t bytes() const { return allocation_.bytes(); }
  Place place() const { return allocation_.place(); }
  [[gnu::always_inline]] inline bool owns() const { return allocation_.owns(); }

  /// How many arrays are names of it, those in expressions included.
  [[gnu::always_inline]] inline std::uint32_t names() const noexcept {
    return static_cast<std::uint32_t>(shares_.load(std::memory_order_acquire));
  }
  /// How many shares are kept by ops that are pending or recorded.
  std::uint32_t holds() const noexcept {
    return static_cast<std::uint32_t>(shares_.load(std::memory_order_acquire) / one_hold);
  }

  /// What ops name that read or write the elements, all of them from now on. Throws std::bad_alloc.
  const Var& var() const {
    BufferVar& shared = shared_var();
    if (!shared.is_named.load(std::memory_order_acquire)) name_as_a_whole(shared);
    return shared.var;
  }

  /// The Var, for an op that will be submitted to `engine`.
  const Var& var_for(Engine& engine) const;

  /// Returns when no pending op writes the elements of a view; unless they are to be read only, when none reads them either. Throws
  /// OperationFailed if the op failed that should have written them (but not for a rewrite of all of the view), SchedulerError inside an
  /// op that has not named them.
  void wait_for_ops(schedule::Purpose purpose, const ViewMemory& view) const {
    if (var_.load(std::memory_order_acquire) != nullptr) [[unlikely]]
      wait_for_var(purpose, view);
  }
  /// For reading some bytes, or the whole.
  void wait_to_read(const Footprint& bytes) const {
    if (has_view_vars()) return wait_for_parts(schedule::Purpose::read, bytes);
    wait_to_read();
  }
  void wait_to_read() const {
    if (var_.load(std::memory_order_acquire) != nullptr) wait_for_whole(schedule::Purpose::read);
  }

  /// As wait_for_ops; then returns when no stream writes the elements either, or, unless they are to be read only, reads them.
  void wait(schedule::Purpose purpose, const ViewMemory& view) const {
    wait_for_ops(purpose, view);
    if (uses() != nullptr) [[unlikely]]
      wait_for_streams(purpose);
  }

  /// The streams that work with the elements; null where none can.
  device::StreamUses* uses() const { return allocation_.uses(); }
  void wait_for_streams(schedule::Purpose purpose) const;
  /// Adds what wait_for_streams would wait for, as far as it is not reached. Throws DeviceError, std::bad_alloc.
  void add_unreached(schedule::Purpose purpose, std::vector<device::StreamMark>& marks) const;

  /// All elements of the view have been written since a failed op should have written them.
  void forget_failure(const ViewMemory& view) const {
    if (const BufferVar* var = var_.load(std::memory_order_acquire)) forget_failure_of(*var, view);
  }

  /// How many views of it have Vars of their own, itself among them; 0 if ops name it as a whole only.
  std::ptrdiff_t count_view_vars() const;

  /// Parts of it have Vars of their own.
  bool has_view_vars() const {
    const BufferVar* const var = var_.load(std::memory_order_acquire);
    return var != nullptr && var->views.load(std::memory_order_relaxed) != nullptr;
  }

 private:
  friend class ViewSubmission;
  friend class storage::BufferShare;

  static constexpr std::uint64_t one_name = 1;
  static constexpr std::uint64_t one_hold = std::uint64_t{1} << 32;

  void watch_streams() const {
    if (uses() != nullptr) buffers_have_vars.store(true, std::memory_order_relaxed);
  }

  /// A locked addition takes as long as forty others, and nobody else counts where there is one thread.
  [[gnu::always_inline]] inline void add_name() const noexcept {
    if (core::is_single_threaded()) {
      shares_.store(shares_.load(std::memory_order_relaxed) + one_name, std::memory_order_relaxed);
    } else {
      shares_.fetch_add(one_name, std::memory_order_relaxed);
    }
  }
  /// Whether the share was the last one.
  bool subtract(std::uint64_t share) const noexcept;

  BufferVar& shared_var() const;
  void name_as_a_whole(BufferVar& shared) const;
  void wait_for_var(schedule::Purpose purpose, const ViewMemory& view) const;
  void wait_for_whole(schedule::Purpose purpose) const;
  void wait_for_parts(schedule::Purpose purpose, const Footprint& bytes) const;
  void forget_failure_of(const BufferVar& shared, const ViewMemory& view) const;

  memory::Allocation allocation_;
  mutable std::atomic<BufferVar*> var_{nullptr};
  mutable std::atomic<std::uint64_t> shares_{one_name};  // names in the low half, holds in the high one
};

namespace storage {

/// The view is all elements of the buffer, and has none of them twice.
export bool is_all_of(const Buffer& buffer, const ViewMemory& view) noexcept;

/// A share of a buffer, or none. Most are names: arrays, and the arrays in expressions that are kept. What ops keep until they have run are
/// holds: they keep the memory alive, and nobody reads the elements through them but in the order that the scheduler gives. A name that
/// is alone may therefore be given new values in the same memory although ops are pending on it.
///
/// Names and holds are the halves of one word, so that counting is one atomic operation. The last share is given up by a call:
/// expressions are full of arrays that have been moved from, and counting in place would make up most of the code that the compiler gets
/// to see.
export class BufferShare {
 public:
  inline BufferShare() noexcept : tagged_(0) {}
  /// The first name of a new buffer. Throws what the buffer's constructor throws.
  template <class... Arguments>
  static BufferShare make(Arguments&&... arguments) {
    return BufferShare(new Buffer(std::forward<Arguments>(arguments)...));
  }
  /// A name, whatever the other is.
  inline BufferShare(const BufferShare& other) noexcept : tagged_(other.address()) {
    if (tagged_ != 0) get()->add_name();
  }
  inline BufferShare(BufferShare&& other) noexcept : tagged_(std::exchange(other.tagged_, 0)) {}
  BufferShare& operator=(BufferShare other) noexcept {
    std::swap(tagged_, other.tagged_);
    return *this;
  }
  inline ~BufferShare() {
    if (tagged_ != 0) give_up(tagged_);
  }

  inline Buffer* get() const noexcept { return reinterpret_cast<Buffer*>(address()); }
  inline Buffer* operator->() const noexcept { return get(); }
  inline Buffer& operator*() const noexcept { return *get(); }

  /// Makes this a hold. It is for those who have just made the share, for what an op keeps.
  void hold() const noexcept {
    if (tagged_ == 0 || is_hold()) return;
    get()->shares_.fetch_add(Buffer::one_hold - Buffer::one_name, std::memory_order_acq_rel);
    tagged_ |= hold_tag;
  }
  bool is_hold() const noexcept { return (tagged_ & hold_tag) != 0; }

  friend bool operator==(const BufferShare& a, const BufferShare& b) noexcept { return a.address() == b.address(); }
  friend bool operator==(const BufferShare& a, std::nullptr_t) noexcept { return a.tagged_ == 0; }

 private:
  static constexpr std::uintptr_t hold_tag = 1;

  explicit BufferShare(Buffer* buffer) noexcept : tagged_(reinterpret_cast<std::uintptr_t>(buffer)) {}
  inline std::uintptr_t address() const noexcept { return tagged_ & ~hold_tag; }
  static void give_up(std::uintptr_t tagged) noexcept;

  mutable std::uintptr_t tagged_;  // the buffer's address, and whether this is a hold
};

}  // namespace storage
using storage::BufferShare;
using storage::is_all_of;

}  // namespace tessera
