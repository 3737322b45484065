module;
#include <cstddef>
export module tessera.array:ready;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import :concepts;
import :buffer;
import :handle;

// Waiting in an op for what GPUs do with an array.
namespace tessera {

/// Awaited in an op that has declared the array's Var: goes on when GPUs have done the work that writes its elements, or, unless they are to
/// be read only, any work with them. It holds no worker meanwhile; element access after it does not wait. Throws SchedulerError if the op
/// has not declared the Var and something is pending on it, OperationFailed if the elements could not be written, DeviceError if work of
/// the GPU has failed.
///
///   Op report(Scheduler&, Array<float, 1> loss) {
///     co_await access(reads(loss.var()));
///     co_await ready(loss);
///     std::printf("%g\n", float(loss[{0}]));
///   }
export template <ArrayHandle A>
schedule::StreamMarksAwaiter ready(const A& array, schedule::Purpose purpose = schedule::Purpose::read) {
  std::vector<device::StreamMark> marks;
  if (const auto& buffer = array.buffer(); buffer != nullptr) {
    constexpr auto item = static_cast<std::ptrdiff_t>(sizeof(typename A::value_type));
    buffer->wait_for_ops(purpose, {array.data(), array.shape().extents(), array.strides(), item});
    buffer->add_unreached(purpose, marks);
  }
  return schedule::StreamMarksAwaiter(std::move(marks));
}

}  // namespace tessera
