module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>
module tessera.schedule;

// Which ops of a timeline are drawn together.
namespace tessera {

namespace {

constexpr double narrowest = 0.5;     // pixels of an op that has a box of its own
constexpr double widest_crowd = 4.0;  // pixels; a crowd's strength is the mean over so much

Bar bar_of(const PlacedOp& placed, std::size_t row) {
  const OpRecord& op = *placed.op;
  Bar bar{.first = &op, .row = row, .start = op.start, .end = op.end, .busy = op.end - op.start};
  ++bar.by_outcome[static_cast<std::size_t>(op.outcome)];
  return bar;
}

bool is_narrow(const Bar& bar, const TimeScale& scale) { return scale(bar.end) - scale(bar.start) < narrowest; }

bool belong_together(const Bar& crowd, const Bar& next, const TimeScale& scale) {
  if (next.start < crowd.end) return true;  // only in a row that several rows share
  const bool is_crowd = crowd.ops() > 1 || is_narrow(crowd, scale);
  return is_crowd && is_narrow(next, scale) && scale(next.start) - scale(crowd.end) < narrowest &&
         scale(next.end) - scale(crowd.start) <= widest_crowd;
}

void join(Bar& crowd, const Bar& next) {
  crowd.end = std::max(crowd.end, next.end);
  crowd.busy += next.busy;
  for (std::size_t i = 0; i < crowd.by_outcome.size(); ++i) crowd.by_outcome[i] += next.by_outcome[i];
}

}  // namespace

Outcome Bar::outcome() const {
  for (const Outcome outcome : {Outcome::failed, Outcome::cancelled, Outcome::skipped})
    if (by_outcome[static_cast<std::size_t>(outcome)] > 0) return outcome;
  return Outcome::succeeded;
}

std::vector<Bar> bars_of(const Lane& lane, const TimeScale& scale, std::size_t most_rows) {
  const std::size_t rows = std::min(lane.rows, most_rows);
  std::vector<std::vector<Bar>> bars(rows);
  for (const PlacedOp& placed : lane.ops) {
    const std::size_t row = std::min(placed.row, rows - 1);
    const Bar next = bar_of(placed, row);
    if (!bars[row].empty() && belong_together(bars[row].back(), next, scale))
      join(bars[row].back(), next);
    else
      bars[row].push_back(next);
  }
  std::vector<Bar> all;
  for (const std::vector<Bar>& row : bars) all.insert(all.end(), row.begin(), row.end());
  return all;
}

}  // namespace tessera
