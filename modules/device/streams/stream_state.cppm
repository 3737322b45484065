module;
#include <cstddef>
#include <cstdint>
module tessera.device:stream_state;
import tessera.standard;
import tessera.core;
import :place;
import :stream;
import :driver_table;
import :launch_notes;

// What a stream keeps: how much work it was given, how much is known to be done, events between the two, and its last
// launches.
namespace tessera::device {

/// A CUDA event of one GPU, lent from a free list of that GPU.
class Event {
 public:
  explicit Event(GpuPlace place);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  CuEvent native() const { return native_; }

 private:
  GpuPlace place_;
  CuEvent native_;
};

/// The part of a Stream that threads share. An event is recorded only when somebody asks for a mark that no recorded
/// event covers. A later event covers more than was asked for, which is correct.
class StreamState {
 public:
  StreamState(GpuPlace place, CuStream native) : place_(place), native_(native) {}

  GpuPlace place() const { return place_; }
  CuStream native() const { return native_; }
  std::uint64_t given() const { return given_.load(std::memory_order_acquire); }
  /// Called after the work has been given to CUDA, so that an event that is recorded when the number is seen covers it.
  std::uint64_t count() { return given_.fetch_add(1, std::memory_order_release) + 1; }

  /// Launches that the stream's thread collects have their numbers before they are given to CUDA, which happens soon. In this order another
  /// thread never sees a number that will not come.
  std::uint64_t promised() const { return given() + collected_.load(std::memory_order_relaxed); }
  bool collects() const { return collected_.load(std::memory_order_relaxed) != 0; }
  void promise() { collected_.fetch_add(1, std::memory_order_relaxed); }
  /// All that was promised has been given to CUDA. Returns the number of the first.
  std::uint64_t keep_promises() {
    const std::uint64_t count = collected_.exchange(0, std::memory_order_relaxed);
    return given_.fetch_add(count, std::memory_order_release) + 1;
  }
  /// Known to be done without asking.
  std::uint64_t reached() const { return reached_.load(std::memory_order_acquire); }

  bool poll(std::uint64_t sequence);
  void wait(std::uint64_t sequence);
  /// Lets another stream wait for the sequence; returns what it really waits for, which may be later.
  std::uint64_t hold_back(StreamState& waiter, std::uint64_t sequence);

  static StreamState& of(const Stream& stream) { return *stream.state_; }
  void note_launch(std::uint64_t sequence, std::string_view expression, const std::source_location& where);
  LaunchNotes::Found first_unproven_launch() const;

  /// This stream's work after its number `at` starts after the other's up to `sequence`.
  void note_wait(const StreamState& other, std::uint64_t sequence, std::uint64_t at);
  /// Work up to the number `at` is known to start after the other's up to `sequence`.
  bool waits_for(const StreamState& other, std::uint64_t sequence, std::uint64_t at) const;

 private:
  struct Waited {
    std::uint64_t sequence = 0;
    std::uint64_t at = 0;
  };
  struct Recorded {
    std::uint64_t sequence;
    std::shared_ptr<Event> event;  // those who wait for it keep it from being recorded again
  };

  /// Returns when the work has been given to CUDA: gives what this thread has collected, and waits for others.
  void require_given(std::uint64_t sequence);
  /// The first event that covers the sequence, which has been given; records one if there is none.
  Recorded covering(std::uint64_t sequence);
  void retire_done();
  /// All events up to this one are done.
  void retire(std::uint64_t sequence);

  GpuPlace place_;
  CuStream native_;
  std::atomic<std::uint64_t> given_ = 0;
  std::atomic<std::uint64_t> collected_ = 0;
  std::atomic<std::uint64_t> reached_ = 0;
  std::mutex mutex_;
  std::vector<Recorded> recorded_;  // in the order of their sequences
  std::size_t first_ = 0;           // those before are done; their places go in bulk
  mutable std::mutex waits_mutex_;
  std::unordered_map<const StreamState*, Waited> waited_;
  mutable std::mutex notes_mutex_;
  LaunchNotes notes_;
};

}  // namespace tessera::device
