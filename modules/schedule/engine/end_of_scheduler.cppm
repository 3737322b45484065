export module tessera.schedule:end_of_scheduler;
import tessera.standard;
import :signal;
import :engine;

// The end of a scheduler, which waits for all of its ops.
namespace tessera {

/// As wait_for_all(). If for the engine's patience no op runs, a line on stderr names the coroutines that have begun.
void shut_down(Engine& engine, const Deadline& deadline);

/// The same on any thread, without a look at failures.
void drain(Engine& engine) noexcept;

}  // namespace tessera
