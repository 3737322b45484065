// The state of the fake driver: its GPUs, pinned memory, streams with pending work, and what was called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gpu_memory.hpp"

namespace fake {

inline constexpr int success = 0, invalid_value = 1, out_of_memory = 2, not_initialized = 3, invalid_device = 101,
                     invalid_image = 200, invalid_context = 201, invalid_handle = 400, not_found = 500, not_ready = 600,
                     out_of_resources = 701;

struct Range {
  std::uint64_t begin = 0, end = 0;
};

struct Stream;

/// A piece of work that waits in a stream.
struct Work {
  std::string name;
  std::vector<Range> uses;        // memory that must live until it has run
  const Stream* after = nullptr;  // a wait: runs when this stream has done so much
  std::uint64_t after_position = 0;
  std::function<void()> run;
  std::function<bool()> is_ready = {};  // what it waits for outside of this machine has come; empty: nothing
};

struct Gpu {
  int ordinal = 0;
  GpuMemory memory{};
  int broken = success;  // a sticky error: every call returns it
};

struct Stream {
  Gpu* gpu = nullptr;
  int number = 0;
  std::deque<Work> pending{};
  std::uint64_t given = 0;
  std::uint64_t done = 0;
  std::map<std::uint64_t, double> done_at{};  // milliseconds, for positions that an event with timing marks
};

struct Event {
  const Gpu* gpu = nullptr;
  bool has_time = false;
  Stream* stream = nullptr;  // null until it is recorded
  std::uint64_t position = 0;
};

/// Work that is given stays pending until the host waits for some of it. Then streams that can go on are served in an
/// order that FAKE_CUDA_SEED chooses, until what the host waits for is done: only stream order and waits for events are
/// honoured.
class Machine {
 public:
  static Machine& instance();

  std::mutex mutex;
  bool initialised = false;
  Gpu gpus[most_devices];
  std::map<std::uint64_t, std::size_t> pinned;
  std::size_t pinned_in_use = 0;
  int failing_calls = 0;  // so many of the next copies and allocations fail
  int failure = success;
  int breaks_next_work = success;  // a sticky error that the next work brings when it runs
  std::vector<Range> unborn;       // memory of pools whose stream has not come to its allocation
  std::vector<Range> dying;        // memory of pools that has been given back, until its stream comes to that
  bool is_held = false;            // work runs only when the host sleeps until it is done, not when it asks
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<std::unique_ptr<Event>> events;

  void give(Stream& stream, Work work);
  /// The host waits, for work that other processes have part in as well.
  void run_until(const Stream& stream, std::uint64_t position);
  void run_all();
  /// Some work, as a GPU does while the host asks.
  void run_perhaps();

  bool knows(const Stream* stream) const;
  bool knows(const Event* event) const;
  Gpu* gpu_of(std::uint64_t address);
  bool is_pinned(std::uint64_t address, std::size_t bytes) const;
  /// Ends the process if pending work uses the memory.
  void require_unused(Range range, const std::string& call) const;
  /// Ends the process if one of the ranges is among the others.
  void require_apart(const std::vector<Range>& ranges, const std::vector<Range>& others, const std::string& what) const;
  /// Ends the process if the address is in a GPU's range but not in live memory.
  void require_live(std::uint64_t address, std::size_t bytes, const std::string& what);
  /// Where the fake sees an address of a GPU or of the host.
  std::byte* behind(std::uint64_t address);

  void log(const std::string& line);
  void start_log();
  const std::string& text_of_log() const { return log_; }

  unsigned random_below(unsigned end);

 private:
  Machine();
  bool can_go_on(const Stream& stream) const;
  bool run_one();
  void run_front(Stream& stream);

  bool logs_ = false;
  std::string log_;
  std::uint64_t random_;
};

/// Of a steady clock.
double milliseconds();

/// Ends the process: the program misuses CUDA in a way that the real driver need not notice.
[[noreturn]] void refuse(const std::string& message);

}  // namespace fake
