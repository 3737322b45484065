module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>
module tessera.schedule;

// The layered drawing of Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of Hierarchical System Structures", 1981.
namespace tessera {

namespace {

using EdgeEnds = std::pair<std::size_t, std::size_t>;

/// A place in a layer: a node, or a point where a long edge passes.
struct Slot {
  double width = 0;
  std::size_t layer = 0;
  double x = 0;
};

class Layering {
 public:
  Layering(std::span<const double> widths, std::span<const EdgeEnds> edges, const LayoutGaps& gaps)
      : gaps_(gaps), nodes_(widths.size()), slots_(widths.size()), links_(widths.size()) {
    for (std::size_t i = 0; i < nodes_; ++i) slots_[i].width = widths[i];
    assign_layers(edges);
    for (const EdgeEnds& edge : edges) connect(edge);
    fill_layers();
    order_layers(layers_, links_);
    place();
    centre_rows();
  }

  GraphLayout result(std::span<const EdgeEnds> edges) const {
    GraphLayout layout{.nodes = {}, .edges = {}, .width = 0, .layers = layers_.size()};
    double left = slots_.empty() ? 0 : slots_.front().x;
    for (const Slot& slot : slots_) left = std::min(left, slot.x - slot.width / 2);
    for (const Slot& slot : slots_) layout.width = std::max(layout.width, slot.x + slot.width / 2 - left);
    const auto point = [&](std::size_t slot) { return LayoutPoint{slots_[slot].x - left, slots_[slot].layer}; };
    for (std::size_t i = 0; i < nodes_; ++i) layout.nodes.push_back(point(i));
    for (std::size_t i = 0; i < edges.size(); ++i) {
      std::vector<LayoutPoint> points{point(edges[i].first)};
      for (const std::size_t slot : passes_[i]) points.push_back(point(slot));
      points.push_back(point(edges[i].second));
      layout.edges.push_back(std::move(points));
    }
    return layout;
  }

 private:
  bool is_node(std::size_t slot) const { return slot < nodes_; }

  /// Each node as high as what it waits for allows; one that waits for nothing just above the first that waits for it.
  void assign_layers(std::span<const EdgeEnds> edges) {
    constexpr std::size_t none = SIZE_MAX;
    std::vector<EdgeEnds> by_lower(edges.begin(), edges.end());
    std::ranges::sort(by_lower, {}, [](const EdgeEnds& edge) { return std::pair(edge.second, edge.first); });
    for (const auto& [upper, lower] : by_lower)
      slots_[lower].layer = std::max(slots_[lower].layer, slots_[upper].layer + 1);
    std::vector<std::size_t> highest_below(nodes_, none);
    std::vector<bool> is_lower(nodes_);
    for (const auto& [upper, lower] : edges) {
      highest_below[upper] = std::min(highest_below[upper], slots_[lower].layer);
      is_lower[lower] = true;
    }
    std::size_t layers = 0;
    for (std::size_t i = 0; i < nodes_; ++i) {
      if (!is_lower[i] && highest_below[i] != none) slots_[i].layer = highest_below[i] - 1;
      if (is_lower[i] || highest_below[i] != none) layers = std::max(layers, slots_[i].layer + 1);
    }
    double used = 0;
    for (std::size_t i = 0; i < nodes_; ++i) {
      if (is_lower[i] || highest_below[i] != none) continue;
      used += slots_[i].width + gaps_.between_nodes;
      if (used > gaps_.row_width) {
        used = slots_[i].width;
        ++layers;
      }
      slots_[i].layer = layers;
    }
  }

  /// Links the ends of an edge through new slots in the layers between.
  void connect(const EdgeEnds& edge) {
    std::vector<std::size_t> passes;
    std::size_t last = edge.first;
    const auto link_to = [&](std::size_t next) {
      links_[last].below.push_back(next);
      links_[next].above.push_back(last);
      last = next;
    };
    for (std::size_t layer = slots_[edge.first].layer + 1; layer < slots_[edge.second].layer; ++layer) {
      passes.push_back(slots_.size());
      slots_.emplace_back().layer = layer;
      links_.emplace_back();
      link_to(passes.back());
    }
    link_to(edge.second);
    passes_.push_back(std::move(passes));
  }

  void fill_layers() {
    std::size_t count = 0;
    for (const Slot& slot : slots_) count = std::max(count, slot.layer + 1);
    layers_.resize(slots_.empty() ? 0 : count);
    for (std::size_t i = 0; i < slots_.size(); ++i) layers_[slots_[i].layer].push_back(i);
  }

  double distance(std::size_t left, std::size_t right) const {
    const double gap = is_node(left) && is_node(right) ? gaps_.between_nodes : gaps_.beside_edges;
    return (slots_[left].width + slots_[right].width) / 2 + gap;
  }

  /// Long edges are pulled straight harder than short ones, as Gansner and others do ("A Technique for Drawing Directed Graphs", 1993).
  double pull(std::size_t a, std::size_t b) const {
    if (is_node(a) && is_node(b)) return 1;
    return is_node(a) || is_node(b) ? 2 : 8;
  }

  void place() {
    for (const std::vector<std::size_t>& layer : layers_) {
      double x = 0;
      for (std::size_t i = 0; i < layer.size(); ++i)
        slots_[layer[i]].x = x += i > 0 ? distance(layer[i - 1], layer[i]) : 0;
    }
    constexpr int sweeps = 32;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (std::size_t i = 0; i < layers_.size(); ++i)
        place_layer(layers_[sweep % 2 == 0 ? i : layers_.size() - 1 - i], sweep % 2 == 0, sweep >= sweeps / 2);
    }
  }

  /// Rows of nodes without edges lie below the middle of the others.
  void centre_rows() {
    double left = slots_.empty() ? 0 : slots_.front().x;
    double right = left;
    for (const std::vector<std::size_t>& layer : layers_) {
      if (is_row_of_loners(layer)) continue;
      left = std::min(left, slots_[layer.front()].x);
      right = std::max(right, slots_[layer.back()].x);
    }
    for (const std::vector<std::size_t>& layer : layers_) {
      if (!is_row_of_loners(layer)) continue;
      const double shift = (left + right - slots_[layer.front()].x - slots_[layer.back()].x) / 2;
      for (const std::size_t slot : layer) slots_[slot].x += shift;
    }
  }

  bool is_row_of_loners(const std::vector<std::size_t>& layer) const {
    const SlotLinks& first = links_[layer.front()];
    return first.above.empty() && first.below.empty();
  }

  /// Moves a layer's slots as near to their neighbours' mean as order and distances allow: least squares under these
  /// constraints, by pooling adjacent violators.
  void place_layer(const std::vector<std::size_t>& layer, bool look_up, bool look_both_ways) {
    struct Pool {
      double sum, weight;
      std::size_t slots;
      double mean() const { return sum / weight; }
    };
    std::vector<Pool> pools;
    double offset = 0;
    for (std::size_t i = 0; i < layer.size(); ++i) {
      if (i > 0) offset += distance(layer[i - 1], layer[i]);
      const auto [sum, weight] = wish(layer[i], look_up, look_both_ways);
      pools.push_back({sum - offset * weight, weight, 1});
      while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
        const Pool last = pools.back();
        pools.pop_back();
        pools.back() = {pools.back().sum + last.sum, pools.back().weight + last.weight,
                        pools.back().slots + last.slots};
      }
    }
    std::size_t i = 0;
    offset = 0;
    for (const Pool& pool : pools) {
      for (std::size_t k = 0; k < pool.slots; ++k, ++i) {
        if (i > 0) offset += distance(layer[i - 1], layer[i]);
        slots_[layer[i]].x = pool.mean() + offset;
      }
    }
  }

  /// Where a slot would lie if it were alone: a weighted sum of places, and the weight.
  std::pair<double, double> wish(std::size_t slot, bool look_up, bool look_both_ways) const {
    constexpr double inertia = 0.01;  // keeps what has no neighbours where it is
    double sum = slots_[slot].x * inertia;
    double weight = inertia;
    const auto add = [&](const std::vector<std::size_t>& links) {
      for (const std::size_t other : links) {
        sum += slots_[other].x * pull(slot, other);
        weight += pull(slot, other);
      }
    };
    if (look_up || look_both_ways) add(links_[slot].above);
    if (!look_up || look_both_ways) add(links_[slot].below);
    return {sum, weight};
  }

  LayoutGaps gaps_;
  std::size_t nodes_;
  std::vector<Slot> slots_;  // the nodes, then where edges pass
  std::vector<SlotLinks> links_;
  std::vector<std::vector<std::size_t>> passes_;  // by edge
  std::vector<std::vector<std::size_t>> layers_;  // slots from left to right
};

}  // namespace

GraphLayout layered_layout(std::span<const double> widths, std::span<const EdgeEnds> edges, const LayoutGaps& gaps) {
  return Layering(widths, edges, gaps).result(edges);
}

}  // namespace tessera
