module;
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>
module tessera.collective;
import tessera.device;
import tessera.darray;

// The steps that move elements between GPUs.
namespace tessera::collective {

namespace {

bool is_root(const GpuCall& call) { return call.rank() == call.operation().note.root; }

std::int64_t own(const GpuCall& call, const std::vector<std::int64_t>& bytes) {
  return bytes[static_cast<std::size_t>(call.rank())];
}

}  // namespace

Protocol broadcast_on_gpus(Operation& operation, const Agreement& agreement) {
  return on_gpus(operation, agreement, [&operation](GpuCall& call) {
    const GpuMemory from = is_root(call) ? call.sent() : GpuMemory();
    const GpuMemory to = is_root(call) ? from : call.received();
    return call.broadcast(from, to, operation.to.bytes(), operation.note.root);
  });
}

Protocol all_gather_on_gpus(Operation& operation, const Agreement& agreement, std::vector<std::int64_t> bytes) {
  return on_gpus(operation, agreement, [bytes = std::move(bytes)](GpuCall& call) {
    const GpuMemory from = call.sent();
    return call.all_gather(from, call.received(), bytes);
  });
}

Protocol gather_on_gpus(Operation& operation, const Agreement& agreement, std::vector<std::int64_t> bytes) {
  return on_gpus(operation, agreement, [&operation, bytes = std::move(bytes)](GpuCall& call) {
    const GpuMemory from = call.sent(), to = is_root(call) ? call.received() : GpuMemory();
    std::vector<GpuPart> sent{{operation.note.root, from.data, own(call, bytes)}}, received;
    if (is_root(call)) received = parts_of(to, bytes);
    return call.exchange(std::move(sent), from, std::move(received), to);
  });
}

Protocol scatter_on_gpus(Operation& operation, const Agreement& agreement, std::vector<std::int64_t> bytes) {
  return on_gpus(operation, agreement, [&operation, bytes = std::move(bytes)](GpuCall& call) {
    const GpuMemory from = is_root(call) ? call.sent() : GpuMemory(), to = call.received();
    std::vector<GpuPart> sent, received{{operation.note.root, to.data, own(call, bytes)}};
    if (is_root(call)) sent = parts_of(from, bytes);
    return call.exchange(std::move(sent), from, std::move(received), to);
  });
}

Protocol all_to_all_on_gpus(Operation& operation, const Agreement& agreement, std::vector<std::int64_t> sent,
                            std::vector<std::int64_t> received) {
  return on_gpus(operation, agreement, [sent = std::move(sent), received = std::move(received)](GpuCall& call) {
    const GpuMemory from = call.sent(), to = call.received();
    return call.exchange(parts_of(from, sent), from, parts_of(to, received), to);
  });
}

}  // namespace tessera::collective
