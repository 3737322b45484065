// Stress of one pool by several threads that free each other's blocks.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>
import tessera;

using namespace tessera;

namespace {

struct Parcel {
  unsigned char* bytes;
  std::ptrdiff_t size;
  unsigned char tag;
};

/// Blocks on their way to another thread.
struct Mailbox {
  std::mutex mutex;
  std::vector<Parcel> parcels;
};

struct Stress {
  memory::Pool pool{memory::CpuSystemAllocator{}};
  std::array<Mailbox, 4> mailboxes;
  std::atomic<int> damaged{0};
  std::atomic<int> refused{0};

  void open(const Parcel& parcel) {
    for (std::ptrdiff_t i = 0; i < parcel.size; ++i) damaged += parcel.bytes[i] != parcel.tag;
    pool.deallocate(parcel.bytes);
  }

  void send(std::mt19937& random, unsigned char tag) {
    const auto size = static_cast<std::ptrdiff_t>(random() % (random() % 8 == 0 ? 200'000 : 2000));
    try {
      auto* bytes = static_cast<unsigned char*>(pool.allocate(size));
      std::memset(bytes, tag, static_cast<std::size_t>(size));
      Mailbox& mailbox = mailboxes[random() % mailboxes.size()];
      const std::lock_guard lock(mailbox.mutex);
      mailbox.parcels.push_back({bytes, size, tag});
    } catch (const OutOfMemory&) {
      ++refused;
    }
  }

  void receive(Mailbox& mailbox) {
    std::vector<Parcel> received;
    {
      const std::lock_guard lock(mailbox.mutex);
      received.swap(mailbox.parcels);
    }
    for (const Parcel& parcel : received) open(parcel);
  }

  void work(std::size_t thread) {
    std::mt19937 random(static_cast<unsigned>(thread));
    for (int round = 0; round < 3000; ++round) {
      send(random, static_cast<unsigned char>(random()));
      if (round % 8 == 0) receive(mailboxes[thread]);
      if (round % 500 == 0) pool.trim();
      if (round % 700 == 0) pool.set_limit(static_cast<std::ptrdiff_t>(1'000'000 + random() % 10'000'000));
      if (pool.stats().in_use < 0) ++damaged;
    }
  }
};

}  // namespace

TEST_CASE("four threads share a pool and free each other's blocks") {
  Stress stress;
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < stress.mailboxes.size(); ++thread)
    threads.emplace_back([&, thread] { stress.work(thread); });
  for (std::thread& thread : threads) thread.join();
  for (Mailbox& mailbox : stress.mailboxes) stress.receive(mailbox);
  CHECK(stress.damaged == 0);
  const memory::Stats stats = stress.pool.stats();
  CHECK(stats.in_use == 0);
  CHECK(stats.live == 0);
  CHECK(stats.allocations + stress.refused == 4 * 3000);
  stress.pool.trim();
  CHECK(stress.pool.stats().reserved == 0);
}
