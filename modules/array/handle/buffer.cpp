module;
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>
module tessera.array;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;

// The Var of a buffer, and giving up a share of one.
namespace tessera {

BufferVar& Buffer::shared_var() const {
  BufferVar* var = var_.load(std::memory_order_acquire);
  if (var != nullptr) return *var;
  auto fresh = std::make_unique<BufferVar>();
  buffers_have_vars.store(true, std::memory_order_relaxed);
  if (var_.compare_exchange_strong(var, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
  return *var;  // another thread was faster
}

const Var& Buffer::var_for(Engine& engine) const {
  BufferVar& shared = shared_var();
  shared.last_named.store(&engine, std::memory_order_release);
  return shared.var;
}

void Buffer::settle_streams(Purpose purpose) const {
  if (uses() == nullptr) return;
  purpose == Purpose::read ? uses()->wait_for_reading() : uses()->wait_for_writing();
}

void Buffer::add_unreached(Purpose purpose, std::vector<device::StreamMark>& marks) const {
  if (uses() == nullptr) return;
  const auto add = [&marks](const device::StreamMark& mark) {
    if (!mark.is_reached()) marks.push_back(mark);
  };
  if (purpose == Purpose::read) return add(uses()->last_write());
  for (const device::StreamMark& mark : uses()->marks()) add(mark);
}

void BufferShare::give_up(std::uintptr_t tagged) noexcept {
  auto* const buffer = reinterpret_cast<Buffer*>(tagged & ~hold_tag);
  const std::uint64_t own = (tagged & hold_tag) != 0 ? Buffer::one_hold : Buffer::one_name;
  // Who sees itself alone stays alone, because a share is only made of another.
  if (buffer->shares_.load(std::memory_order_acquire) == own ||
      buffer->shares_.fetch_sub(own, std::memory_order_acq_rel) == own) {
    delete buffer;
  }
}

}  // namespace tessera
