module;
#include <cstdint>
export module tessera.collective:tracing;
import tessera.standard;
import tessera.schedule;
import :group;

// Looking at what several processes did at the same time.
namespace tessera {

/// Time that the collectives of a trace took on this rank, from their beginning until they had their result, others waited for included.
export struct CommunicationTime {
  double seconds = 0;     ///< in which there was at least one
  double overlapped = 0;  ///< of these, in which another op ran on this rank
};
/// Of the records of one rank's Trace.
export CommunicationTime communication_time(std::span<const OpRecord> records);

/// Writes the traces of all ranks as one, in which each rank is a process: see the other write_chrome_trace. All ranks call it, each with its trace, and rank 0
/// writes. The clocks of other hosts are compared by messages, to within half of the quickest one's way there and back (F. Cristian, "Probabilistic clock
/// synchronization", Distributed Computing 3, 1989). Throws CollectiveError.
export void write_chrome_trace(std::ostream& out, const Group& group, const Trace& trace,
                               const std::source_location& where = std::source_location::current());

}  // namespace tessera
