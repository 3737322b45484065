// Mixed work of two threads on the CPU's pool: memory_soak MINUTES. A line of JSON each minute and one at the end. Ends with status 1 if
// a block was damaged, if memory grew from the first half to the second, or if anything is left. Pauses of the process do not count.
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>
import tessera;

using namespace tessera;

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// What the second half's highest figure may be over the first half's. In less than a minute the work has not settled.
double most_growth(double minutes) { return minutes >= 1 ? 1.05 : 1.5; }

struct Counts {
  std::atomic<std::int64_t> operations{0};  // allocations and frees
  std::atomic<std::int64_t> damaged{0};     // blocks that did not hold what was written
};

/// A block and the number from which its words follow.
struct Held {
  std::uint64_t* words = nullptr;
  std::ptrdiff_t bytes = 0;
  std::uint64_t seed = 0;

  std::uint64_t word(std::ptrdiff_t index) const {
    return (seed + static_cast<std::uint64_t>(index)) * 0x9e3779b97f4a7c15u;
  }
};

/// Every word of a block of up to 4 KiB; of a larger one a word of each 512 bytes, and the last.
template <class Function>
void for_each_word(const Held& held, const Function& function) {
  const std::ptrdiff_t count = held.bytes / 8, step = held.bytes <= 4096 ? 1 : 64;
  for (std::ptrdiff_t i = 0; i < count; i += step) function(i);
  if (count > 0) function(count - 1);
}

Held make(Counts& counts, std::ptrdiff_t bytes, std::uint64_t seed) {
  const Held held{static_cast<std::uint64_t*>(memory::alloc(CpuPlace{}, bytes)), bytes, seed};
  for_each_word(held, [&](std::ptrdiff_t i) { held.words[i] = held.word(i); });
  counts.operations.fetch_add(1, std::memory_order_relaxed);
  return held;
}

void end(Counts& counts, Held& held) {
  if (held.words == nullptr) return;
  bool whole = true;
  for_each_word(held, [&](std::ptrdiff_t i) { whole = whole && held.words[i] == held.word(i); });
  if (!whole) counts.damaged.fetch_add(1, std::memory_order_relaxed);
  memory::free(CpuPlace{}, std::exchange(held.words, nullptr));
  counts.operations.fetch_add(1, std::memory_order_relaxed);
}

/// Blocks on their way to the other thread.
struct Mailbox {
  std::mutex mutex;
  std::vector<Held> blocks;
};

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// One thread's share of the work, and the blocks that it holds between rounds.
class Worker {
 public:
  Worker(Counts& counts, Mailbox& own, Mailbox& others, std::uint64_t seed)
      : counts_(counts), own_(own), others_(others), random_(seed), slots_(400) {
    for (const std::ptrdiff_t floats : {784 * 256, 256, 256 * 10, 10})
      for (int copy = 0; copy < 2; ++copy) weights_.push_back(make(counts_, 4 * floats, random_()));
  }

  /// Works for `time` on a thread of its own, and sleeps as long as it works: two workers use one core together.
  void shift(Seconds time, const std::atomic<bool>& done) {
    const auto start = Clock::now();
    double slept_at = thread_seconds();
    while (!done && Clock::now() - start < time) {
      round();
      const double now = thread_seconds();
      if (now - slept_at < 0.005) continue;
      std::this_thread::sleep_for(Seconds(now - slept_at));
      slept_at = now;
    }
  }

  void finish() {
    for (Held& held : slots_) end(counts_, held);
    for (Held& held : weights_) end(counts_, held);
    end(counts_, huge_);
    receive();
  }

 private:
  void round() {
    constexpr std::array<std::ptrdiff_t, 3> batches = {64, 63, 65};
    train(batches[rounds_ % batches.size()]);
    replace();
    send();
    receive();
    if (rounds_ % 512 == 0) ask_for_much();
    if (rounds_ % 8192 == 0) memory::trim(CpuPlace{});
    ++rounds_;
  }

  /// The blocks of a step of a network 784-256-10: a batch, activations, their gradients; the last one made goes first.
  void train(std::ptrdiff_t batch) {
    std::array<Held, 8> arrays;
    const std::array<std::ptrdiff_t, 8> bytes = {batch * 784 * 4, batch * 10 * 4, batch * 8,       batch * 256 * 4,
                                                 batch * 10 * 4,  batch * 10 * 4, batch * 256 * 4, batch * 4};
    for (std::size_t i = 0; i < arrays.size(); ++i) arrays[i] = make(counts_, bytes[i], random_());
    for (std::size_t i = arrays.size(); i > 0; --i) end(counts_, arrays[i - 1]);
  }

  std::ptrdiff_t size_between(double low, double high) {
    std::uniform_real_distribution<double> logarithm(std::log(low), std::log(high));
    return static_cast<std::ptrdiff_t>(std::exp(logarithm(random_)));
  }

  /// Random ones of the live blocks make way for others, 256 B to 1 MiB.
  void replace() {
    for (int i = 0; i < 50; ++i) {
      Held& slot = slots_[random_() % slots_.size()];
      end(counts_, slot);
      slot = make(counts_, size_between(256, 1 << 20), random_());
    }
  }

  void send() {
    std::vector<Held> parcel;
    for (int i = 0; i < 32; ++i) parcel.push_back(make(counts_, size_between(16, 64 << 10), random_()));
    const std::lock_guard lock(others_.mutex);
    if (others_.blocks.size() < 1024)
      others_.blocks.insert(others_.blocks.end(), parcel.begin(), parcel.end());
    else
      parcel.swap(refused_);
  }

  void receive() {
    std::vector<Held> parcel;
    {
      const std::lock_guard lock(own_.mutex);
      parcel.swap(own_.blocks);
    }
    for (Held& held : parcel) end(counts_, held);
    for (Held& held : refused_) end(counts_, held);
    refused_.clear();
  }

  void ask_for_much() {
    end(counts_, huge_);
    huge_ = make(counts_, size_between(8 << 20, 32 << 20), random_());
  }

  Counts& counts_;
  Mailbox &own_, &others_;
  std::mt19937_64 random_;
  std::vector<Held> slots_, weights_, refused_;
  Held huge_;
  std::size_t rounds_ = 0;
};

std::ptrdiff_t resident_bytes() {
  std::ptrdiff_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// The highest figures of a stretch of time, from a look each second.
struct Highest {
  std::ptrdiff_t reserved = 0, resident = 0;

  void look(const memory::Stats& stats) {
    reserved = std::max(reserved, stats.reserved);
    resident = std::max(resident, resident_bytes());
  }
};

/// Looks at the pool while others work, and keeps the time: a pause of the process counts as 200 ms.
class Watchman {
 public:
  Watchman(Counts& counts, double minutes) : counts_(counts), wanted_(60 * minutes) {}

  void watch() {
    auto last = Clock::now();
    while (run_ < wanted_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const auto now = Clock::now();
      run_ += std::min(Seconds(now - last).count(), 0.2);
      last = now;
      if (run_ >= next_look_) look();
      if (run_ >= next_minute_) print_minute();
    }
  }

  const Highest& half(int number) const { return halves_[static_cast<std::size_t>(number)]; }

 private:
  void look() {
    const memory::Stats stats = memory::stats(CpuPlace{});
    minute_.look(stats);
    halves_[run_ < wanted_ / 2 ? 0 : 1].look(stats);
    next_look_ += std::min(1.0, wanted_ / 20);
  }

  void print_minute() {
    const memory::Stats stats = memory::stats(CpuPlace{});
    std::printf(
        "{\"minute\": %.0f, \"operations\": %lld, \"in_use\": %td, \"reserved\": %td, \"most_reserved\": %td, "
        "\"peak_reserved\": %td, \"resident\": %td, \"fragmentation\": %.3f, \"cpu_seconds\": %.0f}\n",
        next_minute_ / 60, static_cast<long long>(counts_.operations.load()), stats.in_use, stats.reserved,
        minute_.reserved, stats.peak_reserved, minute_.resident, stats.external_fragmentation(), cpu_seconds());
    std::fflush(stdout);
    minute_ = {};
    next_minute_ += 60;
  }

  Counts& counts_;
  double wanted_, run_ = 0, next_look_ = 0, next_minute_ = 60;
  Highest minute_;
  std::array<Highest, 2> halves_;
};

/// The last line; whether all was as it should be.
bool verdict(const Counts& counts, const Watchman& watchman, double minutes) {
  memory::trim(CpuPlace{});
  const memory::Stats left = memory::stats(CpuPlace{});
  const auto growth = [&](std::ptrdiff_t Highest::* figure) {
    return static_cast<double>(watchman.half(1).*figure) /
           static_cast<double>(std::max<std::ptrdiff_t>(watchman.half(0).*figure, 1));
  };
  const double reserved = growth(&Highest::reserved), resident = growth(&Highest::resident);
  const double most = most_growth(minutes);
  const bool good = reserved <= most && resident <= most && counts.damaged == 0 && left.live == 0 && left.in_use == 0 &&
                    left.reserved == 0;
  std::printf(
      "{\"minutes\": %g, \"operations\": %lld, \"reserved_growth\": %.4f, \"resident_growth\": %.4f, \"bound\": %.2f, "
      "\"damaged\": %lld, \"left_in_use\": %td, \"left_live\": %td, \"left_reserved\": %td, \"cpu_seconds\": %.0f, "
      "\"good\": %s}\n",
      minutes, static_cast<long long>(counts.operations.load()), reserved, resident, most,
      static_cast<long long>(counts.damaged.load()), left.in_use, left.live, left.reserved, cpu_seconds(),
      good ? "true" : "false");
  return good;
}

}  // namespace

int main(int count, char** arguments) {
  const double minutes = count == 2 ? std::atof(arguments[1]) : 0;
  if (!(minutes > 0)) return std::fprintf(stderr, "usage: memory_soak MINUTES\n"), 2;
  Counts counts;
  std::array<Mailbox, 2> mailboxes;
  std::array<Worker, 2> workers = {Worker(counts, mailboxes[0], mailboxes[1], 1),
                                   Worker(counts, mailboxes[1], mailboxes[0], 2)};
  Watchman watchman(counts, minutes);
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    threads.emplace_back([&, i] {
      // A fresh thread every ten seconds or so, that frees what the one before it allocated.
      while (!done) std::thread([&] { workers[i].shift(Seconds(10.0 + static_cast<double>(i)), done); }).join();
    });
  }
  watchman.watch();
  done = true;
  for (std::thread& thread : threads) thread.join();
  for (Worker& worker : workers) worker.finish();
  return verdict(counts, watchman, minutes) ? 0 : 1;
}
