module;
#include <algorithm>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>
module tessera.collective;
import tessera.core;
import tessera.device;
import tessera.darray;

// Ordering what NCCL does after what else uses the memory, and waiting without blocking anybody.
namespace tessera::collective {

namespace {

GpuPlace place_of(const Operation& operation) {
  return place_cast<GpuPlace>((operation.from.is_none() ? operation.to : operation.from).place());
}

DArray array_like(const ArrayMemory& array) { return {DDim(array.shape()), array.dtype(), array.place()}; }

}  // namespace

std::vector<GpuPart> parts_of(GpuMemory memory, std::span<const std::int64_t> bytes) {
  std::vector<GpuPart> parts;
  for (const std::int64_t count : bytes) {
    parts.push_back({.peer = static_cast<int>(parts.size()), .data = memory.data, .bytes = count});
    memory = memory + count;
  }
  return parts;
}

GpuCall::GpuCall(Operation& operation, const Agreement& agreement)
    : operation_(operation),
      agreement_(agreement),
      place_(place_of(operation)),
      turn_(*operation.group, operation.note, agreement.gpu_turn()) {}

Protocol GpuCall::begin() {
  co_await turn_;
  wire_ = &operation_.group->gpu_wire(agreement_.gpus(), place_);
  if (wire_->has_begun()) co_return;
  NcclId id{};
  if (rank() == 0) id = GpuWire::make_id();
  const std::int64_t bytes = sizeof id;
  Transfer transfer = operation_.exchange({.kind = ExchangeKind::broadcast,
                                           .peer = 0,
                                           .from = rank() == 0 ? &id : nullptr,
                                           .to = rank() == 0 ? nullptr : &id,
                                           .to_bytes = &bytes});
  co_await transfer;
  wire_->begin(id);
  GpuWait joined(*operation_.group, operation_.note, operation_.turn().number(), *wire_);
  co_await joined;
}

template <class Give>
Protocol GpuCall::give(GpuMemory from, GpuMemory to, Give give) {
  device::Stream& stream = wire_->stream();
  if (from.uses != nullptr) from.uses->order_read(stream);
  if (to.uses != nullptr) to.uses->order_write(stream);
  give(*wire_);
  GpuWait taken(*operation_.group, operation_.note, operation_.turn().number(), *wire_);
  co_await taken;
  const device::StreamMark mark = stream.mark();
  if (from.uses != nullptr && from.uses != to.uses) from.uses->note_read(mark);
  if (to.uses != nullptr) to.uses->note_write(mark);
}

Protocol GpuCall::exchange(std::vector<GpuPart> sent, GpuMemory from, std::vector<GpuPart> received, GpuMemory to) {
  return give(from, to, [sent = std::move(sent), received = std::move(received)](GpuWire& wire) {
    wire.exchange(sent, received);
  });
}

Protocol GpuCall::broadcast(GpuMemory from, GpuMemory to, std::int64_t bytes, int root) {
  return give(from, to, [=](GpuWire& wire) {
    if (bytes != 0) wire.broadcast(from.data, to.data, bytes, root);
  });
}

Protocol GpuCall::all_gather(GpuMemory from, GpuMemory to, std::vector<std::int64_t> bytes) {
  if (std::ranges::all_of(bytes, [&](std::int64_t count) { return count == bytes.front(); })) {
    return give(from, to, [=](GpuWire& wire) {
      if (bytes.front() != 0) wire.all_gather(from.data, to.data, bytes.front());
    });
  }
  std::vector<GpuPart> sent;
  sent.reserve(bytes.size());
  for (int other = 0; other < size(); ++other)
    sent.push_back({.peer = other, .data = from.data, .bytes = bytes[static_cast<std::size_t>(rank())]});
  return exchange(std::move(sent), from, parts_of(to, bytes), to);
}

Protocol GpuCall::end() {
  turn_.end();
  GpuWait done(*operation_.group, operation_.note, operation_.turn().number(), *wire_, wire_->stream().mark());
  co_await done;
}

GpuMemory GpuCall::sent() {
  const ArrayMemory& from = operation_.from;
  if (from.is_row_major()) return GpuMemory(from);
  if (packed_.is_none()) {
    packed_ = ArrayMemory(array_like(from));
    packed_.copy_from(from);
  }
  return GpuMemory(packed_);
}

DArray GpuCall::copy_of_operand() const {
  DArray copy = array_like(operation_.from);
  ArrayMemory(copy).copy_from(operation_.from);
  return copy;
}

GpuMemory GpuCall::received() {
  const ArrayMemory &from = operation_.from, &to = operation_.to;
  const bool is_same = to.data() == from.data() && to.bytes() == from.bytes();
  if (to.is_row_major() && (from.is_none() || is_same || !to.overlaps(from))) return GpuMemory(to);
  if (unpacked_.is_none()) unpacked_ = ArrayMemory(array_like(to));
  return GpuMemory(unpacked_);
}

void GpuCall::deliver() {
  if (!unpacked_.is_none()) operation_.to.copy_from(unpacked_);
}

void GpuCall::deliver(const DArray& elements) { operation_.to.copy_from_row_major(ArrayMemory(elements)); }

DArray GpuCall::scratch(const DDim& shape, DType dtype) { return scratch_.emplace_back(shape, dtype, place_); }

DArray GpuCall::keep(const DArray& elements) { return scratch_.emplace_back(elements); }

Protocol on_gpus(Operation& operation, const Agreement& agreement, std::function<Protocol(GpuCall&)> steps) {
  GpuCall call(operation, agreement);
  Protocol begun = call.begin();
  co_await begun;
  Protocol own = steps(call);
  co_await own;
  call.deliver();
  Protocol ended = call.end();
  co_await ended;
}

}  // namespace tessera::collective
