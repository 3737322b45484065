module;
#include <cstdint>
export module tessera.schedule:chrome_trace;
import tessera.standard;
import tessera.device;
import :trace_record;

// A trace as a file for the viewers of others.
namespace tessera {

/// Whose trace it is, where those of several processes are shown together.
export struct TraceProcess {
  int number = 0;  ///< differs between processes
  std::string name = "Tessera";
  std::int64_t later = 0;  ///< nanoseconds by which its records begin after the first moment that is shown
};

/// Writes a trace in the Trace Event Format (JSON), which Perfetto and Chrome's about:tracing open. Each op is one complete event
/// on the thread of its worker; its arguments hold its number, outcome, times, Vars and source location. An arrow comes from
/// the op whose end let it begin, if it waited for one. A counter shows how many ops were submitted and had not begun.
/// Ops of one worker that overlap are spread over several threads, because viewers drop what overlaps on one.
/// The work of GPUs, whose times count from the same moment, is a process of its own for each GPU, with a thread for each stream.
/// The records may stand in any order. Errors of writing are left in the state of `out`.
/// Source: "Trace Event Format", Google, 2016.
export void write_chrome_trace(std::ostream& out, std::span<const OpRecord> records,
                               std::span<const device::StreamRecord> streams = {}, const TraceProcess& process = {});

/// Writes what several calls of write_chrome_trace have written, for processes of different numbers, as one trace. Throws FormatError for a text that is
/// not such a trace.
export void merge_chrome_traces(std::ostream& out, std::span<const std::string> traces);

}  // namespace tessera
