// Tests of ordering by what memory is used for: threads write and read the same memory on their own streams.
#include <doctest/doctest.h>

#include <cstddef>
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
