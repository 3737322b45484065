module;
#include <cstddef>
export module tessera.schedule:ready_queue;
import tessera.standard;
import :spin_lock;
import :op_state;

// Ready ops by priority, each oldest first.
namespace tessera {

class alignas(128) ReadyQueue {
 public:
  inline void push(ReadyList& ready) noexcept {
    const std::lock_guard lock(lock_);
    while (OpState* op = ready.take()) push_one(*op);
  }

  /// The oldest op of a priority, or nullptr.
  inline OpState* pop(Priority priority) noexcept {
    if (is_empty(priority)) return nullptr;
    const std::lock_guard lock(lock_);
    return pop_one(priority);
  }

  /// As pop, and moves up to `most` more ops to another queue, which this thread owns.
  inline OpState* pop_batch(Priority priority, std::size_t most, ReadyQueue& to) noexcept {
    if (is_empty(priority)) return nullptr;
    ReadyList batch;
    OpState* first = nullptr;
    {
      const std::lock_guard lock(lock_);
      first = pop_one(priority);
      while (most-- > 0) {
        OpState* op = pop_one(priority);
        if (op == nullptr) break;
        batch.add(*op);
      }
    }
    if (batch.first != nullptr) to.push(batch);
    return first;
  }

  /// May be out of date by the time it is read.
  inline bool is_empty(Priority priority) const noexcept { return size(priority) == 0; }
  inline std::size_t size(Priority priority) const noexcept {
    return sizes_[static_cast<std::size_t>(priority)].load(std::memory_order_relaxed);
  }
  inline bool is_empty() const noexcept {
    return is_empty(Priority::high) && is_empty(Priority::normal) && is_empty(Priority::low);
  }

  /// The truth at one moment that is ordered with every push.
  inline bool is_surely_empty() noexcept {
    const std::lock_guard lock(lock_);
    return is_empty();
  }

 private:
  inline void push_one(OpState& op) noexcept {
    const auto at = static_cast<std::size_t>(op.priority);
    lists_[at].add(op);
    sizes_[at].store(sizes_[at].load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  inline OpState* pop_one(Priority priority) noexcept {
    const auto at = static_cast<std::size_t>(priority);
    OpState* op = lists_[at].take();
    if (op != nullptr) sizes_[at].store(sizes_[at].load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    return op;
  }

  SpinLock lock_;
  std::array<std::atomic<std::size_t>, priorities> sizes_{};
  std::array<ReadyList, priorities> lists_{};
};

}  // namespace tessera
