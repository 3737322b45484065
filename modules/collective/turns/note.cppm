module;
#include <cstddef>
#include <cstdint>
export module tessera.collective:note;
import tessera.standard;
import tessera.core;
import tessera.device;
import :reduce_op;

// What a rank says of a collective to the others: all must say the same.
namespace tessera::collective {

enum class CallKind : std::uint8_t {
  barrier,
  all_reduce,
  reduce,
  broadcast,
  all_gather,
  gather,
  scatter,
  reduce_scatter,
  all_to_all,
  split,
  reproducible_sum,
  shape_of_gathered,
  shape_of_scattered,
  send,
  receive
};

/// It is compared as bytes, so that it has no gaps.
struct Note {
  CallKind kind{};
  DType dtype{};
  std::uint8_t rank = 0;      // of the array; or any_rank
  ReduceOp op{};              // of those that reduce
  std::int32_t root = 0;      // of those that have one
  std::int64_t extents[9]{};  // of the array; -1 where the ranks may differ
  // What each rank says for itself, and is not compared; of a message its tag:
  std::int64_t own = 0;
  device::GpuIdentity gpu{};  // where its arrays lie, if NCCL can move them from there; otherwise zero
};
inline constexpr std::uint8_t any_rank = 255;  // of a message of which nothing is known before it comes
inline constexpr std::size_t note_bytes = sizeof(Note);
inline constexpr std::size_t compared_bytes = offsetof(Note, own);
static_assert(note_bytes == 104 && compared_bytes == 80 && max_rank == 9);

/// "all_reduce"
std::string_view name_of(CallKind kind);
/// What the ops of collectives, messages among them, have for names.
bool is_name_of_call(std::string_view name);
/// "all_reduce of float32 (256, 10) by ReduceOp::sum", "broadcast of int32 (3) from rank 0", "send of int32 (3) to rank 0 with tag 5"
std::string text_of(const Note& note);

}  // namespace tessera::collective
