// Tests of exceptions out of the body of a parallel loop.
#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "thread_count.hpp"
import tessera;

using namespace tessera;

namespace {

constexpr int thread_counts[] = {1, 2, 4, 9};

/// A type that no standard exception is a base of.
struct Odd {
  std::ptrdiff_t index;
};

}  // namespace

// --8<-- [start:exception]
TEST_CASE("an exception in the body reaches the caller, that of the lowest index first") {
  std::string message;
  try {
    parallel_for(100, [](std::ptrdiff_t i) {
      if (i % 10 == 7) throw std::runtime_error("index " + std::to_string(i));
    });
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  CHECK(message == "index 7");
}
// --8<-- [end:exception]

TEST_CASE("the lowest index wins, however late it throws") {
  for (const int threads : thread_counts) {
    const ThreadCount set(set_num_threads, threads);
    for (int round = 0; round < 50; ++round) {
      std::ptrdiff_t caught = -1;
      try {
        parallel_for(64, [&](std::ptrdiff_t i) {
          if (i == 3) {
            for (int spin = 0; spin < 200; ++spin) std::this_thread::yield();  // others throw first
          }
          if (i >= 3) throw Odd{i};
        });
      } catch (const Odd& odd) {
        caught = odd.index;
      }
      if (caught != 3) FAIL_CHECK(threads, " threads, round ", round, ": index ", caught, " was rethrown");
    }
  }
}

TEST_CASE("exceptions of any type keep their type and value") {
  for (const int threads : thread_counts) {
    const ThreadCount set(set_num_threads, threads);
    CAPTURE(threads);
    CHECK_THROWS_AS(parallel_for(100,
                                 [](std::ptrdiff_t i) {
                                   if (i == 50) throw 42;
                                 }),
                    int);
    int number = 0;
    try {
      parallel_for(100, [](std::ptrdiff_t i) {
        if (i == 99) throw 42;
      });
    } catch (int thrown) {
      number = thrown;
    }
    CHECK(number == 42);
    CHECK_THROWS_AS(parallel_for(100, [](std::ptrdiff_t) { throw "text"; }), const char*);
    CHECK_THROWS_AS(parallel_for(2, [](std::ptrdiff_t) { throw ShapeError("from a body"); }), ShapeError);
  }
}

TEST_CASE("every index below the one that throws has run, and each at most once") {
  for (const int threads : thread_counts) {
    const ThreadCount set(set_num_threads, threads);
    std::vector<std::atomic<int>> visits(500);
    CHECK_THROWS_AS(parallel_for(500,
                                 [&](std::ptrdiff_t i) {
                                   ++visits[static_cast<std::size_t>(i)];
                                   if (i == 250) throw Odd{i};
                                 }),
                    Odd);
    for (std::size_t i = 0; i < visits.size(); ++i) {
      const int times = visits[i];
      const bool right = i <= 250 ? times == 1 : times <= 1;
      if (!right) FAIL_CHECK(threads, " threads: index ", i, " ran ", times, " times");
    }
  }
}

TEST_CASE("a loop after a failed loop works as if nothing had happened") {
  for (const int threads : thread_counts) {
    const ThreadCount set(set_num_threads, threads);
    for (int round = 0; round < 20; ++round) {
      CHECK_THROWS_AS(parallel_for(30,
                                   [](std::ptrdiff_t i) {
                                     if (i % 2 == 1) throw Odd{i};
                                   }),
                      Odd);
      std::atomic<int> visits{0};
      parallel_for(30, [&](std::ptrdiff_t) { ++visits; });
      if (visits != 30) FAIL_CHECK(threads, " threads, round ", round, ": ", visits.load(), " visits");
    }
  }
}

TEST_CASE("an exception leaves a loop inside a loop, and is caught by the body around it") {
  for (const int threads : thread_counts) {
    const ThreadCount set(set_num_threads, threads);
    std::atomic<int> caught{0};
    parallel_for(8, [&](std::ptrdiff_t) {
      try {
        parallel_for(8, [](std::ptrdiff_t j) {
          if (j == 5) throw Odd{j};
        });
      } catch (const Odd&) {
        ++caught;
      }
    });
    CHECK(caught == 8);
    std::ptrdiff_t index = -1;
    try {
      parallel_for(8, [&](std::ptrdiff_t i) {
        parallel_for(8, [&](std::ptrdiff_t j) {
          if (i >= 2 && j >= 4) throw Odd{10 * i + j};
        });
      });
    } catch (const Odd& odd) {
      index = odd.index;
    }
    CAPTURE(threads);
    CHECK(index == 24);
  }
}

TEST_CASE("what the body captured is destroyed neither early nor twice when it throws") {
  const ThreadCount four(set_num_threads, 4);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::string> texts(64, std::string(100, 'x'));
    try {
      parallel_for(64, [texts, round](std::ptrdiff_t i) {
        if (i == round % 64) throw std::runtime_error(texts[static_cast<std::size_t>(i)]);
      });
      FAIL_CHECK("no exception in round ", round);
    } catch (const std::runtime_error& error) {
      if (std::string(error.what()) != texts[0]) FAIL_CHECK("round ", round, " says ", error.what());
    }
  }
}
