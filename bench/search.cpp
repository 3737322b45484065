// Searching, sets, counts, selection and scans of ten million elements on one thread and on two; search_numpy.py has NumPy's times.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>

import tessera;

using namespace tessera;

namespace {

constexpr std::ptrdiff_t many = 10'000'000;

Array<float, 1> normal_floats() { return random::normal<float>(random::Key{1}, Dim<1>{many}); }
Array<double, 1> uniform_doubles(std::ptrdiff_t count = many) {
  return random::uniform<double>(random::Key{2}, Dim<1>{count});
}
Array<std::int64_t, 1> labels_below(double limit) { return cast<std::int64_t>(uniform_doubles() * limit); }

/// Runs work() over and over, on as many threads as the benchmark's argument says.
template <class Work>
void run(benchmark::State& state, const Work& work) {
  set_num_threads(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    auto result = work();
    benchmark::DoNotOptimize(result);
  }
  state.SetItemsProcessed(state.iterations() * many);
}

void unique_float32(benchmark::State& state) {
  run(state, [x = normal_floats()] { return unique(x); });
}
void unique_int64_of_1000(benchmark::State& state) {
  run(state, [x = labels_below(1000)] { return unique(x); });
}
void unique_all_int64_of_1000(benchmark::State& state) {
  run(state, [x = labels_below(1000)] { return unique_all(x).counts; });
}
void unique_all_float32(benchmark::State& state) {
  run(state, [x = normal_floats()] { return unique_all(x).counts; });
}
void searchsorted_in_1000(benchmark::State& state) {
  run(state, [sorted = sort(uniform_doubles(1000)), x = uniform_doubles()] { return searchsorted(sorted, x); });
}
void searchsorted_in_10000000(benchmark::State& state) {
  run(state, [sorted = sort(uniform_doubles()), x = random::uniform<double>(random::Key{3}, Dim<1>{many})] {
    return searchsorted(sorted, x);
  });
}
void isin_1000(benchmark::State& state) {
  run(state, [x = labels_below(1e9), among = labels_below(1e9)(range(0, 1000))] { return isin(x, among); });
}
void bincount_1000(benchmark::State& state) {
  run(state, [x = labels_below(1000)] { return bincount(x); });
}
void bincount_1000000(benchmark::State& state) {
  run(state, [x = labels_below(1e6)] { return bincount(x); });
}
void bincount_weights_1000(benchmark::State& state) {
  run(state, [x = labels_below(1000), w = uniform_doubles()] { return bincount(x, w); });
}
void histogram_100(benchmark::State& state) {
  run(state, [x = normal_floats()] { return histogram(x, 100).counts; });
}
void histogram_100_edges(benchmark::State& state) {
  run(state, [x = uniform_doubles(), edges = sort(uniform_doubles(101))] { return histogram(x, edges).counts; });
}
void median_float32(benchmark::State& state) {
  run(state, [x = normal_floats()] { return median(x); });
}
void median_float64(benchmark::State& state) {
  run(state, [x = uniform_doubles()] { return median(x); });
}
void median_of_rows_of_1000(benchmark::State& state) {
  run(state, [x = reshape(normal_floats(), 10'000, 1000)] { return median<1>(x); });
}
void quantiles_float32(benchmark::State& state) {
  run(state, [x = normal_floats(), q = Array<double, 1>{0.05, 0.25, 0.5, 0.75, 0.95}] { return quantile(x, q); });
}
void partition_float32(benchmark::State& state) {
  run(state, [x = normal_floats()] { return partition(x, many / 2); });
}
void argpartition_float32(benchmark::State& state) {
  run(state, [x = normal_floats()] { return argpartition(x, many / 2); });
}
void top_100_float32(benchmark::State& state) {
  run(state, [x = normal_floats()] { return top_k(x, 100).indices; });
}
void cumulative_max_float32(benchmark::State& state) {
  run(state, [x = normal_floats()] { return cumulative_max(x); });
}
void convolve_15(benchmark::State& state) {
  run(state,
      [x = normal_floats(), y = random::normal<float>(random::Key{4}, Dim{15})] { return convolve(x, evaluate(y)); });
}
void interp_1000(benchmark::State& state) {
  run(state, [at = sort(uniform_doubles(1000)), x = uniform_doubles()] { return interp(x, at, at); });
}
void diff_float32(benchmark::State& state) {
  run(state, [x = normal_floats()] { return evaluate(diff(x)); });
}
void nanmean_float32(benchmark::State& state) {
  run(state, [x = normal_floats()] { return item(nanmean(x)); });
}
void segment_sum_1000(benchmark::State& state) {
  run(state, [x = uniform_doubles(), labels = labels_below(1000)] { return segment_sum(x, labels, 1000); });
}

#define MEASURE(function) \
  BENCHMARK(function)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime()->MinTime(0.3)
MEASURE(unique_float32);
MEASURE(unique_int64_of_1000);
MEASURE(unique_all_int64_of_1000);
MEASURE(unique_all_float32);
MEASURE(searchsorted_in_1000);
MEASURE(searchsorted_in_10000000);
MEASURE(isin_1000);
MEASURE(bincount_1000);
MEASURE(bincount_1000000);
MEASURE(bincount_weights_1000);
MEASURE(histogram_100);
MEASURE(histogram_100_edges);
MEASURE(median_float32);
MEASURE(median_float64);
MEASURE(median_of_rows_of_1000);
MEASURE(quantiles_float32);
MEASURE(partition_float32);
MEASURE(argpartition_float32);
MEASURE(top_100_float32);
MEASURE(cumulative_max_float32);
MEASURE(convolve_15);
MEASURE(interp_1000);
MEASURE(diff_float32);
MEASURE(nanmean_float32);
MEASURE(segment_sum_1000);

}  // namespace
