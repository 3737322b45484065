// Tests of memory that is given back while streams still use it.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fake_cuda.hpp"
import tessera;

#include "work.hpp"

using namespace tessera;

namespace {

const GpuPlace gpu{0};
constexpr std::ptrdiff_t mebibyte = std::ptrdiff_t{1} << 20;

/// Memory that one stream fills, often, so that a question now and then does not find it done.
struct Filled {
  Filled(device::Stream& stream, std::ptrdiff_t bytes, std::uint32_t value, int times = 20)
      : pointer(memory::alloc(stream, bytes, uses)), bytes(bytes) {
    uses.order_write(stream);
    for (int k = 0; k < times; ++k) device::fill_async(pointer, bytes / 4, 4, value, stream);
    uses.note_write(stream.mark());
  }
  void free() const { memory::free(gpu, pointer, bytes, uses); }

  device::StreamUses uses;
  void* pointer;
  std::ptrdiff_t bytes;
};

/// Before that the pool asks what is free.
void allocate_something() { const memory::Allocation something(gpu, 64); }

std::uint32_t first_of(const void* pointer) {
  std::uint32_t value = 0;
  device::copy_bytes(&value, CpuPlace{}, pointer, gpu, 4);
  return value;
}

}  // namespace

TEST_CASE("memory that is freed on a stream serves its next request at once, without a call of CUDA's") {
  device::Stream& stream = device::Stream::create(gpu);
  const Filled first(stream, 5000, 1);
  fake::start_log();
  first.free();
  device::StreamUses uses;
  void* const again = memory::alloc(stream, 5000, uses);
  CHECK(again == first.pointer);
  CHECK(fake::log().empty());
  memory::free(gpu, again, 5000, uses);
  synchronize(gpu);
  memory::trim(gpu);
}

TEST_CASE("memory that was taken again and not used still waits for the work before" * doctest::test_suite("fake")) {
  device::Stream& stream = device::Stream::create(gpu);
  device::Stream& other = device::Stream::create(gpu);
  const Filled first(stream, 5500, 1);
  first.free();
  device::StreamUses unused, uses;
  void* const again = memory::alloc(stream, 5500, unused);
  REQUIRE(again == first.pointer);
  CHECK(unused.marks() == first.uses.marks());
  memory::free(gpu, again, 5500, unused);
  CHECK(memory::pending(gpu) == 5500);
  void* const elsewhere = memory::alloc(other, 5500, uses);
  CHECK(elsewhere != first.pointer);
  memory::free(gpu, elsewhere, 5500, uses);
  synchronize(gpu);
  memory::trim(gpu);
}

TEST_CASE("another stream gets the memory only when the work with it is done" * doctest::test_suite("fake")) {
  device::Stream& stream = device::Stream::create(gpu);
  device::Stream& other = device::Stream::create(gpu);
  memory::trim(gpu);
  const Filled first(stream, 7000, 1);
  first.free();
  CHECK(memory::pending(gpu) == 7000);
  device::StreamUses uses;
  void* const elsewhere = memory::alloc(other, 7000, uses);
  CHECK(elsewhere != first.pointer);
  stream.synchronize();
  void* const later = memory::alloc(other, 7000, uses);
  CHECK(later == first.pointer);
  CHECK(memory::pending(gpu) == 0);
  memory::free(gpu, elsewhere);
  memory::free(gpu, later);
}

TEST_CASE("memory that several streams use waits for all of them" * doctest::test_suite("fake")) {
  device::Stream& writer = device::Stream::create(gpu);
  device::Stream& reader = device::Stream::create(gpu);
  const Filled shared(writer, 6000, 9);
  Filled target(reader, 6000, 0);
  shared.uses.order_read(reader);
  device::copy_async(target.pointer, gpu, shared.pointer, gpu, 6000, reader);
  device::StreamUses both;
  both.note_write(writer.mark());
  both.note_read(reader.mark());
  memory::free(gpu, shared.pointer, 6000, both);
  device::StreamUses fresh_uses;
  void* const fresh = memory::alloc(writer, 6000, fresh_uses);
  CHECK(fresh != shared.pointer);
  memory::free(gpu, fresh, 6000, fresh_uses);
  target.uses.note_write(reader.mark());
  synchronize(gpu);
  CHECK(first_of(target.pointer) == 9);
  target.free();
  memory::trim(gpu);
  CHECK(memory::pending(gpu) == 0);
}

TEST_CASE("memory that two streams wrote at once waits for both" * doctest::test_suite("fake")) {
  device::Stream& first = device::Stream::create(gpu);
  device::Stream& second = device::Stream::create(gpu);
  device::Stream& third = device::Stream::create(gpu);
  synchronize(gpu);
  memory::trim(gpu);
  const fake::Holding held;
  device::StreamUses uses;
  void* const pointer = memory::alloc(first, 6400, uses);
  uses.order_write(first);
  uses.order_write(second);
  for (int k = 0; k < 20; ++k) device::fill_async(pointer, 800, 4, 1, first);
  uses.note_write(first.mark());
  device::fill_async(static_cast<char*>(pointer) + 3200, 800, 4, 2, second);
  uses.note_write(second.mark());
  memory::free(gpu, pointer, 6400, uses);
  second.synchronize();  // the first one still writes
  device::StreamUses other_uses;
  void* const elsewhere = memory::alloc(third, 6400, other_uses);
  CHECK(elsewhere != pointer);
  CHECK(memory::pending(gpu) == 6400);
  first.synchronize();
  device::StreamUses later_uses;
  void* const later = memory::alloc(third, 6400, later_uses);
  CHECK(later == pointer);
  CHECK(memory::pending(gpu) == 0);
  memory::free(gpu, elsewhere);
  memory::free(gpu, later);
  memory::trim(gpu);
}

TEST_CASE("a stream whose work takes long does not hold back the memory of others" * doctest::test_suite("fake")) {
  device::Stream& other = device::Stream::create(gpu);
  device::Stream& third = device::Stream::create(gpu);
  synchronize(gpu);
  memory::trim(gpu);
  const fake::Holding held;
  std::vector<Filled*> long_ones;
  for (int k = 0; k < 9; ++k) {  // more streams than are asked at once
    long_ones.push_back(new Filled(device::Stream::create(gpu), 8192, 1, 100));
    long_ones.back()->free();
  }
  const Filled quick(other, 12'800, 2, 1);
  quick.free();
  CHECK(memory::pending(gpu) == 9 * 8192 + 12'800);
  other.synchronize();
  for (int k = 0; k < 10 && memory::pending(gpu) != 9 * 8192; ++k) allocate_something();
  CHECK(memory::pending(gpu) == 9 * 8192);
  device::StreamUses uses;
  void* const again = memory::alloc(third, 12'800, uses);
  CHECK(again == quick.pointer);
  memory::free(gpu, again);
  synchronize(gpu);
  for (int k = 0; k < 3; ++k) allocate_something();
  CHECK(memory::pending(gpu) == 0);
  for (const Filled* filled : long_ones) delete filled;
  memory::trim(gpu);
}

TEST_CASE("memory that is freed late, after younger memory of its stream, goes back with it" *
          doctest::test_suite("fake")) {
  device::Stream& stream = device::Stream::create(gpu);
  synchronize(gpu);
  memory::trim(gpu);
  const fake::Holding held;
  const Filled old(stream, 4480, 1);
  const device::StreamMark after_old = stream.mark();
  CHECK_FALSE(after_old.is_reached());  // this records an event that covers no more
  const Filled young(stream, 8960, 2);
  young.free();
  old.free();
  after_old.wait();
  allocate_something();
  CHECK(memory::pending(gpu) == 8960);
  stream.synchronize();
  allocate_something();
  CHECK(memory::pending(gpu) == 0);
  memory::trim(gpu);
}

TEST_CASE("memory of which all work is known to be done goes to the pool at once") {
  device::Stream& stream = device::Stream::create(gpu);
  const Filled filled(stream, 5000, 1);
  stream.synchronize();
  filled.free();
  CHECK(memory::pending(gpu) == 0);
  memory::free(gpu, nullptr, 0, filled.uses);
}

TEST_CASE("the figures count memory as free when it is given back" * doctest::test_suite("fake")) {
  synchronize(gpu);
  memory::trim(gpu);
  const memory::Stats before = memory::stats(gpu);
  device::Stream& stream = device::Stream::create(gpu);
  const Filled filled(stream, mebibyte, 1);
  CHECK(memory::used(gpu) == before.in_use + mebibyte);
  CHECK(memory::stats(gpu).live == before.live + 1);
  filled.free();
  CHECK(memory::pending(gpu) == mebibyte);
  const memory::Stats after = memory::stats(gpu);
  CHECK(after.in_use == before.in_use);
  CHECK(after.live == before.live);
  CHECK(after.cached >= mebibyte);
  CHECK(memory::used(gpu) == before.in_use);
  stream.synchronize();
  memory::trim(gpu);
  CHECK(memory::pending(gpu) == 0);
  CHECK(memory::used(gpu) == before.in_use);
}

TEST_CASE("an allocation for which there is no memory waits for work that uses freed memory" *
          doctest::test_suite("fake")) {
  synchronize(gpu);
  memory::trim(gpu);
  device::Stream& stream = device::Stream::create(gpu);
  device::Stream& other = device::Stream::create(gpu);
  std::vector<Filled*> all;
  for (int k = 0; k < 3; ++k) all.push_back(new Filled(stream, 16 * mebibyte, 1));
  for (const Filled* filled : all) filled->free();
  CHECK(memory::pending(gpu) == 48 * mebibyte);
  device::StreamUses uses;
  void* const large = memory::alloc(other, 40 * mebibyte, uses);
  CHECK(large != nullptr);
  CHECK(memory::pending(gpu) == 0);
  memory::free(gpu, large);
  for (const Filled* filled : all) delete filled;
  memory::trim(gpu);
}

TEST_CASE("pinned memory can be given back while a copy from it is pending" * doctest::test_suite("fake")) {
  device::Stream& stream = device::Stream::create(gpu);
  const Filled target(stream, 4096, 0);
  void* const pinned = memory::alloc(PinnedPlace{}, 4096);
  auto* const words = static_cast<std::uint32_t*>(pinned);
  for (int k = 0; k < 1024; ++k) words[k] = 77;
  device::StreamUses uses;
  device::copy_async(target.pointer, gpu, pinned, PinnedPlace{}, 4096, stream);
  uses.note_read(stream.mark());
  memory::free(PinnedPlace{}, pinned, 4096, uses);
  CHECK(memory::pending(PinnedPlace{}) == 4096);
  void* const other = memory::alloc(PinnedPlace{}, 4096);
  CHECK(other != pinned);
  *static_cast<std::uint32_t*>(other) = 1;
  stream.synchronize();
  CHECK(first_of(target.pointer) == 77);
  memory::free(PinnedPlace{}, other);
  memory::trim(PinnedPlace{});
  CHECK(memory::pending(PinnedPlace{}) == 0);
  target.free();
}

TEST_CASE("temporaries of threads that reuse each other's memory never mix") {
  constexpr int count = 256, rounds = 150;
  std::vector<int> wrong(3);
  std::vector<std::thread> threads;
  for (int number = 0; number < 3; ++number) {
    threads.emplace_back([&wrong, number] {
      device::Stream& stream = device::Stream::current(gpu);
      for (int round = 0; round < rounds; ++round) {
        const int base = number * 100'000 + round * 10;
        const Filled x(stream, count * 4, static_cast<std::uint32_t>(base));
        device::Stream& side = round % 5 == 0 ? device::Stream::create(gpu) : stream;
        device::StreamUses uses;
        void* const y = memory::alloc(side, count * 4, uses);
        const work::AddArguments arguments{
            .y = static_cast<int*>(y), .x = static_cast<int*>(x.pointer), .addend = 3, .count = count};
        x.uses.order_read(side);
        device::find_kernel(gpu, work::add_text, "a test")
            .launch(side, 1, 32, 0, std::as_bytes(std::span(&arguments, 1)), "y = x + 3", {});
        uses.note_write(side.mark());
        device::StreamUses both;
        both.note_write(x.uses.marks()[0]);
        both.note_read(side.mark());
        memory::free(gpu, x.pointer, x.bytes, both);
        if (round % 3 == 0) {
          std::vector<int> got(count);
          uses.order_read(stream);
          device::copy_async(got.data(), CpuPlace{}, y, gpu, count * 4, stream);
          stream.synchronize();
          for (const int value : got) wrong[static_cast<std::size_t>(number)] += value != base + 3 ? 1 : 0;
        }
        memory::free(gpu, y, count * 4, uses);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(3, 0));
  synchronize(gpu);
  memory::trim(gpu);
}

TEST_CASE("an allocation can go while a stream works with it, and its memory serves the next one of the thread" *
          doctest::test_suite("fake")) {
  synchronize(gpu);
  memory::trim(gpu);
  // --8<-- [start:allocation]
  device::Stream& stream = device::Stream::current(gpu);
  void* pointer = nullptr;
  {
    const memory::Allocation temporary(gpu, 12'000);
    pointer = temporary.data();
    for (int k = 0; k < 20; ++k) device::fill_async(pointer, 3000, 4, 1, stream);
    temporary.uses()->note_write(stream.mark());
  }  // the fills are still pending
  CHECK(memory::pending(gpu) == 12'000);
  const memory::Allocation next(gpu, 12'000);  // for work of the same stream: starts after the fills
  CHECK(next.data() == pointer);
  CHECK(memory::pending(gpu) == 0);
  // --8<-- [end:allocation]
  void* elsewhere = nullptr;
  std::thread([&] {
    const memory::Allocation other(gpu, 12'000);
    elsewhere = other.data();
  }).join();
  CHECK(elsewhere != pointer);
  synchronize(gpu);
}

TEST_CASE("an allocation that is not used passes on what is pending in its memory" * doctest::test_suite("fake")) {
  synchronize(gpu);
  memory::trim(gpu);
  device::Stream& stream = device::Stream::current(gpu);
  {
    const memory::Allocation used(gpu, 13'000);
    for (int k = 0; k < 20; ++k) device::fill_async(used.data(), 3000, 4, 1, stream);
    used.uses()->note_write(stream.mark());
  }
  {
    const memory::Allocation unused(gpu, 13'000);
  }
  CHECK(memory::pending(gpu) == 13'000);
  synchronize(gpu);
  memory::trim(gpu);
  CHECK(memory::pending(gpu) == 0);
}
