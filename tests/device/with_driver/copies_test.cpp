// Tests of copies and fills on streams.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "fake_cuda.hpp"
import tessera;

#include "gpus.hpp"
#include "work.hpp"

using namespace tessera;
using work::Ints;

namespace {

const GpuPlace gpu{0};

std::vector<std::uint8_t> numbered(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  return bytes;
}

}  // namespace

TEST_CASE("ordinary host memory can be used again when a copy from it has been given") {
  const memory::Allocation target(gpu, 256);
  device::Stream& stream = device::Stream::create(gpu);
  std::vector<std::uint8_t> bytes = numbered(256);
  device::copy_async(target.data(), gpu, bytes.data(), CpuPlace{}, 256, stream);
  std::fill(bytes.begin(), bytes.end(), std::uint8_t{255});
  device::copy_async(bytes.data(), CpuPlace{}, target.data(), gpu, 256, stream);
  stream.synchronize();
  CHECK(bytes == numbered(256));
}

TEST_CASE("copies with pinned memory wait for nothing") {
  const memory::Allocation pinned(PinnedPlace{}, 256), back(PinnedPlace{}, 256), target(gpu, 256);
  const std::vector<std::uint8_t> bytes = numbered(256);
  std::copy(bytes.begin(), bytes.end(), static_cast<std::uint8_t*>(pinned.data()));
  device::Stream& stream = device::Stream::create(gpu);
  fake::start_log();
  device::copy_async(target.data(), gpu, pinned.data(), PinnedPlace{}, 256, stream);
  device::copy_async(back.data(), PinnedPlace{}, target.data(), gpu, 256, stream);
  if (fake::is_here()) CHECK(fake::pending_work() >= 2);
  CHECK(work::count_lines(fake::log(), "host waits") == 0);
  stream.synchronize();
  const auto* got = static_cast<const std::uint8_t*>(back.data());
  CHECK(std::vector<std::uint8_t>(got, got + 256) == bytes);
}

TEST_CASE("rows with pitches travel between all places in one piece of work") {
  const Place all[] = {CpuPlace{}, PinnedPlace{}, GpuPlace{0}, other_gpu()};
  constexpr std::ptrdiff_t rows = 5, row = 12, from_pitch = 20, to_pitch = 16;
  const std::vector<std::uint8_t> sent = numbered(rows * from_pitch);
  device::Stream& stream = device::Stream::create(gpu);
  for (const Place from : all) {
    for (const Place to : all) {
      if (from.on_host() && to.on_host()) continue;
      INFO("from ", from, " to ", to);
      const memory::Allocation source(from, rows * from_pitch), target(to, rows * to_pitch);
      device::copy_bytes(source.data(), from, sent.data(), CpuPlace{}, rows * from_pitch);
      const std::vector<std::uint8_t> blank(rows * to_pitch, std::uint8_t{0xee});
      device::copy_bytes(target.data(), to, blank.data(), CpuPlace{}, rows * to_pitch);
      const device::StreamMark before = stream.mark();
      device::copy_rows_async({.to = target.data(),
                               .to_place = to,
                               .to_pitch = to_pitch,
                               .from = source.data(),
                               .from_place = from,
                               .from_pitch = from_pitch,
                               .row_bytes = row,
                               .rows = rows},
                              stream);
      CHECK(stream.mark().sequence() == before.sequence() + 1);
      stream.synchronize();
      std::vector<std::uint8_t> received(rows * to_pitch);
      device::copy_bytes(received.data(), CpuPlace{}, target.data(), to, rows * to_pitch);
      std::vector<std::uint8_t> wanted = blank;
      for (std::ptrdiff_t k = 0; k < rows; ++k)
        std::copy_n(sent.begin() + k * from_pitch, row, wanted.begin() + k * to_pitch);
      CHECK(received == wanted);
    }
  }
}

TEST_CASE("rows without gaps, single rows and no rows are plain copies or nothing" * doctest::test_suite("fake")) {
  const memory::Allocation source(gpu, 120), target(gpu, 120);
  device::Stream& stream = device::Stream::create(gpu);
  const auto copy = [&](std::ptrdiff_t pitch, std::ptrdiff_t row, std::ptrdiff_t rows) {
    fake::start_log();
    device::copy_rows_async({.to = target.data(),
                             .to_place = gpu,
                             .to_pitch = pitch,
                             .from = source.data(),
                             .from_place = gpu,
                             .from_pitch = pitch,
                             .row_bytes = row,
                             .rows = rows},
                            stream);
    return fake::log();
  };
  const std::string name = "copy gpu0 to gpu0, ";
  CHECK(work::count_lines(copy(12, 12, 10), name + "120 bytes") == 1);
  CHECK(work::count_lines(copy(60, 12, 1), name + "12 bytes") == 1);
  CHECK(copy(12, 12, 0).empty());
  CHECK(copy(12, 0, 5).empty());
  stream.synchronize();
}

TEST_CASE("pitches beyond the driver's limit are copied row by row") {
  const memory::Allocation source(gpu, 8), target(gpu, 8);
  device::Stream& stream = device::Stream::create(gpu);
  const device::StreamMark before = stream.mark();
  const std::ptrdiff_t far = std::ptrdiff_t{1} << 31;
  CHECK_NOTHROW(device::copy_rows_async({.to = target.data(),
                                         .to_place = gpu,
                                         .to_pitch = far,
                                         .from = source.data(),
                                         .from_place = gpu,
                                         .from_pitch = far,
                                         .row_bytes = 8,
                                         .rows = 1},
                                        stream));
  CHECK(stream.mark().sequence() == before.sequence() + 1);
  stream.synchronize();
}

TEST_CASE("fills write items of one, two and four bytes") {
  device::Stream& stream = device::Stream::create(gpu);
  for (const int item : {1, 2, 4}) {
    CAPTURE(item);
    const memory::Allocation target(gpu, 24);
    device::fill_async(target.data(), 24 / item, item, 0xa1b2c3d4u, stream);
    std::vector<std::uint8_t> got(24);
    device::copy_async(got.data(), CpuPlace{}, target.data(), gpu, 24, stream);
    stream.synchronize();
    const std::uint8_t pattern[] = {0xd4, 0xc3, 0xb2, 0xa1};
    for (std::size_t k = 0; k < got.size(); ++k) CHECK(got[k] == pattern[k % static_cast<std::size_t>(item)]);
  }
  const memory::Allocation target(gpu, 24);
  CHECK_THROWS_WITH_AS(device::fill_async(target.data(), 3, 8, 0, stream),
                       "fill_async: items have 1, 2 or 4 bytes, not 8", DeviceError);
  device::fill_async(nullptr, 0, 4, 0, stream);
}

TEST_CASE("a copy that the driver refuses throws, and is no work of the stream" * doctest::test_suite("fake")) {
  const Ints memory(gpu, 4), other(gpu, 4);
  device::Stream& stream = device::Stream::create(gpu);
  const device::StreamMark before = stream.mark();
  {
    const fake::Failing failing(1, 801);
    CHECK_THROWS_WITH_AS(other.copy_from(memory, stream), "cuMemcpyAsync: CUDA_ERROR_NOT_SUPPORTED (801)", DeviceError);
  }
  CHECK(stream.mark() == before);
  int value = 0;
  CHECK_THROWS_AS(device::copy_async(&value, GpuPlace{5}, &value, CpuPlace{}, 4, stream), DeviceError);
}
