module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module tessera.schedule;
import tessera.core;

// Building and reducing the graph, and its text for Graphviz.
namespace tessera {

namespace {

std::string_view dot_style(DependencyKind kind) {
  switch (kind) {
    case DependencyKind::read_after_write: return "";
    case DependencyKind::write_after_write: return "style=dashed, arrowhead=empty, ";
    case DependencyKind::write_after_read: return "style=dotted, arrowhead=empty, ";
  }
  return "";
}

std::string_view dot_colour(Outcome outcome) {
  switch (outcome) {
    case Outcome::succeeded: return "\"#2456c7\"";
    case Outcome::failed: return "\"#c2570c\"";
    case Outcome::skipped:
    case Outcome::cancelled: return "\"#5f636d\"";
  }
  return "";
}

}  // namespace

std::string description_of(const OpRecord& op) {
  std::string text = title_of(op);
  if (has_run(op))
    text += "\n" + std::string(to_string(op.outcome)) + " in " + duration(op.end - op.start) + " on " + worker_of(op);
  return text + accesses_of(op);
}

std::string_view name_of(DependencyKind kind) {
  switch (kind) {
    case DependencyKind::read_after_write: return "read after write";
    case DependencyKind::write_after_write: return "write after write";
    case DependencyKind::write_after_read: return "write after read";
  }
  return "unknown";
}

DependencyGraph::DependencyGraph(std::span<const OpRecord> records) {
  for (const std::size_t i : submission_order(records)) append(records[i]);
}

std::size_t DependencyGraph::add(std::string name, std::vector<std::uint64_t> reads,
                                 std::vector<std::uint64_t> writes) {
  const std::uint64_t id = ops_.empty() ? 1 : ops_.back().id + 1;
  append({.id = id, .name = std::move(name), .reads = std::move(reads), .writes = std::move(writes)});
  return ops_.size() - 1;
}

const OpRecord& DependencyGraph::op(std::size_t index) const {
  if (index >= ops_.size()) {
    throw IndexError(to_string(
        Failure{.operation = "DependencyGraph::op",
                .problem = "op " + std::to_string(index) + " of " + std::to_string(ops_.size()) + " does not exist"}));
  }
  return ops_[index];
}

void DependencyGraph::append(OpRecord op) {
  const std::vector<Conflict> conflicts = history_.append(op.reads, op.writes);
  ops_.push_back(std::move(op));
  seen_by_.push_back(0);
  keep_necessary(conflicts, ops_.size() - 1);
}

void DependencyGraph::keep_necessary(const std::vector<Conflict>& conflicts, std::size_t to) {
  std::map<std::size_t, Edge> candidates;
  for (const auto& [from, kind, var] : conflicts) {
    Edge& edge = candidates.try_emplace(from, Edge{from, to, kind, {}}).first->second;
    if (kind < edge.kind) {
      edge.kind = kind;
      edge.vars.clear();
    }
    if (kind == edge.kind) edge.vars.push_back(var);
  }
  std::vector<std::size_t> all;
  for (const auto& [from, edge] : candidates) all.push_back(from);
  std::ranges::reverse(all);
  const std::vector<bool> reached = reached_from(all);
  for (std::size_t i = all.size(); i-- > 0;) {
    if (reached[i]) continue;
    Edge& edge = candidates.at(all[i]);
    std::ranges::sort(edge.vars);
    edges_.push_back(std::move(edge));
  }
  direct_.push_back(std::move(all));
}

/// Which of these ops must have ended before another one of them begins. The search goes from the latest op backwards and never
/// below the earliest op that is still in doubt, so it is short where an op waits for recent ones only.
std::vector<bool> DependencyGraph::reached_from(const std::vector<std::size_t>& descending) {
  std::vector<bool> reached(descending.size());
  if (descending.size() < 2) return reached;
  const std::size_t search = direct_.size() + 1;
  std::size_t doubtful = descending.size() - 1;
  const auto lower_bound = [&] {
    while (doubtful > 0 && seen_by_[descending[doubtful]] == search) --doubtful;
    return descending[doubtful];
  };
  std::deque<std::size_t> open;
  for (std::size_t i = 0; i < doubtful; ++i) {
    if (seen_by_[descending[i]] == search) continue;
    // Near ops first: they are the ones that most often share what they read with the op in question.
    open.push_back(descending[i]);
    while (!open.empty()) {
      const std::size_t op = open.front();
      open.pop_front();
      for (const std::size_t earlier : direct_[op]) {
        if (earlier < lower_bound()) break;
        if (std::exchange(seen_by_[earlier], search) != search) open.push_back(earlier);
      }
    }
  }
  for (std::size_t i = 0; i < descending.size(); ++i) reached[i] = seen_by_[descending[i]] == search;
  return reached;
}

std::vector<std::size_t> DependencyGraph::critical_path() const {
  std::vector<std::int64_t> longest(size());  // of the chains that end with this op
  std::vector<std::optional<std::size_t>> before(size());
  auto edge = edges_.begin();
  for (std::size_t op = 0; op < size(); ++op) {
    for (; edge != edges_.end() && edge->to == op; ++edge) {
      if (longest[edge->from] <= longest[op]) continue;
      longest[op] = longest[edge->from];
      before[op] = edge->from;
    }
    longest[op] += std::max<std::int64_t>(0, ops_[op].end - ops_[op].start);
  }
  const auto last = std::ranges::max_element(longest);
  std::vector<std::size_t> path;
  if (last == longest.end() || *last == 0) return path;
  for (std::optional<std::size_t> op = last - longest.begin(); op; op = before[*op]) path.push_back(*op);
  std::ranges::reverse(path);
  return path;
}

std::string DependencyGraph::to_dot() const {
  std::string dot =
      "digraph dependencies {\n"
      "  node [shape=box, style=rounded, fontname=\"sans-serif\", fontsize=11];\n"
      "  edge [color=\"#5f636d\", arrowsize=0.7];\n";
  for (std::size_t i = 0; i < size(); ++i) {
    dot += "  op" + std::to_string(i) + " [label=" + dot_quoted(ops_[i].name) +
           ", tooltip=" + dot_quoted(description_of(ops_[i])) + ", color=" + std::string(dot_colour(ops_[i].outcome)) +
           "];\n";
  }
  for (const Edge& edge : edges_) {
    dot += "  op" + std::to_string(edge.from) + " -> op" + std::to_string(edge.to) + " [" +
           std::string(dot_style(edge.kind)) +
           "edgetooltip=" + dot_quoted(std::string(name_of(edge.kind)) + ": " + var_list(edge.vars)) + "];\n";
  }
  return dot + "}\n";
}

std::string DependencyGraph::to_svg(const GraphOptions& options) const { return svg_of(*this, options); }

}  // namespace tessera
