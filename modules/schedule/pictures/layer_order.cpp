module;
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>
module tessera.schedule;

// Barycentre sweeps, each followed by swaps of neighbours that cross less the other way round.
namespace tessera {

namespace {

using Layer = std::vector<std::size_t>;

/// Pairs of values of which the greater one comes first, counted in a Fenwick tree. All are below `limit`.
std::size_t inversions(const std::vector<std::size_t>& values, std::size_t limit) {
  std::vector<std::size_t> tree(limit + 1);
  std::size_t total = 0;
  for (std::size_t seen = 0; seen < values.size(); ++seen) {
    std::size_t not_greater = 0;
    for (std::size_t i = values[seen] + 1; i > 0; i &= i - 1) not_greater += tree[i];
    total += seen - not_greater;
    for (std::size_t i = values[seen] + 1; i <= limit; i += i & (0 - i)) ++tree[i];
  }
  return total;
}

class Ordering {
 public:
  Ordering(std::vector<Layer>& layers, const std::vector<SlotLinks>& links)
      : layers_(layers), links_(links), ranks_(links.size()) {
    for (const Layer& layer : layers_) note_ranks(layer);
  }

  /// Sweeps down and up, and keeps the order with the fewest crossings.
  void improve() {
    constexpr int most_sweeps = 24;
    std::vector<Layer> best = layers_;
    std::size_t fewest = crossings();
    for (int sweep = 0; sweep < most_sweeps && fewest > 0; ++sweep) {
      if (sweep % 2 == 0) {
        for (std::size_t i = 1; i < layers_.size(); ++i) sort_by(layers_[i], &SlotLinks::above);
      } else {
        for (std::size_t i = layers_.size() - 1; i-- > 0;) sort_by(layers_[i], &SlotLinks::below);
      }
      for (Layer& layer : layers_) swap_neighbours(layer);
      const std::size_t now = crossings();
      if (now >= fewest) continue;
      fewest = now;
      best = layers_;
    }
    layers_ = std::move(best);
  }

 private:
  void note_ranks(const Layer& layer) {
    for (std::size_t rank = 0; rank < layer.size(); ++rank) ranks_[layer[rank]] = rank;
  }

  /// Sorts a layer by the mean rank of what its slots are linked to; one without links keeps its rank.
  void sort_by(Layer& layer, std::vector<std::size_t> SlotLinks::* side) {
    struct Keyed {
      double mean;
      std::size_t rank;  // equal means keep their order
      std::size_t slot;
    };
    std::vector<Keyed> keyed;
    for (const std::size_t slot : layer) {
      const std::vector<std::size_t>& linked = links_[slot].*side;
      double sum = 0;
      for (const std::size_t other : linked) sum += static_cast<double>(ranks_[other]);
      const double own = static_cast<double>(ranks_[slot]);
      keyed.push_back({linked.empty() ? own : sum / static_cast<double>(linked.size()), ranks_[slot], slot});
    }
    std::ranges::sort(keyed, {}, [](const Keyed& key) { return std::pair(key.mean, key.rank); });
    for (std::size_t rank = 0; rank < layer.size(); ++rank) layer[rank] = keyed[rank].slot;
    note_ranks(layer);
  }

  void swap_neighbours(Layer& layer) {
    for (std::size_t rank = 0; rank + 1 < layer.size(); ++rank) {
      const std::size_t left = layer[rank];
      const std::size_t right = layer[rank + 1];
      if (crossings_of(right, left) >= crossings_of(left, right)) continue;
      std::swap(layer[rank], layer[rank + 1]);
      std::swap(ranks_[left], ranks_[right]);
    }
  }

  /// Crossings between the edges of two slots, if the one stood left of the other.
  std::size_t crossings_of(std::size_t left, std::size_t right) const {
    return crossings_of(links_[left].above, links_[right].above) +
           crossings_of(links_[left].below, links_[right].below);
  }
  std::size_t crossings_of(const std::vector<std::size_t>& left, const std::vector<std::size_t>& right) const {
    std::size_t count = 0;
    for (const std::size_t l : left)
      for (const std::size_t r : right) count += ranks_[l] > ranks_[r] ? 1 : 0;
    return count;
  }

  std::size_t crossings() const {
    std::size_t total = 0;
    for (std::size_t i = 0; i + 1 < layers_.size(); ++i) {
      std::vector<std::size_t> ends;
      for (const std::size_t slot : layers_[i]) {
        std::vector<std::size_t> own;
        for (const std::size_t lower : links_[slot].below) own.push_back(ranks_[lower]);
        std::ranges::sort(own);
        ends.insert(ends.end(), own.begin(), own.end());
      }
      total += inversions(ends, layers_[i + 1].size());
    }
    return total;
  }

  std::vector<Layer>& layers_;
  const std::vector<SlotLinks>& links_;
  std::vector<std::size_t> ranks_;  // of each slot in its layer
};

}  // namespace

void order_layers(std::vector<Layer>& layers, const std::vector<SlotLinks>& links) {
  Ordering(layers, links).improve();
}

}  // namespace tessera
