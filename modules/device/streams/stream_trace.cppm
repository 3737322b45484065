module;
#include <cstddef>
#include <cstdint>
export module tessera.device:stream_trace;
import tessera.standard;
import :place;
import :stream;

// Watching GPUs: when each piece of work began and ended, by events of CUDA.
namespace tessera::device {

/// One piece of a GPU's work. Times are nanoseconds since the trace began, by the GPU's clock, which is brought to the host's within some
/// 10 microseconds. An event takes its time when the stream gets to it: of work on an idle stream the time of the launch is a part.
export struct StreamRecord {
  GpuPlace place;
  int stream = 0;             ///< of that GPU: 0, 1, ... in the order in which they were first given work in the trace
  std::string name;           ///< what was computed, "copy", "fill" or a library's function
  std::ptrdiff_t bytes = -1;  ///< that were copied or filled; -1 for other work
  std::source_location where = {};  ///< of the assignment; line 0 when unknown
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

class StreamSink;

/// Records the work that GPUs are given while it lives. Each piece costs two events, some microseconds of the host and less of the GPU. At
/// most one is active, the last one made; without one, a piece of work costs a test of a pointer.
export class StreamTrace {
 public:
  /// Throws std::bad_alloc. Opens no driver.
  StreamTrace();
  StreamTrace(const StreamTrace&) = delete;
  StreamTrace& operator=(const StreamTrace&) = delete;
  ~StreamTrace();

  /// The work so far, by its beginnings. Waits until it is done. Throws DeviceError if a GPU has failed.
  std::vector<StreamRecord> records() const;

  /// Pieces of work of which no record could be kept.
  std::size_t lost() const;

  /// From which times count.
  std::chrono::steady_clock::time_point begin() const;

 private:
  std::shared_ptr<StreamSink> sink_;
};

/// While it lives, its thread gives a stream one piece of work, which a StreamTrace records. For those who call CUDA themselves; the functions
/// of tessera::device do so.
export class TracedWork {
 public:
  TracedWork(Stream& stream, std::string_view name, std::ptrdiff_t bytes = -1, const std::source_location& where = {}) {
    if (is_traced()) [[unlikely]]
      start(stream, name, bytes, where);
  }
  TracedWork(const TracedWork&) = delete;
  TracedWork& operator=(const TracedWork&) = delete;
  ~TracedWork() {
    if (sink_ != nullptr) [[unlikely]]
      finish();
  }

  /// Whether a StreamTrace is active.
  static bool is_traced() noexcept;

 private:
  void start(Stream& stream, std::string_view name, std::ptrdiff_t bytes, const std::source_location& where) noexcept;
  void finish() noexcept;

  std::shared_ptr<StreamSink> sink_;
  std::size_t number_ = 0;
};

}  // namespace tessera::device
