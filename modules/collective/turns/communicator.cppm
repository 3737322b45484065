module;
#include <cstddef>
#include <cstdint>
export module tessera.collective:communicator;
import tessera.standard;
import tessera.core;
import tessera.device;
import :wire;
import :gpu_wire;
import :note;
import :progress;

// The turns of a group. A collective takes its number when it is called, in the order of the program, which is the same in all ranks; the ranks
// compare what they say of it (see note.cppm) before anything is exchanged, one after the other in the order of the numbers. So the order on the wire is
// the same everywhere, whatever order the ops of a scheduler become ready in; and what has been agreed on may be exchanged beside what comes later, in a
// lane of its own.
namespace tessera::collective {

class Communicator {
 public:
  Communicator(std::unique_ptr<Wire> wire, std::string name);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  inline int rank() const noexcept { return rank_; }
  inline int size() const noexcept { return size_; }
  inline int local_rank() const noexcept { return wire_->local_rank(); }
  inline const std::string& name() const noexcept { return name_; }
  /// "rank 2 of group world (4 ranks)"
  std::string text() const;

  inline std::uint64_t take_turn() noexcept { return next_turn_.fetch_add(1, std::memory_order_relaxed); }
  inline std::uint64_t take_message() noexcept { return next_message_.fetch_add(1, std::memory_order_relaxed); }

  inline std::chrono::milliseconds time_limit() const noexcept {
    return std::chrono::milliseconds(time_limit_.load(std::memory_order_relaxed));
  }
  inline void set_time_limit(std::chrono::milliseconds limit) noexcept {
    time_limit_.store(limit.count(), std::memory_order_relaxed);
  }

  /// What fails once fails for all of the group, and all its ranks on this host are told. The first failure is kept. Needs the lock of Progress.
  void fail(const std::string& why) noexcept;
  inline bool has_failed() const noexcept { return has_failed_; }
  /// Throws CollectiveError if it has failed.
  void check(std::string_view operation) const;

  /// The wire of the ranks that give the same color. Needs the engine; waits for all.
  inline std::unique_ptr<Wire> split_wire(int color) { return wire_->split(color); }

  /// What joins the GPUs of the ranks, `place` on this one; it may have to be begun. All ranks ask for the same. Throws DeviceError.
  GpuWire& gpu_wire(const std::vector<device::GpuIdentity>& gpus, GpuPlace place);

  /// MPI ends: whoever still waits for this rank need not, and it exchanges nothing any more.
  void say_farewell() noexcept;

 private:
  friend class Agreement;
  friend class Transfer;
  friend class Patience;
  friend class Turn;
  friend class MessageTurn;
  friend class GpuTurn;
  friend class GpuWait;

  struct Board;
  Board* board(int rank) const noexcept { return boards_[static_cast<std::size_t>(rank)]; }
  /// Why a rank, which this one waits for, will not go on; empty if it may. One that has ended its program has done its part of what it has come to.
  std::string why_gone(int rank, bool has_come) const;

  std::unique_ptr<Wire> wire_;
  std::string name_;
  int rank_, size_;
  std::vector<Board*> boards_;
  bool has_all_boards_ = true;
  std::atomic<std::uint64_t> next_turn_{0}, next_message_{0};
  std::atomic<std::int64_t> time_limit_{60'000};
  // Guarded by the lock of Progress.
  std::uint64_t agreed_ = 0, begun_messages_ = 0;
  std::array<bool, static_cast<std::size_t>(lane_count)> lane_is_taken_{};
  std::uint64_t next_gpu_turn_ = 0, served_gpu_turns_ = 0;  // of collectives that are agreed on and done by GPUs
  std::vector<std::pair<std::vector<device::GpuIdentity>, std::unique_ptr<GpuWire>>> gpu_wires_;
  bool has_failed_ = false;
  std::string failure_;
};

/// A place in the order of a group's collectives. One that is given up before all have agreed on what to do is the group's failure: the others wait for it.
class Turn {
 public:
  Turn(std::shared_ptr<Communicator> group, const Note& note)
      : group_(std::move(group)), note_(note), number_(group_->take_turn()) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn();

  inline Communicator& group() const noexcept { return *group_; }
  inline const Note& note() const noexcept { return note_; }
  inline std::uint64_t number() const noexcept { return number_; }
  inline int lane() const noexcept { return static_cast<int>(number_ % lane_count); }

  /// The thread that has called it waits for it, so that what comes before it may wait for that thread: it does not wait longer for its turn than for others.
  inline void block() noexcept { is_blocking_ = true; }

 private:
  friend class Agreement;

  std::shared_ptr<Communicator> group_;
  Note note_;
  std::uint64_t number_;
  bool is_agreed_ = false, has_lane_ = false, is_blocking_ = false;
};

/// A place in the order in which a rank begins messages. One that is given up before it has begun is the group's failure, as a Turn is.
class MessageTurn {
 public:
  MessageTurn(std::shared_ptr<Communicator> group, const Note& note)
      : group_(std::move(group)), note_(note), number_(group_->take_message()) {}
  MessageTurn(const MessageTurn&) = delete;
  MessageTurn& operator=(const MessageTurn&) = delete;
  ~MessageTurn();

  inline Communicator& group() const noexcept { return *group_; }
  inline const Note& note() const noexcept { return note_; }
  inline std::uint64_t number() const noexcept { return number_; }
  inline void block() noexcept { is_blocking_ = true; }

 private:
  friend class Transfer;

  std::shared_ptr<Communicator> group_;
  Note note_;
  std::uint64_t number_;
  bool has_begun_ = false, is_blocking_ = false;
};

/// How long has been waited, and for whom in vain.
class Patience {
 public:
  explicit Patience(Communicator& group) : group_(&group) {}

  /// What is waited for: that ranks come to the same collective; what those send who have come; or this rank's own turn, which has a time limit only where the
  /// thread waits that calls.
  enum class For : std::uint8_t { ranks, data, turn, blocking_turn };

  /// Called at each asking; now and then it looks whether the wait is still worth while. Throws CollectiveError, and makes it the group's failure.
  /// `is_awaited(rank)` tells whether a rank is waited for.
  template <class IsAwaited>
  void test(For what, const Note& note, std::uint64_t number, const IsAwaited& is_awaited) {
    if (++askings_ % askings_per_look != 0) return;
    std::vector<int> awaited;
    for (int rank = 0; rank < group_->size(); ++rank)
      if (rank != group_->rank() && is_awaited(rank)) awaited.push_back(rank);
    look(what, note, number, awaited);
  }

 private:
  static constexpr unsigned askings_per_look = 64;
  void look(For what, const Note& note, std::uint64_t number, const std::vector<int>& awaited);
  std::string what_is_late(For what, const Note& note, const std::vector<int>& awaited) const;

  Communicator* group_;
  unsigned askings_ = 0;
  std::optional<For> what_;
  std::optional<std::chrono::steady_clock::time_point> since_, last_look_;
};

/// Bytes that ranks of one host can show to each other beside what they say; nothing has to be exchanged then. More are moved
/// faster by the engine, which copies them once.
inline constexpr std::ptrdiff_t shown_bytes = 8 * 1024;

/// The ranks compare what they are about to do. Throws CollectiveError if they differ, or one does not come.
class Agreement final : public Pending {
 public:
  explicit Agreement(Turn& turn)
      : turn_(turn), patience_(turn.group()), notes_(static_cast<std::size_t>(turn.group().size())) {}
  /// Shows bytes, too, if they are few enough.
  Agreement(Turn& turn, const void* shown, std::ptrdiff_t bytes) : Agreement(turn) {
    if (bytes > shown_bytes) return;
    own_shown_ = shown;
    own_shown_bytes_ = bytes;
  }

  bool poll() override;

  /// What a rank has said.
  inline const Note& note_of(int rank) const { return notes_[static_cast<std::size_t>(rank)]; }

  /// What each has said for itself.
  std::vector<std::int64_t> said() const;

  /// Whether all ranks have shown what they have, to all. It is the same in all ranks.
  inline bool is_all_shown() const noexcept { return is_all_shown_; }
  inline const std::byte* shown_by(int rank) const {
    return shown_.data() + starts_of_shown_[static_cast<std::size_t>(rank)];
  }
  inline std::ptrdiff_t bytes_shown_by(int rank) const { return bytes_of_shown_[static_cast<std::size_t>(rank)]; }

  /// Whether each rank's arrays lie on a GPU of its own, and NCCL joins these. It is the same in all ranks.
  inline bool is_on_gpus() const noexcept { return gpu_turn_.has_value(); }
  /// The place in the order of what GPUs do for the group.
  inline std::uint64_t gpu_turn() const { return gpu_turn_.value(); }
  std::vector<device::GpuIdentity> gpus() const;

 private:
  bool begin();
  bool go_on();
  bool look_at_boards();
  bool look_at_messages();
  void compare(int rank);
  void note_shown(int rank, const void* bytes, std::ptrdiff_t count);

  Turn& turn_;
  const void* own_shown_ = nullptr;
  std::ptrdiff_t own_shown_bytes_ = -1;  // or what is shown is none, or too much
  bool is_all_shown_ = false;
  std::vector<std::byte> shown_;
  std::vector<std::size_t> starts_of_shown_;
  std::vector<std::ptrdiff_t> bytes_of_shown_;
  Patience patience_;
  std::vector<Note> notes_;
  std::vector<bool> has_come_;
  std::vector<std::int64_t> bytes_;
  Wire::Request request_ = nullptr;
  std::optional<std::uint64_t> gpu_turn_;
  int missing_ = 0;
  bool has_begun_ = false;
};

/// One exchange of a turn that is agreed on, in its lane, or a message, of one or two parts.
class Transfer final : public Pending {
 public:
  Transfer(const Turn& turn, const Exchange& exchange)
      : group_(turn.group()),
        note_(turn.note()),
        number_(turn.number()),
        exchange_(exchange),
        patience_(turn.group()) {}
  /// The turn must outlive it.
  Transfer(MessageTurn& turn, const Exchange& exchange, const std::optional<Exchange>& rest = {})
      : group_(turn.group()),
        note_(turn.note()),
        number_(turn.number()),
        message_(&turn),
        exchange_(exchange),
        rest_(rest),
        patience_(turn.group()) {}

  bool poll() override;

  /// Its second part is waited for only if `wanted()` is true when the first has come.
  void want_rest_if(std::function<bool()> wanted) { wants_rest_ = std::move(wanted); }

 private:
  bool go_on();
  bool is_message() const noexcept { return message_ != nullptr; }

  Communicator& group_;
  Note note_;
  std::uint64_t number_;
  MessageTurn* message_ = nullptr;
  Exchange exchange_;
  std::optional<Exchange> rest_;
  std::function<bool()> wants_rest_;
  Patience patience_;
  Wire::Request request_ = nullptr, request_of_rest_ = nullptr;
  bool has_begun_ = false;
};

}  // namespace tessera::collective
