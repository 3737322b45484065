// Records of ops for the tests of what is drawn from them: simulated, because real ones differ from run to run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

/// The plain part of a record; `Record` is tessera's OpRecord, which a header cannot name before the import.
template <class Record>
Record record_of(std::uint64_t id, std::string name, int worker, std::int64_t start, std::int64_t end) {
  Record record;
  record.id = id;
  record.name = std::move(name);
  record.worker = worker;
  record.queued = record.start = start;
  record.end = end;
  return record;
}

/// `count` ops with random times, accesses and outcomes; some last no time, some overlap on their worker.
template <class Record>
std::vector<Record> random_records(std::size_t count, int workers, std::int64_t longest, unsigned seed) {
  std::mt19937_64 random(seed);
  const auto below = [&random](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
  };
  std::vector<Record> records;
  std::int64_t now = 0;
  for (std::size_t i = 0; i < count; ++i) {
    now += below(longest);
    const std::int64_t start = now + below(3 * longest);
    const std::int64_t length = below(8) == 0 ? 0 : below(longest);
    records.push_back(record_of<Record>(i + 1, "op " + std::to_string(i + 1), static_cast<int>(below(workers + 1)) - 1,
                                        start, start + length));
    Record& record = records.back();
    record.queued = now;
    for (std::int64_t k = below(4); k > 0; --k) record.reads.push_back(static_cast<std::uint64_t>(below(12)));
    for (std::int64_t k = below(3); k > 0; --k) record.writes.push_back(static_cast<std::uint64_t>(below(12)));
    if (below(10) == 0) record.outcome = static_cast<decltype(record.outcome)>(1 + below(3));
  }
  return records;
}
