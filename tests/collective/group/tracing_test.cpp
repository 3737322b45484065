// Tests of the trace that all ranks write together, and of what it says about their communication.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "strict_json.hpp"
#include "support.hpp"

import tessera;

using namespace tessera;
using ranks::world;
using namespace std::chrono_literals;

namespace {

OpRecord op(std::string name, std::int64_t start, std::int64_t end) {
  OpRecord record;
  record.name = std::move(name);
  record.start = start;
  record.end = end;
  return record;
}

bool is_near(double a, double b) { return a > b - 1e-12 && a < b + 1e-12; }

}  // namespace

TEST_CASE("the time of collectives is that in which there is at least one, and the part beside other ops is counted") {
  const CommunicationTime none = communication_time(std::vector<OpRecord>{op("scale", 0, 100)});
  CHECK(none.seconds == 0);
  CHECK(none.overlapped == 0);
  CHECK(communication_time({}).seconds == 0);

  // Two that overlap, one that another contains, one apart, and one that took no time.
  std::vector<OpRecord> records{op("all_reduce", 0, 100), op("broadcast", 50, 200), op("all_gather", 60, 70),
                                op("reduce", 1'000, 1'100), op("barrier", 5'000, 5'000)};
  CHECK(is_near(communication_time(records).seconds, 300e-9));
  CHECK(communication_time(records).overlapped == 0);

  // Beside them: across the beginning, in the middle and touching that, across the gap, and after all.
  for (const auto& other :
       {op("scale", -50, 10), op("add", 120, 130), op("dot", 130, 140), op("exp", 190, 1'010), op("sum", 2'000, 3'000)})
    records.push_back(other);
  CHECK(is_near(communication_time(records).seconds, 300e-9));
  CHECK(is_near(communication_time(records).overlapped, (10 + 20 + 10 + 10) * 1e-9));
}

TEST_CASE("a trace begins between the moments before and after it was made, and its times count from there") {
  Scheduler scheduler({.workers = 1});
  const auto before = std::chrono::steady_clock::now();
  const Trace trace(scheduler);
  const auto after = std::chrono::steady_clock::now();
  CHECK((before <= trace.begin() && trace.begin() <= after));
  std::chrono::steady_clock::time_point ran;
  const Var data;
  scheduler.submit(writes(data), [&] { ran = std::chrono::steady_clock::now(); });
  scheduler.wait(data);
  const std::vector<OpRecord> records = trace.records();
  REQUIRE(records.size() == 1);
  const std::int64_t at = std::chrono::nanoseconds(ran - trace.begin()).count();
  CHECK((records[0].start <= at && at <= records[0].end));
}

TEST_CASE("the trace of all ranks has a process for each, with the ops of each at one another's times") {
  Scheduler scheduler({.workers = 1});
  Array<float, 1> x = full<float>(Dim{1'000}, 1.f);
  std::this_thread::sleep_for(world().rank() * 30ms);  // so that traces begin apart
  const Trace trace(scheduler);
  {
    Async on{scheduler};
    x = x * 2.f;
    world().all_reduce_into(x, x);
  }
  scheduler.wait(x.var());
  std::ostringstream out;
  write_chrome_trace(out, world(), trace);
  if (world().rank() != 0) {
    CHECK(out.str().empty());
    return;
  }
  const Json read = StrictJson::read(out.str());
  std::map<std::string, std::string> names;
  std::map<std::string, std::set<std::string>> ops;
  double earliest_end = 1e300, latest_begin = -1e300;
  for (const Json& event : read["traceEvents"].items) {
    if (event["name"].text == "process_name") names[event["pid"].text] = event["args"]["name"].text;
    if (event["ph"].text != "X") continue;
    ops[event["pid"].text].insert(event["name"].text);
    if (event["name"].text != "all_reduce") continue;
    const double begin = event["ts"].number();
    latest_begin = std::max(latest_begin, begin);
    earliest_end = std::min(earliest_end, begin + event["dur"].number());
  }
  REQUIRE(names.size() == static_cast<std::size_t>(world().size()));
  for (int rank = 0; rank < world().size(); ++rank) {
    const std::string process = std::to_string(1'000'000 + 1'000 * rank);
    CHECK(names[process] == "rank " + std::to_string(rank) + " of world");
    CHECK(ops[process].contains("all_reduce"));
    CHECK(ops[process].size() >= 2);
  }
  // Nobody has the sum before the last one has given its part: the clocks are one.
  CHECK(latest_begin < earliest_end);
}

TEST_CASE("clocks are compared by messages of their own: what users have sent by any tag stays theirs") {
  if (world().size() == 1) return;
  constexpr int largest_tag = 16'000;
  const auto word = [](std::int64_t value) { return Array<std::int64_t, 0>(value); };
  for (int other = 0; other < world().size(); ++other)
    if (other != world().rank()) world().send(word(100 + world().rank()), other, largest_tag);
  Scheduler scheduler({.workers = 1});
  const Trace trace(scheduler);
  std::ostringstream out;
  write_chrome_trace(out, world(), trace);
  for (int other = 0; other < world().size(); ++other) {
    if (other == world().rank()) continue;
    CHECK(world().receive<Array<std::int64_t, 0>>(other, largest_tag) == 100 + other);
  }
}
