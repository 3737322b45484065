module;
#include <cstdint>
export module tessera.schedule:trace_record;
import tessera.standard;

// What is known about an op that is over: plain data, from which the pictures of a run are drawn.
namespace tessera {

/// How an op ended.
export enum class Outcome : std::uint8_t {
  succeeded,
  failed,     ///< it threw
  skipped,    ///< it did not run, because something that it reads had not been written as it should
  cancelled,  ///< it was asked to stop before it began, or stopped on request
};

/// "succeeded", "failed", "skipped" or "cancelled".
export constexpr std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::succeeded: return "succeeded";
    case Outcome::failed: return "failed";
    case Outcome::skipped: return "skipped";
    case Outcome::cancelled: return "cancelled";
  }
  return "unknown";
}

/// One op of a trace. Times are nanoseconds since the trace's beginning; an op that never ran starts and ends at one time.
export struct OpRecord {
  std::uint64_t id = 0;  ///< number of its submission: an op that was submitted later has a higher one
  std::string name;
  std::source_location where = {};    ///< where it was submitted; line 0 when unknown
  int worker = -1;                    ///< who ran it: 0, 1, ... or -1, a thread that waited meanwhile
  std::int64_t queued = 0;            ///< when it was submitted
  std::int64_t start = 0;             ///< when its body began
  std::int64_t end = 0;               ///< when its body was over
  std::vector<std::uint64_t> reads;   ///< the ids of the Vars that it reads
  std::vector<std::uint64_t> writes;  ///< the ids of the Vars that it writes
  Outcome outcome = Outcome::succeeded;
};

}  // namespace tessera
