module;
#include <cstddef>
#include <cstdint>
export module tessera.schedule:dependency;
import tessera.standard;

// What makes one op wait for another: an access of both to one Var, at least one of them a write.
namespace tessera {

/// Why an op waits for an earlier one. Only the first kind hands data over; the others keep an order.
export enum class DependencyKind : std::uint8_t {
  read_after_write,   ///< it reads what the earlier one wrote
  write_after_write,  ///< it writes again what the earlier one wrote
  write_after_read,   ///< it overwrites what the earlier one reads
};

/// One reason for an op to wait for the op of index `from`.
struct Conflict {
  std::size_t from;
  DependencyKind kind;
  std::uint64_t var;
};

/// The last accesses to each Var, as ops pass by in the order of their submission.
class AccessHistory {
 public:
  /// What the next op waits for; its own accesses then belong to the history. What follows by way of another op's conflict
  /// on the same Var is left out, so the work is linear in the number of accesses.
  std::vector<Conflict> append(std::span<const std::uint64_t> reads, std::span<const std::uint64_t> writes);

 private:
  struct Accesses {
    std::optional<std::size_t> writer;
    std::vector<std::size_t> readers;  // since it wrote
  };

  std::size_t count_ = 0;
  std::unordered_map<std::uint64_t, Accesses> vars_;
};

}  // namespace tessera
