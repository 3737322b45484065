module;
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Quantiles: the ranks on both sides of each position are selected, and what is between them is computed in double.
namespace tessera::selecting {

namespace {

constexpr std::ptrdiff_t long_row = std::ptrdiff_t{1} << 17;  // elements from which threads may share a row
constexpr std::ptrdiff_t tile_bytes = std::ptrdiff_t{1} << 17;
constexpr std::ptrdiff_t widest_tile = 64;

/// Two neighbours and how far between them a quantile is.
struct Between {
  std::ptrdiff_t low, high;
  double part;
};

/// The position among n sorted elements, from 0 on, and the methods of Hyndman and Fan by their two constants.
double continuous(std::ptrdiff_t n, double q, double alpha, double beta) {
  return static_cast<double>(n) * q + (alpha + q * (1 - alpha - beta)) - 1;
}

Between at(double position, std::ptrdiff_t n) {
  if (!(position > 0)) return {0, 0, 0};
  if (position >= static_cast<double>(n - 1)) return {n - 1, n - 1, 0};
  const double low = std::floor(position);
  const auto rank = static_cast<std::ptrdiff_t>(low);
  return {rank, rank + 1, position - low};
}

Between whole(double position, std::ptrdiff_t n) {
  Between found = at(position, n);
  found.high = found.low;
  found.part = 0;
  return found;
}

Between between(std::ptrdiff_t n, double q, QuantileMethod method) {
  const double count = static_cast<double>(n), spread = (count - 1) * q;
  switch (method) {
    case QuantileMethod::inverted_cdf: return whole(std::ceil(count * q - 1), n);
    case QuantileMethod::averaged_inverted_cdf: {
      Between found = at(count * q - 1, n);
      if (found.low == found.high) return found;
      found.part = found.part == 0 ? 0.5 : 1;
      return found;
    }
    case QuantileMethod::closest_observation: {
      const double position = count * q - 1.5, low = std::floor(position);
      const bool stays = position == low && std::fmod(low, 2) != 0;
      return whole(stays ? low : low + 1, n);
    }
    case QuantileMethod::interpolated_inverted_cdf: return at(continuous(n, q, 0, 1), n);
    case QuantileMethod::hazen: return at(continuous(n, q, 0.5, 0.5), n);
    case QuantileMethod::weibull: return at(continuous(n, q, 0, 0), n);
    case QuantileMethod::linear: return at(spread, n);
    case QuantileMethod::median_unbiased: return at(continuous(n, q, 1 / 3.0, 1 / 3.0), n);
    case QuantileMethod::normal_unbiased: return at(continuous(n, q, 3 / 8.0, 3 / 8.0), n);
    case QuantileMethod::lower: return whole(std::floor(spread), n);
    case QuantileMethod::higher: return whole(std::ceil(spread), n);
    case QuantileMethod::midpoint: return at(0.5 * (std::floor(spread) + std::ceil(spread)), n);
    case QuantileMethod::nearest: break;
  }
  return whole(std::nearbyint(spread), n);  // halves to even, as NumPy rounds
}

double mixed(double low, double high, double part) {
  if (part == 0 || low == high) return low;
  if (part == 1) return high;
  if (part == 0.5) {
    const double sum = low + high;
    return std::isinf(sum) ? low / 2 + high / 2 : sum / 2;
  }
  const double distance = high - low;
  return part < 0.5 ? low + distance * part : high - distance * (1 - part);
}

template <class T>
using KeyOf = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                 std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                                    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

template <class T>
class Row {
  using Key = KeyOf<T>;
  using Result = std::conditional_t<Floating<T>, T, double>;

 public:
  explicit Row(const Quantiles& quantiles) : quantiles_(quantiles) {}

  /// Writes the quantiles of one row, `step` apart.
  void write(const KeyRow<Key>& row, void* to, std::ptrdiff_t offset, std::ptrdiff_t step, bool shares) {
    Result* const results = static_cast<Result*>(to) + offset;
    const std::ptrdiff_t missing = Floating<T> ? count_above(row, row.order.last(), shares) : 0;
    const std::ptrdiff_t n = missing == 0 || quantiles_.skips_nan ? row.length - missing : 0;
    place(n);
    find_ranks<Key>(row, ranks_, keys_.data(), shares);
    for (std::size_t i = 0; i < quantiles_.probabilities.size(); ++i) {
      double value = std::numeric_limits<double>::quiet_NaN();
      if (n > 0) value = mixed(element(row, places_[i].low), element(row, places_[i].high), places_[i].part);
      results[static_cast<std::ptrdiff_t>(i) * step] = static_cast<Result>(value);
    }
  }

 private:
  /// What is looked for among n elements, which is the same for most rows.
  void place(std::ptrdiff_t n) {
    if (n == placed_for_) return;
    placed_for_ = n;
    places_.clear();
    ranks_.clear();
    if (n > 0) {
      for (const double q : quantiles_.probabilities) {
        places_.push_back(between(n, q, quantiles_.method));
        ranks_.push_back(places_.back().low);
        ranks_.push_back(places_.back().high);
      }
    }
    std::ranges::sort(ranks_);
    ranks_.erase(std::ranges::unique(ranks_).begin(), ranks_.end());
    keys_.resize(ranks_.size());
  }

  double element(const KeyRow<Key>& row, std::ptrdiff_t rank) const {
    const auto found = std::ranges::lower_bound(ranks_, rank) - ranks_.begin();
    const Key bits = row.order.bits(keys_[static_cast<std::size_t>(found)]);
    if constexpr (std::is_same_v<T, bool>) {
      return bits != 0 ? 1 : 0;
    } else {
      return static_cast<double>(std::bit_cast<T>(bits));
    }
  }

  const Quantiles& quantiles_;
  std::ptrdiff_t placed_for_ = -1;
  std::vector<Between> places_;
  std::vector<std::ptrdiff_t> ranks_;
  std::vector<Key> keys_;
};

template <class T>
void write_long_rows(const Quantiles& quantiles, const sorting::Order<KeyOf<T>>& order) {
  using Key = KeyOf<T>;
  const rows::Tiling tiling(quantiles.call, 1);
  Row<T> row(quantiles);
  for (std::ptrdiff_t index = 0; index < tiling.tile_count(); ++index) {
    const rows::Tile tile = tiling.tile(index);
    row.write({static_cast<const Key*>(quantiles.call.from.data) + tile.from, tiling.length(), tiling.from_step(),
               order, KeyKind::exact},
              quantiles.call.to.data, tile.to, tiling.to_step(), true);
  }
}

/// Rows without gaps are read where they lie; others become keys in memory of their own, side by side, which reads whole cache lines.
template <class T>
void write_tiles(const Quantiles& quantiles, const sorting::Order<KeyOf<T>>& order) {
  using Key = KeyOf<T>;
  const rows::Call& call = quantiles.call;
  const std::ptrdiff_t n = call.shape[static_cast<std::size_t>(call.axis)];
  const auto bytes = n * static_cast<std::ptrdiff_t>(sizeof(Key));
  const rows::Tiling tiling(call, std::clamp<std::ptrdiff_t>(tile_bytes / bytes, 1, widest_tile));
  const auto* const from = static_cast<const Key*>(call.from.data);
  const bool lies_ready = tiling.from_step() == 1;
  rows::for_each_tile(tiling, lies_ready ? 0 : tiling.width() * bytes, [&](const rows::Tile& tile, std::byte* scratch) {
    auto* const keys = reinterpret_cast<Key*>(scratch);
    for (std::ptrdiff_t j = 0; j < n && !lies_ready; ++j) {
      for (std::ptrdiff_t i = 0; i < tile.rows; ++i) {
        const Key* const element = from + tile.from + j * tiling.from_step() + i * tiling.from_gap();
        keys[i * n + j] = order.exact(sorting::load_bits(element));
      }
    }
    Row<T> row(quantiles);
    for (std::ptrdiff_t i = 0; i < tile.rows; ++i) {
      const KeyRow<Key> own = lies_ready
                                  ? KeyRow<Key>{from + tile.from + i * tiling.from_gap(), n, 1, order, KeyKind::exact}
                                  : KeyRow<Key>{keys + i * n, n, 1, order, KeyKind::ready};
      row.write(own, call.to.data, tile.to + i * tiling.to_gap(), tiling.to_step(), false);
    }
  });
}

}  // namespace

void write_quantiles(const Quantiles& quantiles) {
  const rows::Call& call = quantiles.call;
  if (std::ranges::find(call.shape, 0) != call.shape.end()) return;
  core::with_element(call.dtype, [&]<class T>() {
    if constexpr (!Complex<T>) {
      const auto order = sorting::order_of<KeyOf<T>>(call.dtype, false);
      const rows::Tiling tiling(call, 1);
      if (tiling.length() >= long_row && tiling.row_count() < 2 * num_threads())
        return write_long_rows<T>(quantiles, order);
      write_tiles<T>(quantiles, order);
    }
  });
}

void scale_probabilities(std::span<double> probabilities, double scale, const rows::Argument& argument) {
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    double& q = probabilities[i];
    if (!(q >= 0 && q <= scale)) {
      rows::throw_value(argument, std::string(argument.name) + ": " + rows::text_of(q) + " at position " +
                                      std::to_string(i) + " is not in [0, " + rows::text_of(scale) + "]");
    }
    q /= scale;
  }
}

void require_elements(std::span<const std::ptrdiff_t> shape, int axis, const rows::Argument& argument) {
  if (shape[static_cast<std::size_t>(axis)] != 0) return;
  throw ShapeError(to_string(
      Failure{.operation = argument.operation,
              .problem = "axis " + std::to_string(axis) + " of shape " + rows::text_of(shape) + " has no elements",
              .advice = "nothing has no quantiles",
              .where = argument.where}));
}

}  // namespace tessera::selecting
