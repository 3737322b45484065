// METG(50 %): the smallest op at which half of the ideal throughput is kept.
#pragma once

#include <algorithm>
#include <cmath>

#include "harness.hpp"

namespace bench {

/// A fixed amount of work, whose time does not depend on how long its thread was off the core.
struct Spin {
  long iterations;
  void operator()(std::uint32_t) const {
    double x = 1;
    for (long i = 0; i < iterations; ++i) {
      x = x * 0.5 + 1;
      asm volatile("" : "+x"(x));
    }
  }
};

inline double serial(const Spin& body, std::uint32_t ops) {
  const double start = now();
  for (std::uint32_t i = 0; i < ops; ++i) {
    body(i);
    asm volatile("" : : : "memory");
  }
  return now() - start;
}

inline double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

/// What of the ideal throughput is kept, and how long one body takes.
struct Efficiency {
  double share;
  double nanoseconds;
};

/// `limit`: the least time that any engine needs, by the time of the bodies one after the other.
template <class Way>
Efficiency efficiency(Way& way, const Work& work, const Spin& body, double limit) {
  std::vector<double> shares, alone;
  for (int i = 0; i < 3; ++i) {
    alone.push_back(serial(body, work.size()));
    shares.push_back(alone.back() * limit / run_whole(way, work, body));
  }
  return {median(shares), median(alone) / work.size()};
}

/// Doubles the op until half is kept, then halves the step four times. Zero if no op is long enough.
template <class Way>
double smallest_op(const Work& work, int workers) {
  const double limit = std::max(1.0 / workers, static_cast<double>(Edges(work).longest_path()) / work.size());
  const auto at = [&](double iterations) {
    const Spin body{std::lround(iterations)};
    Way way(work, workers);
    prepare(way, body);
    run_whole(way, work, body);
    return efficiency(way, work, body, limit);
  };
  double enough = 2;
  Efficiency found = at(enough);
  while (found.share < 0.5) {
    if (found.nanoseconds > 1e6) return 0;
    found = at(enough *= 2);
  }
  for (double step = enough / 4; step >= std::max(1.0, enough / 40); step /= 2) {
    const Efficiency less = at(enough - step);
    if (less.share < 0.5) continue;
    enough -= step;
    found = less;
  }
  return found.nanoseconds;
}

template <class Way>
void answer_grain(const Request& request) {
  for (const Shape& shape : grain_shapes()) {
    if (!request.wants(shape.name) || !Way::takes(shape.name)) continue;
    const Work work = shape.make();
    for (const int workers : request.workers) {
      Answer answer("grain", Way::name, shape.name, workers);
      answer.add("op", {smallest_op<Way>(work, workers)});
    }
  }
}

}  // namespace bench
