module;
#include <cstddef>
#include <cstdint>
export module tessera.collective:operation;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import tessera.algorithm;
import tessera.darray;
import :wire;
import :note;
import :progress;
import :communicator;
import :turn;
import :transfer;
import :protocol;

// One call of a collective: what it reads and writes, its turn and its steps; computed now, or as an op of a scheduler.
namespace tessera::collective {

/// Memory of an array, its type forgotten, with a share of it that is no name: so it moves, and a copy would be one.
class ArrayMemory {
 public:
  ArrayMemory(ArrayMemory&&) = default;
  ArrayMemory& operator=(ArrayMemory&&) = default;
  /// None.
  ArrayMemory() = default;
  explicit ArrayMemory(const DArray& array);

  inline bool is_none() const noexcept { return data_ == nullptr && share_ == nullptr; }
  inline DType dtype() const noexcept { return dtype_; }
  inline std::span<const std::ptrdiff_t> shape() const noexcept { return layout_.shape(); }
  std::ptrdiff_t count() const noexcept;
  inline std::ptrdiff_t bytes() const noexcept { return count() * item_size(dtype_); }
  /// Bytes of the elements of one index of the first axis; of the element where there is no axis.
  std::ptrdiff_t row_bytes() const noexcept;
  /// Extent of the first axis; 1 where there is none.
  inline std::ptrdiff_t rows() const noexcept { return layout_.rank == 0 ? 1 : layout_.extents[0]; }

  inline Place place() const noexcept { return place_; }
  inline bool is_row_major() const { return dynamic::is_row_major(layout_); }
  /// What uses memory of a GPU.
  inline device::StreamUses* uses() const noexcept { return share_ != nullptr ? share_->uses() : nullptr; }

  /// Row-major memory of the host that lives as long as this: the engine may use it as it is, even where that is given up.
  bool is_plain() const;
  inline void* data() const noexcept { return data_; }

  void copy_to(void* row_major) const;
  void copy_from(const void* row_major) const;
  /// From memory of the same GPU: of the same shape, or row-major elements of another one.
  void copy_from(const ArrayMemory& other) const;
  void copy_from_row_major(const ArrayMemory& other) const;
  bool overlaps(const ArrayMemory& other) const;

  void wait(schedule::Purpose purpose) const;
  AlgorithmMemory as_algorithm_memory() const noexcept;

 private:
  storage::ViewMemory view() const noexcept;
  storage::PlacedMemory placed() const noexcept;

  storage::BufferShare share_;
  void* data_ = nullptr;
  dynamic::DLayout layout_;
  DType dtype_{};
  Place place_;
};

class Operation {
 public:
  Operation(std::shared_ptr<Communicator> of, const Note& note, ArrayMemory read, ArrayMemory written);

  std::shared_ptr<Communicator> group;
  Note note;
  ArrayMemory from, to;

  inline int rank() const noexcept { return group->rank(); }
  inline int size() const noexcept { return group->size(); }
  inline Turn& turn() { return *turn_; }
  /// Its arrays lie on a GPU from which NCCL could move them, if those of the other ranks do, too.
  inline bool hopes_for_gpus() const noexcept { return note.gpu != device::GpuIdentity{}; }

  /// What is sent, row-major; read once.
  const std::byte* sent();
  /// Where what comes is put, row-major; deliver() brings it to where it belongs.
  std::byte* received();
  void deliver();
  /// Memory that lives as long as the operation, even if that is given up while the engine uses it.
  std::byte* scratch(std::ptrdiff_t bytes);

  /// An exchange of this turn, in its lane.
  Transfer exchange(Exchange exchange);
  /// A message, of one or two parts.
  Transfer message(const Exchange& first, const std::optional<Exchange>& rest);

  /// One more message.
  Transfer next_message(const Exchange& only);

  /// What is known of it before it comes only to the others: a new array, which `to` is from now on.
  void make_result(std::span<const std::ptrdiff_t> shape, DType dtype);
  DArray result;
  /// What the ranks have said for themselves, and extents that one of them has told the others; see moving.cppm.
  std::vector<std::int64_t> said, facts;

  using Steps = Protocol (*)(Operation& operation);
  /// Takes the turn among collectives, or among messages. `is_waited_for` by the thread that calls.
  void begin(Steps steps, bool is_waited_for);
  /// Computes until something is to be waited for, which it returns; null when all is done. Throws why it, or what was waited for, has failed; what the
  /// engine may still use is kept for ever then.
  Pending* go_on(const std::shared_ptr<Operation>& self);

 private:
  std::optional<Turn> turn_;
  std::optional<MessageTurn> message_, rest_of_message_;
  const std::byte* sent_ = nullptr;
  std::byte* received_ = nullptr;
  bool is_delivered_in_place_ = false;
  std::vector<memory::Allocation> scratch_;
  Pending* awaited_ = nullptr;
  Protocol protocol_;
};

/// Does it: in an Async scope as an op, where the arrays are known to it, otherwise now. Throws what waiting for the arrays throws, CollectiveError,
/// OutOfMemory, SchedulerError for a recording.
void perform(const std::shared_ptr<Operation>& operation, Operation::Steps steps);

/// Does it now, also in an Async scope.
void perform_now(const std::shared_ptr<Operation>& operation, Operation::Steps steps);

}  // namespace tessera::collective
