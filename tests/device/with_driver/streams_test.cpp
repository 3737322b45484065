// Tests of streams, marks and the order of work, on a driver that does work as late and in as bad an order as it may.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "fake_cuda.hpp"
import tessera;

#include "gpus.hpp"
#include "work.hpp"

using namespace tessera;
using work::Ints;

namespace {

const GpuPlace gpu{0};

}  // namespace

TEST_CASE("a thread has one stream on each GPU, and another thread has others") {
  device::Stream& mine = device::Stream::current(gpu);
  CHECK(&mine == &device::Stream::current(gpu));
  CHECK(mine.place() == gpu);
  CHECK(mine.native() != nullptr);
  CHECK((&device::Stream::current(other_gpu()) != &mine) == (device_count() > 1));
  CHECK(device::Stream::current(other_gpu()).place() == other_gpu());
  device::Stream* other = nullptr;
  std::thread([&] { other = &device::Stream::current(gpu); }).join();
  CHECK(other != &mine);
  CHECK_THROWS_AS(device::Stream::current(no_gpu()), DeviceError);
  CHECK_THROWS_AS(device::Stream::create(GpuPlace{-1}), DeviceError);
}

TEST_CASE("the stream of a thread that has ended goes to the next thread, with its work") {
  const Ints memory(gpu, 100);
  device::Stream* first = nullptr;
  device::Stream* second = nullptr;
  std::thread([&] {
    first = &device::Stream::current(gpu);
    memory.fill(7, *first);
  }).join();
  std::vector<int> values;
  std::thread([&] {
    second = &device::Stream::current(gpu);
    values = memory.read(*second);
  }).join();
  CHECK(first == second);
  CHECK(values == std::vector<int>(100, 7));
}

TEST_CASE("a mark is reached when the work before it is done, and not before") {
  const Ints memory(gpu, 100);
  device::Stream& stream = device::Stream::create(gpu);
  CHECK(device::StreamMark{}.is_reached());
  CHECK(device::StreamMark{}.stream() == nullptr);
  CHECK(stream.mark().is_reached());
  memory.fill(1, stream);
  const device::StreamMark first = stream.mark();
  memory.fill(2, stream);
  const device::StreamMark second = stream.mark();
  CHECK(first.sequence() == 1);
  CHECK(second.sequence() == 2);
  CHECK(first != second);
  CHECK(first.stream() == &stream);
  first.wait();
  CHECK(first.is_reached());
  second.wait();
  CHECK(second.is_reached());
  CHECK(memory.read(stream) == std::vector<int>(100, 2));
}

TEST_CASE("asking whether a mark is reached does not wait, and in the end it is" * doctest::test_suite("fake")) {
  const Ints memory(gpu, 100);
  device::Stream& stream = device::Stream::create(gpu);
  fake::start_log();
  for (int k = 0; k < 20; ++k) memory.fill(k, stream);
  const device::StreamMark mark = stream.mark();
  int asked = 1;
  while (!mark.is_reached()) ++asked;
  CHECK(asked > 1);
  CHECK(work::count_lines(fake::log(), "host waits") == 0);
}

TEST_CASE("work of two streams has no order of its own" * doctest::test_suite("fake")) {
  bool overtaken = false;
  for (int k = 0; k < 64 && !overtaken; ++k) {
    const Ints memory(gpu, 4);
    device::Stream& first = device::Stream::current(gpu);
    device::Stream& second = device::Stream::create(gpu);
    memory.fill(1, first);
    memory.fill(2, second);
    synchronize(gpu);
    overtaken = memory.read(first)[0] == 1;
  }
  CHECK(overtaken);  // else the tests below would prove nothing
}

TEST_CASE("a stream that waits for a mark starts after it, and the host does not wait") {
  device::Stream& first = device::Stream::create(gpu);
  device::Stream& second = device::Stream::create(gpu);
  for (int k = 0; k < 200; ++k) {
    const Ints memory(gpu, 4), result(gpu, 4);
    fake::start_log();
    memory.fill(k, first);
    second.wait(first.mark());
    result.copy_from(memory, second);
    first.wait(second.mark());
    memory.fill(-1, first);
    CHECK(work::count_lines(fake::log(), "host waits") == 0);
    CHECK(result.read(second) == std::vector<int>(4, k));
    synchronize(gpu);
  }
}

TEST_CASE("waiting for a mark of the same stream, or a reached one, gives the GPU nothing to do" *
          doctest::test_suite("fake")) {
  const Ints memory(gpu, 4);
  device::Stream& first = device::Stream::create(gpu);
  device::Stream& second = device::Stream::create(gpu);
  memory.fill(1, first);
  const device::StreamMark mark = first.mark();
  mark.wait();
  fake::start_log();
  first.wait(mark);
  second.wait(mark);
  second.wait(device::StreamMark{});
  CHECK(fake::log().empty());
}

TEST_CASE("a stream waits once for marks that an earlier wait covers" * doctest::test_suite("fake")) {
  const Ints memory(gpu, 4);
  device::Stream& first = device::Stream::create(gpu);
  device::Stream& second = device::Stream::create(gpu);
  memory.fill(1, first);
  const device::StreamMark early = first.mark();
  memory.fill(2, first);
  fake::start_log();
  second.wait(first.mark());
  second.wait(early);
  second.wait(first.mark());
  CHECK(work::count_lines(fake::log(), "wait for") == 1);
  synchronize();
}

TEST_CASE("a mark covers the waits of its stream") {
  const Ints memory(gpu, 4), other(gpu, 4);
  device::Stream& first = device::Stream::create(gpu);
  device::Stream& second = device::Stream::create(gpu);
  memory.fill(5, first);
  second.wait(first.mark());
  const device::StreamMark mark = second.mark();
  mark.wait();
  CHECK(first.mark().is_reached());
}

TEST_CASE("streams of two GPUs wait for each other" * doctest::test_suite("two GPUs")) {
  for (int k = 0; k < 50; ++k) {
    const Ints here(gpu, 16), there(GpuPlace{1}, 16);
    device::Stream& first = device::Stream::current(gpu);
    device::Stream& second = device::Stream::current(GpuPlace{1});
    here.fill(k, first);
    second.wait(first.mark());
    there.copy_from(here, second);
    first.wait(second.mark());
    here.fill(-1, first);
    CHECK(there.read(second) == std::vector<int>(16, k));
    synchronize();
  }
}

TEST_CASE("more than a hundred thousand marks are reached in their order with a handful of events") {
  const Ints memory(gpu, 1);
  device::Stream& first = device::Stream::create(gpu);
  device::Stream& second = device::Stream::create(gpu);
  const std::size_t before = fake::is_here() ? fake::events() : 0;
  constexpr int marks = 110'000;
  std::vector<device::StreamMark> all;
  for (int k = 0; k < marks; ++k) {
    device::Stream& giver = k % 2 == 0 ? first : second;
    device::Stream& waiter = k % 2 == 0 ? second : first;
    memory.fill(k, giver);
    all.push_back(giver.mark());
    waiter.wait(giver.mark());
    if (k % 100 == 99) all[static_cast<std::size_t>(k - 50)].wait();
  }
  CHECK(memory.read(marks % 2 == 0 ? second : first) == std::vector<int>(1, marks - 1));
  std::ptrdiff_t reached = 0;
  for (const device::StreamMark& mark : all) reached += mark.is_reached() ? 1 : 0;
  CHECK(reached == marks);
  if (fake::is_here())
    CHECK(fake::events() - before < 500);  // as many as there are marks between two waits of the host
}

TEST_CASE("marks are waited for and polled from many threads at once") {
  const Ints memory(gpu, 8);
  device::Stream& stream = device::Stream::create(gpu);
  std::vector<device::StreamMark> marks;
  for (int k = 0; k < 400; ++k) {
    memory.fill(k, stream);
    marks.push_back(stream.mark());
  }
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < 4; ++number) {
    threads.emplace_back([&marks, number] {
      for (std::size_t k = number; k < marks.size(); k += 4) {
        if (k % 3 != 0) marks[k].wait();
        if (k % 3 == 0) {
          while (!marks[k].is_reached()) std::this_thread::yield();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(stream.mark().is_reached());
  CHECK(memory.read(stream) == std::vector<int>(8, 399));
}

TEST_CASE("synchronize waits for all streams of a GPU, or of all") {
  const Ints here(gpu, 8), there(other_gpu(), 8);
  device::Stream& first = device::Stream::create(gpu);
  device::Stream& second = device::Stream::create(other_gpu());
  here.fill(1, first);
  there.fill(2, second);
  const device::StreamMark here_mark = first.mark();
  const device::StreamMark there_mark = second.mark();
  synchronize(CpuPlace{});
  synchronize(PinnedPlace{});
  synchronize(gpu);
  CHECK(here_mark.is_reached());
  synchronize();
  CHECK(there_mark.is_reached());
  if (fake::is_here()) CHECK(fake::pending_work() == 0);
  CHECK_THROWS_AS(synchronize(no_gpu()), DeviceError);
}
