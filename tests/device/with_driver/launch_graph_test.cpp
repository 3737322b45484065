// Tests of launches that are held back and given to the GPU as one launch of a graph.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "fake_cuda.hpp"
import tessera;

#include "work.hpp"

using namespace tessera;
using work::Ints;

namespace {

const GpuPlace gpu{0};

/// Three kernels that add to each other's results: 10 + a + b + c at the end.
struct Chain {
  Chain() : x(gpu, 8), y(gpu, 8), z(gpu, 8), result(gpu, 8), stream(device::Stream::current(gpu)) {
    x.fill(10, stream);
  }

  void launch(int a, int b, int c) const {
    work::add(y, x, a, stream);
    work::add(z, y, b, stream);
    work::add(result, z, c, stream);
  }
  void run(int a, int b, int c) {
    device::CollectedLaunches collected(graphs);
    launch(a, b, c);
    collected.finish();
  }
  int value() const { return result.read(stream)[0]; }

  Ints x, y, z, result;
  device::Stream& stream;
  device::LaunchGraphs graphs;
};

std::ptrdiff_t lines_of(const char* part) { return work::count_lines(fake::log(), part); }

}  // namespace

TEST_CASE("launches that are repeated become a graph, whose arguments change") {
  Chain chain;
  for (int k = 0; k < 6; ++k) {
    chain.run(k, 1, 2 * k);
    CHECK(chain.value() == 11 + 3 * k);
  }
}

TEST_CASE("what is launched twice is prepared, and launched at once from then on" * doctest::test_suite("fake")) {
  const std::size_t before = fake::graphs();
  {
    Chain chain;
    fake::start_log();
    chain.run(1, 2, 3);
    CHECK(lines_of("launch 2 x 32") == 3);
    CHECK(chain.graphs.count() == 0);
    chain.run(1, 2, 3);
    CHECK(lines_of("prepare a graph of 3 kernels") == 1);
    CHECK(chain.graphs.count() == 1);
    chain.run(1, 5, 3);
    chain.run(1, 5, 3);
    CHECK(lines_of("launch 2 x 32") == 3);
    CHECK(lines_of("launch a graph of 3 kernels") == 3);
    CHECK(lines_of("prepare") == 1);
    CHECK(lines_of("change a kernel") == 1);  // the one with another argument
    CHECK(chain.value() == 19);
    CHECK(fake::graphs() == before + 2);
  }
  CHECK(fake::graphs() == before);
}

TEST_CASE("other kernels than the last time are launched one by one" * doctest::test_suite("fake")) {
  Chain chain;
  for (int k = 0; k < 3; ++k) chain.run(k, k, k);
  fake::start_log();
  {
    device::CollectedLaunches collected(chain.graphs);
    work::add(chain.y, chain.x, 7, chain.stream);
    work::add(chain.result, chain.y, 7, chain.stream);
    collected.finish();
  }
  CHECK(lines_of("launch 2 x 32") == 2);
  CHECK(chain.graphs.count() == 0);
  CHECK(chain.value() == 24);
  for (int k = 0; k < 3; ++k) chain.run(k, k, k);
  CHECK(chain.graphs.count() == 1);
  CHECK(chain.value() == 16);
}

TEST_CASE("other work of the stream comes between launches as it was given" * doctest::test_suite("fake")) {
  Chain chain;
  const auto run = [&](int value) {
    device::CollectedLaunches collected(chain.graphs);
    work::add(chain.y, chain.x, 1, chain.stream);
    work::add(chain.z, chain.y, 1, chain.stream);
    chain.y.fill(value, chain.stream);
    work::add(chain.result, chain.y, 1, chain.stream);
    work::add(chain.z, chain.result, 1, chain.stream);
    chain.result.copy_from(chain.z, chain.stream);
    collected.finish();
  };
  run(100);
  CHECK(chain.value() == 102);
  run(200);
  CHECK(chain.value() == 202);
  fake::start_log();
  run(300);
  CHECK(lines_of("launch a graph of 2 kernels") == 2);
  CHECK(lines_of("launch 2 x 32") == 0);
  CHECK(chain.value() == 302);
}

TEST_CASE("a thread that waits for what it has held back gives it first") {
  Chain chain;
  for (int k = 0; k < 4; ++k) {
    device::CollectedLaunches collected(chain.graphs);
    chain.launch(k, k, k);
    const device::StreamMark mark = chain.stream.mark();
    if (k % 2 == 0) mark.wait();
    if (k == 1) device::Stream::create(gpu).wait(mark);
    if (k == 3) synchronize(gpu);
    CHECK(chain.value() == 10 + 3 * k);
  }
}

TEST_CASE("a mark of what is held back is not reached before it is given" * doctest::test_suite("fake")) {
  Chain chain;
  chain.run(0, 0, 0);
  chain.stream.synchronize();
  device::CollectedLaunches collected(chain.graphs);
  chain.launch(1, 1, 1);
  const device::StreamMark mark = chain.stream.mark();
  for (int k = 0; k < 100; ++k) CHECK_FALSE(mark.is_reached());
  CHECK(fake::pending_work() == 0);
  collected.finish();
  CHECK(fake::pending_work() > 0);
  mark.wait();
  CHECK(mark.is_reached());
}

TEST_CASE("another thread that waits for a mark of what is held back waits until it is given and done") {
  Chain chain;
  for (int k = 0; k < 3; ++k) {
    device::CollectedLaunches collected(chain.graphs);
    chain.launch(k, 2, 3);
    const device::StreamMark mark = chain.stream.mark();
    std::atomic<bool> is_given = false;
    bool was_given = false;
    std::vector<int> values;
    std::thread other([&] {
      device::Stream& own = device::Stream::current(gpu);
      own.wait(mark);
      was_given = is_given.load();
      values = chain.result.read(own);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    is_given = true;
    collected.finish();
    other.join();
    CHECK(was_given);
    CHECK(values == std::vector<int>(8, 15 + k));
  }
}

TEST_CASE("two threads that hold launches back and wait for each other's go on") {
  std::atomic<int> held = 0;
  std::vector<device::StreamMark> marks(2);
  std::vector<int> values(2);
  std::vector<std::thread> threads;
  for (int number = 0; number < 2; ++number) {
    threads.emplace_back([&, number] {
      Chain chain;
      device::CollectedLaunches collected(chain.graphs);
      chain.launch(number, 0, 0);
      marks[static_cast<std::size_t>(number)] = chain.stream.mark();
      ++held;
      while (held < 2) std::this_thread::yield();
      marks[static_cast<std::size_t>(1 - number)].wait();
      collected.finish();
      values[static_cast<std::size_t>(number)] = chain.value();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(values == std::vector<int>{10, 11});
}

TEST_CASE("a stream that holds launches back may be told to wait for another" * doctest::test_suite("fake")) {
  Chain chain;
  device::Stream& other = device::Stream::create(gpu);
  for (int k = 1; k < 4; ++k) {
    device::CollectedLaunches collected(chain.graphs);
    work::add(chain.z, chain.x, 0, chain.stream);
    for (int j = 0; j < 20; ++j) chain.y.fill(k, other);
    chain.stream.wait(other.mark());
    work::add(chain.result, chain.y, 1, chain.stream);
    fake::start_log();
    collected.finish();
    if (k > 1) CHECK(lines_of("launch a graph of 2 kernels") == 1);
    CHECK(chain.value() == k + 1);
    other.wait(chain.stream.mark());
  }
}

TEST_CASE("of two that hold back in one thread the outer one does" * doctest::test_suite("fake")) {
  Chain chain;
  device::LaunchGraphs inner_graphs;
  for (int k = 0; k < 3; ++k) {
    device::CollectedLaunches outer(chain.graphs);
    {
      device::CollectedLaunches inner(inner_graphs);
      chain.launch(k, 0, 0);
      inner.finish();
    }
    fake::start_log();
    outer.finish();
    CHECK(lines_of("launch") == (k == 0 ? 3 : 1));
  }
  CHECK(inner_graphs.count() == 0);
  CHECK(chain.value() == 12);
}

TEST_CASE("while a trace is taken each launch is given by itself" * doctest::test_suite("fake")) {
  Chain chain;
  for (int k = 0; k < 3; ++k) chain.run(k, k, k);
  const device::StreamTrace trace;
  fake::start_log();
  chain.run(4, 4, 4);
  CHECK(lines_of("launch 2 x 32") == 3);
  CHECK(trace.records().size() == 3);
  CHECK(chain.value() == 22);
}

TEST_CASE("a driver that refuses a graph is given the launches one by one, and the error of one that it refuses" *
          doctest::test_suite("fake")) {
  Chain chain;
  chain.run(1, 1, 1);
  chain.run(1, 1, 1);
  {
    const fake::Failing once(1, 801);
    chain.run(2, 2, 2);
  }
  CHECK(chain.value() == 16);
  fake::start_log();
  chain.run(3, 3, 3);
  CHECK(lines_of("launch 2 x 32") == 3);  // it is not asked again
  CHECK(chain.value() == 19);

  Chain failing;
  failing.run(1, 1, 1);
  failing.run(1, 1, 1);
  device::StreamMark mark;
  {
    const fake::Failing always(10, 801);
    device::CollectedLaunches collected(failing.graphs);
    failing.launch(5, 5, 5);
    mark = failing.stream.mark();
    CHECK_THROWS_WITH_AS(collected.finish(), doctest::Contains("CUDA_ERROR_NOT_SUPPORTED (801); x + addend"),
                         DeviceError);
  }
  mark.wait();  // what was not given is not waited for
  CHECK(failing.value() == 13);
}

TEST_CASE("a driver that makes no graphs is given the launches one by one" * doctest::test_suite("fake")) {
  setenv("FAKE_CUDA_GRAPHS", "0", 1);
  Chain chain;
  fake::start_log();
  for (int k = 0; k < 4; ++k) chain.run(k, k, k);
  CHECK(lines_of("launch 2 x 32") == 12);
  CHECK(chain.value() == 19);
  unsetenv("FAKE_CUDA_GRAPHS");
}

TEST_CASE("work on two GPUs is held back one after the other" * doctest::test_suite("two GPUs")) {
  const GpuPlace other{1};
  Chain chain;
  Ints far(other, 8), farther(other, 8);
  device::Stream& stream = device::Stream::current(other);
  for (int k = 0; k < 4; ++k) {
    device::CollectedLaunches collected(chain.graphs);
    chain.launch(k, k, k);
    far.fill(k, stream);
    work::add(farther, far, 1, stream);
    work::add(far, farther, 1, stream);
    work::add(chain.x, chain.result, 0, chain.stream);
    collected.finish();
    CHECK(far.read(stream)[0] == k + 2);
  }
  CHECK(chain.value() == 10 + 3 * (0 + 1 + 2 + 3));
}
