module;
#include <cstddef>
#include <cstdint>
export module tessera.collective:agreement;
import tessera.standard;
import tessera.device;
import :wire;
import :note;
import :progress;
import :board;
import :turn;
import :patience;

// Agreeing on a collective before anything is exchanged: by what ranks of one host can read of each other, otherwise by messages.
namespace tessera::collective {

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

}  // namespace tessera::collective
