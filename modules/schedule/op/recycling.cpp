module;
#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>
#include <new>
#include <utility>
#include <vector>
module tessera.schedule;

// Free lists: one set a thread, and a depot where threads leave what they have too much of.
namespace tessera {

namespace {

constexpr std::size_t granule = 64;
constexpr std::size_t largest = 4096;  // larger blocks go to the system
constexpr int size_classes = 14;       // 64, 128, ... 512 in steps of 64, then 640 .. 4096 in growing ones
constexpr int batch_size = 64;
constexpr std::size_t chunk_bytes = std::size_t{256} << 10;
constexpr std::array<std::size_t, size_classes> class_bytes{64,  128, 192,  256,  320,  384,  448,
                                                            512, 768, 1024, 1536, 2048, 3072, 4096};

int class_of(std::size_t bytes) {
  if (bytes <= 512) return static_cast<int>((bytes - (bytes != 0)) / granule);
  int at = 8;
  while (class_bytes[static_cast<std::size_t>(at)] < bytes) ++at;
  return at;
}

struct FreeBlock {
  FreeBlock* next;
  FreeBlock* next_batch = nullptr;  // of the first block of a batch in the depot,
  int count = 0;                    // as is the number of its blocks
};

struct FreeList {
  FreeBlock* head = nullptr;
  int count = 0;
};

/// Batches of free blocks of one size, for whichever thread runs out.
struct alignas(64) Depot {
  SpinLock lock;
  FreeBlock* batches = nullptr;

  FreeBlock* take() noexcept {
    const std::lock_guard guard(lock);
    return batches == nullptr ? nullptr : std::exchange(batches, batches->next_batch);
  }
  void give(FreeBlock* batch) noexcept {
    const std::lock_guard guard(lock);
    batch->next_batch = batches;
    batches = batch;
  }
};

/// Lives as long as the process, for threads end after static destructors have run.
struct Depots {
  std::array<Depot, size_classes> of_class;
  std::mutex mutex;
  std::vector<void*> chunks;  // so that leak checkers see them
};

Depots& depots();

/// While a process forks nobody is in a depot, so that the child finds it usable.
void enter_depots() {
  depots().mutex.lock();
  for (Depot& depot : depots().of_class) depot.lock.lock();
}
void leave_depots() {
  for (Depot& depot : depots().of_class) depot.lock.unlock();
  depots().mutex.unlock();
}

Depots& depots() {
  static Depots& all = *new Depots;
  static const int forks_are_watched = pthread_atfork(enter_depots, leave_depots, leave_depots);
  static_cast<void>(forks_are_watched);
  return all;
}

/// Links blocks that lie one after the other.
FreeBlock* batch_at(std::byte* first, std::size_t size, int count) {
  FreeBlock* head = nullptr;
  for (int block = count; block-- > 0;) {
    head = ::new (first + static_cast<std::size_t>(block) * size) FreeBlock{.next = head};
  }
  head->count = count;
  return head;
}

/// A batch of fresh blocks; the others of their chunk go to the depot.
FreeBlock* grow(int at) {
  Depots& all = depots();
  const std::lock_guard guard(all.mutex);
  const std::size_t size = class_bytes[static_cast<std::size_t>(at)];
  const auto blocks = static_cast<int>(chunk_bytes / size);
  all.chunks.push_back(nullptr);  // first, so that a chunk is never without its entry
  std::byte* chunk = nullptr;
  try {
    chunk = static_cast<std::byte*>(::operator new(static_cast<std::size_t>(blocks) * size, std::align_val_t(granule)));
  } catch (...) {
    all.chunks.pop_back();
    throw;
  }
  all.chunks.back() = chunk;
  for (int first = batch_size; first < blocks; first += batch_size) {
    all.of_class[static_cast<std::size_t>(at)].give(
        batch_at(chunk + static_cast<std::size_t>(first) * size, size, std::min(batch_size, blocks - first)));
  }
  return batch_at(chunk, size, std::min(batch_size, blocks));
}

/// Cuts a list behind its n-th block and returns the rest.
FreeBlock* cut_after(FreeBlock* list, int n) {
  while (--n > 0) list = list->next;
  return std::exchange(list->next, nullptr);
}

struct ThreadLists {
  std::array<FreeList, size_classes> of_class;

  /// Fetches what is handed out next: it was last written on the core that gave it back.
  static void prefetch(const FreeBlock* block) {
    const auto* bytes = reinterpret_cast<const std::byte*>(block);
    prefetch_to_write(bytes);
    prefetch_to_write(bytes + 64);
    prefetch_to_write(bytes + 128);
  }

  void* take(int at) {
    FreeList& list = of_class[static_cast<std::size_t>(at)];
    if (list.head == nullptr) [[unlikely]]
      refill(list, at);
    FreeBlock* block = list.head;
    list.head = block->next;
    --list.count;
    prefetch(list.head);
    return block;
  }

  void give(void* memory, int at) noexcept {
    FreeList& list = of_class[static_cast<std::size_t>(at)];
    list.head = ::new (memory) FreeBlock{.next = list.head};
    if (++list.count >= 2 * batch_size) [[unlikely]]
      shed(list, at);
  }

  static void refill(FreeList& list, int at) {
    list.head = depots().of_class[static_cast<std::size_t>(at)].take();
    if (list.head == nullptr) list.head = grow(at);
    list.count = list.head->count;
  }

  static void shed(FreeList& list, int at) noexcept {
    FreeBlock* batch = list.head;
    list.head = cut_after(batch, batch_size);
    list.count -= batch_size;
    batch->count = batch_size;
    depots().of_class[static_cast<std::size_t>(at)].give(batch);
  }

  ThreadLists() { static_cast<void>(depots()); }
  ThreadLists(const ThreadLists&) = delete;
  ThreadLists& operator=(const ThreadLists&) = delete;
  ~ThreadLists();
};

// The pointer needs no initialisation at a thread's first use, so reading it costs one instruction.
constinit thread_local ThreadLists* lists_of_thread = nullptr;
constinit thread_local bool thread_has_ended = false;

ThreadLists::~ThreadLists() {
  for (std::size_t at = 0; at < of_class.size(); ++at) {
    if (of_class[at].head == nullptr) continue;
    of_class[at].head->count = of_class[at].count;
    depots().of_class[at].give(of_class[at].head);
  }
  lists_of_thread = nullptr;
  thread_has_ended = true;
}

/// This thread's lists; made at its first use of them, be that a take or a give.
ThreadLists& own_lists() noexcept {
  static thread_local ThreadLists lists;
  lists_of_thread = &lists;
  return lists;
}

[[gnu::noinline]] void* take_slowly(int at) {
  if (thread_has_ended) return ::operator new(class_bytes[static_cast<std::size_t>(at)], std::align_val_t(granule));
  return own_lists().take(at);
}

[[gnu::noinline]] void give_slowly(void* block, int at) noexcept {
  if (!thread_has_ended) return own_lists().give(block, at);
  depots().of_class[static_cast<std::size_t>(at)].give(::new (block) FreeBlock{.next = nullptr, .count = 1});
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool recycles = false;  // so that AddressSanitizer sees every use of a block that was given back
#else
constexpr bool recycles = true;
#endif
#else
constexpr bool recycles = true;
#endif

}  // namespace

void* take_recycled(std::size_t bytes) {
  if (!recycles || bytes > largest) return ::operator new(bytes, std::align_val_t(granule));
  const int at = class_of(bytes);
  return lists_of_thread != nullptr ? lists_of_thread->take(at) : take_slowly(at);
}

void give_recycled(void* block, std::size_t bytes) noexcept {
  if (!recycles || bytes > largest) return ::operator delete(block, std::align_val_t(granule));
  const int at = class_of(bytes);
  return lists_of_thread != nullptr ? lists_of_thread->give(block, at) : give_slowly(block, at);
}

}  // namespace tessera
