module;
#include <cstddef>
export module tessera.device:stream_uses;
import tessera.standard;
import tessera.core;
import :place;
import :stream;

// Which streams' work uses a piece of memory.
namespace tessera::device {

/// Some points in the work of streams; the usual few need no memory of their own.
export using StreamMarks = core::SmallVector<StreamMark, 4>;

/// The last writings and the readings since then of one piece of memory, so that new work can be ordered after them: reading after the
/// writings, writing and freeing after all. Work is ordered first, then given to its stream, then noted. Safe from any thread: several may be
/// between ordering and noting at once, as threads are that write disjoint parts of the memory, and none of their uses is lost.
export class StreamUses {
 public:
  StreamUses() = default;
  StreamUses(const StreamUses&) = delete;
  StreamUses& operator=(const StreamUses&) = delete;

  /// Work that the stream is given from now on may read: it starts after the last writings. The host does not wait.
  void order_read(Stream& stream) const;
  /// Work that the stream is given from now on may write, and memory may be freed on it: it starts after all uses.
  void order_write(Stream& stream) const;

  /// The work up to the mark reads. order_read has made room to note that; where other threads have used it up and there is no memory for more,
  /// waits until the work is done. Throws DeviceError if it fails.
  void note_read(const StreamMark& mark);
  /// The work up to the mark writes. Earlier uses after which its stream was ordered are forgotten; those that others have noted in between
  /// stay. Where there is no memory for one more, waits until the other writing is done. Throws DeviceError if that fails.
  void note_write(const StreamMark& mark);

  /// Return when the host may read (the last writings are done), or write (all uses are done). Throw DeviceError if work
  /// failed.
  void wait_for_reading() const;
  void wait_for_writing() const;

  /// Nothing uses the memory any more. Asks the GPU and does not wait.
  bool is_idle() const;

  /// Points that must be reached before the memory is free: the last writings, and the readings since then.
  StreamMarks marks() const;
  /// Those of them that are not known to be reached.
  StreamMarks unreached() const;
  /// Points that must be reached before the memory can be read: of one writing, unless threads have written at the same time.
  StreamMarks writes() const;

  /// Work that the stream is given from now on starts after all uses: the memory can be freed on that stream.
  void join(Stream& stream) const { order_write(stream); }

 private:
  enum class Which { writes, all };
  template <class Visit>
  void visit(Which which, const Visit& visit) const;
  template <class Wanted>
  StreamMarks collect(Which which, const Wanted& wanted) const;
  void order(Which which, Stream& stream) const;
  StreamMark try_to_note_write(const StreamMark& mark);

  mutable std::mutex mutex_;
  StreamMark write_;                       // the last one that was noted
  std::vector<StreamMark> other_writes_;   // that it was not ordered after; at most one of each stream
  mutable std::vector<StreamMark> reads_;  // at most one of each stream; order_read makes room
};

}  // namespace tessera::device
