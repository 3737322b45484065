// Nanoseconds an op with an empty body: submission alone and as a whole, by shape; with several submitters; and fib.
#pragma once

#include <thread>

#include "harness.hpp"

namespace bench {

template <class Way>
void answer_speed(const Request& request) {
  constexpr Empty empty;
  for (const Shape& shape : speed_shapes()) {
    if (!request.wants(shape.name) || !Way::takes(shape.name)) continue;
    const Work work = shape.make();
    for (const int workers : request.workers) {
      Way way(work, workers);
      prepare(way, empty);
      std::vector<double> whole, held;
      run_whole(way, work, empty);
      for (int i = 0; i < request.repeats; ++i) whole.push_back(run_whole(way, work, empty) / work.size());
      if constexpr (Holds<Way>) {
        run_held(way, work, empty);
        for (int i = 0; i < request.repeats; ++i) held.push_back(run_held(way, work, empty) / work.size());
      }
      Answer answer("speed", Way::name, shape.name, workers);
      answer.add("whole", whole);
      answer.add("submission", held);
    }
  }
}

/// Nanoseconds until all ops, of which each thread submits an equal part at the same time, have ended.
template <class Submit, class Way>
double run_submitters(Way& way, const Work& work, std::uint32_t submitters, const Submit& submit) {
  const std::uint32_t part = work.size() / submitters;
  const double start = now();
  std::vector<std::thread> others;
  for (std::uint32_t i = 1; i < submitters; ++i) others.emplace_back([&, i] { submit(i * part, (i + 1) * part); });
  submit(0, part);
  for (std::thread& other : others) other.join();
  way.wait();
  return now() - start;
}

template <class Way>
void answer_submitters(const Request& request) {
  constexpr Empty empty;
  const auto time = [&](const char* name, Work (*make)(std::uint32_t), const auto& submit) {
    if (!request.wants(name) || !Way::takes(name)) return;
    for (const std::uint32_t submitters : {1u, 2u, 4u}) {
      const Work work = make(submitters);
      for (const int workers : request.workers) {
        Way way(work, workers);
        const auto part = [&](std::uint32_t first, std::uint32_t last) { submit(way, first, last); };
        std::vector<double> whole;
        for (int i = 0; i <= request.repeats; ++i) {
          whole.push_back(run_submitters(way, work, submitters, part) / work.size());
        }
        whole.erase(whole.begin());
        Answer answer("submitters", Way::name, name, workers);
        answer.add("submitters", {static_cast<double>(submitters)});
        answer.add("whole", whole);
      }
    }
  };
  time("independent", independent,
       [&](Way& way, std::uint32_t first, std::uint32_t last) { way.submit(empty, first, last); });
  time("own_chains", own_chains,
       [&](Way& way, std::uint32_t first, std::uint32_t last) { way.submit(empty, first, last); });
  if constexpr (requires(Way& way) { way.submit_shared(empty, 0, 0); }) {
    time("shared_variables", shared_variables,
         [&](Way& way, std::uint32_t first, std::uint32_t last) { way.submit_shared(empty, first, last); });
  }
}

/// Nanoseconds a call of fib, each of which but the leaves makes an op of one of its two calls or of both.
template <class Way>
void answer_fib(const Request& request) {
  if constexpr (requires { Way::fib(1, 1); }) {
    constexpr int n = 24;
    constexpr double calls = 150'049;
    for (const int workers : request.workers) {
      std::vector<double> whole;
      for (int i = 0; i <= request.repeats; ++i) {
        const double start = now();
        if (Way::fib(n, workers) != 46'368) std::abort();
        whole.push_back((now() - start) / calls);
      }
      whole.erase(whole.begin());
      Answer answer("fib", Way::name, "fib", workers);
      answer.add("whole", whole);
    }
  }
}

}  // namespace bench
