module;
#include <cstddef>
module tessera.memory:watch;
import tessera.standard;
import tessera.device;
import :debug_allocator;
import :trace;

// Debug mode, traces, growth: a pool that is watched shows each call and uses no caches of threads.
namespace tessera::memory {

class PoolState;

/// What sees each call of a pool, on whose functions it is built.
class Watch {
 public:
  explicit Watch(PoolState& pool);

  /// As the pool's functions of the same names.
  void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment, std::source_location where);
  bool deallocate(void* pointer);
  void set_debug(bool on);
  std::string leaks() const { return heap_.leaks(); }
  void start_trace(const std::string& path);
  void stop_trace();
  void follow_growth(std::function<void(std::ptrdiff_t)> callback);

 private:
  bool is_active() const;
  bool is_idle() const;
  void trace_allocation(void* pointer, std::ptrdiff_t bytes);
  void trace_free(void* pointer);
  void tell_growth();
  void release_kept_blocks();
  bool dismiss(void* pointer);

  PoolState& pool_;
  DebugHeap heap_;
  std::atomic<bool> debug_{false};
  std::mutex trace_mutex_;
  std::unique_ptr<TraceWriter> trace_;

  std::atomic<bool> traced_{false};    // whether there is a trace
  std::atomic<bool> followed_{false};  // whether somebody follows the growth
  std::atomic<bool> telling_{false};   // somebody has the next three
  std::function<void(std::ptrdiff_t)> growth_;
  std::ptrdiff_t told_ = 0;  // bytes in use at the last call
  std::ptrdiff_t unknown_ =
      0;  // bytes in use that the pool's own figure lacks: what caches of threads had not published
};

}  // namespace tessera::memory
