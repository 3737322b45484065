// Tests of the timeline: the picture is read back as XML and its boxes are measured.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "records.hpp"
#include "strict_xml.hpp"
import tessera;

using namespace tessera;

namespace {

OpRecord op(std::uint64_t id, std::string name, int worker, std::int64_t start, std::int64_t end) {
  return record_of<OpRecord>(id, std::move(name), worker, start, end);
}

Xml drawn(const std::vector<OpRecord>& records, const TimelineOptions& options = {}) {
  return StrictXml::read(timeline_svg(records, options));
}

struct Box {
  double left, right, top, bottom;
};

Box box_of(const Xml& rect) {
  const double left = rect.number("x");
  const double top = rect.number("y");
  return {left, left + rect.number("width"), top, top + rect.number("height")};
}

std::vector<const Xml*> boxes(const Xml& picture, std::string_view kind) {
  std::vector<const Xml*> found;
  for (const Xml* rect : picture.all("rect"))
    if (rect->is(kind)) found.push_back(rect);
  return found;
}

std::vector<std::string> texts(const Xml& picture) {
  std::vector<std::string> found;
  for (const Xml* text : picture.all("text")) found.push_back(text->text);
  return found;
}

bool says(const Xml& picture, std::string_view text) { return std::ranges::count(texts(picture), text) > 0; }

/// How many ops a box stands for: a crowd says "12 ops, ..." in its title.
std::size_t ops_in(const Xml& box) {
  const std::string title = box.title();
  const std::size_t words = title.find(" ops, the first is ");
  if (words == title.npos) return 1;
  std::string digits = title.substr(0, words);
  std::erase(digits, ',');
  return std::stoul(digits);
}

/// The labels of the axis.
std::vector<std::string> ticks(std::int64_t span) {
  const Xml picture = drawn({op(1, "a", 0, 1'000, 1'000 + span)});
  std::vector<std::string> found;
  for (const Xml* text : picture.all("text"))
    if (text->is("middle") && text->is("soft")) found.push_back(text->text);
  return found;
}

}  // namespace

TEST_CASE("each op is one box in the lane of its worker, placed and sized by its times") {
  const Xml picture = drawn({op(1, "left", 0, 1'000, 2'000), op(2, "right", 1, 3'000, 5'000)});
  const std::vector<const Xml*> lanes = boxes(picture, "lane");
  const std::vector<const Xml*> ops = boxes(picture, "op");
  REQUIRE(lanes.size() == 2);
  REQUIRE(ops.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const Box lane = box_of(*lanes[i]);
    const Box own = box_of(*ops[i]);
    CHECK(own.top > lane.top);
    CHECK(own.bottom < lane.bottom);
    const double scale = (lane.right - lane.left) / 4'000;
    // Neighbours are kept apart by a pixel.
    CHECK(std::abs(own.left - lane.left - (i == 0 ? 0 : 2'000) * scale) < 0.6);
    CHECK(std::abs(own.right - lane.left - (i == 0 ? 1'000 : 4'000) * scale) < 0.6);
  }
  CHECK(says(picture, "left"));
  CHECK(says(picture, "right"));
}

TEST_CASE("the work of each stream of a GPU has a lane below those of the workers") {
  const std::vector<device::StreamRecord> streams{
      {.place = GpuPlace{0}, .stream = 0, .name = "a + b", .begin = 2'000, .end = 4'000},
      {.place = GpuPlace{0}, .stream = 1, .name = "copy", .bytes = 4096, .begin = 3'000, .end = 6'000},
      {.place = GpuPlace{1}, .stream = 0, .name = "c * d", .begin = 5'000, .end = 5'500}};
  const Xml picture = drawn({op(1, "submit", 0, 1'000, 2'000)}, {.streams = streams});
  const std::vector<const Xml*> lanes = boxes(picture, "lane");
  const std::vector<const Xml*> ops = boxes(picture, "op");
  REQUIRE(lanes.size() == 4);
  REQUIRE(ops.size() == 4);
  constexpr double begins[] = {1'000, 2'000, 3'000, 5'000}, ends[] = {2'000, 4'000, 6'000, 5'500};
  for (std::size_t i = 0; i < 4; ++i) {
    const Box lane = box_of(*lanes[i]);
    const Box own = box_of(*ops[i]);
    CHECK(own.top > lane.top);
    CHECK(own.bottom < lane.bottom);
    const double scale = (lane.right - lane.left) / 5'000;
    CHECK(std::abs(own.left - lane.left - (begins[i] - 1'000) * scale) < 0.6);
    CHECK(std::abs(own.right - lane.left - (ends[i] - 1'000) * scale) < 0.6);
  }
  for (const char* text : {"worker 0", "GPU 0, stream 0", "GPU 0, stream 1", "GPU 1, stream 0", "copy of 4096 bytes"})
    CHECK(says(picture, text));
  CHECK(picture.all("text")[1]->text == "1 op, 3 pieces of GPU work in 5.00 µs, 1 worker 20 % busy");
}

TEST_CASE("a timeline of GPUs alone needs no op") {
  const std::vector<device::StreamRecord> streams{{.place = GpuPlace{0}, .name = "a + b", .begin = 0, .end = 2'000}};
  const Xml picture = drawn({}, {.streams = streams});
  CHECK(boxes(picture, "op").size() == 1);
  CHECK(boxes(picture, "lane").size() == 1);
  CHECK(says(picture, "1 piece of GPU work in 2.00 µs"));
}

TEST_CASE("pointing at an op tells its outcome, worker, times, Vars and place") {
  OpRecord record = op(5, "scale", 1, 3'000, 38'100);
  record.queued = 1'800;
  record.reads = {3, 4};
  record.writes = {9};
  record.where = std::source_location::current();
  const Xml picture = drawn({op(4, "first", 0, 1'000, 2'000), record});
  const std::string place = "timeline_test.cpp:" + std::to_string(record.where.line());
  CHECK(boxes(picture, "op")[1]->title() ==
        "scale (op 5)\nsucceeded on worker 1\nat 2.00 µs for 35.1 µs, queued for 1.20 µs\nreads Vars 3, 4\nwrites Var "
        "9\n" +
            place);
}

TEST_CASE("a timeline without ops says so and has the lanes that were asked for") {
  CHECK(says(drawn({}), "no ops"));
  CHECK(boxes(drawn({}), "lane").empty());
  CHECK(boxes(drawn({}, {.workers = 3}), "lane").size() == 3);
}

TEST_CASE("a worker that ran nothing has a lane if it was asked for") {
  const Xml picture = drawn({op(1, "a", 1, 0, 10)}, {.workers = 3});
  CHECK(boxes(picture, "lane").size() == 3);
  for (const std::string_view name : {"worker 0", "worker 1", "worker 2"}) CHECK(says(picture, name));
}

TEST_CASE("a single op that lasted no time is seen") {
  const Xml picture = drawn({op(1, "instant", 0, 70, 70)});
  const std::vector<const Xml*> ops = boxes(picture, "op");
  REQUIRE(ops.size() == 1);
  CHECK(ops[0]->number("width") >= 0.5);
  CHECK(says(picture, "1 op in 1 ns, 1 worker 0 % busy"));
}

TEST_CASE("busy is the share of the time in which an op had begun and not ended, counted once where ops overlap") {
  const Xml picture =
      drawn({op(1, "a", 0, 0, 600), op(2, "nested", 0, 100, 300), op(3, "b", 0, 500, 700), op(4, "c", 1, 900, 1'000)});
  CHECK(says(picture, "70 % busy"));
  CHECK(says(picture, "10 % busy"));
  CHECK(says(picture, "4 ops in 1.00 µs, 2 workers 40 % busy"));
}

TEST_CASE("the axis has round times of one unit") {
  using Labels = std::vector<std::string>;
  CHECK(ticks(1) == Labels{"0 ns", "1 ns"});
  CHECK(ticks(40) == Labels{"0 ns", "5 ns", "10 ns", "15 ns", "20 ns", "25 ns", "30 ns", "35 ns", "40 ns"});
  CHECK(ticks(1'400) == Labels{"0 µs", "0.2 µs", "0.4 µs", "0.6 µs", "0.8 µs", "1 µs", "1.2 µs", "1.4 µs"});
  CHECK(ticks(10'000'000) ==
        Labels{"0 ms", "1 ms", "2 ms", "3 ms", "4 ms", "5 ms", "6 ms", "7 ms", "8 ms", "9 ms", "10 ms"});
  CHECK(ticks(90'000'000'000) == Labels{"0 s", "10 s", "20 s", "30 s", "40 s", "50 s", "60 s", "70 s", "80 s", "90 s"});
}

TEST_CASE("every span has 2 to 12 ticks that do not touch") {
  for (std::int64_t span = 1; span < 4'000'000'000'000; span = span * 13 / 10 + 1) {
    const std::size_t count = ticks(span).size();
    if (count < 2 || count > 12) FAIL_CHECK(span, " ns have ", count, " ticks");
  }
}

TEST_CASE("the legend counts the outcomes that occur") {
  std::vector records = random_records<OpRecord>(300, 2, 1'000, 3);
  std::map<Outcome, std::size_t> count;
  for (const OpRecord& record : records) ++count[record.outcome];
  REQUIRE(count.size() == 4);
  const Xml picture = drawn(records);
  for (const auto& [outcome, ops] : count)
    CHECK(says(picture, std::to_string(ops) + " " + std::string(to_string(outcome))));
  CHECK(says(drawn({op(1, "a", 0, 0, 1)}), "1 succeeded"));
  for (const std::string& text : texts(drawn({op(1, "a", 0, 0, 1)}))) CHECK(text.find("failed") == text.npos);
}

TEST_CASE("boxes of ops do not overlap and lie in the lanes") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Xml picture = drawn(random_records<OpRecord>(60, 3, 1'000, seed));
    std::vector<Box> found;
    std::size_t ops = 0;
    for (const Xml* rect : boxes(picture, "op")) {
      found.push_back(box_of(*rect));
      ops += ops_in(*rect);
    }
    CHECK(ops == 60);
    for (const Box& a : found) {
      const bool is_inside = std::ranges::any_of(boxes(picture, "lane"), [&a](const Xml* lane) {
        const Box b = box_of(*lane);
        return a.left >= b.left - 0.01 && a.right <= b.right + 0.01 && a.top >= b.top && a.bottom <= b.bottom;
      });
      CHECK(is_inside);
      for (const Box& b : found) {
        // What lasted no time is drawn a little wider than it is.
        const bool overlap =
            &a != &b && a.left + 3.1 < b.right && b.left + 3.1 < a.right && a.top < b.bottom && b.top < a.bottom;
        if (overlap)
          FAIL_CHECK("seed ", seed, ": boxes at ", a.left, " .. ", a.right, " and ", b.left, " .. ", b.right);
      }
    }
  }
}

TEST_CASE("10,000 ops are all there, in a picture of some hundred boxes") {
  std::vector<OpRecord> records;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const auto start = static_cast<std::int64_t>(i / 2 * 500 + i * i % 90);
    records.push_back(
        op(i + 1, "step", static_cast<int>(i % 2), start, start + 100 + static_cast<std::int64_t>(i % 300)));
  }
  records[4'321].outcome = Outcome::failed;
  const Xml picture = drawn(records);
  std::size_t ops = 0;
  for (const Xml* box : boxes(picture, "op")) ops += ops_in(*box);
  CHECK(ops == 10'000);
  CHECK(boxes(picture, "op").size() < 1'000);
  std::size_t failed = 0;
  for (const Xml* box : boxes(picture, "op")) failed += box->is("failed") ? 1 : 0;
  CHECK(failed == 1);  // a failure does not hide in a crowd
}

TEST_CASE("thousands of ops in flight on one worker share a few rows") {
  std::vector<OpRecord> records;
  for (std::uint64_t i = 0; i < 10'000; ++i)
    records.push_back(op(i + 1, "read", 0, static_cast<std::int64_t>(i), static_cast<std::int64_t>(20'000 + i)));
  const Xml picture = drawn(records);
  std::size_t ops = 0;
  for (const Xml* box : boxes(picture, "op")) ops += ops_in(*box);
  CHECK(ops == 10'000);
  CHECK(picture.number("height") < 500);
}

TEST_CASE("names of all kinds stand in the picture as they are, where they fit") {
  for (const NastyName& name : nasty_names) {
    const Xml picture = drawn({op(1, std::string(name.written), 0, 0, 1)}, {.title = std::string(name.written)});
    CHECK(boxes(picture, "op")[0]->title().starts_with(std::string(name.read) + " (op 1)\n"));
    if (!name.read.empty()) CHECK(says(picture, name.read));
  }
  const Xml controls = drawn({op(1, std::string("a\0b\x1F", 4), 0, 0, 1)});
  CHECK(says(controls,
             "a\xEF\xBF\xBD"
             "b\xEF\xBF\xBD"));
}

TEST_CASE("a long name is cut to its box, and left out where little of it would be left") {
  const std::string name = "a name that is much longer than the box of the op that bears it";
  const Xml picture = drawn({op(1, name, 0, 0, 100), op(2, name, 0, 100, 115), op(3, name, 0, 115, 1'000)});
  std::vector<std::string> found;
  for (const std::string& text : texts(picture))
    if (text.starts_with("a name")) found.push_back(text);
  REQUIRE(found.size() == 2);
  CHECK(found[0].ends_with("…"));
  CHECK(name.starts_with(found[0].substr(0, found[0].size() - std::string_view("…").size())));
  CHECK(found[1] == name);
}

TEST_CASE("the picture needs nothing from outside and brings nothing that could clash in a page with others") {
  std::string svg = timeline_svg(random_records<OpRecord>(100, 2, 1'000, 5));
  const std::string_view space = "http://www.w3.org/2000/svg";
  const std::size_t at = svg.find(space);
  REQUIRE(at != svg.npos);
  svg.erase(at, space.size());
  for (const std::string_view foreign : {"http", "url(", "@import", "<script", "href", " id=", "<image", "$"})
    CHECK_MESSAGE(svg.find(foreign) == svg.npos, foreign);
}

TEST_CASE("the order of the records does not matter") {
  std::vector records = random_records<OpRecord>(200, 3, 1'000, 6);
  const std::string forwards = timeline_svg(records);
  std::ranges::reverse(records);
  CHECK(timeline_svg(records) == forwards);
}
