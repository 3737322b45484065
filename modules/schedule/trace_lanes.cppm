module;
#include <cstddef>
#include <cstdint>
export module tessera.schedule:trace_lanes;
import tessera.standard;
import :trace_record;

// The ops of each worker, put into rows in which nothing overlaps.
namespace tessera {

/// An op and the row of its lane in which it is drawn.
struct PlacedOp {
  const OpRecord* op;
  std::size_t row;
};

/// What one worker did.
struct Lane {
  int worker = -1;
  std::int64_t busy = 0;      ///< nanoseconds in which at least one of its ops had begun and not ended
  std::size_t rows = 1;       ///< more than one where an op began while another was waiting or ran a nested one
  std::vector<PlacedOp> ops;  ///< by start
};

/// One lane for each of `workers` workers and each other one of the records, those of waiting threads last.
std::vector<Lane> lanes_of(std::span<const OpRecord> records, int workers);

/// The indices of records in the order of their submission.
std::vector<std::size_t> submission_order(std::span<const OpRecord> records);

/// "worker 0", or "waiting threads".
std::string lane_name(const Lane& lane);

}  // namespace tessera
