// Tests of ordering by what memory is used for: threads write and read the same memory on their own streams.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
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

/// Memory whose users are ordered by its uses.
struct Shared {
  explicit Shared(std::ptrdiff_t count) : memory(gpu, count) {}

  void write(int value, device::Stream& stream) {
    uses.order_write(stream);
    memory.fill(value, stream);
    uses.note_write(stream.mark());
  }
  void add_to(Shared& target, int addend, device::Stream& stream) {
    uses.order_read(stream);
    target.uses.order_write(stream);
    work::add(target.memory, memory, addend, stream);
    uses.note_read(stream.mark());
    target.uses.note_write(stream.mark());
  }
  std::vector<int> read(device::Stream& stream) {
    uses.order_read(stream);
    std::vector<int> values = memory.read(stream);
    uses.note_read(stream.mark());
    return values;
  }

  Ints memory;
  device::StreamUses uses;
};

}  // namespace

TEST_CASE("memory without uses is idle and orders nothing") {
  const device::StreamUses uses;
  device::Stream& stream = device::Stream::create(gpu);
  fake::start_log();
  uses.order_read(stream);
  uses.order_write(stream);
  uses.join(stream);
  uses.wait_for_reading();
  uses.wait_for_writing();
  CHECK(uses.is_idle());
  CHECK(uses.marks().empty());
  CHECK(fake::log().empty());
}

TEST_CASE("a reading waits for the last writing only, a writing for all readings since then" *
          doctest::test_suite("fake")) {
  Shared shared(8);
  device::Stream& writer = device::Stream::create(gpu);
  device::Stream& reader = device::Stream::create(gpu);
  device::Stream& other = device::Stream::create(gpu);
  shared.write(1, writer);
  Shared first(8), second(8);
  shared.add_to(first, 0, reader);
  CHECK(shared.uses.marks().size() == 2);
  fake::start_log();
  shared.add_to(second, 0, other);
  CHECK(work::count_lines(fake::log(), "wait for") == 1);  // not for the other reading
  CHECK(shared.uses.marks().size() == 3);
  fake::start_log();
  shared.write(2, writer);
  CHECK(work::count_lines(fake::log(), "wait for") == 2);  // both readings, on other streams than the writing
  CHECK(shared.uses.marks().size() == 1);
  CHECK(first.read(writer) == std::vector<int>(8, 1));
  CHECK(second.read(writer) == std::vector<int>(8, 1));
  CHECK(shared.read(reader) == std::vector<int>(8, 2));
}

TEST_CASE("readings by one stream are remembered once" * doctest::test_suite("fake")) {
  Shared shared(8), target(8);
  device::Stream& stream = device::Stream::create(gpu);
  shared.write(1, stream);
  for (int k = 0; k < 100; ++k) shared.add_to(target, k, stream);
  CHECK(shared.uses.marks().size() == 2);
  CHECK(target.read(stream) == std::vector<int>(8, 100));
}

TEST_CASE("the host waits for the last writing to read, and for the readings too to write" *
          doctest::test_suite("fake")) {
  Shared shared(8), target(8);
  device::Stream& writer = device::Stream::create(gpu);
  device::Stream& reader = device::Stream::create(gpu);
  for (int k = 0; k < 30; ++k) shared.write(k, writer);  // so much that a question now and then does not find it done
  CHECK_FALSE(shared.uses.is_idle());
  shared.uses.wait_for_reading();
  CHECK(shared.uses.is_idle());
  for (int k = 0; k < 30; ++k) shared.add_to(target, k, reader);
  shared.uses.wait_for_reading();
  CHECK_FALSE(reader.mark().is_reached());
  shared.uses.wait_for_writing();
  CHECK(reader.mark().is_reached());
  CHECK(shared.uses.is_idle());
}

TEST_CASE("of two writings that were ordered before either was noted both are waited for" *
          doctest::test_suite("fake")) {
  Shared shared(8);
  device::Stream& first = device::Stream::create(gpu);
  device::Stream& second = device::Stream::create(gpu);
  device::Stream& third = device::Stream::create(gpu);
  shared.uses.order_write(first);
  shared.uses.order_write(second);
  device::fill_async(shared.memory.data(), 4, 4, 1, first);
  shared.uses.note_write(first.mark());
  device::fill_async(shared.memory.data() + 4, 4, 4, 2, second);
  shared.uses.note_write(second.mark());
  CHECK(shared.uses.writes().size() == 2);
  CHECK(shared.uses.marks().size() == 2);
  CHECK(shared.read(third) == std::vector<int>{1, 1, 1, 1, 2, 2, 2, 2});
  shared.write(3, second);  // after all of them: only it is left
  CHECK(shared.uses.marks().size() == 1);
  CHECK(shared.read(first) == std::vector<int>(8, 3));
}

TEST_CASE("a reading that was noted while a writing of another part was under way stays" *
          doctest::test_suite("fake")) {
  Shared shared(8), target(4);
  device::Stream& writer = device::Stream::create(gpu);
  device::Stream& reader = device::Stream::create(gpu);
  shared.write(1, writer);
  shared.uses.order_write(writer);
  shared.uses.order_read(reader);
  device::copy_async(target.memory.data(), gpu, shared.memory.data(), gpu, 16, reader);
  shared.uses.note_read(reader.mark());
  device::fill_async(shared.memory.data() + 4, 4, 4, 2, writer);
  shared.uses.note_write(writer.mark());
  CHECK(shared.uses.marks().size() == 2);
  shared.write(5, device::Stream::create(gpu));  // may not overtake the reading
  CHECK(target.read(reader) == std::vector<int>(4, 1));
}

TEST_CASE("a mark from before a wait is not taken for one after it" * doctest::test_suite("fake")) {
  Shared shared(8);
  device::Stream& first = device::Stream::create(gpu);
  device::Stream& second = device::Stream::create(gpu);
  shared.write(1, first);
  device::fill_async(Ints(gpu, 8).data(), 8, 4, 1, second);
  const device::StreamMark early = second.mark();
  second.wait(first.mark());
  shared.uses.note_write(early);
  CHECK(shared.uses.writes().size() == 2);
  shared.uses.note_write(second.mark());
  CHECK(shared.uses.writes().size() == 1);
}

TEST_CASE("threads that write and read parts of one memory at once lose none of their uses") {
  constexpr int threads = 4, rounds = 50, part = 64;
  Shared shared(threads * part);
  shared.write(0, device::Stream::current(gpu));
  std::vector<std::thread> running;
  std::vector<int> wrong(threads, 0);
  for (int number = 0; number < threads; ++number) {
    running.emplace_back([&, number] {
      device::Stream& stream = device::Stream::current(gpu);
      int* const own = shared.memory.data() + number * part;
      for (int round = 1; round <= rounds; ++round) {
        shared.uses.order_write(stream);
        if ((round + number) % 3 == 0) std::this_thread::yield();
        device::fill_async(own, part, 4, static_cast<std::uint32_t>(100 * number + round), stream);
        shared.uses.note_write(stream.mark());
        if (round % 10 != 0) continue;
        device::Stream& reader = device::Stream::create(gpu);
        std::vector<int> values(part);
        shared.uses.order_read(reader);
        device::copy_async(values.data(), CpuPlace{}, own, gpu, part * 4, reader);
        reader.synchronize();
        for (const int value : values) wrong[static_cast<std::size_t>(number)] += value != 100 * number + round;
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  CHECK(wrong == std::vector<int>(threads, 0));
  const std::vector<int> values = shared.read(device::Stream::create(gpu));
  for (int at = 0; at < threads * part; ++at) CHECK(values[static_cast<std::size_t>(at)] == 100 * (at / part) + rounds);
  CHECK(shared.uses.marks().size() <= 2 * threads + 2);
}

TEST_CASE("threads that pass memory on by its uses compute what one thread would") {
  constexpr int rounds = 60, links = 4;
  std::vector<Shared*> chain;
  for (int k = 0; k <= links; ++k) chain.push_back(new Shared(64));
  std::mutex mutex;  // the order of submission; the GPU's is up to the uses
  int turn = 0;
  std::vector<std::thread> threads;
  std::vector<int> results;
  for (int number = 0; number < 2; ++number) {
    threads.emplace_back([&, number] {
      device::Stream& stream = device::Stream::current(gpu);
      for (int round = 0; round < rounds;) {
        const std::lock_guard lock(mutex);
        if (turn % 2 != number) continue;
        chain[0]->write(turn, stream);
        for (int k = 0; k < links; ++k) {
          device::Stream& side = k % 2 == 0 ? stream : device::Stream::create(gpu);
          chain[static_cast<std::size_t>(k)]->add_to(*chain[static_cast<std::size_t>(k) + 1], k, side);
        }
        results.push_back(chain[links]->read(device::Stream::create(gpu))[0]);
        ++turn, ++round;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t k = 0; k < results.size(); ++k) CHECK(results[k] == static_cast<int>(k) + 6);
  CHECK(results.size() == 2 * rounds);
  synchronize();
  for (const Shared* shared : chain) delete shared;
}
