module;
#include <cstdint>
export module tessera.collective:patience;
import tessera.standard;
import :note;
import :communicator;

// Waiting for other ranks no longer than is worth while.
namespace tessera::collective {

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

}  // namespace tessera::collective
