module;
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
module tessera.schedule;

// The queue of a Var, and its end.
namespace tessera {

namespace {

/// Threads take ids by the thousand, so that Vars made on several threads share no counter.
std::uint64_t next_id() {
  constexpr std::uint64_t block = 1024;
  static std::atomic<std::uint64_t> blocks{0};
  static thread_local std::uint64_t next = 0;
  if (next % block == 0) next = blocks.fetch_add(1, std::memory_order_relaxed) * block;
  return ++next;  // the last of a block is the multiple at which the next one begins
}

}  // namespace

bool VarState::append(Access& access, Engine& by) noexcept {
  access.next = nullptr;
  has_many_engines = !is_idle() && (has_many_engines || engine != &by);
  engine = &by;
  const bool is_write = access.writes();
  if (access.is_inherited()) [[unlikely]] {
    ++readers;
    return true;
  }
  if (head != nullptr || written || (is_write && readers != 0)) {
    (head == nullptr ? head : tail->next) = &access;
    tail = &access;
    queued_reads += is_write ? 0 : 1;
    return false;
  }
  if (is_write) {
    written = true;
    set_writer(access);
  } else {
    ++readers;
  }
  return true;
}

void VarState::set_writer(Access& access) noexcept {
  const OpState& op = access.op();
  writer_name.store(op.name, std::memory_order_relaxed);
  writer_where.store(op.where, std::memory_order_relaxed);
}

bool VarState::end_in_batch(const SharedFailure& failed, Access*& granted) noexcept {
  if (batch == nullptr || failed || poisoned.load(std::memory_order_relaxed)) return false;
  count_version();
  granted = std::exchange(batch, batch->next);
  granted->next = nullptr;
  if (batch != nullptr) batch->prefetch_op();
  set_writer(*granted);
  return true;
}

Access* VarState::end(const Access& access, const SharedFailure& failed, SharedFailure& dropped) noexcept {
  if (!access.writes()) return pass_on(access);
  count_version();
  if (failed) [[unlikely]] {
    if (!failure) failure = failed;  // the first one stays
    poisoned.store(true, std::memory_order_relaxed);
  } else if (failure) [[unlikely]] {
    dropped = std::exchange(failure, SharedFailure());
    poisoned.store(false, std::memory_order_relaxed);
  }
  return pass_on(access);
}

Access* VarState::pass_on(const Access& access) noexcept {
  if (!access.writes()) {
    if (--readers == 0) return grant_next();
    look_ahead();
    return nullptr;
  }
  if (batch != nullptr) {
    Access* const granted = std::exchange(batch, batch->next);
    granted->next = nullptr;
    set_writer(*granted);
    return granted;
  }
  written = false;
  return grant_next();
}

/// Fetches one more of the accesses that wait. Readers end one by one but are granted together: by then they are in the cache, where
/// following the list would meet one cache miss after the other.
void VarState::look_ahead() noexcept {
  if (fetched != nullptr) prefetch_to_write(&fetched->op());
  Access* const next = fetched == nullptr ? head : fetched->next;
  if (next == nullptr) return;
  prefetch_to_write(next);
  fetched = next;
}

Access* VarState::grant_next() noexcept {
  if (head == nullptr || written) return nullptr;
  if (!head->writes()) return grant_reads();
  if (readers != 0) return nullptr;
  written = true;
  Access* const granted = head;
  head = head->next;
  granted->next = nullptr;
  if (fetched == granted || queued_reads == 0) fetched = nullptr;
  if (queued_reads == 0) batch = std::exchange(head, nullptr);
  if (Access* const following = batch != nullptr ? batch : head) following->prefetch_op();
  set_writer(*granted);
  return granted;
}

Access* VarState::grant_reads() noexcept {
  Access* const first = head;
  Access* last = nullptr;
  while (head != nullptr && !head->writes()) {
    ++readers;
    --queued_reads;
    if (fetched == head) fetched = nullptr;
    last = head;
    head = head->next;
  }
  last->next = nullptr;
  return first;
}

bool VarState::withdraw(Access& access, Access*& granted) noexcept {
  Access* before = nullptr;
  for (Access* at = head; at != nullptr; before = at, at = at->next) {
    if (at != &access) continue;
    (before == nullptr ? head : before->next) = at->next;
    if (tail == at) tail = before;
    if (fetched == at) fetched = before;
    queued_reads -= at->writes() ? 0 : 1;
    if (before == nullptr) granted = grant_next();
    return true;
  }
  return false;
}

VarState* make_var() {
  auto* var = ::new (take_recycled(sizeof(VarState))) VarState;
  var->id = next_id();
  var->process.store(process_number(), std::memory_order_relaxed);
  return var;
}

void unlock_and_collect(VarState& var) noexcept {
  const bool last = var.handles.load(std::memory_order_acquire) == 0 && var.is_idle();
  var.lock.unlock();
  if (!last) return;
  std::destroy_at(&var);
  give_recycled(&var, sizeof(VarState));
}

/// The count reaches 0 under the lock only, so that one of this thread and the last op sees that it is the last.
void release_var(VarState* var) noexcept {
  std::uint32_t count = var->handles.load(std::memory_order_relaxed);
  while (count > 1) {
    if (var->handles.compare_exchange_weak(count, count - 1, std::memory_order_release, std::memory_order_relaxed)) {
      return;
    }
  }
  if (var->process.load(std::memory_order_relaxed) != process_number()) return;  // ops that never end may hold it
  var->lock.lock();
  var->handles.fetch_sub(1, std::memory_order_acq_rel);
  unlock_and_collect(*var);
}

bool Var::is_poisoned() const noexcept { return state_ != nullptr && state_->poisoned.load(std::memory_order_acquire); }

void Var::clear() const noexcept {
  if (state_ == nullptr || state_->process.load(std::memory_order_relaxed) != process_number()) return;
  SharedFailure dropped;
  const std::lock_guard lock(state_->lock);
  dropped = std::exchange(state_->failure, SharedFailure());
  state_->poisoned.store(false, std::memory_order_relaxed);
}

}  // namespace tessera
