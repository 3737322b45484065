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

}  // namespace

std::vector<Lane> lanes_of(std::span<const OpRecord> records, int workers) {
  std::map<unsigned, Lane> by_worker;  // unsigned: -1 comes last
  const auto lane_of = [&by_worker](int worker) -> Lane& {
    Lane& lane = by_worker[static_cast<unsigned>(worker)];
    lane.worker = worker;
    return lane;
  };
  for (int worker = 0; worker < workers; ++worker) lane_of(worker);
  for (const OpRecord& op : records) lane_of(std::max(-1, op.worker)).ops.push_back({&op, 0});
  std::vector<Lane> lanes;
  for (auto& [worker, lane] : by_worker) {
    std::ranges::sort(lane.ops, is_before);
    assign_rows(lane);
    lane.busy = busy_time(lane);
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

std::string lane_name(const Lane& lane) {
  return lane.worker < 0 ? "waiting threads" : "worker " + std::to_string(lane.worker);
}

}  // namespace tessera
