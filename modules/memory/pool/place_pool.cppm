module;
#include <cstddef>
export module tessera.memory:place_pool;
import tessera.standard;
import tessera.core;
import tessera.device;
import :allocator;
import :pool;

// One pool per place, and the functions that users call.
namespace tessera::memory {

/// The pool of a place, made on first use and never destroyed, so that arrays with static storage can be freed at exit.
/// Throws DeviceError if the place does not exist.
export Pool& pool(Place place);

/// Uninitialised memory of `place`, aligned to 64 bytes. Throws OutOfMemory, or DeviceError if the place does not exist.
/// `where` is what debug mode says of the block.
export void* alloc(Place place, std::ptrdiff_t bytes, std::source_location where = std::source_location::current());

/// Gives back memory from alloc with the same place. Throws PlaceError for any other pointer; null is ignored.
export void free(Place place, void* pointer);

/// Bytes in use at the place.
export std::ptrdiff_t used(Place place);

/// All figures of the place.
export Stats stats(Place place);

/// Returns the place's cached blocks to the system.
export void trim(Place place);

/// Highest number of bytes that the place may have in blocks, and may reserve; PTRDIFF_MAX for no limit.
export void set_limit(Place place, std::ptrdiff_t bytes);

/// Debug mode of a place (Pool::set_debug). The environment variable TESSERA_MEMORY_DEBUG=1 turns it on for all places from
/// their first allocation, and at exit the standard error gets a line for each block that was not freed.
export void set_debug(Place place, bool on);

/// A line for each block of the place that was allocated in debug mode and is live.
export std::string leaks(Place place);

/// Writes the place's allocations and their frees to a file (Pool::start_trace), for bench/memory's replay. The environment
/// variable TESSERA_MEMORY_TRACE names a file for the CPU's allocations from the first on.
export void start_trace(Place place, const std::string& path);
/// Ends what start_trace() began and closes the file. Throws FormatError if it could not be written.
export void stop_trace(Place place);

/// While it lives, `callback` is called when the place has no memory: it gets the bytes that are asked for and says whether it
/// has freed any. It may allocate and free; it must not throw.
export class PressureCallback {
 public:
  PressureCallback(Place place, std::function<bool(std::ptrdiff_t)> callback)
      : pool_(&pool(place)), number_(pool_->add_pressure_callback(std::move(callback))) {}
  PressureCallback(const PressureCallback&) = delete;
  PressureCallback& operator=(const PressureCallback&) = delete;
  ~PressureCallback() { pool_->remove_pressure_callback(number_); }

 private:
  Pool* pool_;
  int number_;
};

/// While it lives, an allocation for which the place has no memory waits, for at most set_patience: work that is under way will
/// free some.
export class PendingFree {
 public:
  explicit PendingFree(Place place) : pool_(&pool(place)) { pool_->announce_free(); }
  PendingFree(const PendingFree&) = delete;
  PendingFree& operator=(const PendingFree&) = delete;
  ~PendingFree() { pool_->finish_free(); }

 private:
  Pool* pool_;
};

/// How long allocations at the place wait for announced frees; 100 ms at first.
export void set_patience(Place place, std::chrono::milliseconds patience);

}  // namespace tessera::memory
