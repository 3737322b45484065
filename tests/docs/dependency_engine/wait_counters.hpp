// The engine of step 3, on which steps 4 and 5 build: Vars that grant accesses, ops that count what they wait for, and workers.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

// --8<-- [start:op]
struct Access {
  struct Var* var;
  struct Op* op;
  bool writes;
  Access* next = nullptr;  // in the queue of the Var
};

struct Op {
  std::array<Access, 4> accesses{};
  std::size_t count = 0;              // of accesses
  std::atomic<std::size_t> waits{0};  // accesses that are not granted
  Op* next = nullptr;                 // in the list of ready ops

  void declare(std::span<Var* const> reads, std::span<Var* const> writes) {
    for (Var* var : reads) accesses.at(count++) = {.var = var, .op = this, .writes = false};
    for (Var* var : writes) accesses.at(count++) = {.var = var, .op = this, .writes = true};
    std::ranges::sort(all(), {}, &Access::var);
  }
  std::span<Access> all() { return std::span(accesses).first(count); }
};
// --8<-- [end:op]

// --8<-- [start:var]
struct Var {
  std::mutex mutex;
  std::size_t readers = 0;  // granted
  bool is_written = false;  // a write is granted
  Access* first = nullptr;  // not granted, oldest first
  Access* last = nullptr;

  /// Returns whether the access is granted at once.
  bool append(Access& access) {
    if (first == nullptr && grant(access)) return true;
    (first == nullptr ? first : last->next) = &access;
    last = &access;
    return false;
  }

  /// Ends a granted access. Returns those that are granted now, linked by next.
  Access* end(const Access& access) {
    access.writes ? static_cast<void>(is_written = false) : static_cast<void>(--readers);
    Access* const granted = first;
    Access* last_granted = nullptr;
    while (first != nullptr && grant(*first)) {
      last_granted = first;
      first = first->next;
    }
    if (last_granted == nullptr) return nullptr;
    last_granted->next = nullptr;
    return granted;
  }

 private:
  bool grant(const Access& access) {
    if (is_written || (access.writes && readers != 0)) return false;
    access.writes ? static_cast<void>(is_written = true) : static_cast<void>(++readers);
    return true;
  }
};
// --8<-- [end:var]

// --8<-- [start:submit]
/// Takes an op's places in the queues of its Vars. Returns whether all accesses are granted at once.
inline bool take_places(Op& op) {
  for (const Access& access : op.all()) access.var->mutex.lock();
  std::size_t waits = 0;
  for (Access& access : op.all()) waits += access.var->append(access) ? 0 : 1;
  op.waits = waits;
  // From the first unlock on, another thread may grant the rest, but the op cannot end before the last.
  for (const Access& access : op.all()) access.var->mutex.unlock();
  return waits == 0;
}
// --8<-- [end:submit]

// --8<-- [start:end]
/// Ends the accesses of an op, and calls begin(op) for each op that has waited only for them.
template <class Begin>
void end_accesses(Op& op, const Begin& begin) {
  for (const Access& access : op.all()) {
    access.var->mutex.lock();
    Access* granted = access.var->end(access);
    access.var->mutex.unlock();
    while (granted != nullptr) {
      Access* const next = granted->next;  // the op may be gone once it has begun
      if (granted->op->waits.fetch_sub(1) == 1) begin(*granted->op);
      granted = next;
    }
  }
}
// --8<-- [end:end]

/// Ops that may begin, and the threads that run them.
class Workers {
 public:
  Workers(int count, void (*run)(Op&)) : run_(run) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Workers() {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }

  void push(Op& op) {
    const std::lock_guard lock(mutex_);
    op.next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = &op;
    last_ = &op;
    if (asleep_ != 0) changed_.notify_one();
  }

 private:
  Op* pop() {
    std::unique_lock lock(mutex_);
    ++asleep_;
    changed_.wait(lock, [this] { return first_ != nullptr || stopping_; });
    --asleep_;
    Op* const op = first_;
    if (op != nullptr) first_ = op->next;
    return op;
  }
  void work() {
    while (Op* op = pop()) run_(*op);
  }

  void (*run_)(Op&);
  std::mutex mutex_;
  std::condition_variable changed_;
  Op* first_ = nullptr;
  Op* last_ = nullptr;
  int asleep_ = 0;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;  // last: joined before the rest is gone
};

/// How many ops have not ended, for those who wait until none is left.
class Pending {
 public:
  void add() { ++count_; }
  void remove() {
    if (--count_ == 0) count_.notify_all();
  }
  void wait() const {
    for (std::size_t seen = count_; seen != 0; seen = count_) count_.wait(seen);
  }

 private:
  std::atomic<std::size_t> count_{0};
};
