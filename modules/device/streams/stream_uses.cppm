module;
#include <cstddef>
#include <cstdint>
export module tessera.device:stream_uses;
import tessera.standard;
import tessera.core;
import :place;
import :stream;

// Which streams' work uses a piece of memory.
namespace tessera::device {

/// The last writing and the readings since then of one piece of memory, so that new work can be ordered after them:
/// reading after the writing, writing and freeing after all. Work is ordered first, then given to its stream, then
/// noted. Safe from any thread.
export class StreamUses {
 public:
  StreamUses() = default;
  StreamUses(const StreamUses&) = delete;
  StreamUses& operator=(const StreamUses&) = delete;

  /// Work that the stream is given from now on may read: it starts after the last writing. The host does not wait.
  void order_read(Stream& stream) const;
  /// Work that the stream is given from now on may write, and memory may be freed on it: it starts after all uses.
  void order_write(Stream& stream) const;

  /// The work up to the mark reads. order_read has made room to note that; where other threads have used it up and there is no memory for more,
  /// waits until the work is done. Throws DeviceError if it fails.
  void note_read(const StreamMark& mark);
  /// The work up to the mark writes, and was ordered by order_write: earlier uses are forgotten.
  void note_write(const StreamMark& mark);

  /// Return when the host may read (the last writing is done), or write (all uses are done). Throw DeviceError if work
  /// failed.
  void wait_for_reading() const;
  void wait_for_writing() const;

  /// Nothing uses the memory any more. Asks the GPU and does not wait.
  bool is_idle() const;

  /// Points that must be reached before the memory is free: the last writing, and the readings since then.
  std::vector<StreamMark> marks() const;
  /// The point that must be reached before the memory can be read.
  StreamMark last_write() const;

  /// Work that the stream is given from now on starts after all uses: the memory can be freed on that stream.
  void join(Stream& stream) const { order_write(stream); }

 private:
  mutable std::mutex mutex_;
  StreamMark write_;
  mutable std::vector<StreamMark> reads_;  // at most one of each stream; order_read makes room
};

}  // namespace tessera::device
