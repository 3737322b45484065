// Times allocators on untouched memory, one question a run: memory_speed WAY QUESTION [REPEATS]. A line of JSON for each answer.
//
// Ways: tessera, tessera_buddy, malloc, aligned_alloc, pmr, no_allocator. Peers that replace malloc are preloaded: run.py does so.
// Questions: pair, random, remote, threads.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory_resource>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "questions.hpp"
import tessera;

using namespace tessera;

namespace {

struct Tessera {
  static void* allocate(std::ptrdiff_t bytes) { return memory::alloc(CpuPlace{}, bytes); }
  static void deallocate(void* pointer, std::ptrdiff_t) { memory::free(CpuPlace{}, pointer); }
};

struct Malloc {
  static void* allocate(std::ptrdiff_t bytes) { return std::malloc(static_cast<std::size_t>(bytes)); }
  static void deallocate(void* pointer, std::ptrdiff_t) { std::free(pointer); }
};

struct AlignedAlloc {
  static void* allocate(std::ptrdiff_t bytes) {
    return std::aligned_alloc(64, static_cast<std::size_t>(bytes + 63) / 64 * 64);
  }
  static void deallocate(void* pointer, std::ptrdiff_t) { std::free(pointer); }
};

struct Pmr {
  static std::pmr::synchronized_pool_resource& resource() {
    static std::pmr::synchronized_pool_resource pool;
    return pool;
  }
  static void* allocate(std::ptrdiff_t bytes) { return resource().allocate(static_cast<std::size_t>(bytes), 64); }
  static void deallocate(void* pointer, std::ptrdiff_t bytes) {
    resource().deallocate(pointer, static_cast<std::size_t>(bytes), 64);
  }
};

/// What the loops themselves cost.
struct NoAllocator {
  static void* allocate(std::ptrdiff_t bytes) { return reinterpret_cast<void*>(bytes); }
  static void deallocate(void*, std::ptrdiff_t) {}
};

template <class Way>
void ask_pair(Answer answer) {
  for (const std::ptrdiff_t bytes : {64, 256, 1024, 4096, 64 << 10, 1 << 20, 16 << 20}) {
    answer.shape = std::to_string(bytes);
    const std::ptrdiff_t count = bytes <= 4096 ? 2'000'000 : 200'000;
    answer.print(count, [&] { pairs<Way>(bytes, count); });
  }
}

template <class Way>
void replace(std::vector<Held>& held, const Draws& draws) {
  for (std::size_t i = 0; i < draws.bytes.size(); ++i) {
    Held& slot = held[draws.slots[i]];
    if (slot.pointer != nullptr) Way::deallocate(slot.pointer, slot.bytes);
    slot = {Way::allocate(draws.bytes[i]), draws.bytes[i]};
  }
}

/// A random one of the live blocks is freed and a block of a random size takes its place: one operation is both.
template <class Way>
void ask_random(Answer answer) {
  for (const std::uint32_t live : {1000u, 100'000u}) {
    answer.shape = std::to_string(live);
    const Draws draws(live);
    std::vector<Held> held(live);
    for (std::uint32_t slot = 0; slot < live; ++slot)
      held[slot] = {Way::allocate(draws.bytes[slot]), draws.bytes[slot]};
    for (int warm = 0; warm < 2; ++warm) replace<Way>(held, draws);
    answer.print(static_cast<std::ptrdiff_t>(draws.bytes.size()), [&] { replace<Way>(held, draws); });
    for (const Held& slot : held) Way::deallocate(slot.pointer, slot.bytes);
  }
}

constexpr std::size_t batch = 256;
constexpr int mailboxes = 8;

struct alignas(64) Mailbox {
  std::atomic<bool> full{false};
  void* blocks[batch];
};

template <class Way>
void consume(std::vector<Mailbox>& boxes, std::ptrdiff_t rounds, std::ptrdiff_t bytes) {
  for (std::ptrdiff_t round = 0; round < rounds; ++round) {
    Mailbox& box = boxes[static_cast<std::size_t>(round % mailboxes)];
    while (!box.full.load(std::memory_order_acquire)) std::this_thread::yield();
    for (void* block : box.blocks) Way::deallocate(block, bytes);
    box.full.store(false, std::memory_order_release);
  }
}

template <class Way>
void produce(std::vector<Mailbox>& boxes, std::ptrdiff_t rounds, std::ptrdiff_t bytes) {
  for (std::ptrdiff_t round = 0; round < rounds; ++round) {
    Mailbox& box = boxes[static_cast<std::size_t>(round % mailboxes)];
    while (box.full.load(std::memory_order_acquire)) std::this_thread::yield();
    for (void*& block : box.blocks) block = Way::allocate(bytes);
    box.full.store(true, std::memory_order_release);
  }
}

/// One thread allocates, another frees, in batches of 256: one operation is an allocation and its free.
template <class Way>
void ask_remote(Answer answer) {
  for (const std::ptrdiff_t bytes : {64, 1024, 16 << 10}) {
    answer.shape = std::to_string(bytes);
    const std::ptrdiff_t rounds = 2000;
    answer.print(rounds * static_cast<std::ptrdiff_t>(batch), [&] {
      std::vector<Mailbox> boxes(mailboxes);
      std::thread consumer([&] { consume<Way>(boxes, rounds, bytes); });
      produce<Way>(boxes, rounds, bytes);
      consumer.join();
    });
  }
}

template <class Way>
void work_apart(std::ptrdiff_t rounds) {
  void* held[64];
  for (std::ptrdiff_t round = 0; round < rounds; ++round) {
    const std::ptrdiff_t bytes = 64 << (round % 7);
    for (void*& block : held) block = Way::allocate(bytes);
    for (void* block : held) Way::deallocate(block, bytes);
  }
}

/// One thread, then two on separate blocks; an operation of each thread counts, so equal times are twice the work.
template <class Way>
void ask_threads(Answer answer) {
  const std::ptrdiff_t rounds = 50'000;
  for (const int threads : {1, 2}) {
    answer.shape = std::to_string(threads);
    answer.print(rounds * 64 * threads, [&] {
      std::vector<std::thread> others;
      for (int i = 1; i < threads; ++i) others.emplace_back([&] { work_apart<Way>(rounds); });
      work_apart<Way>(rounds);
      for (std::thread& other : others) other.join();
    });
  }
}

template <class Way>
int ask(const Answer& answer) {
  if (answer.question == "pair") return ask_pair<Way>(answer), 0;
  if (answer.question == "random") return ask_random<Way>(answer), 0;
  if (answer.question == "remote") return ask_remote<Way>(answer), 0;
  if (answer.question == "threads") return ask_threads<Way>(answer), 0;
  std::fprintf(stderr, "there is no question %s\n", answer.question.c_str());
  return 2;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return std::fprintf(stderr, "usage: memory_speed WAY QUESTION [REPEATS]\n"), 2;
  const Answer answer{arguments[1], arguments[2], "", count > 3 ? std::max(std::atoi(arguments[3]), 1) : 5};
  const std::string_view way = answer.way;
  if (way == "tessera_buddy") setenv("TESSERA_POOL", "buddy", 1);
  if (way == "tessera" || way == "tessera_buddy") return ask<Tessera>(answer);
  if (way == "malloc" || way == "mimalloc" || way == "jemalloc") return ask<Malloc>(answer);
  if (way == "aligned_alloc") return ask<AlignedAlloc>(answer);
  if (way == "pmr") return ask<Pmr>(answer);
  if (way == "no_allocator") return ask<NoAllocator>(answer);
  return std::fprintf(stderr, "there is no way %s\n", arguments[1]), 2;
}
