module;
#include <cstddef>
#include <cstdint>
export module tessera.schedule:trace_lanes;
import tessera.standard;
import tessera.device;
import :trace_record;

// The ops of each worker and the work of each stream, put into rows in which nothing overlaps.
namespace tessera {

/// An op and the row of its lane in which it is drawn.
struct PlacedOp {
  const OpRecord* op;
  std::size_t row;
};

/// The worker of what is no op but a GPU's work.
inline constexpr int gpu_worker = -2;

/// What one worker or one stream did.
struct Lane {
  int worker = -1;
  std::string name;           ///< "worker 0", "waiting threads" or "GPU 0, stream 1"
  std::int64_t busy = 0;      ///< nanoseconds in which at least one of its ops had begun and not ended
  std::size_t rows = 1;       ///< more than one where an op began while another was waiting or ran a nested one
  std::vector<PlacedOp> ops;  ///< by start
};

/// One lane for each of `workers` workers and each other one of the records, those of waiting threads last.
std::vector<Lane> lanes_of(std::span<const OpRecord> records, int workers);

/// The work of GPUs as ops, so that it is drawn as they are: ids count from 1, and the worker is gpu_worker.
std::vector<OpRecord> as_ops(std::span<const device::StreamRecord> records);

/// One lane for each stream. `work` is what as_ops has made of the records.
std::vector<Lane> lanes_of_streams(std::span<const OpRecord> work, std::span<const device::StreamRecord> records);

/// The indices of records in the order of their submission.
std::vector<std::size_t> submission_order(std::span<const OpRecord> records);

}  // namespace tessera
