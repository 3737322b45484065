module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
module tessera.schedule;
import tessera.device;

// Packing of ops into rows: each op takes the lowest row that is free when it starts.
namespace tessera {

namespace {

template <class T>
using SmallestFirst = std::priority_queue<T, std::vector<T>, std::greater<T>>;

void assign_rows(Lane& lane) {
  SmallestFirst<std::size_t> free;
  SmallestFirst<std::pair<std::int64_t, std::size_t>> taken;  // until when, which
  std::size_t rows = 0;
  for (PlacedOp& placed : lane.ops) {
    for (; !taken.empty() && taken.top().first <= placed.op->start; taken.pop()) free.push(taken.top().second);
    if (free.empty()) free.push(rows++);
    placed.row = free.top();
    free.pop();
    taken.push({placed.op->end, placed.row});
  }
  lane.rows = std::max<std::size_t>(1, rows);
}

std::int64_t busy_time(const Lane& lane) {
  std::int64_t busy = 0;
  std::int64_t until = std::numeric_limits<std::int64_t>::min();
  for (const PlacedOp& placed : lane.ops) {
    busy += std::max<std::int64_t>(0, placed.op->end - std::max(until, placed.op->start));
    until = std::max(until, placed.op->end);
  }
  return busy;
}

/// By start; of those that start together the longest first, so that nested ops come after the one around them.
bool is_before(const PlacedOp& a, const PlacedOp& b) {
  return std::tuple(a.op->start, b.op->end, a.op->id) < std::tuple(b.op->start, a.op->end, b.op->id);
}

/// Orders what is in a lane.
void arrange(Lane& lane) {
  std::ranges::sort(lane.ops, is_before);
  assign_rows(lane);
  lane.busy = busy_time(lane);
}

}  // namespace

std::vector<Lane> lanes_of(std::span<const OpRecord> records, int workers) {
  std::map<unsigned, Lane> by_worker;  // unsigned: -1 comes last
  const auto lane_of = [&by_worker](int worker) -> Lane& {
    Lane& lane = by_worker[static_cast<unsigned>(worker)];
    lane.worker = worker;
    lane.name = worker < 0 ? "waiting threads" : "worker " + std::to_string(worker);
    return lane;
  };
  for (int worker = 0; worker < workers; ++worker) lane_of(worker);
  for (const OpRecord& op : records) lane_of(std::max(-1, op.worker)).ops.push_back({&op, 0});
  std::vector<Lane> lanes;
  for (auto& [worker, lane] : by_worker) {
    arrange(lane);
    lanes.push_back(std::move(lane));
  }
  return lanes;
}

std::vector<OpRecord> as_ops(std::span<const device::StreamRecord> records) {
  std::vector<OpRecord> work;
  for (const device::StreamRecord& record : records) {
    const std::string name =
        record.bytes < 0 ? record.name : record.name + " of " + std::to_string(record.bytes) + " bytes";
    work.push_back({.id = work.size() + 1,
                    .name = name,
                    .where = record.where,
                    .worker = gpu_worker,
                    .queued = record.begin,
                    .start = record.begin,
                    .end = std::max(record.begin, record.end),
                    .reads = {},
                    .writes = {}});
  }
  return work;
}

std::vector<Lane> lanes_of_streams(std::span<const OpRecord> work, std::span<const device::StreamRecord> records) {
  std::map<std::pair<int, int>, Lane> by_stream;
  for (std::size_t i = 0; i < work.size(); ++i) {
    const int gpu = records[i].place.ordinal;
    Lane& lane = by_stream[{gpu, records[i].stream}];
    lane.worker = gpu_worker;
    lane.name = "GPU " + std::to_string(gpu) + ", stream " + std::to_string(records[i].stream);
    lane.ops.push_back({&work[i], 0});
  }
  std::vector<Lane> lanes;
  for (auto& [stream, lane] : by_stream) {
    arrange(lane);
    lanes.push_back(std::move(lane));
  }
  return lanes;
}

std::vector<std::size_t> submission_order(std::span<const OpRecord> records) {
  std::vector<std::size_t> order(records.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [records](std::size_t i) { return std::pair(records[i].id, i); });
  return order;
}

}  // namespace tessera
