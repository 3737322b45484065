module;
#include <cstddef>
export module tessera.schedule:worker_threads;
import tessera.standard;
import :executor;
import :engine;

// Threads for a pool of workers, asked for one at a time.
namespace tessera {

/// Lets oneTBB have at least so many threads, the caller's included; otherwise it makes them for the cores alone. It is never taken back:
/// arenas bound what runs at once.
void allow_threads(std::size_t threads);

/// Threads of oneTBB, or, in a forked child, which has none of those, threads of its own.
class WorkerThreads {
 public:
  using Work = void (*)(Executor& pool, std::size_t worker);

  /// For workers 0 to `count` - 1.
  explicit WorkerThreads(std::size_t count);
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;
  ~WorkerThreads();

  /// Has a thread call `work(*pool, worker)`, soon, or when the call before for this worker has returned; pool and engine are held until it has
  /// returned. Throws std::bad_alloc, std::system_error.
  void request(std::size_t worker, std::shared_ptr<Executor> pool, std::shared_ptr<Engine> engine, Work work);

 private:
  struct Arena;
  std::vector<Arena> arenas_;
};

}  // namespace tessera
