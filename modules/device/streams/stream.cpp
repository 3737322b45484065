module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>
module tessera.device;
import tessera.core;
import :driver_table;
import :gpu_error;
import :launch_collector;
import :stream_state;

// Streams of threads: made at first use, handed on when their thread ends.
namespace tessera::device {

namespace {

/// The streams of one GPU.
struct StreamList {
  std::mutex mutex;
  std::vector<Stream*> all;
  std::vector<Stream*> without_thread;
};

StreamList& streams_of(GpuPlace place) {
  static auto& lists = *new std::deque<StreamList>(driver().devices.size());
  return lists[static_cast<std::size_t>(place.ordinal)];
}

class ThreadStreams;
constinit thread_local ThreadStreams* streams_of_thread = nullptr;
constinit thread_local bool thread_has_ended = false;

/// The calling thread's stream on each GPU.
class ThreadStreams {
 public:
  ThreadStreams() { streams_of_thread = this; }
  ThreadStreams(const ThreadStreams&) = delete;
  ThreadStreams& operator=(const ThreadStreams&) = delete;
  ~ThreadStreams() {
    streams_of_thread = nullptr;
    thread_has_ended = true;
    for (Stream* stream : streams_) {
      if (stream == nullptr) continue;
      StreamList& list = streams_of(stream->place());
      const std::lock_guard lock(list.mutex);
      list.without_thread.push_back(stream);  // it has a place reserved for every stream
    }
  }

  Stream*& on(GpuPlace place) {
    if (streams_.empty()) streams_.resize(driver().devices.size());
    return streams_[static_cast<std::size_t>(place.ordinal)];
  }

 private:
  std::vector<Stream*> streams_;
};

ThreadStreams& of_this_thread() {
  if (streams_of_thread != nullptr) return *streams_of_thread;
  if (thread_has_ended) return *new ThreadStreams;  // for those of its objects that end later still
  thread_local ThreadStreams streams;
  return streams;
}

Stream* take_without_thread(GpuPlace place) {
  StreamList& list = streams_of(place);
  const std::lock_guard lock(list.mutex);
  if (list.without_thread.empty()) return nullptr;
  Stream* taken = list.without_thread.back();
  list.without_thread.pop_back();
  return taken;
}

CuStream make_native(GpuPlace place) {
  enter(place);
  constexpr unsigned beside_the_default_stream = 1;
  CuStream made = nullptr;
  check(driver().stream_create(&made, beside_the_default_stream), "cuStreamCreate", place);
  return made;
}

std::vector<Stream*> all_streams(GpuPlace place) {
  StreamList& list = streams_of(place);
  const std::lock_guard lock(list.mutex);
  return list.all;
}

}  // namespace

Stream::Stream(GpuPlace place) : place_(place), state_(new StreamState(place, make_native(place))) {}

Stream& Stream::create(GpuPlace place) {
  require_device(place);
  auto* made = new Stream(place);
  StreamList& list = streams_of(place);
  const std::lock_guard lock(list.mutex);
  list.without_thread.reserve(list.all.size() + 1);
  list.all.push_back(made);
  return *made;
}

Stream& Stream::current(GpuPlace place) {
  require_device(place);
  Stream*& stream = of_this_thread().on(place);
  if (stream == nullptr) stream = take_without_thread(place);
  if (stream == nullptr) stream = &create(place);
  return *stream;
}

StreamMark Stream::mark() const { return StreamMark(const_cast<Stream&>(*this), state_->promised()); }

void launching::make_current(GpuPlace place) {
  require_device(place);
  enter(place);
}

std::uint64_t Stream::count_work() { return state_->count(); }

void Stream::wait(const StreamMark& mark) {
  if (mark.stream() == nullptr || mark.stream() == this) return;
  StreamState& other = *mark.stream()->state_;
  if (mark.sequence() <= other.reached() || state_->waits_for(other, mark.sequence(), state_->promised())) return;
  const std::uint64_t sequence = other.hold_back(*state_, mark.sequence());
  state_->note_wait(other, sequence, state_->promised());
}

void Stream::synchronize() { mark().wait(); }

void* Stream::native() const {
  give_collected(*state_);  // what is given to CUDA now comes after it
  return state_->native();
}

bool StreamMark::is_reached() const { return stream_ == nullptr || stream_->state_->poll(sequence_); }

bool StreamMark::is_known_reached() const noexcept {
  return stream_ == nullptr || sequence_ <= stream_->state_->reached();
}

void StreamMark::wait() const {
  if (stream_ != nullptr) stream_->state_->wait(sequence_);
}

std::string first_unproven_launch(GpuPlace place) {
  LaunchNotes::Found first;
  for (const Stream* stream : all_streams(place)) {
    const LaunchNotes::Found found = StreamState::of(*stream).first_unproven_launch();
    if (found.text.empty()) continue;
    if (first.text.empty() || found.ticket < first.ticket) first = found;
  }
  return first.text;
}

}  // namespace tessera::device

namespace tessera {

void synchronize() {
  for (const DeviceInfo& gpu : devices()) synchronize(gpu.place);
}

void synchronize(Place place) {
  if (place.on_host()) return;
  require_device(place);
  for (device::Stream* stream : device::all_streams(GpuPlace{place.ordinal()})) stream->synchronize();
}

}  // namespace tessera
