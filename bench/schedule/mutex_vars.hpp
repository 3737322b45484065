// A dependency engine in the shape of MXNet's threaded engine, as a peer: a mutex and a queue for each variable, a wait counter
// for each op, one queue of ready ops for a pool of threads, free lists for what it allocates.
//
// As there, an op is appended to its variables' queues one variable at a time. So threads that push ops on the same variables
// must take turns, or two ops can wait for each other.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace bench {

/// Objects of one type that were used before. Threads keep some of their own and trade batches under a mutex.
template <class T>
class FreeList {
 public:
  FreeList() = default;
  FreeList(const FreeList&) = delete;
  FreeList& operator=(const FreeList&) = delete;

  /// One thread's share.
  class Local {
   public:
    T* take(FreeList& list) {
      if (objects_.empty()) list.fill(objects_);
      T* object = objects_.back();
      objects_.pop_back();
      return object;
    }
    void give(FreeList& list, T* object) {
      objects_.push_back(object);
      if (objects_.size() >= 2 * batch) list.empty(objects_);
    }

   private:
    std::vector<T*> objects_;
  };

 private:
  static constexpr std::size_t batch = 128;

  void fill(std::vector<T*>& local) {
    const std::lock_guard lock(mutex_);
    if (free_.size() < batch) grow();
    local.insert(local.end(), free_.end() - batch, free_.end());
    free_.resize(free_.size() - batch);
  }

  void empty(std::vector<T*>& local) {
    const std::lock_guard lock(mutex_);
    free_.insert(free_.end(), local.end() - batch, local.end());
    local.resize(local.size() - batch);
  }

  void grow() {
    constexpr std::size_t count = 1024;
    chunks_.push_back(std::make_unique<T[]>(count));
    for (std::size_t i = 0; i < count; ++i) free_.push_back(&chunks_.back()[i]);
  }

  std::mutex mutex_;
  std::vector<T*> free_;
  std::vector<std::unique_ptr<T[]>> chunks_;
};

/// The engine.
class MutexVars {
  struct Op;
  struct Access {
    Op* op = nullptr;
    Access* next = nullptr;
    bool writes = false;
  };

 public:
  class Var {
    friend class MutexVars;
    std::mutex mutex_;
    Access* first_ = nullptr;
    Access* last_ = nullptr;
    int readers_ = 0;
    bool written_ = false;
  };

  explicit MutexVars(int workers);
  ~MutexVars();
  MutexVars(const MutexVars&) = delete;
  MutexVars& operator=(const MutexVars&) = delete;

  /// Runs `body` once the ops pushed before let it. No variable is named twice.
  void push(std::span<Var* const> reads, std::span<Var* const> writes, std::function<void()> body);
  void wait_all();
  /// No op begins between the two.
  void hold();
  void release();

 private:
  struct Op {
    std::atomic<int> waits{0};
    Op* next = nullptr;  // in the queue of ready ops, or in a list of those that became ready
    std::function<void()> body;
    std::vector<Var*> reads, writes;  // keep their memory in the free list
  };
  /// A list linked by Op::next.
  struct Ready {
    Op* first = nullptr;
    Op* last = nullptr;
    int count = 0;
    void add(Op* op);
  };
  struct Cache {
    FreeList<Op>::Local ops;
    FreeList<Access>::Local accesses;
  };

  Cache& cache();
  bool append_read(Var& var, Op* op);
  bool append_write(Var& var, Op* op);
  void finish_read(Var& var, Ready& ready);
  void finish_write(Var& var, Ready& ready);
  void grant(Access* access, Ready& ready);
  void finish(Op* op);
  void enqueue(const Ready& ready);
  Op* dequeue();
  void work();

  const std::size_t number_;  // tells engines apart in the threads' caches
  FreeList<Op> ops_;
  FreeList<Access> accesses_;
  alignas(64) std::atomic<long> pending_{0};
  std::mutex pending_mutex_;
  std::condition_variable none_pending_;
  alignas(64) std::mutex ready_mutex_;
  std::condition_variable some_ready_;
  Ready ready_;
  std::atomic<bool> looks_ready_{false};
  int sleepers_ = 0;
  bool held_ = false;
  bool closing_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace bench
