module;
#include <cstddef>
#include <cstdint>
export module tessera.device:stream;
import tessera.standard;
import tessera.core;
import :place;

// Streams: queues of a GPU's work, one per host thread and GPU. Their order is that of the calls that gave them work;
// marks are points in it, for which other streams wait without the host, and the host only where it needs a result.
namespace tessera::device {

class StreamState;
export class Stream;

/// A point in the work of a stream: everything that the stream was given before. A value of two words that never
/// dangles. The default is before all work.
export class StreamMark {
 public:
  constexpr StreamMark() = default;
  constexpr StreamMark(Stream& stream, std::uint64_t sequence) : stream_(&stream), sequence_(sequence) {}

  /// The GPU has done the work. Asks the GPU and does not wait. Throws DeviceError if work of the GPU has failed.
  bool is_reached() const;

  /// As far as is known without asking: false may be out of date.
  bool is_known_reached() const noexcept;

  /// Returns when the GPU has done the work. Throws DeviceError if work of the GPU has failed.
  void wait() const;

  /// Null for the default.
  constexpr Stream* stream() const { return stream_; }
  /// Number of pieces of work up to the mark.
  constexpr std::uint64_t sequence() const { return sequence_; }

  friend constexpr bool operator==(const StreamMark&, const StreamMark&) = default;

 private:
  Stream* stream_ = nullptr;
  std::uint64_t sequence_ = 0;
};

/// A queue of work of one GPU. Streams are made by current() and create() and never destroyed. Giving a stream work is
/// for the thread whose stream it is; everything else is safe from any thread.
export class Stream {
 public:
  /// The calling thread's stream on that GPU, made at first use. When a thread ends, its streams go to threads that
  /// come later, with the work that they still have. Throws DeviceError without that GPU.
  static Stream& current(GpuPlace place);

  /// A further stream, for work beside that of current(). Lives for ever. Throws DeviceError without that GPU.
  static Stream& create(GpuPlace place);

  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  GpuPlace place() const { return place_; }

  /// After all work that the stream has been given so far. Calls no function of CUDA.
  StreamMark mark() const;

  /// Notes that one more piece of work has been given to native(), and returns its number. For those who call CUDA
  /// themselves, right after the call; the functions of tessera::device do so.
  std::uint64_t count_work();

  /// Work that is given from now on starts after the mark, by the GPU's own means: the host does not wait. Nothing
  /// needs to be done for a mark of the same stream, or one that is known to be reached. Throws DeviceError if the
  /// driver refuses.
  void wait(const StreamMark& mark);

  /// Returns when all work so far is done. Throws DeviceError with what failed; after an error that CUDA calls sticky,
  /// so does every later call for this GPU, until the process ends.
  void synchronize();

  /// The CUstream, for other libraries. Gives it what CollectedLaunches of this thread hold back. Throws DeviceError if that fails.
  void* native() const;

 private:
  friend class StreamMark;
  friend class StreamState;

  explicit Stream(GpuPlace place);

  GpuPlace place_;
  StreamState* state_;
};

namespace launching {

/// Makes a GPU's context the calling thread's, for libraries that are given streams of that GPU. Throws DeviceError without that GPU.
export void make_current(GpuPlace place);

}  // namespace launching

/// "`w - 0.1 * g` at train.cpp:12": the first launch of the GPU that is not known to have succeeded; empty if there is
/// none.
std::string first_unproven_launch(GpuPlace place);

}  // namespace tessera::device

namespace tessera {

/// Returns when all GPUs have done all work that they have been given. Throws DeviceError if any of it failed.
export void synchronize();

/// The same for one GPU; nothing for a place of the host.
export void synchronize(Place place);

}  // namespace tessera
