// Tests of the file for trace viewers, read back by a strict reader.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <locale>
#include <map>
#include <set>
#include <source_location>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "records.hpp"
#include "strict_json.hpp"
import tessera;

using namespace tessera;

namespace {

std::string written(std::span<const OpRecord> records) {
  std::ostringstream out;
  write_chrome_trace(out, records);
  return out.str();
}

/// The events of one phase.
std::vector<Json> events(std::span<const OpRecord> records, std::string_view phase) {
  const Json trace = StrictJson::read(written(records));
  std::vector<Json> found;
  for (const Json& event : trace["traceEvents"].items)
    if (event["ph"].text == phase) found.push_back(event);
  return found;
}

OpRecord op(std::uint64_t id, std::string name, int worker, std::int64_t start, std::int64_t end) {
  return record_of<OpRecord>(id, std::move(name), worker, start, end);
}

std::vector<std::string> texts(const Json& array) {
  std::vector<std::string> found;
  for (const Json& item : array.items) found.push_back(item.text);
  return found;
}

/// Groups digits by twos and has a comma for its point: whoever writes numbers through it writes no JSON.
struct OddNumbers : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\2"; }
};

// clang-format off
#line 77 "folder/\"odd\\name\".cpp"
std::source_location odd_place() { return std::source_location::current(); }
// clang-format on

}  // namespace

// --8<-- [start:trace]
TEST_CASE("the records of a run become a file for trace viewers and a timeline") {
  const std::vector<OpRecord> records{
      {.id = 1, .name = "load", .worker = 0, .queued = 0, .start = 200, .end = 40'000, .reads = {}, .writes = {1}},
      {.id = 2,
       .name = "scale",
       .worker = 1,
       .queued = 900,
       .start = 40'300,
       .end = 75'000,
       .reads = {1},
       .writes = {2}}};
  std::ostringstream file;
  write_chrome_trace(file, records);  // open it in Perfetto or chrome://tracing
  const std::string picture = timeline_svg(records, {.title = "Two ops"});
  CHECK(file.str().find("\"name\":\"scale\"") != std::string::npos);
  CHECK(picture.find(">Two ops</text>") != std::string::npos);
}
// --8<-- [end:trace]

// --8<-- [start:outcome]
TEST_CASE("records of a scheduler say how each op ended") {
  Scheduler scheduler({.workers = 2});
  const Trace trace(scheduler);
  const Var data;
  const Var sum;
  scheduler.submit(writes(data), [] { throw std::runtime_error("no such file"); }, {.name = "load"});
  scheduler.submit(reads(data), writes(sum), [] {}, {.name = "add up"});
  CHECK_THROWS_AS(scheduler.wait(sum), OperationFailed);
  const std::vector<OpRecord> records = trace.records();
  CHECK((records[0].outcome == Outcome::failed));
  CHECK((records[1].outcome == Outcome::skipped));

  const TimelineOptions timeline{.title = "A run that failed", .width = 600, .workers = 2};
  CHECK(timeline_svg(records, timeline).find(">A run that failed</text>") != std::string::npos);
  const GraphOptions graph{.title = "Who waits", .most_ops = 100};
  CHECK(DependencyGraph(records).to_svg(graph).find(">Who waits</text>") != std::string::npos);
}
// --8<-- [end:outcome]

TEST_CASE("each op is one complete event with its name, worker, times, Vars and outcome") {
  OpRecord record = op(12, "scale", 1, 2'500, 4'001);
  record.queued = 1'000;
  record.reads = {3, 18'446'744'073'709'551'615U};
  record.writes = {7};
  record.outcome = Outcome::failed;
  const std::vector<Json> found = events(std::vector{record}, "X");
  REQUIRE(found.size() == 1);
  const Json& event = found[0];
  CHECK(event["name"].text == "scale");
  CHECK(event["tid"].text == "1");
  CHECK(event["ts"].text == "2.500");
  CHECK(event["dur"].text == "1.501");
  CHECK(event["args"]["op"].text == "12");
  CHECK(event["args"]["queued_us"].text == "1.000");
  CHECK(event["args"]["waited_us"].text == "1.500");
  CHECK(event["args"]["outcome"].text == "failed");
  CHECK(texts(event["args"]["reads"]) == std::vector<std::string>{"3", "18446744073709551615"});
  CHECK(texts(event["args"]["writes"]) == std::vector<std::string>{"7"});
  CHECK_FALSE(event["args"].has("where"));
}

TEST_CASE("each GPU is a process whose threads are its streams") {
  const std::vector<device::StreamRecord> streams{
      {.place = GpuPlace{0}, .stream = 1, .name = "a + b", .where = odd_place(), .begin = 2'500, .end = 4'001},
      {.place = GpuPlace{1}, .stream = 0, .name = "copy", .bytes = 4096, .begin = 3'000, .end = 6'000}};
  std::ostringstream out;
  write_chrome_trace(out, std::vector{op(1, "submit", 0, 0, 10)}, streams);
  const Json trace = StrictJson::read(out.str());
  std::vector<Json> work;
  std::vector<std::string> named;
  for (const Json& event : trace["traceEvents"].items) {
    if (event["ph"].text == "X" && event["cat"].text == "gpu") work.push_back(event);
    if (event["ph"].text == "M" && event["pid"].text != "1000000" && event["args"].has("name"))
      named.push_back(event["pid"].text + " " + event["args"]["name"].text);
  }
  REQUIRE(work.size() == 2);
  CHECK(work[0]["pid"].text == "1000001");
  CHECK(work[0]["tid"].text == "1");
  CHECK(work[0]["ts"].text == "2.500");
  CHECK(work[0]["dur"].text == "1.501");
  CHECK(work[0]["args"]["where"].text == "folder/\"odd\\name\".cpp:77");
  CHECK(work[1]["pid"].text == "1000002");
  CHECK(work[1]["args"]["bytes"].text == "4096");
  CHECK(named == std::vector<std::string>{"1000001 GPU 0", "1000001 stream 1", "1000002 GPU 1", "1000002 stream 0"});
}

TEST_CASE("a trace without ops is a valid file with no op in it") {
  const Json trace = StrictJson::read(written({}));
  for (const Json& event : trace["traceEvents"].items) CHECK(event["ph"].text == "M");
}

TEST_CASE("microseconds are exact, whatever their size and sign") {
  const std::vector<std::pair<std::int64_t, std::string>> cases{
      {0, "0.000"},
      {7, "0.007"},
      {-7, "-0.007"},
      {-1'000'001, "-1000.001"},
      {std::numeric_limits<std::int64_t>::max(), "9223372036854775.807"},
      {std::numeric_limits<std::int64_t>::min() + 1, "-9223372036854775.807"}};
  for (const auto& [time, text] : cases)
    CHECK(events(std::vector{op(1, "a", 0, time, time)}, "X")[0]["ts"].text == text);
}

TEST_CASE("names of all kinds read back as they were") {
  for (const NastyName& name : nasty_names)
    CHECK(events(std::vector{op(1, std::string(name.written), 0, 0, 1)}, "X")[0]["name"].text == name.read);
  const std::string controls("nul \0 bell \7 delete \x7F", 21);
  CHECK(events(std::vector{op(1, controls, 0, 0, 1)}, "X")[0]["name"].text == controls);
}

TEST_CASE("the place in the source stands in the arguments") {
  OpRecord record = op(1, "a", 0, 0, 1);
  record.where = odd_place();
  const Json event = events(std::vector{record}, "X")[0];
  CHECK(event["args"]["where"].text == "folder/\"odd\\name\".cpp:77");
  CHECK(event["args"]["function"].text == record.where.function_name());
}

TEST_CASE("threads are named after workers, in their order, those that waited last") {
  const std::vector records{op(1, "a", 2, 0, 1), op(2, "b", -1, 0, 1), op(3, "c", 0, 0, 1)};
  std::map<std::string, std::string> names;
  std::map<std::string, double> positions;
  for (const Json& event : events(records, "M")) {
    if (event["name"].text == "thread_name") names[event["tid"].text] = event["args"]["name"].text;
    if (event["name"].text == "thread_sort_index") positions[event["tid"].text] = event["args"]["sort_index"].number();
  }
  CHECK(names == std::map<std::string, std::string>{{"0", "worker 0"}, {"2", "worker 2"}, {"3", "waiting threads"}});
  CHECK(positions == std::map<std::string, double>{{"0", 0}, {"2", 1}, {"3", 2}});
}

TEST_CASE("no two ops overlap on one thread, and ops of different workers share none") {
  const std::vector records = random_records<OpRecord>(2'000, 3, 5'000, 1);
  std::map<std::string, std::vector<std::pair<double, double>>> by_thread;
  std::map<std::string, std::set<int>> workers;
  std::set<std::string> ops;
  for (const Json& event : events(records, "X")) {
    by_thread[event["tid"].text].push_back({event["ts"].number(), event["ts"].number() + event["dur"].number()});
    const std::string& id = event["args"]["op"].text;
    ops.insert(id);
    workers[event["tid"].text].insert(records[std::stoul(id) - 1].worker);
  }
  CHECK(ops.size() == records.size());
  CHECK(by_thread.size() > 4);  // there was something to spread
  for (auto& [thread, spans] : by_thread) {
    CHECK(workers[thread].size() == 1);
    std::ranges::sort(spans);
    for (std::size_t i = 1; i < spans.size(); ++i)
      if (spans[i].first < spans[i - 1].second - 1e-4)
        FAIL_CHECK("thread ", thread, ": one ends at ", spans[i - 1].second, ", the next begins at ", spans[i].first);
  }
}

TEST_CASE("an arrow comes from the op that was awaited longest, and from none that had ended before") {
  std::vector records{op(1, "early", 0, 0, 50), op(2, "short", 0, 50, 300), op(3, "long", 1, 60, 900),
                      op(4, "last", 0, 950, 1'000)};
  records[0].writes = {1};
  records[1].writes = {2};
  records[2].writes = {3};
  records[3].reads = {1, 2, 3};
  records[3].queued = 100;
  std::ranges::reverse(records);  // records come in any order
  const std::vector<Json> from = events(records, "s");
  const std::vector<Json> to = events(records, "f");
  REQUIRE(from.size() == 1);
  REQUIRE(to.size() == 1);
  CHECK(from[0]["id"].text == to[0]["id"].text);
  CHECK(from[0]["name"].text == to[0]["name"].text);
  CHECK(from[0]["cat"].text == to[0]["cat"].text);
  CHECK(from[0]["tid"].text == "1");
  CHECK(from[0]["ts"].text == "0.899");  // inside the op "long"
  CHECK(to[0]["tid"].text == "0");
  CHECK(to[0]["ts"].text == "0.950");
  CHECK(to[0]["bp"].text == "e");
  for (const Json& event : events(records, "X"))
    CHECK_MESSAGE(event["args"].has("waited_for") == (event["name"].text == "last"), event["name"].text);
}

TEST_CASE("the counter of waiting ops is what is queued and has not begun") {
  std::vector records{op(1, "a", 0, 10, 20), op(2, "b", 0, 40, 50), op(3, "c", 1, 40, 60)};
  for (OpRecord& record : records) record.queued = 5;
  std::vector<std::pair<std::string, std::string>> counts;
  for (const Json& event : events(records, "C")) counts.push_back({event["ts"].text, event["args"]["ops"].text});
  CHECK(counts == std::vector<std::pair<std::string, std::string>>{{"0.005", "3"}, {"0.010", "2"}, {"0.040", "0"}});
}

TEST_CASE("the file does not depend on the stream's locale") {
  const std::vector records = random_records<OpRecord>(50, 2, 5'000'000, 2);
  std::ostringstream out;
  out.imbue(std::locale(std::locale::classic(), new OddNumbers));
  write_chrome_trace(out, records);
  CHECK(out.str() == written(records));
}

namespace {

std::string written_by(const TraceProcess& process, std::span<const OpRecord> records,
                       std::span<const device::StreamRecord> streams = {}) {
  std::ostringstream out;
  write_chrome_trace(out, records, streams, process);
  return out.str();
}

}  // namespace

TEST_CASE("several processes are written as one trace, each with its number, its name and its times") {
  const std::vector<device::StreamRecord> streams{
      {.place = GpuPlace{0}, .stream = 3, .name = "copy", .begin = 1'000, .end = 2'000}};
  const std::vector first{op(1, "scale", 0, 2'000, 3'000)}, second{op(1, "add", 0, 2'000, 3'500)};
  // --8<-- [start:merge]
  const std::vector<std::string> traces{
      written_by({.number = 0, .name = "reader"}, first),
      written_by({.number = 1, .name = "writer", .later = 10'000}, second, streams)};  // began 10 us after the reader
  std::ostringstream out;
  merge_chrome_traces(out, traces);
  // --8<-- [end:merge]
  const Json trace = StrictJson::read(out.str());
  std::map<std::string, std::string> names;
  std::map<std::string, std::vector<std::string>> times;
  for (const Json& event : trace["traceEvents"].items) {
    if (event["name"].text == "process_name") names[event["pid"].text] = event["args"]["name"].text;
    if (event["ph"].text == "X") times[event["name"].text] = {event["pid"].text, event["ts"].text, event["dur"].text};
  }
  CHECK(names ==
        std::map<std::string, std::string>{{"1000000", "reader"}, {"1001000", "writer"}, {"1001001", "writer, GPU 0"}});
  CHECK(times == std::map<std::string, std::vector<std::string>>{{"scale", {"1000000", "2.000", "1.000"}},
                                                                 {"add", {"1001000", "12.000", "1.500"}},
                                                                 {"copy", {"1001001", "11.000", "1.000"}}});
}

TEST_CASE("arrows of several processes have numbers of their own") {
  std::vector records{op(1, "first", 0, 0, 100), op(2, "second", 1, 100, 200)};
  records[0].writes = {1};
  records[1].reads = {1};
  records[1].queued = 10;
  std::ostringstream out;
  merge_chrome_traces(out, std::vector{written_by({.number = 0}, records), written_by({.number = 1}, records)});
  std::set<std::string> arrows;
  const Json trace = StrictJson::read(out.str());
  for (const Json& event : trace["traceEvents"].items)
    if (event["ph"].text == "s") arrows.insert(event["id"].text);
  CHECK(arrows.size() == 2);
}

TEST_CASE("one trace alone, and none, are merged too; what is no such trace is refused by its number") {
  const std::string own = written_by({.number = 2}, std::vector{op(1, "a", 0, 0, 1)});
  std::ostringstream out, nothing, refused;
  merge_chrome_traces(out, std::vector{own});
  CHECK(out.str() == own);
  merge_chrome_traces(nothing, {});
  CHECK(StrictJson::read(nothing.str())["traceEvents"].items.empty());
  const std::string end = "\n]}\n", begin = own.substr(0, own.find('[') + 2);
  for (const std::string& wrong : {std::string(), std::string("[]"), begin, end, begin + end.substr(1), "x" + own})
    CHECK_THROWS_WITH_AS(merge_chrome_traces(refused, std::vector{own, wrong}),
                         "merge_chrome_traces: text 1 of 2 is no trace that write_chrome_trace has written",
                         FormatError);
  CHECK(refused.str().empty());
}
