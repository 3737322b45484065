module;
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <utility>
module tessera.schedule;
import tessera.core;

// Awaiters and memory of ops.
namespace tessera {

namespace {

/// Stands in the list of awaiters when the op has ended.
OpAwaiter& ended_mark() {
  static OpAwaiter mark;
  return mark;
}

}  // namespace

OpExtras& extras_of(OpState& op) {
  if (op.extras == nullptr) op.extras = ::new (take_recycled(sizeof(OpExtras))) OpExtras;
  return *op.extras;
}

bool await_end(OpState& op, OpAwaiter& awaiter) noexcept {
  std::atomic<OpAwaiter*>& awaiters = op.extras->awaiters;
  OpAwaiter* head = awaiters.load(std::memory_order_acquire);
  do {
    if (head == &ended_mark()) {
      awaiter.failure = op.failure;
      return false;
    }
    awaiter.next = head;
  } while (!awaiters.compare_exchange_weak(head, &awaiter, std::memory_order_acq_rel, std::memory_order_acquire));
  return true;
}

bool tell_awaiters(OpState& op, ReadyList& ready) noexcept {
  OpAwaiter* head = op.extras->awaiters.exchange(&ended_mark(), std::memory_order_acq_rel);
  const bool any = head != nullptr;
  while (head != nullptr) {
    OpAwaiter* const next = head->next;
    head->failure = op.failure;
    if (head->op->has(OpState::is_waiter)) {
      head->op->kind->run(*head->op);
    } else {
      ready.add(*head->op);
    }
    head = next;
  }
  return any;
}

void release_op(OpState& op) noexcept {
  if (op.shares.load(std::memory_order_acquire) == 1 || op.shares.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    op.kind->free(op);
  }
}

void schedule::reserve_accesses(OpState& op, std::size_t count) {
  if (count <= OpState::inline_accesses) return;
  if (count > std::numeric_limits<std::uint16_t>::max()) {
    throw SchedulerError(to_string({.operation = std::string("submission of op '") + op.name + "'",
                                    .problem = std::to_string(count) + " Vars are more than 65535",
                                    .where = op.where}));
  }
  auto* list = static_cast<LongAccess*>(take_recycled(count * sizeof(LongAccess)));
  std::uninitialized_value_construct_n(list, count);
  op.many = {.list = list, .capacity = count};
  op.set(OpState::has_long_list);
}

void schedule::forget_accesses(OpState& op) noexcept {
  if (op.has(OpState::has_long_list)) give_recycled(op.many.list, op.many.capacity * sizeof(LongAccess));
  op.flags = static_cast<std::uint8_t>(op.flags & ~OpState::has_long_list);
  std::uninitialized_value_construct_n(op.accesses, OpState::inline_accesses);
  op.access_count = 0;
  op.parent = nullptr;
}

void forget_declaration(OpState& op) noexcept {
  forget_accesses(op);
  op.flags = static_cast<std::uint8_t>(op.flags & ~(OpState::always_run | OpState::is_submitted));
  op.extras->stop = {};
  op.extras->bytes = 0;
}

void free_parts(OpState& op) noexcept {
  if (op.extras != nullptr) {
    std::destroy_at(op.extras);
    give_recycled(std::exchange(op.extras, nullptr), sizeof(OpExtras));
  }
  if (op.has(OpState::has_long_list)) give_recycled(op.many.list, op.many.capacity * sizeof(LongAccess));
}

}  // namespace tessera
