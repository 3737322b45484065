// Tests of the parallel loop: every index once, on any number of threads, nested and beside each other.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include "thread_count.hpp"
import tessera;

using namespace tessera;

namespace {

constexpr int thread_counts[] = {1, 2, 4, 9};

template <class Body>
concept LoopBody = requires(const Body& body) { parallel_for(1, body); };

struct TakesIndex {
  void operator()(std::ptrdiff_t) const {}
};
struct NeedsMutable {
  void operator()(std::ptrdiff_t) {}
};
struct TakesNothing {
  void operator()() const {}
};

}  // namespace

static_assert(LoopBody<TakesIndex> && LoopBody<int (*)(std::ptrdiff_t)> && !LoopBody<NeedsMutable> &&
              !LoopBody<TakesNothing> && !LoopBody<int>);

// --8<-- [start:parallel_for]
TEST_CASE("a parallel loop calls its body once for each index") {
  std::vector<double> roots(1000);
  parallel_for(1000, [&](std::ptrdiff_t i) {
    roots[static_cast<std::size_t>(i)] = std::sqrt(static_cast<double>(i));  // write by index: the order is open
  });
  CHECK(roots[0] == 0);
  CHECK(roots[144] == 12);
}
// --8<-- [end:parallel_for]

TEST_CASE("every index is visited once for every count and number of threads") {
  for (const int threads : thread_counts) {
    const ThreadCount set(set_num_threads, threads);
    for (const std::ptrdiff_t count : {0, 1, 2, 3, 4, 7, 8, 9, 10, 63, 64, 65, 1000, 4097}) {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
      parallel_for(count, [&](std::ptrdiff_t i) { ++visits[static_cast<std::size_t>(i)]; });
      const auto wrong = std::count_if(visits.begin(), visits.end(), [](const auto& n) { return n != 1; });
      INFO(threads, " threads, ", count, " iterations");
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("a loop of no or a negative number of iterations calls nothing") {
  int calls = 0;
  for (const std::ptrdiff_t count : {std::ptrdiff_t{0}, std::ptrdiff_t{-1}, -(std::ptrdiff_t{1} << 32) + 5,
                                     std::numeric_limits<std::ptrdiff_t>::min()}) {
    parallel_for(count, [&](std::ptrdiff_t) { ++calls; });
  }
  CHECK(calls == 0);
}

TEST_CASE("with one thread the loop runs on the caller, in order") {
  const ThreadCount one(set_num_threads, 1);
  std::vector<std::ptrdiff_t> order;
  const auto caller = std::this_thread::get_id();
  bool elsewhere = false;
  parallel_for(100, [&](std::ptrdiff_t i) {
    order.push_back(i);
    elsewhere = elsewhere || std::this_thread::get_id() != caller;
  });
  CHECK(order.size() == 100);
  CHECK(std::ranges::is_sorted(order));
  CHECK(!elsewhere);
}

TEST_CASE("several threads work on one loop at once, and no more than were asked for") {
  for (const int threads : {2, 4, 9}) {
    const ThreadCount set(set_num_threads, threads);
    std::atomic<int> arrived{0};
    std::mutex mutex;
    std::set<std::thread::id> workers;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    // Each iteration waits until all have begun: that comes only if every one has a thread of its own.
    parallel_for(threads, [&](std::ptrdiff_t) {
      ++arrived;
      while (arrived.load() < threads && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
      const std::lock_guard lock(mutex);
      workers.insert(std::this_thread::get_id());
    });
    CHECK(static_cast<int>(workers.size()) == threads);
  }
  const ThreadCount two(set_num_threads, 2);
  std::mutex mutex;
  std::set<std::thread::id> workers;
  parallel_for(500, [&](std::ptrdiff_t) {
    std::this_thread::yield();
    const std::lock_guard lock(mutex);
    workers.insert(std::this_thread::get_id());
  });
  CHECK(workers.size() <= 2);
}

TEST_CASE("what the caller wrote before a loop is seen in it, and what the loop wrote is seen after it") {
  const ThreadCount four(set_num_threads, 4);
  std::vector<long> values(256);
  for (long round = 0; round < 300; ++round) {
    std::ranges::fill(values, round);
    parallel_for(std::ssize(values), [&](std::ptrdiff_t i) { values[static_cast<std::size_t>(i)] += i; });
    const long sum = std::accumulate(values.begin(), values.end(), 0L);
    if (sum != 256 * round + 255 * 128) FAIL_CHECK("round ", round, " gives ", sum);
  }
}

TEST_CASE("loops inside loops share the threads and visit every pair once") {
  for (const int threads : thread_counts) {
    const ThreadCount set(set_num_threads, threads);
    std::vector<std::atomic<int>> visits(12 * 11 * 10);
    parallel_for(12, [&](std::ptrdiff_t i) {
      parallel_for(11, [&](std::ptrdiff_t j) {
        parallel_for(10, [&](std::ptrdiff_t k) { ++visits[static_cast<std::size_t>((i * 11 + j) * 10 + k)]; });
      });
    });
    const auto wrong = std::count_if(visits.begin(), visits.end(), [](const auto& n) { return n != 1; });
    CAPTURE(threads);
    CHECK(wrong == 0);
  }
}

TEST_CASE("several threads of the user's run loops at the same time") {
  for (const int threads : thread_counts) {
    const ThreadCount set(set_num_threads, threads);
    constexpr int users = 5;
    std::vector<std::vector<int>> results(users);
    std::vector<std::thread> callers;
    for (int user = 0; user < users; ++user) {
      callers.emplace_back([&results, user] {
        for (int round = 0; round < 40; ++round) {
          std::vector<int> result(300);
          parallel_for(
              300, [&](std::ptrdiff_t i) { result[static_cast<std::size_t>(i)] = static_cast<int>(i) * user + round; });
          results[static_cast<std::size_t>(user)] = result;
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
    CAPTURE(threads);
    for (int user = 0; user < users; ++user) {
      CHECK(results[static_cast<std::size_t>(user)][299] == 299 * user + 39);
    }
  }
}

TEST_CASE("the number of threads can change while loops run elsewhere") {
  const ThreadCount restored(set_num_threads, 2);
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  std::thread changer([&] {
    for (int round = 0; !done; ++round) set_num_threads(1 + round % 5);
  });
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> visits{0};
    parallel_for(50, [&](std::ptrdiff_t) { ++visits; });
    wrong += visits != 50;
  }
  done = true;
  changer.join();
  CHECK(wrong == 0);
}

TEST_CASE("results written by index do not depend on the number of threads") {
  const auto compute = [](int threads) {
    const ThreadCount set(set_num_threads, threads);
    std::vector<double> result(5000);
    parallel_for(5000, [&](std::ptrdiff_t i) {
      double x = static_cast<double>(i) / 5000;
      for (int step = 0; step < 20; ++step) x = 3.9 * x * (1 - x);  // any difference would grow
      result[static_cast<std::size_t>(i)] = x;
    });
    return result;
  };
  const std::vector<double> serial = compute(1);
  for (const int threads : {2, 4, 9}) {
    CAPTURE(threads);
    CHECK(compute(threads) == serial);
  }
}

TEST_CASE("expressions give the same bits with any number of threads") {
  const Array<float, 2> a = random::uniform<float>(random::Key{3}, Dim{700, 500});
  const auto compute = [&](int threads) {
    const ThreadCount set(set_num_threads, threads);
    Array<float, 1> rows = sum<1>(a * a + 1.0f);
    Array<float, 1> columns = sum<0>(a * 0.1f);
    std::vector<float> all_sums(rows.begin(), rows.end());
    all_sums.insert(all_sums.end(), columns.begin(), columns.end());
    return all_sums;
  };
  const std::vector<float> serial = compute(1);
  for (const int threads : {2, 4, 9}) {
    CAPTURE(threads);
    CHECK(compute(threads) == serial);
  }
}

// --8<-- [start:set_num_threads]
TEST_CASE("the number of threads is set for the whole process") {
  const ThreadCount restored(set_num_threads, num_threads());  // a test's own: puts it back
  set_num_threads(2);
  CHECK(num_threads() == 2);
  CHECK_THROWS_WITH_AS(set_num_threads(0), "set_num_threads: 0 is not in 1 .. 1024", SchedulerError);
  CHECK(num_threads() == 2);
}
// --8<-- [end:set_num_threads]

TEST_CASE("numbers of threads outside 1 to 1024 are refused and change nothing") {
  const ThreadCount three(set_num_threads, 3);
  for (const int count : {-1, 0, 1025, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
    CAPTURE(count);
    CHECK_THROWS_AS(set_num_threads(count), SchedulerError);
    CHECK(num_threads() == 3);
  }
  set_num_threads(1024);
  CHECK(num_threads() == 1024);
}
