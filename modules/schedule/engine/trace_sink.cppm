module;
#include <cstdint>
export module tessera.schedule:trace_sink;
import tessera.standard;
import :op_state;

// Where the engine reports what it does while a trace is taken.
namespace tessera {

/// Takes reports from any thread.
class TraceSink {
 public:
  TraceSink() = default;
  TraceSink(const TraceSink&) = delete;
  TraceSink& operator=(const TraceSink&) = delete;
  virtual ~TraceSink() = default;

  /// An op is about to be registered; its extras are there. Throws std::bad_alloc.
  virtual void submitted(OpState& op) = 0;
  /// An op has ended; its accesses are still held.
  virtual void ended(const OpState& op) noexcept = 0;
};

}  // namespace tessera
