module;
#include <cstddef>
export module tessera.schedule:parallel;
import tessera.standard;
import tessera.core;

// A loop whose iterations run on several threads.
namespace tessera {

/// Threads inside one operation from now on, the caller's included. Throws SchedulerError below 1 or above 1024.
export void set_num_threads(int count);

/// Threads inside one operation; at first the number of cores that this process may use.
export int num_threads();

using LoopBody = void (*)(const void* context, std::ptrdiff_t index);

void run_parallel(std::ptrdiff_t count, LoopBody body, const void* context);

/// Calls `body(i)` once for each i in [0, count), on up to num_threads() threads at once, and returns when all are done. Which
/// thread takes which i is open, so write results by i. If bodies throw, the exception of the lowest such i is
/// rethrown after the loop has ended; iterations that had not begun when the first one threw may be left out only
/// above it. A loop inside a loop's body shares the same threads.
export template <class Body>
  requires std::is_invocable_v<const Body&, std::ptrdiff_t>
void parallel_for(std::ptrdiff_t count, const Body& body) {  // the body takes the index of an iteration
  run_parallel(
      count, [](const void* context, std::ptrdiff_t index) { (*static_cast<const Body*>(context))(index); },
      static_cast<const void*>(std::addressof(body)));
}

}  // namespace tessera
