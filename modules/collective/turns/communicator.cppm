module;
#include <cstddef>
#include <cstdint>
export module tessera.collective:communicator;
import tessera.standard;
import tessera.core;
import tessera.device;
import :wire;
import :gpu_wire;
import :board;

// What the ranks of a group share, as one of them sees it: the numbers of its collectives and messages, whether it has failed, and who is still there.
//
// A collective takes its number when it is called, in the order of the program, which is the same in all ranks; the ranks compare what they say of it (see
// agreement.cppm) before anything is exchanged, one after the other in the order of the numbers. So the order on the wire is the same everywhere, whatever
// order the ops of a scheduler become ready in; and what has been agreed on may be exchanged beside what comes later, in a lane of its own.
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

}  // namespace tessera::collective
