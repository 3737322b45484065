module;
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module tessera.device;
import tessera.core;
import :driver_table;
import :gpu_error;
import :stream_trace;

// From events to times.
namespace tessera::device {

namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> some_trace = false;
std::mutex active_mutex;

std::shared_ptr<StreamSink>& active() {
  static auto& sink = *new std::shared_ptr<StreamSink>;
  return sink;
}

/// An event that has a time.
class TimedEvent {
 public:
  explicit TimedEvent(GpuPlace place) : place_(place) {
    constexpr unsigned with_timing = 0;
    enter(place_);
    check(driver().event_create(&native_, with_timing), "cuEventCreate", place_);
  }
  TimedEvent(const TimedEvent&) = delete;
  TimedEvent& operator=(const TimedEvent&) = delete;
  ~TimedEvent() {
    try {
      enter(place_);
    } catch (...) {  // with the GPU everything is lost
      return;
    }
    driver().event_destroy(native_);
  }

  void record(const Stream& stream) const {
    enter(place_);
    check(driver().event_record(native_, stream.native()), "cuEventRecord", place_);
  }
  void wait() const {
    enter(place_);
    check(driver().event_synchronize(native_), "cuEventSynchronize", place_);
  }
  /// Nanoseconds from another event to this one; both are reached.
  std::int64_t since(const TimedEvent& other) const {
    float milliseconds = 0;
    enter(place_);
    check(driver().event_elapsed(&milliseconds, other.native_, native_), "cuEventElapsedTime", place_);
    return static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6);
  }

 private:
  GpuPlace place_;
  CuEvent native_ = nullptr;
};

/// A stream of the GPU that has no work, on which an event is reached at once.
Stream& idle_stream(GpuPlace place) {
  static auto& mutex = *new std::mutex;
  static auto& streams = *new std::map<int, Stream*>;
  const std::lock_guard lock(mutex);
  Stream*& stream = streams[place.ordinal];
  if (stream == nullptr) stream = &Stream::create(place);
  return *stream;
}

/// A time on both clocks. CUDA counts from one event to another in floats of milliseconds, which are exact to a microsecond for 16 seconds.
class Origin {
 public:
  explicit Origin(GpuPlace place) : event_(place) {
    event_.record(idle_stream(place));
    event_.wait();
    time_ = Clock::now();
  }

  Clock::time_point time_of(const TimedEvent& event) const {
    return time_ + std::chrono::nanoseconds(event.since(event_));
  }
  bool is_old() const { return Clock::now() - time_ > std::chrono::seconds(8); }

 private:
  TimedEvent event_;
  Clock::time_point time_;
};

struct Piece {
  Piece(Stream& on, StreamRecord what, std::shared_ptr<const Origin> from)
      : record(std::move(what)), origin(std::move(from)), begin(on.place()), end(on.place()), stream(on) {}

  StreamRecord record;
  std::shared_ptr<const Origin> origin;
  TimedEvent begin;
  TimedEvent end;
  const Stream& stream;
  bool is_complete = false;
};

}  // namespace

class StreamSink {
 public:
  std::size_t start(Stream& stream, std::string_view name, std::ptrdiff_t bytes, const std::source_location& where) {
    const std::lock_guard lock(mutex_);
    const GpuPlace place = stream.place();
    std::shared_ptr<const Origin>& origin = origins_[place.ordinal];
    if (origin == nullptr || origin->is_old()) origin = std::make_shared<const Origin>(place);
    StreamRecord record{
        .place = place, .stream = number_of(stream), .name = std::string(name), .bytes = bytes, .where = where};
    pieces_.push_back(std::make_shared<Piece>(stream, std::move(record), origin));
    pieces_.back()->begin.record(stream);
    return pieces_.size() - 1;
  }

  void finish(std::size_t number) {
    const std::lock_guard lock(mutex_);
    Piece& piece = *pieces_[number];
    piece.end.record(piece.stream);
    piece.is_complete = true;
  }

  std::vector<StreamRecord> records() const {
    std::vector<StreamRecord> records;
    // A stream's work comes one after the other, whatever rounding makes of its times.
    std::map<const Stream*, std::int64_t> ends;
    for (const std::shared_ptr<const Piece>& piece : complete_pieces()) {
      piece->end.wait();
      StreamRecord& record = records.emplace_back(piece->record);
      const std::int64_t start = std::chrono::nanoseconds(piece->origin->time_of(piece->begin) - begin).count();
      std::int64_t& end = ends[&piece->stream];
      record.begin = std::max(start, end);
      record.end = end = std::max(record.begin, start + piece->end.since(piece->begin));
    }
    std::ranges::sort(records, {}, [](const StreamRecord& work) { return std::pair(work.begin, work.end); });
    return records;
  }

  const Clock::time_point begin = Clock::now();
  std::atomic<std::size_t> lost = 0;

 private:
  std::vector<std::shared_ptr<const Piece>> complete_pieces() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<const Piece>> complete;
    std::ranges::copy_if(pieces_, std::back_inserter(complete), &Piece::is_complete,
                         [](const auto& piece) -> const Piece& { return *piece; });
    return complete;
  }

  int number_of(const Stream& stream) {
    std::vector<const Stream*>& known = streams_[stream.place().ordinal];
    const auto found = std::ranges::find(known, &stream);
    if (found == known.end()) return known.push_back(&stream), static_cast<int>(known.size()) - 1;
    return static_cast<int>(found - known.begin());
  }

  mutable std::mutex mutex_;
  std::map<int, std::shared_ptr<const Origin>> origins_;  // the newest of each GPU
  std::map<int, std::vector<const Stream*>> streams_;
  std::vector<std::shared_ptr<Piece>> pieces_;
};

StreamTrace::StreamTrace() : sink_(std::make_shared<StreamSink>()) {
  const std::lock_guard lock(active_mutex);
  active() = sink_;
  some_trace.store(true, std::memory_order_release);
}

StreamTrace::~StreamTrace() {
  const std::lock_guard lock(active_mutex);
  if (active() != sink_) return;
  active().reset();
  some_trace.store(false, std::memory_order_release);
}

std::vector<StreamRecord> StreamTrace::records() const { return sink_->records(); }

std::size_t StreamTrace::lost() const { return sink_->lost; }

Clock::time_point StreamTrace::begin() const { return sink_->begin; }

bool TracedWork::is_traced() noexcept { return some_trace.load(std::memory_order_acquire); }

void TracedWork::start(Stream& stream, std::string_view name, std::ptrdiff_t bytes,
                       const std::source_location& where) noexcept {
  std::shared_ptr<StreamSink> sink;
  {
    const std::lock_guard lock(active_mutex);
    sink = active();
  }
  if (sink == nullptr) return;
  try {
    number_ = sink->start(stream, name, bytes, where);
    sink_ = std::move(sink);
  } catch (...) {  // the work itself will say what is wrong with the GPU
    ++sink->lost;
  }
}

void TracedWork::finish() noexcept {
  try {
    sink_->finish(number_);
  } catch (...) {
    ++sink_->lost;
  }
}

}  // namespace tessera::device
