// A trace of GPUs tells what they did, when, and in which order.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fake_cuda.hpp"
import tessera;

#include "cases.hpp"
#include "comparison.hpp"

using namespace tessera;
using cases::numbers;

namespace {

const Place gpu = GpuPlace{0};

std::vector<std::string> names_of(const std::vector<device::StreamRecord>& records) {
  std::vector<std::string> names;
  for (const device::StreamRecord& record : records) names.push_back(record.name);
  return names;
}

}  // namespace

TEST_CASE("a trace of streams has a record of each piece of work, in its order") {
  const Array<float, 1> a = numbers<float>(Dim{1000}, 1).to(gpu);
  Array<float, 1> b = zeros<float>(Dim{1000}, gpu);
  b = a + 1;
  synchronize();
  const auto begin = std::chrono::steady_clock::now();
  // --8<-- [start:trace]
  device::StreamTrace trace;
  b = a * 2;
  b = sqrt(b * b);
  const auto host = b.to(CpuPlace{});
  const std::vector<device::StreamRecord> records = trace.records();  // waits until the work is done
  std::ostringstream file;
  write_chrome_trace(file, {}, records);  // for Perfetto
  const std::string picture = timeline_svg({}, {.streams = records});
  // --8<-- [end:trace]
  const auto elapsed = std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
  REQUIRE(records.size() == 3);
  CHECK(records[0].name.find(" * ") != std::string::npos);
  CHECK(records[1].name.find("sqrt") != std::string::npos);
  CHECK(records[2].name == "copy");
  CHECK(records[2].bytes == 4000);
  CHECK(records[0].bytes == -1);
  std::int64_t before = 0;
  for (const device::StreamRecord& record : records) {
    CHECK(record.place == GpuPlace{0});
    CHECK(record.stream == 0);
    CHECK(record.begin >= before);
    CHECK(record.end >= record.begin);
    CHECK(record.end <= elapsed);
    before = record.end;
  }
  CHECK(trace.lost() == 0);
  CHECK(picture.find("GPU 0, stream 0") != std::string::npos);
}

TEST_CASE("work that a program gives to CUDA itself has a record") {
  using FillAsync = int(std::uint64_t, unsigned, std::size_t, void*);
  const char* const named = std::getenv("TESSERA_CUDA_DRIVER");
  void* const driver = dlopen(named != nullptr ? named : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  REQUIRE(driver != nullptr);
  const auto cuMemsetD32Async = reinterpret_cast<FillAsync*>(dlsym(driver, "cuMemsetD32Async"));
  REQUIRE((cuMemsetD32Async != nullptr));
  const memory::Allocation memory(GpuPlace{0}, 4000);
  const auto address = reinterpret_cast<std::uint64_t>(memory.data());
  const device::StreamTrace trace;
  // --8<-- [start:traced_work]
  device::Stream& stream = device::Stream::current(GpuPlace{0});
  {
    const device::TracedWork traced(stream, "fill of mine", 4000);
    CHECK(cuMemsetD32Async(address, 7, 1000, stream.native()) == 0);  // CUDA's own function
    stream.count_work();
  }
  // --8<-- [end:traced_work]
  const std::vector<device::StreamRecord> records = trace.records();
  REQUIRE(records.size() == 1);
  CHECK(records[0].name == "fill of mine");
  CHECK(records[0].bytes == 4000);
  std::uint32_t last = 0;
  device::copy_bytes(&last, CpuPlace{}, static_cast<char*>(memory.data()) + 3996, GpuPlace{0}, 4);
  CHECK(last == 7);
}

TEST_CASE("without a trace no event has a time, and work after its end is not in it") {
  Array<float, 1> b = zeros<float>(Dim{100}, gpu);
  std::vector<device::StreamRecord> records;
  {
    const device::StreamTrace trace;
    b = b + 1;
    records = trace.records();
  }
  fake::start_log();
  b = b + 1;
  CHECK(fake::log().find("record") == std::string::npos);
  CHECK(records.size() == 1);
  synchronize();
}

TEST_CASE("the last trace made is the one that records") {
  Array<float, 1> b = zeros<float>(Dim{100}, gpu);
  device::StreamTrace outer;
  {
    const device::StreamTrace inner;
    b = b + 1;
    CHECK(inner.records().size() == 1);
  }
  b = b + 1;
  CHECK(outer.records().empty());
  const device::StreamTrace next;
  b = b + 1;
  CHECK(next.records().size() == 1);
}

TEST_CASE("a scheduler's trace has the streams of its workers on its own clock") {
  Scheduler scheduler({.workers = 2});
  std::vector<Array<float, 1>> arrays;
  for (int i = 0; i < 20; ++i) arrays.push_back(zeros<float>(Dim{2000}, gpu));
  const Trace trace(scheduler);
  {
    Async on(scheduler);
    for (Array<float, 1>& array : arrays) array = array * 2 + 1;
  }
  scheduler.wait_all();
  const std::vector<device::StreamRecord> streams = trace.streams();
  const std::vector<OpRecord> ops = trace.records();
  REQUIRE(streams.size() == 20);
  REQUIRE(ops.size() == 20);
  const auto first = std::ranges::min_element(ops, {}, &OpRecord::start)->start;
  for (const device::StreamRecord& work : streams) CHECK(work.end > first);  // an op began before its work ended
  std::set<int> lanes;
  for (const device::StreamRecord& work : streams) lanes.insert(work.stream);
  const std::string picture = timeline_svg(ops, {.workers = 2, .streams = streams});
  for (const int lane : lanes) CHECK(picture.find("GPU 0, stream " + std::to_string(lane)) != std::string::npos);
}

TEST_CASE("work of several threads is recorded while a trace is read") {
  const device::StreamTrace trace;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([] {
      Array<std::int32_t, 1> own = zeros<std::int32_t>(Dim{64}, gpu);
      for (int k = 0; k < 20; ++k) own = own + 1;
      CHECK(std::int32_t(own[{63}]) == 20);
    });
  }
  for (int i = 0; i < 5; ++i) CHECK(trace.records().size() + trace.lost() <= 3 * 22);
  for (std::thread& thread : threads) thread.join();
  const std::vector<std::string> names = names_of(trace.records());
  CHECK(std::ranges::count_if(names, [](const std::string& name) { return name.find(" + ") != std::string::npos; }) ==
        60);
}
