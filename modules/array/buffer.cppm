module;
#include <cstddef>
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
  std::atomic<Engine*> engine{
      nullptr};                       // the last one to which an op on it was submitted; with ops pending, it is alive
  std::atomic<bool> is_named{false};  // by ops that know no other Var of the buffer
  std::atomic<ViewVars*> views{nullptr};  // while parts of the buffer have Vars of their own; see view_vars.cppm
};

/// Whether any buffer has ever been named by an op, or may be used by streams: until then nothing has to be waited for.
export inline std::atomic<bool> buffers_have_vars{false};

/// One allocation with its size and place. Arrays hold it by shared_ptr; the last one gives the memory back.
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
  bool owns() const { return allocation_.owns(); }

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
  void settle_ops(Purpose purpose, const ViewMemory& view) const {
    if (var_.load(std::memory_order_acquire) != nullptr) [[unlikely]]
      settle_var(purpose, view);
  }
  /// For reading some bytes, or the whole.
  void settle_ops_for_reading(const Footprint& bytes) const {
    if (has_view_vars()) return settle_parts(Purpose::read, bytes);
    settle_ops_for_reading();
  }
  void settle_ops_for_reading() const {
    if (var_.load(std::memory_order_acquire) != nullptr) settle_whole(Purpose::read);
  }

  /// As settle_ops; then returns when no stream writes the elements either, or, unless they are to be read only, reads them.
  void settle(Purpose purpose, const ViewMemory& view) const {
    settle_ops(purpose, view);
    if (uses() != nullptr) [[unlikely]]
      settle_streams(purpose);
  }

  /// The streams that work with the elements; null where none can.
  StreamUses* uses() const { return allocation_.uses(); }
  void settle_streams(Purpose purpose) const;
  /// Adds what settle_streams would wait for, as far as it is not reached. Throws DeviceError, std::bad_alloc.
  void add_unreached(Purpose purpose, std::vector<StreamMark>& marks) const;

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

  void watch_streams() const {
    if (uses() != nullptr) buffers_have_vars.store(true, std::memory_order_relaxed);
  }

  BufferVar& shared_var() const;
  void name_as_a_whole(BufferVar& shared) const;
  void settle_var(Purpose purpose, const ViewMemory& view) const;
  void settle_whole(Purpose purpose) const;
  void settle_parts(Purpose purpose, const Footprint& bytes) const;
  void forget_failure_of(const BufferVar& shared, const ViewMemory& view) const;

  memory::Allocation allocation_;
  mutable std::atomic<BufferVar*> var_{nullptr};
};

/// A share of a buffer, or none. It is a shared_ptr whose count is lowered by a call: expressions are full of arrays that have been
/// moved from, and lowering the count in place would make up most of the code that the compiler gets to see.
class BufferShare {
 public:
  inline BufferShare() noexcept : shared_() {}
  BufferShare(std::shared_ptr<Buffer> buffer) noexcept : shared_(std::move(buffer)) {}
  inline BufferShare(const BufferShare& other) noexcept : shared_(other.shared_) {}
  inline BufferShare(BufferShare&& other) noexcept : shared_(std::move(other.shared_)) {}
  BufferShare& operator=(BufferShare other) noexcept {
    shared_.swap(other.shared_);
    return *this;
  }
  ~BufferShare() {
    if (shared_ != nullptr) give_up(shared_);
  }

  inline const std::shared_ptr<Buffer>& get() const noexcept { return shared_; }

 private:
  static void give_up(std::shared_ptr<Buffer>& share) noexcept;

  union {  // so that only the destructor above destroys it
    std::shared_ptr<Buffer> shared_;
  };
};

}  // namespace tessera
