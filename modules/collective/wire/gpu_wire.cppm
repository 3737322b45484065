module;
#include <cstddef>
#include <cstdint>
export module tessera.collective:gpu_wire;
import tessera.standard;
import tessera.device;
import :nccl;

// What moves bytes between the GPUs of a group: one communicator of NCCL, as one of its ranks sees it.
namespace tessera::collective {

/// What one other rank sends or gets.
struct GpuPart {
  int peer;
  std::byte* data;
  std::int64_t bytes;
};

/// One GPU of each rank. All ranks call the same functions in the same order; what they ask for is work of stream(). NCCL takes it in its own time: after each
/// call the next one, and whatever else the stream is given, come when is_settled() has said so. Not for several threads at a time, but that any may give it up.
class GpuWire {
 public:
  /// `place` is the GPU of this rank.
  GpuWire(GpuPlace place, int rank, int size);
  GpuWire(const GpuWire&) = delete;
  GpuWire& operator=(const GpuWire&) = delete;

  /// An id by which all ranks begin. Throws CollectiveError in NCCL's words, as the others do.
  static NcclId make_id();

  inline bool has_begun() const noexcept { return communicator_ != nullptr; }
  void begin(const NcclId& id);
  bool is_settled() const;

  inline device::Stream& stream() const noexcept { return *stream_; }
  inline GpuPlace place() const noexcept { return place_; }

  /// Parts for this rank itself are copied. Several between two ranks come in the order in which they are sent.
  void exchange(std::span<const GpuPart> sent, std::span<const GpuPart> received);
  void broadcast(const std::byte* from, std::byte* to, std::int64_t bytes, int root);
  /// The same bytes of each rank.
  void all_gather(const std::byte* from, std::byte* to, std::int64_t bytes);

  /// The ranks will not come to what the GPU waits for: it waits no longer, and nothing can be exchanged any more.
  void give_up() noexcept;

 private:
  void check(NcclResult result) const;
  /// Before a call: the CUstream. Throws CollectiveError if it has been given up.
  void* enter() const;

  GpuPlace place_;
  int rank_, size_;
  device::Stream* stream_;
  mutable std::mutex mutex_;  // to give up is for another thread, too, and NCCL's communicator is gone then
  NcclCommunicator communicator_ = nullptr;
  bool has_given_up_ = false;
};

}  // namespace tessera::collective
