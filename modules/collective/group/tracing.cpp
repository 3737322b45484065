module;
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <ostream>
#include <source_location>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>
module tessera.collective;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import tessera.darray;

// The clocks of several hosts, and intervals of time.
namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;

std::int64_t now() { return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count(); }

struct Interval {
  std::int64_t begin, end;
};

/// In order, none touching the next.
std::vector<Interval> joined(std::vector<Interval> intervals) {
  std::ranges::sort(intervals, {}, &Interval::begin);
  std::vector<Interval> result;
  for (const Interval& next : intervals) {
    if (!result.empty() && next.begin <= result.back().end) {
      result.back().end = std::max(result.back().end, next.end);
    } else {
      result.push_back(next);
    }
  }
  return result;
}

std::int64_t length(const std::vector<Interval>& intervals) {
  std::int64_t sum = 0;
  for (const Interval& each : intervals) sum += each.end - each.begin;
  return sum;
}

std::int64_t common_length(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    sum += std::max<std::int64_t>(0, std::min(a[i].end, b[j].end) - std::max(a[i].begin, b[j].begin));
    if (a[i].end < b[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
  return sum;
}

/// What this rank's clock shows when that of rank 0 shows nothing. That of rank 0 is asked some times, and the quickest answer counts; clocks that
/// cannot be told apart are one.
std::int64_t clock_after_first(const Group& group, const std::source_location& where) {
  constexpr int questions = 8;
  Array<std::int64_t, 0> word(Dim{});
  const collective::Share& share = collective::share_of(group);
  const auto send_word = [&](int to) {
    collective::send(share, collective::elements_of(word), to, collective::OwnTag::clock, where);
  };
  const auto receive_word = [&](int from) {
    collective::receive_into(share, collective::result_of(word), from, collective::OwnTag::clock, where);
  };
  if (group.rank() == 0) {
    for (int rank = 1; rank < group.size(); ++rank) {
      for (int i = 0; i < questions; ++i) {
        receive_word(rank);
        word = now();
        send_word(rank);
      }
    }
    return 0;
  }
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max(), after = 0;
  for (int i = 0; i < questions; ++i) {
    const std::int64_t asked = now();
    send_word(0);
    receive_word(0);
    const std::int64_t answer = word[{}], answered = now();
    if (answered - asked >= shortest) continue;
    shortest = answered - asked;
    after = asked + shortest / 2 - answer;
  }
  return std::abs(after) <= shortest ? 0 : after;
}

Array<std::uint8_t, 1> bytes_of(const std::string& text) {
  Array<std::uint8_t, 1> bytes(Dim{static_cast<std::ptrdiff_t>(text.size())});
  std::ranges::transform(text, bytes.begin(), [](char c) { return static_cast<std::uint8_t>(c); });
  return bytes;
}

}  // namespace

CommunicationTime communication_time(std::span<const OpRecord> records) {
  std::vector<Interval> exchanges, others;
  for (const OpRecord& record : records) {
    if (record.end <= record.start) continue;
    (collective::is_name_of_call(record.name) ? exchanges : others).push_back({record.start, record.end});
  }
  exchanges = joined(std::move(exchanges));
  constexpr double nanosecond = 1e-9;
  return {.seconds = static_cast<double>(length(exchanges)) * nanosecond,
          .overlapped = static_cast<double>(common_length(exchanges, joined(std::move(others)))) * nanosecond};
}

void write_chrome_trace(std::ostream& out, const Group& group, const Trace& trace, const std::source_location& where) {
  const std::int64_t own_begin = std::chrono::nanoseconds(trace.begin().time_since_epoch()).count();
  const std::int64_t begin = own_begin - clock_after_first(group, where);
  Array<std::int64_t, 0> begins(Dim{});
  begins = begin;
  const std::int64_t first = group.all_reduce(begins, ReduceOp::min, where)[{}];
  const std::vector<OpRecord> records = trace.records();
  const std::vector<device::StreamRecord> streams = trace.streams();
  std::ostringstream own;
  write_chrome_trace(own, records, streams,
                     {.number = group.rank(),
                      .name = "rank " + std::to_string(group.rank()) + " of " + group.name(),
                      .later = begin - first});
  const Array<std::uint8_t, 1> text = bytes_of(own.str());
  Array<std::int64_t, 0> own_size(Dim{});
  own_size = text.size();
  const Array<std::int64_t, 1> sizes = group.all_gather(own_size, where);
  const Array<std::uint8_t, 1> texts = group.gather(text, 0, where);
  if (group.rank() != 0) return;
  std::vector<std::string> traces;
  auto next = texts.begin();
  for (const std::int64_t size : sizes) {
    traces.emplace_back(next, next + size);
    next += size;
  }
  merge_chrome_traces(out, traces);
}

}  // namespace tessera
