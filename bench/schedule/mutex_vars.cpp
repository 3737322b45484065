// The mutex-per-variable engine.
#include "mutex_vars.hpp"

#include <utility>

namespace bench {

namespace {

std::size_t next_number() {
  static std::atomic<std::size_t> number{0};
  return ++number;
}

/// How often a worker looks for an op before it sleeps: some microseconds.
constexpr int looks = 200;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

void MutexVars::Ready::add(Op* op) {
  op->next = nullptr;
  (first == nullptr ? first : last->next) = op;
  last = op;
  ++count;
}

MutexVars::MutexVars(int workers) : number_(next_number()) {
  for (int i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
}

MutexVars::~MutexVars() {
  wait_all();
  {
    const std::lock_guard lock(ready_mutex_);
    closing_ = true;
  }
  some_ready_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

MutexVars::Cache& MutexVars::cache() {
  thread_local std::size_t owner = 0;
  thread_local Cache cache;
  if (owner != number_) {
    cache = Cache{};
    owner = number_;
  }
  return cache;
}

void MutexVars::push(std::span<Var* const> reads, std::span<Var* const> writes, std::function<void()> body) {
  Op* op = cache().ops.take(ops_);
  op->body = std::move(body);
  op->reads.assign(reads.begin(), reads.end());
  op->writes.assign(writes.begin(), writes.end());
  pending_.fetch_add(1, std::memory_order_relaxed);
  // One more than the variables, so that the op cannot run and be recycled before the last of them was visited.
  op->waits.store(static_cast<int>(reads.size() + writes.size()) + 1, std::memory_order_relaxed);
  int granted = 1;
  for (Var* var : reads) granted += append_read(*var, op);
  for (Var* var : writes) granted += append_write(*var, op);
  if (op->waits.fetch_sub(granted, std::memory_order_acq_rel) != granted) return;
  Ready ready;
  ready.add(op);
  enqueue(ready);
}

bool MutexVars::append_read(Var& var, Op* op) {
  const std::lock_guard lock(var.mutex_);
  if (!var.written_ && var.first_ == nullptr) {
    ++var.readers_;
    return true;
  }
  Access* access = cache().accesses.take(accesses_);
  *access = {op, nullptr, false};
  (var.first_ == nullptr ? var.first_ : var.last_->next) = access;
  var.last_ = access;
  return false;
}

bool MutexVars::append_write(Var& var, Op* op) {
  const std::lock_guard lock(var.mutex_);
  if (!var.written_ && var.first_ == nullptr && var.readers_ == 0) {
    var.written_ = true;
    return true;
  }
  Access* access = cache().accesses.take(accesses_);
  *access = {op, nullptr, true};
  (var.first_ == nullptr ? var.first_ : var.last_->next) = access;
  var.last_ = access;
  return false;
}

void MutexVars::grant(Access* access, Ready& ready) {
  Op* op = access->op;
  cache().accesses.give(accesses_, access);
  if (op->waits.fetch_sub(1, std::memory_order_acq_rel) == 1) ready.add(op);
}

void MutexVars::finish_read(Var& var, Ready& ready) {
  Access* writer = nullptr;
  {
    const std::lock_guard lock(var.mutex_);
    if (--var.readers_ > 0 || var.first_ == nullptr) return;
    writer = std::exchange(var.first_, var.first_->next);
    var.written_ = true;
  }
  grant(writer, ready);
}

void MutexVars::finish_write(Var& var, Ready& ready) {
  Access* granted = nullptr;
  Access* end = nullptr;
  {
    const std::lock_guard lock(var.mutex_);
    granted = var.first_;
    var.written_ = granted != nullptr && granted->writes;
    if (var.written_) {
      end = granted->next;
    } else {
      for (end = granted; end != nullptr && !end->writes; end = end->next) ++var.readers_;
    }
    var.first_ = end;
  }
  while (granted != end) {
    Access* next = granted->next;
    grant(granted, ready);
    granted = next;
  }
}

void MutexVars::finish(Op* op) {
  Ready ready;
  for (Var* var : op->reads) finish_read(*var, ready);
  for (Var* var : op->writes) finish_write(*var, ready);
  op->body = nullptr;
  cache().ops.give(ops_, op);
  if (ready.first != nullptr) enqueue(ready);
  if (pending_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const std::lock_guard lock(pending_mutex_);
  none_pending_.notify_all();
}

void MutexVars::enqueue(const Ready& ready) {
  int wake = 0;
  {
    const std::lock_guard lock(ready_mutex_);
    (ready_.first == nullptr ? ready_.first : ready_.last->next) = ready.first;
    ready_.last = ready.last;
    looks_ready_.store(true, std::memory_order_relaxed);
    wake = held_ ? 0 : sleepers_;
  }
  if (wake == 0) return;
  if (ready.count == 1) {
    some_ready_.notify_one();
  } else {
    some_ready_.notify_all();
  }
}

MutexVars::Op* MutexVars::dequeue() {
  for (int i = 0; i < looks && !looks_ready_.load(std::memory_order_relaxed); ++i) pause();
  std::unique_lock lock(ready_mutex_);
  while (!closing_ && (ready_.first == nullptr || held_)) {
    ++sleepers_;
    some_ready_.wait(lock);
    --sleepers_;
  }
  if (ready_.first == nullptr) return nullptr;
  Op* op = std::exchange(ready_.first, ready_.first->next);
  if (ready_.first == nullptr) looks_ready_.store(false, std::memory_order_relaxed);
  return op;
}

void MutexVars::work() {
  while (Op* op = dequeue()) {
    op->body();
    finish(op);
  }
}

void MutexVars::wait_all() {
  std::unique_lock lock(pending_mutex_);
  none_pending_.wait(lock, [this] { return pending_.load(std::memory_order_acquire) == 0; });
}

void MutexVars::hold() {
  const std::lock_guard lock(ready_mutex_);
  held_ = true;
}

void MutexVars::release() {
  {
    const std::lock_guard lock(ready_mutex_);
    held_ = false;
  }
  some_ready_.notify_all();
}

}  // namespace bench
