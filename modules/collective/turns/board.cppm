module;
#include <cstddef>
#include <cstdint>
export module tessera.collective:board;
import tessera.standard;
import :wire;
import :note;

// What ranks of one host show to each other: memory that all of them read, and one writes.
namespace tessera::collective {

/// Bytes that ranks of one host can show to each other beside what they say; nothing has to be exchanged then. More are moved
/// faster by the engine, which copies them once.
inline constexpr std::ptrdiff_t shown_bytes = 8 * 1024;

/// What a rank says of one turn.
struct BoardEntry {
  std::atomic<std::uint64_t> turn;  // one more than the number of the turn that the rest is of
  Note note;
  std::int64_t bytes;  // that are shown; -1: nothing is
  std::byte shown[shown_bytes];
};

/// Of what a rank says to the others when it fails.
inline constexpr std::size_t failure_bytes = 400;

/// Of one rank. Entries are used in turn: when a rank has agreed on one turn, all have come to it, and need no entry that is two turns older.
struct Board {
  std::atomic<std::int64_t> process;
  std::atomic<std::uint32_t> has_ended, has_failed;
  char failure[failure_bytes];
  BoardEntry entries[lane_count];
};
static_assert(sizeof(Board) <= board_bytes && std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace tessera::collective
