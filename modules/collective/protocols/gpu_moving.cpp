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

bool is_root(const Operation& operation) { return operation.rank() == operation.note.root; }

std::int64_t own(const Operation& operation, const std::vector<std::int64_t>& bytes) {
  return bytes[static_cast<std::size_t>(operation.rank())];
}

}  // namespace

Protocol broadcast_on_gpus(Operation& operation, const Agreement& agreement) {
  GpuCall call(operation, agreement);
  Protocol begun = call.begin();
  co_await begun;
  const GpuMemory from = is_root(operation) ? call.sent() : GpuMemory();
  const GpuMemory to = is_root(operation) ? from : call.received();
  Protocol moved = call.broadcast(from, to, operation.to.bytes(), operation.note.root);
  co_await moved;
  if (!is_root(operation)) call.deliver();
  Protocol ended = call.end();
  co_await ended;
}

Protocol all_gather_on_gpus(Operation& operation, const Agreement& agreement, std::vector<std::int64_t> bytes) {
  GpuCall call(operation, agreement);
  Protocol begun = call.begin();
  co_await begun;
  const GpuMemory from = call.sent();
  Protocol moved = call.all_gather(from, call.received(), std::move(bytes));
  co_await moved;
  call.deliver();
  Protocol ended = call.end();
  co_await ended;
}

Protocol gather_on_gpus(Operation& operation, const Agreement& agreement, std::vector<std::int64_t> bytes) {
  GpuCall call(operation, agreement);
  Protocol begun = call.begin();
  co_await begun;
  const GpuMemory from = call.sent(), to = is_root(operation) ? call.received() : GpuMemory();
  std::vector<GpuPart> sent{{operation.note.root, from.data, own(operation, bytes)}}, received;
  if (is_root(operation)) received = parts_of(to, bytes);
  Protocol moved = call.exchange(std::move(sent), from, std::move(received), to);
  co_await moved;
  if (is_root(operation)) call.deliver();
  Protocol ended = call.end();
  co_await ended;
}

Protocol scatter_on_gpus(Operation& operation, const Agreement& agreement, std::vector<std::int64_t> bytes) {
  GpuCall call(operation, agreement);
  Protocol begun = call.begin();
  co_await begun;
  const GpuMemory from = is_root(operation) ? call.sent() : GpuMemory(), to = call.received();
  std::vector<GpuPart> sent, received{{operation.note.root, to.data, own(operation, bytes)}};
  if (is_root(operation)) sent = parts_of(from, bytes);
  Protocol moved = call.exchange(std::move(sent), from, std::move(received), to);
  co_await moved;
  call.deliver();
  Protocol ended = call.end();
  co_await ended;
}

Protocol all_to_all_on_gpus(Operation& operation, const Agreement& agreement, std::vector<std::int64_t> sent,
                            std::vector<std::int64_t> received) {
  GpuCall call(operation, agreement);
  Protocol begun = call.begin();
  co_await begun;
  const GpuMemory from = call.sent(), to = call.received();
  Protocol moved = call.exchange(parts_of(from, sent), from, parts_of(to, received), to);
  co_await moved;
  call.deliver();
  Protocol ended = call.end();
  co_await ended;
}

}  // namespace tessera::collective
