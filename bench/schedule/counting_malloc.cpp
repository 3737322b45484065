// Counts allocations: a library that is loaded before a program (LD_PRELOAD) and puts a counter before glibc's malloc.
#include <atomic>
#include <cerrno>
#include <cstddef>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

static std::atomic<unsigned long> allocations{0};

static void count() { allocations.fetch_add(1, std::memory_order_relaxed); }

unsigned long bench_allocations() { return allocations.load(std::memory_order_relaxed); }

void* malloc(std::size_t size) noexcept {
  count();
  return __libc_malloc(size);
}

void* calloc(std::size_t number, std::size_t size) noexcept {
  count();
  return __libc_calloc(number, size);
}

void* realloc(void* block, std::size_t size) noexcept {
  count();
  return __libc_realloc(block, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  count();
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept { return memalign(alignment, size); }

int posix_memalign(void** block, std::size_t alignment, std::size_t size) noexcept {
  *block = memalign(alignment, size);
  return *block != nullptr || size == 0 ? 0 : ENOMEM;
}
}
