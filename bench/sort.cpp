// Sorting, scanning and picking, beside the standard library and Thrust's TBB system, whose threads are as many as the cores.
#define THRUST_HOST_SYSTEM THRUST_HOST_SYSTEM_CPP
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_TBB
#include <benchmark/benchmark.h>
#include <thrust/copy.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/system/tbb/execution_policy.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>

import tessera;

using namespace tessera;

namespace {

template <class T>
Array<T, 1> numbers(std::ptrdiff_t count) {
  if constexpr (Floating<T>) return random::normal<T>(random::Key{1}, Dim<1>{count});
  return cast<T>(random::uniform<double>(random::Key{1}, Dim<1>{count}) * 0x1p63);
}

/// Runs work(copy of the numbers) over and over; the copy is not timed.
template <class T, class Work>
void sort_by(benchmark::State& state, const Work& work) {
  const Array<T, 1> x = numbers<T>(state.range(0));
  Array<T, 1> sorted = x.clone();
  for (auto _ : state) {
    state.PauseTiming();
    sorted(all) = x;
    state.ResumeTiming();
    work(sorted);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

template <class T>
void sort_tessera(benchmark::State& state) {
  set_num_threads(static_cast<int>(state.range(1)));
  sort_by<T>(state, [](const Array<T, 1>& x) { sort_into(x, x); });
}
template <class T>
void argsort_tessera(benchmark::State& state) {
  set_num_threads(static_cast<int>(state.range(1)));
  const Array<std::int64_t, 1> positions(Dim<1>{state.range(0)});
  sort_by<T>(state, [&](const Array<T, 1>& x) { argsort_into(positions, x); });
}
template <class T>
void sort_standard(benchmark::State& state) {
  sort_by<T>(state, [](const Array<T, 1>& x) { std::sort(x.data(), x.data() + x.size()); });
}
template <class T>
void sort_thrust(benchmark::State& state) {
  sort_by<T>(state, [](const Array<T, 1>& x) { thrust::sort(thrust::tbb::par, x.data(), x.data() + x.size()); });
}
template <class T>
void argsort_thrust(benchmark::State& state) {
  const Array<std::int64_t, 1> positions(Dim<1>{state.range(0)});
  sort_by<T>(state, [&](const Array<T, 1>& x) {
    std::iota(positions.data(), positions.data() + positions.size(), std::int64_t{0});
    thrust::stable_sort_by_key(thrust::tbb::par, x.data(), x.data() + x.size(), positions.data());
  });
}

/// Runs work(numbers, results) over and over.
template <class T, class Work>
void scan_by(benchmark::State& state, const Work& work) {
  const Array<T, 1> x = numbers<T>(state.range(0));
  const Array<T, 1> results = x.clone();
  for (auto _ : state) {
    work(x, results);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

template <class T>
void scan_tessera(benchmark::State& state) {
  set_num_threads(static_cast<int>(state.range(1)));
  scan_by<T>(state, [](const Array<T, 1>& x, const Array<T, 1>& to) { cumulative_sum_into(to, x); });
}
template <class T>
void scan_standard(benchmark::State& state) {
  scan_by<T>(state, [](const Array<T, 1>& x, const Array<T, 1>& to) {
    std::inclusive_scan(x.data(), x.data() + x.size(), to.data());
  });
}
template <class T>
void scan_thrust(benchmark::State& state) {
  scan_by<T>(state, [](const Array<T, 1>& x, const Array<T, 1>& to) {
    thrust::inclusive_scan(thrust::tbb::par, x.data(), x.data() + x.size(), to.data());
  });
}

template <class T>
void pick_tessera(benchmark::State& state) {
  set_num_threads(static_cast<int>(state.range(1)));
  scan_by<T>(state, [](const Array<T, 1>& x, const Array<T, 1>&) { benchmark::DoNotOptimize(compress(x > T(0), x)); });
}
template <class T>
void pick_standard(benchmark::State& state) {
  scan_by<T>(state, [](const Array<T, 1>& x, const Array<T, 1>& to) {
    std::copy_if(x.data(), x.data() + x.size(), to.data(), [](T value) { return value > T(0); });
  });
}
template <class T>
void pick_thrust(benchmark::State& state) {
  scan_by<T>(state, [](const Array<T, 1>& x, const Array<T, 1>& to) {
    thrust::copy_if(thrust::tbb::par, x.data(), x.data() + x.size(), to.data(), [](T value) { return value > T(0); });
  });
}

using Run = void (*)(benchmark::State&);

void add(const std::string& name, Run run, bool has_threads) {
  auto* const row = benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMicrosecond)->UseRealTime();
  for (const std::int64_t count : {std::int64_t{1} << 10, std::int64_t{1} << 20, std::int64_t{1} << 24}) {
    if (has_threads) row->Args({count, 1});
    row->Args({count, num_threads()});
  }
}

template <class T>
void add_type(const std::string& type) {
  add("sort/" + type + "/tessera", sort_tessera<T>, true);
  add("sort/" + type + "/std::sort", sort_standard<T>, false);
  add("sort/" + type + "/thrust::tbb", sort_thrust<T>, false);
  add("argsort/" + type + "/tessera", argsort_tessera<T>, true);
  add("argsort/" + type + "/thrust::tbb", argsort_thrust<T>, false);
  add("scan/" + type + "/tessera", scan_tessera<T>, true);
  add("scan/" + type + "/std::inclusive_scan", scan_standard<T>, false);
  add("scan/" + type + "/thrust::tbb", scan_thrust<T>, false);
  add("pick/" + type + "/tessera", pick_tessera<T>, true);
  add("pick/" + type + "/std::copy_if", pick_standard<T>, false);
  add("pick/" + type + "/thrust::tbb", pick_thrust<T>, false);
}

const bool added = [] {
  add_type<float>("float32");
  add_type<double>("float64");
  add_type<std::int64_t>("int64");
  return true;
}();

}  // namespace
