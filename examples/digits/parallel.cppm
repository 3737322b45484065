module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>
export module digits.parallel;
import tessera;
import digits.network;

// Steps of training that several processes share: each learns from its part of a batch, and the gradients are added up while others are still computed.
namespace digits {

using namespace tessera;

/// From the first to before the last.
export struct Rows {
  std::int64_t begin = 0, end = 0;

  std::int64_t count() const { return end - begin; }
  friend bool operator==(const Rows&, const Rows&) = default;
};

/// Rows cut into parts as equal as possible, the first ones one larger: none is in two parts, none in no part.
export constexpr Rows part_of_rows(std::int64_t rows, std::int64_t parts, std::int64_t part) {
  const auto begin = [&](std::int64_t of) { return of * (rows / parts) + std::min(of, rows % parts); };
  return {begin(part), begin(part + 1)};
}

/// Who learns from which rows of a batch. It is cut into shards, of which each rank has some that follow each other.
export class Shards {
 public:
  /// So many of them over all ranks; 0: one for each rank.
  Shards(const Group& group, std::int64_t shards)
      : all_(shards == 0 ? group.size() : shards), own_(part_of_rows(all_, group.size(), group.rank())) {}

  /// Shards of this rank.
  std::int64_t count() const { return own_.count(); }
  /// Rows of one of them among all of the batch.
  Rows rows(std::int64_t own, std::int64_t batch) const { return part_of_rows(batch, all_, own_.begin + own); }
  /// Rows of all of them.
  Rows own_rows(std::int64_t batch) const {
    return {part_of_rows(batch, all_, own_.begin).begin, part_of_rows(batch, all_, own_.end).begin};
  }

 private:
  std::int64_t all_;
  Rows own_;
};

/// Layers whose gradients are added up together, the last layer first: so many that a bucket has at least `bytes`, if there are.
export struct Bucket {
  std::vector<std::ptrdiff_t> layers;
  std::vector<std::ptrdiff_t> begins;  ///< of the layers' gradients in it
  std::ptrdiff_t size = 0;
};
export std::vector<Bucket> buckets_of(const std::vector<std::ptrdiff_t>& sizes, std::ptrdiff_t bytes,
                                      std::ptrdiff_t item_bytes) {
  std::vector<Bucket> buckets;
  for (std::size_t layer = sizes.size(); layer-- > 0;) {
    if (buckets.empty() || buckets.back().size * item_bytes >= bytes) buckets.emplace_back();
    Bucket& bucket = buckets.back();
    bucket.layers.push_back(static_cast<std::ptrdiff_t>(layer));
    bucket.begins.push_back(bucket.size);
    bucket.size += sizes[layer];
  }
  return buckets;
}

/// Steps of one network that all ranks have alike, in an Async scope.
export template <class T>
class ParallelSteps {
 public:
  using State = compute_t<T>;

  /// With `shards`, the same weights come out on any number of ranks; with 0 they depend on the number, and it is faster.
  ParallelSteps(Network<T>& network, Group group, std::int64_t shards)
      : network_(network), group_(std::move(group)), is_reproducible_(shards != 0), shards_(group_, shards) {
    constexpr std::ptrdiff_t bucket_bytes = 256 << 10;
    std::vector<std::ptrdiff_t> sizes;
    for (std::size_t layer = 0; layer < network.depth(); ++layer) sizes.push_back(network.gradient_size(layer));
    buckets_ = buckets_of(sizes, bucket_bytes, sizeof(State));
  }

  const Shards& shards() const { return shards_; }

  // --8<-- [start:step]
  /// One step on a batch of `batch` rows, of which the arrays have those of this rank.
  PendingResult<State> step(const Array<T, 2>& images, const Array<T, 2>& targets, const Array<std::int64_t, 1>& labels,
                            std::int64_t batch, double rate, const StepRule& rule) {
    const std::int64_t own = shards_.count(), first = shards_.own_rows(batch).begin;
    Array<State, 2> totals(Dim{own, 2}, images.place());  // of each shard: log likelihood, correct
    std::vector<Array<State, 2>> gradients;               // of each bucket: a row for each shard
    std::vector<Array<State, 1>> sums(buckets_.size());
    for (const Bucket& bucket : buckets_) gradients.emplace_back(Dim{own, bucket.size}, images.place());
    for (std::int64_t shard = 0; shard < own; ++shard) {
      const Rows rows = shards_.rows(shard, batch);
      const auto here = range(rows.begin - first, rows.end - first);
      Array<T, 2> own_images = images(here, all);
      network_.forward(own_images);
      write_loss(totals(shard, all), targets(here, all), labels(here), static_cast<double>(batch));
      std::size_t bucket = 0, layer = 0;  // in it
      const auto gradient_of = [&](std::size_t) {
        const Bucket& part = buckets_[bucket];
        const std::ptrdiff_t begin = part.begins[layer];
        return Array<State, 1>(
            gradients[bucket](shard, range(begin, begin + network_.gradient_size(part.layers[layer]))));
      };
      const auto done = [&](std::size_t) {
        if (++layer < buckets_[bucket].layers.size()) return;
        if (shard + 1 == own) sums[bucket] = sum_of_ranks(gradients[bucket]);  // meanwhile the other layers go on
        ++bucket;
        layer = 0;
      };
      network_.gradients(own_images, gradient_of, done);
    }
    for (std::size_t bucket = 0; own == 0 && bucket < buckets_.size(); ++bucket)
      sums[bucket] = sum_of_ranks(gradients[bucket]);
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket)
      change_layers(buckets_[bucket], sums[bucket], rate, rule);
    const Array<State, 1> total = sum_of_ranks(totals);
    return {.log_likelihood = reshape(total(range(0, 1)), Dim{}),
            .correct = evaluate(cast<std::int64_t>(reshape(total(range(1, 2)), Dim{}))),
            .count = static_cast<double>(batch)};
  }
  // --8<-- [end:step]

  /// Loss and hits on images that all ranks have: each looks at a part of them.
  BatchResult look_at(const Array<T, 2>& images, const Array<T, 2>& targets, const Array<std::int64_t, 1>& labels) {
    const auto count = static_cast<double>(labels.size());
    Array<State, 2> totals(Dim{shards_.count(), 2}, images.place());
    for (std::int64_t shard = 0; shard < shards_.count(); ++shard) {
      const Rows rows = shards_.rows(shard, labels.size());
      const auto here = range(rows.begin, rows.end);
      Array<T, 2> own_images = images(here, all);
      network_.forward(own_images);
      write_loss(totals(shard, all), targets(here, all), labels(here), count);
    }
    const Array<State, 1> total = sum_of_ranks(totals);
    return {.loss = -static_cast<double>(total[{0}]) / count, .correct = static_cast<std::int64_t>(total[{1}])};
  }

  /// Adds up rows of all ranks.
  Array<State, 1> sum_of_ranks(const Array<State, 2>& rows) const {
    if (is_reproducible_) return group_.all_reduce(rows, ReduceOp::sum, Reproducible{});
    return group_.all_reduce(rows(0, all));
  }

 private:
  /// Log likelihood and hits of the images that the network has just looked at, and the gradient for a mean over `count`.
  void write_loss(const Array<State, 1>& totals, const Array<T, 2>& targets, const Array<std::int64_t, 1>& labels,
                  double count) {
    Array<State, 0> log_likelihood(Dim{}, labels.place());
    Array<std::int64_t, 0> correct(Dim{}, labels.place());
    network_.loss_into(log_likelihood, correct, targets, labels, count);
    assign(totals(range(0, 1)), log_likelihood);
    assign(totals(range(1, 2)), cast<State>(correct));
  }

  void change_layers(const Bucket& bucket, const Array<State, 1>& sum, double rate, const StepRule& rule) {
    for (std::size_t i = 0; i < bucket.layers.size(); ++i) {
      const std::size_t layer = bucket.layers[i];
      const std::ptrdiff_t begin = bucket.begins[i];
      network_.change(layer, sum(range(begin, begin + network_.gradient_size(layer))), rate, rule);
    }
  }

  Network<T>& network_;
  Group group_;
  bool is_reproducible_;
  Shards shards_;
  std::vector<Bucket> buckets_;
};

}  // namespace digits
