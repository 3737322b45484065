module;
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;

// Histograms: values of all types become doubles, a block at a time, and then the numbers of their bins. Those of even bins are computed and
// corrected by the edges; others are found by bisection, some beside each other.
namespace tessera::counting {

namespace {

constexpr std::ptrdiff_t block = 512;
constexpr std::ptrdiff_t group = 16;
constexpr std::ptrdiff_t part = std::ptrdiff_t{1} << 17;
constexpr std::ptrdiff_t most_parts = 8;
constexpr std::ptrdiff_t ways = 4;  // as for labels
constexpr std::ptrdiff_t short_table = 4096;

/// Numbers of bins; what is in none has the number behind the last.
class Bins {
 public:
  explicit Bins(const Histogram& histogram)
      : edges_(histogram.edges),
        bins_(histogram.bins),
        low_(edges_[0]),
        high_(edges_[bins_]),
        scale_(static_cast<double>(bins_) / (high_ - low_)) {
    if (histogram.even && std::isfinite(scale_)) {
      number_ = rows::Compiled<Even>::best();
      return;
    }
    make_cells();
    number_ = cells_.empty() ? bisect : rows::Compiled<ByCells>::best();
  }

  void number(const double* values, std::ptrdiff_t count, std::int32_t* numbers) const {
    number_(*this, values, count, numbers);
  }

 private:
  /// Bins of one width: the number is computed, and corrected by the edges. No branch and no load depends on a value being within them.
  struct Even {
    [[gnu::always_inline]] static void run(const Bins& bins, const double* values, std::ptrdiff_t count,
                                           std::int32_t* __restrict numbers) {
      const double* const edges = bins.edges_;
      const double low = bins.low_, high = bins.high_, scale = bins.scale_;
      const auto none = static_cast<std::int32_t>(bins.bins_), most = none - 1;
      for (std::ptrdiff_t i = 0; i < count; ++i) {
        const double value = values[i];
        const double at = (value - low) * scale;
        const double bounded = at < most ? at : most;
        numbers[i] = static_cast<std::int32_t>(value >= low && value <= high ? bounded : none);
      }
      for (std::ptrdiff_t i = 0; i < count; ++i) {
        const double value = values[i];
        const std::int32_t at = numbers[i];
        const double left = edges[at], right = edges[at < none ? at + 1 : none];
        const std::int32_t down = value < left ? 1 : 0, up = at < most && value >= right ? 1 : 0;
        numbers[i] = at + (at <= most ? up - down : 0);
      }
    }
  };

  /// Cells of one width, which lie beside each other as even bins would: from which bin on a value in each is to be looked for.
  void make_cells() {
    const std::ptrdiff_t cells = std::min<std::ptrdiff_t>(8 * bins_, 1 << 14);
    cell_scale_ = static_cast<double>(cells) / (high_ - low_);
    if (!std::isfinite(cell_scale_) || !std::isfinite(low_) || cell_scale_ <= 0) return;
    cells_.assign(static_cast<std::size_t>(cells + 2), 0);
    for (std::ptrdiff_t i = 0; i <= bins_; ++i)
      ++cells_[static_cast<std::size_t>(cell(edges_[i], low_, cell_scale_)) + 1];
    cell_edges_ = *std::ranges::max_element(cells_);
    for (std::size_t i = 1; i < cells_.size(); ++i) cells_[i] += cells_[i - 1];  // edges in the cells before
    for (std::int32_t& before : cells_) before = std::max(before - 1, 0);
    if (cell_edges_ > 4) cells_.clear();
  }
  [[gnu::always_inline]] static std::int32_t cell(double value, double low, double scale) {
    return static_cast<std::int32_t>((value - low) * scale);
  }

  /// A value has all edges in the cells before its own below it, and is compared with those in its own.
  struct ByCells {
    [[gnu::always_inline]] static void run(const Bins& bins, const double* values, std::ptrdiff_t count,
                                           std::int32_t* __restrict numbers) {
      const double* const edges = bins.edges_;
      const std::int32_t* const cells = bins.cells_.data();
      const double low = bins.low_, high = bins.high_, scale = bins.cell_scale_;
      const auto none = static_cast<std::int32_t>(bins.bins_), most = none - 1;
      for (std::ptrdiff_t i = 0; i < count; ++i) {
        const double value = values[i];
        numbers[i] = cells[cell(value >= low && value <= high ? value : low, low, scale)];
      }
      for (std::int32_t step = 0; step < bins.cell_edges_; ++step) {
        for (std::ptrdiff_t i = 0; i < count; ++i) {
          const std::int32_t at = numbers[i];  // of a bin: it has an edge on its right
          const double right = edges[at + 1];
          numbers[i] = at + (at < most && right <= values[i] ? 1 : 0);
        }
      }
      for (std::ptrdiff_t i = 0; i < count; ++i) numbers[i] = values[i] >= low && values[i] <= high ? numbers[i] : none;
    }
  };

  static void bisect(const Bins& bins, const double* values, std::ptrdiff_t count, std::int32_t* numbers) {
    for (std::ptrdiff_t first = 0; first < count; first += group)
      bins.bisect_group(values + first, std::min(group, count - first), numbers + first);
  }
  void bisect_group(const double* values, std::ptrdiff_t count, std::int32_t* numbers) const {
    std::ptrdiff_t found[group] = {};
    double wanted[group];
    for (std::ptrdiff_t g = 0; g < group; ++g) wanted[g] = values[std::min(g, count - 1)];
    for (std::ptrdiff_t left = bins_; left > 1;) {
      const std::ptrdiff_t half = left / 2;
#pragma clang loop unroll(full)
      for (std::ptrdiff_t g = 0; g < group; ++g) {  // as in searching.cpp
        const std::ptrdiff_t at = found[g], next = at + half;
        std::ptrdiff_t chosen = edges_[next] <= wanted[g] ? next : at;
        asm("" : "+r"(chosen));
        found[g] = chosen;
      }
      left -= half;
    }
    for (std::ptrdiff_t g = 0; g < count; ++g) {
      const bool is_within = wanted[g] >= low_ && wanted[g] <= high_;
      numbers[g] = static_cast<std::int32_t>(is_within ? found[g] : bins_);
    }
  }

  const double* edges_;
  std::ptrdiff_t bins_;
  double low_, high_, scale_;
  void (*number_)(const Bins&, const double*, std::ptrdiff_t, std::int32_t*);
  double cell_scale_ = 0;
  std::int32_t cell_edges_ = 0;  // most of a cell
  std::vector<std::int32_t> cells_;
};

/// Calls body(numbers, first value, count) for the blocks of [begin, end).
template <class T, class Body>
void for_each_block(const Histogram& histogram, std::ptrdiff_t begin, std::ptrdiff_t end, const Body& body) {
  const Bins bins(histogram);
  const T* const from = static_cast<const T*>(histogram.values.data);
  double values[block];
  std::int32_t numbers[block];
  for (std::ptrdiff_t first = begin; first < end; first += block) {
    const std::ptrdiff_t count = std::min(block, end - first);
    for (std::ptrdiff_t i = 0; i < count; ++i) values[i] = static_cast<double>(from[first + i]);
    bins.number(values, count, numbers);
    body(numbers, first, count);
  }
}

/// The sum of all tables, each of which has a place for what is in no bin.
template <class Number>
void write_sum(const Number* tables, std::ptrdiff_t size, std::ptrdiff_t count, Number* to) {
  std::copy_n(tables, size - 1, to);
  for (std::ptrdiff_t table = 1; table < count; ++table) {
    for (std::ptrdiff_t i = 0; i + 1 < size; ++i) to[i] += tables[table * size + i];
  }
}

/// How many parts: it depends on the sizes alone, because sums of weights depend on it.
std::ptrdiff_t parts_of(std::ptrdiff_t n, std::ptrdiff_t size) {
  return std::clamp<std::ptrdiff_t>(n / std::max(part, 4 * size), 1, most_parts);
}

template <class T>
void count_values(const Histogram& histogram, std::int64_t* to) {
  const std::ptrdiff_t n = histogram.values.size, size = histogram.bins + 1;
  const std::ptrdiff_t parts = std::min<std::ptrdiff_t>(parts_of(n, size), num_threads());
  const bool is_short = size <= short_table;
  const std::ptrdiff_t own = is_short ? ways * size : size;
  const memory::Allocation memory = zeroed(parts * own * static_cast<std::ptrdiff_t>(sizeof(std::int64_t)));
  auto* const tables = static_cast<std::int64_t*>(memory.data());
  parallel_for(parts, [&](std::ptrdiff_t index) {
    const std::ptrdiff_t begin = n / parts * index, end = index + 1 == parts ? n : n / parts * (index + 1);
    std::int64_t* const counts = tables + index * own;
    const std::ptrdiff_t second = is_short ? size : 0, third = 2 * second, fourth = 3 * second;
    for_each_block<T>(histogram, begin, end, [&](const std::int32_t* numbers, std::ptrdiff_t, std::ptrdiff_t count) {
      std::ptrdiff_t i = 0;
      for (; i + ways <= count; i += ways) {
        ++counts[numbers[i]];
        ++counts[second + numbers[i + 1]];
        ++counts[third + numbers[i + 2]];
        ++counts[fourth + numbers[i + 3]];
      }
      for (; i < count; ++i) ++counts[numbers[i]];
    });
  });
  write_sum(tables, size, parts * own / size, to);
}

template <class T>
void weigh_values(const Histogram& histogram, double* to) {
  const std::ptrdiff_t n = histogram.values.size, size = histogram.bins + 1;
  const std::ptrdiff_t parts = parts_of(n, size);
  const memory::Allocation memory = zeroed(parts * size * static_cast<std::ptrdiff_t>(sizeof(double)));
  auto* const tables = static_cast<double*>(memory.data());
  parallel_for(parts, [&](std::ptrdiff_t index) {
    const std::ptrdiff_t begin = n / parts * index, end = index + 1 == parts ? n : n / parts * (index + 1);
    double* const sums = tables + index * size;
    for_each_block<T>(histogram, begin, end,
                      [&](const std::int32_t* numbers, std::ptrdiff_t first, std::ptrdiff_t count) {
                        for (std::ptrdiff_t i = 0; i < count; ++i) sums[numbers[i]] += histogram.weights[first + i];
                      });
  });
  write_sum(tables, size, parts, to);
}

}  // namespace

void count(const Histogram& histogram, void* to) {
  core::with_element(histogram.values.dtype, [&]<class T>() {
    if constexpr (!Complex<T>) {
      if (histogram.weights == nullptr) return count_values<T>(histogram, static_cast<std::int64_t*>(to));
      weigh_values<T>(histogram, static_cast<double*>(to));
    }
  });
}

void require_ascending(const double* edges, std::ptrdiff_t count, const rows::Argument& argument) {
  if (count < 2) {
    throw ShapeError(to_string(Failure{.operation = argument.operation,
                                       .problem = "there are " + std::to_string(count) + " edges",
                                       .advice = "a bin has two",
                                       .where = argument.where}));
  }
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    if (std::isnan(edges[i])) rows::throw_value(argument, "edge " + std::to_string(i) + " is nan");
    if (i == 0 || edges[i - 1] <= edges[i]) continue;
    rows::throw_value(argument,
                      "the edges do not ascend: edge " + std::to_string(i) + " is " + rows::text_of(edges[i]) +
                          " after " + rows::text_of(edges[i - 1]),
                      "sort them first");
  }
}

void require_bins(std::ptrdiff_t bins, const rows::Argument& argument) {
  if (bins >= 1 && bins <= std::ptrdiff_t{1} << 30) return;
  throw ShapeError(to_string(Failure{.operation = argument.operation,
                                     .problem = "there are " + std::to_string(bins) + " bins",
                                     .advice = "there may be 1 to 2^30",
                                     .where = argument.where}));
}

void write_edges(double low, double high, std::ptrdiff_t bins, double* to, const rows::Argument& argument) {
  const std::string bounds = "[" + rows::text_of(low) + ", " + rows::text_of(high) + "]";
  if (!std::isfinite(low) || !std::isfinite(high))
    rows::throw_value(argument, "the bounds " + bounds + " are not finite",
                      "give others: histogram(x, bins, {low, high})");
  if (low > high) rows::throw_value(argument, "the bounds " + bounds + " are not in order");
  if (low == high) {
    low -= 0.5;
    high += 0.5;
  }
  const double step = (high - low) / static_cast<double>(bins);
  for (std::ptrdiff_t i = 0; i <= bins; ++i) to[i] = low + static_cast<double>(i) * step;
  to[bins] = high;
}

}  // namespace tessera::counting
