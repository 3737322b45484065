module;
#include <cstddef>
#include <cstdint>
export module tessera.collective:wire;
import tessera.standard;

// What moves bytes between the processes of a group: one communicator of an engine, as one of its ranks sees it.
namespace tessera::collective {

enum class ExchangeKind : std::uint8_t { broadcast, all_gather, gather, scatter, all_to_all, send, receive };

/// As in collective/transport.h, which says what each kind does with these.
struct Exchange {
  ExchangeKind kind;
  int lane = 0;
  int peer = 0;
  int tag = 0;
  const void* from = nullptr;
  void* to = nullptr;
  const std::int64_t* from_bytes = nullptr;
  const std::int64_t* to_bytes = nullptr;
};

/// Exchanges of one lane are begun in the same order by all ranks, one after the other.
inline constexpr int lane_count = 4;

/// Bytes of a rank's board: memory that the ranks of its host can read.
inline constexpr std::size_t board_bytes = 40 * 1024;

/// Not for several threads at a time.
class Wire {
 public:
  Wire() = default;
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  virtual ~Wire() = default;

  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  /// Among the ranks of this host.
  virtual int local_rank() const noexcept = 0;
  /// Null for a rank of another host.
  virtual void* board(int rank) const noexcept = 0;

  /// An exchange that is on its way; null if it has ended at once.
  using Request = void*;
  /// Throws CollectiveError with the engine's words.
  virtual Request begin(const Exchange& exchange) = 0;
  /// Whether it has ended, so that the request is gone. A receive says how many bytes have come. Throws CollectiveError; it is gone then, too.
  virtual bool has_ended(Request request, std::int64_t& received) = 0;

  /// The ranks that give the same color, which is not negative. Waits for all.
  virtual std::unique_ptr<Wire> split(int color) = 0;
};

/// The wire of a group of one.
std::unique_ptr<Wire> make_wire_of_one();

}  // namespace tessera::collective
