module;
#if defined(__linux__)
#include <sched.h>
#endif

#include <atomic>
#include <bitset>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>
module tessera.schedule;

// Runs ops on oneTBB's threads: each worker is one TBB task that takes ready ops until there are none, and then returns its thread.
namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;

/// What belongs to one worker while it is active.
struct alignas(128) Slot {
  ReadyQueue queue;
  std::atomic<bool> taken{false};
  std::atomic<std::int64_t> busy{0};        // ns, of the times that are over
  std::atomic<std::int64_t> busy_since{0};  // 0: it has no op
  std::atomic<int> core{no_core};           // where its thread has lately been
  unsigned popped = 0;
  int index = 0;

  static constexpr int no_core = -1;

  void note_core() noexcept {
#if defined(__linux__)
    core.store(sched_getcpu(), std::memory_order_relaxed);
#endif
  }
};

/// How many workers there are, in one word, so that both numbers change at once.
struct Activity {
  std::uint32_t active;     // slots in use
  std::uint32_t searching;  // of these, the ones without an op

  static Activity of(std::uint64_t word) {
    return {.active = static_cast<std::uint32_t>(word), .searching = static_cast<std::uint32_t>(word >> 32)};
  }
};
constexpr std::uint64_t one_active = 1, one_searching = std::uint64_t{1} << 32;

class PoolExecutor final : public Executor, public std::enable_shared_from_this<PoolExecutor> {
 public:
  PoolExecutor(Engine& engine, int workers)
      : engine_(&engine), slots_(static_cast<std::size_t>(workers)), threads_(slots_.size()) {
    for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i].index = static_cast<int>(i);
  }

  void push(ReadyList ready) noexcept override {
    for (const OpState* op = ready.first; op != nullptr; op = op->next) {
      if (op->priority == Priority::high) urgent_.fetch_add(1, std::memory_order_relaxed);
      if (op->priority == Priority::low) patient_.fetch_add(1, std::memory_order_relaxed);
    }
    const int worker = thread_context().worker;
    const bool own = worker >= 0 && thread_context().pool == this;
    ReadyQueue& queue = own ? slots_[static_cast<std::size_t>(worker)].queue : submitted_;
    queue.push(ready);
    // Who searches will find one op, but takes some microseconds if its thread sleeps: the others do not wait for it.
    const std::uint32_t searching = Activity::of(activity_.load(std::memory_order_acquire)).searching;
    if (searching == 0) {
      wake_one(false);
    } else if (queue.size(Priority::normal) + queue.size(Priority::high) > searching) {
      wake_one(true);
    }
  }

  bool wait(Signal& signal, const Deadline& deadline) override {
    if (deadline) return signal.sleep(deadline);  // an op may take longer
    const auto done = [&signal] { return signal.is_set(); };
    Slot* slot = try_activate(activity_.load(std::memory_order_relaxed), true) ? &claim_slot() : take_place(done);
    if (slot != nullptr) work(*slot, done, false);
    return signal.sleep(deadline);
  }

  void stop() override {
    stopped_.store(true, std::memory_order_seq_cst);
    while (Activity::of(activity_.load(std::memory_order_acquire)).active != 0) std::this_thread::yield();
  }
  void start() override {
    stopped_.store(false, std::memory_order_seq_cst);
    for (std::size_t i = 0; i < slots_.size() && some_surely_ready(); ++i) wake_one();
  }

  bool may_hand_over(const OpState& op) const noexcept override {
    return !is_stopped() && (op.priority == Priority::high || urgent_.load(std::memory_order_relaxed) == 0) &&
           op.priority != Priority::low;
  }

  int workers() const noexcept override { return static_cast<int>(slots_.size()); }
  int running() const noexcept override {
    const Activity activity = Activity::of(activity_.load(std::memory_order_relaxed));
    return static_cast<int>(activity.active - activity.searching);
  }

  std::vector<std::chrono::nanoseconds> busy() const override {
    std::vector<std::chrono::nanoseconds> times;
    for (const Slot& slot : slots_) {
      const std::int64_t since = slot.busy_since.load(std::memory_order_relaxed);
      const std::int64_t now = since == 0 ? 0 : Clock::now().time_since_epoch().count() - since;
      times.emplace_back(slot.busy.load(std::memory_order_relaxed) + now);
    }
    return times;
  }

 private:
  // -------------------------------------------------------------------------------------------------- finding an op

  OpState* pop_at(Priority priority, Slot& slot, bool own_first) {
    const std::size_t share = submitted_.size(priority) / (2 * slots_.size());
    if (own_first) {
      if (OpState* op = slot.queue.pop(priority)) return op;
    }
    if (OpState* op = submitted_.pop_batch(priority, std::min<std::size_t>(share, 16), slot.queue)) return op;
    for (std::size_t i = 1; i < slots_.size(); ++i) {
      Slot& other = slots_[(static_cast<std::size_t>(slot.index) + i) % slots_.size()];
      const std::size_t half = other.queue.size(priority) / 2;
      if (OpState* op = other.queue.pop_batch(priority, std::min<std::size_t>(half, 16), slot.queue)) return op;
    }
    return own_first ? nullptr : slot.queue.pop(priority);
  }

  OpState* pop(Slot& slot) {
    if (is_stopped()) return nullptr;
    // Now and then in the other order, so that nobody is starved: neither a low priority nor what others have submitted.
    constexpr unsigned fair_every = 64, note_core_every = 8;
    const bool fair = ++slot.popped % fair_every == 0;
    if (slot.popped % note_core_every == 0) slot.note_core();
    OpState* op = nullptr;
    if (fair && patient_.load(std::memory_order_relaxed) != 0) op = pop_at(Priority::low, slot, false);
    if (op == nullptr && !fair && urgent_.load(std::memory_order_relaxed) != 0) {
      op = pop_at(Priority::high, slot, true);
    }
    if (op == nullptr) op = pop_at(Priority::normal, slot, !fair);
    if (op == nullptr && urgent_.load(std::memory_order_relaxed) != 0) op = pop_at(Priority::high, slot, true);
    if (op == nullptr && patient_.load(std::memory_order_relaxed) != 0) op = pop_at(Priority::low, slot, true);
    if (op == nullptr) return nullptr;
    if (op->priority == Priority::high) urgent_.fetch_sub(1, std::memory_order_relaxed);
    if (op->priority == Priority::low) patient_.fetch_sub(1, std::memory_order_relaxed);
    return op;
  }

  /// A hint.
  bool some_ready() const {
    if (is_stopped()) return false;
    if (!submitted_.is_empty()) return true;
    for (const Slot& slot : slots_) {
      if (!slot.queue.is_empty()) return true;
    }
    return false;
  }

  /// The truth: a push that this does not see sees the activity that this thread has set before.
  bool some_surely_ready() {
    if (is_stopped()) return false;
    if (!submitted_.is_surely_empty()) return true;
    for (Slot& slot : slots_) {
      if (!slot.queue.is_surely_empty()) return true;
    }
    return false;
  }

  // ------------------------------------------------------------------------------------------------------ activity

  /// Becomes one more active and searching worker if there is room, and, unless `even_if_searched`, if nobody searches.
  bool try_activate(std::uint64_t word, bool even_if_searched) {
    for (;;) {
      const Activity activity = Activity::of(word);
      if (activity.active >= slots_.size() || (activity.searching != 0 && !even_if_searched)) return false;
      if (activity_.compare_exchange_weak(word, word + one_active + one_searching, std::memory_order_acq_rel)) {
        return true;
      }
    }
  }

  /// Undoes try_activate and claim_slot.
  void deactivate(Slot& slot) noexcept {
    slot.taken.store(false, std::memory_order_release);
    activity_.fetch_sub(one_active + one_searching, std::memory_order_acq_rel);
  }

  void wake_one(bool even_if_searched = false) noexcept {
    if (is_stopped() || !try_activate(activity_.load(std::memory_order_relaxed), even_if_searched)) return;
    Slot& slot = claim_slot();
    try {
      threads_.request(static_cast<std::size_t>(slot.index), shared_from_this(), engine_->shared_from_this(),
                       [](Executor& executor, std::size_t worker) {
                         auto& pool = static_cast<PoolExecutor&>(executor);
                         pool.work(pool.slots_[worker], [] { return false; }, true);
                       });
    } catch (...) {  // no memory, no thread: who waits runs what is ready
      deactivate(slot);
    }
  }

  Slot& claim_slot() {
    for (;;) {  // there are as many as active workers, and a leaving one frees its slot first
      for (Slot& slot : slots_) {
        if (!slot.taken.load(std::memory_order_relaxed) && !slot.taken.exchange(true, std::memory_order_acquire)) {
          return slot;
        }
      }
      pause_thread();
    }
  }

  void found(Slot& slot) {
    slot.busy_since.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
    const Activity before = Activity::of(activity_.fetch_sub(one_searching, std::memory_order_acq_rel));
    if (before.searching == 1 && before.active < slots_.size() && some_surely_ready()) wake_one();
  }

  void lost(Slot& slot) {
    const std::int64_t since = slot.busy_since.exchange(0, std::memory_order_relaxed);
    slot.busy.fetch_add(Clock::now().time_since_epoch().count() - since, std::memory_order_relaxed);
    activity_.fetch_add(one_searching, std::memory_order_acq_rel);
  }

  /// Looks for a while whether an op turns up, ever more rarely: who submits a stream of small ops is not disturbed at each, and a worker
  /// then finds many at once.
  template <class Done>
  bool search(const Done& done) const {
    constexpr int longest = 32, rounds = 200;
    int pauses = 1;
    for (int round = 0; round < rounds; ++round) {
      if (some_ready()) return true;
      if (done() || is_stopped()) return false;
      for (int i = 0; i < pauses; ++i) pause_thread();
      if (pauses < longest) {
        pauses *= 2;
      } else if (!yield_briefly()) {
        return some_ready();
      }
    }
    return false;
  }

  /// Lets others run; whether the core came back at once. Where other programs want it, each turn of theirs takes milliseconds, while who
  /// sleeps is woken ahead of them.
  static bool yield_briefly() {
    constexpr std::chrono::microseconds turn{100};
    const Clock::time_point before = Clock::now();
    std::this_thread::yield();
    return Clock::now() - before < turn;
  }

  // ---------------------------------------------------------------------------------------------------- taking over

  /// Two workers that the system has put on one core stay there for milliseconds, even while another core is idle.
  bool some_share_a_core() const {
    std::bitset<1024> seen;
    for (const Slot& slot : slots_) {
      const int core = slot.core.load(std::memory_order_relaxed);
      if (core < 0 || core >= static_cast<int>(seen.size())) continue;
      if (seen.test(static_cast<std::size_t>(core))) return true;
      seen.set(static_cast<std::size_t>(core));
    }
    return false;
  }

  bool ask_for_place() {
    std::uintptr_t offer = nobody_asks;
    return offer_.compare_exchange_strong(offer, somebody_asks, std::memory_order_relaxed);
  }

  /// A place among the workers for a thread that is about to sleep until `done`, whose core is idle then: if workers share a core, that of
  /// the next one that has ended its op. Null if they do not, or if none has in a short while.
  template <class Done>
  Slot* take_place(const Done& done) {
    constexpr int looks = 20, rounds = 50, pauses = 16;
    bool asks = false;
    for (int round = 0; round < (asks ? rounds : looks) && !done(); ++round) {
      if (!asks && some_share_a_core()) {
        asks = ask_for_place();
        if (!asks) return nullptr;  // for another thread does
      }
      if (asks && !is_asked_for_place()) break;
      for (int i = 0; i < pauses; ++i) pause_thread();
      if (asks && !yield_briefly()) break;
    }
    const std::uintptr_t offer = asks ? offer_.exchange(nobody_asks, std::memory_order_acquire) : somebody_asks;
    return offer == somebody_asks ? nullptr : reinterpret_cast<Slot*>(offer);
  }

  bool is_asked_for_place() const { return offer_.load(std::memory_order_relaxed) == somebody_asks; }

  /// The slot, which counts as active and searching, is the asking thread's from here on.
  bool give_place(Slot& slot) {
    std::uintptr_t offer = somebody_asks;
    return offer_.compare_exchange_strong(offer, reinterpret_cast<std::uintptr_t>(&slot), std::memory_order_release);
  }

  // ---------------------------------------------------------------------------------------------------- running ops

  /// Runs ops until `done` or until there are none. The caller is counted as active and searching, before and after.
  template <class Done>
  void run_ops(Slot& slot, const Done& done) {
    ThreadContext& context = thread_context();
    const int outer_worker = std::exchange(context.worker, slot.index);
    const void* const outer_pool = std::exchange(context.pool, this);
    Recorder* const outer_recorder = std::exchange(context.recorder, nullptr);
    bool searching = true;
    slot.note_core();
    while (!done()) {
      if (OpState* op = pop(slot)) {
        if (std::exchange(searching, false)) found(slot);
        context.handed_over = 0;
        while (op != nullptr) op = op->engine->run(*op);
        continue;
      }
      if (!std::exchange(searching, true)) {
        lost(slot);
        engine_->backlog().look_at_waiters();
      }
      if (!search(done)) break;
      slot.note_core();
    }
    slot.core.store(Slot::no_core, std::memory_order_relaxed);
    if (!searching) {  // `done` while there was work: what it ended, others may wait for
      lost(slot);
      engine_->backlog().look_at_waiters();
    }
    context.worker = outer_worker;
    context.pool = outer_pool;
    context.recorder = outer_recorder;
  }

  /// A worker of the pool's own threads, or a thread that waits for `done`.
  template <class Done>
  void work(Slot& slot, const Done& done, bool gives_place) {
    run_ops(slot, [&] { return done() || (gives_place && is_asked_for_place()); });
    if (gives_place && give_place(slot)) return;
    deactivate(slot);
    if (some_surely_ready()) wake_one();
  }

  Engine* engine_;
  std::vector<Slot> slots_;
  WorkerThreads threads_;
  ReadyQueue submitted_;  // by threads that are not workers
  alignas(128) std::atomic<std::uint64_t> activity_{0};
  static constexpr std::uintptr_t nobody_asks = 0, somebody_asks = 1;
  std::atomic<std::uintptr_t> offer_{nobody_asks};  // or a slot that is given away
  std::atomic<int> urgent_{0}, patient_{0};         // ready ops of high and of low priority
};

}  // namespace

std::shared_ptr<Executor> make_pool_executor(Engine& engine, int workers) {
  return std::make_shared<PoolExecutor>(engine, workers);
}

}  // namespace tessera
