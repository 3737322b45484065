// Whether a way runs every op once and in an order that the variables allow: its results are those of serial execution.
#pragma once

#include <atomic>

#include "harness.hpp"

namespace bench {

/// A value for each variable; an op that writes nothing only counts.
struct Means {
  const Work* work;
  std::vector<double>* values;
  std::atomic<std::uint32_t>* runs;

  void operator()(std::uint32_t op) const {
    runs->fetch_add(1, std::memory_order_relaxed);
    const std::uint32_t write = work->write(op);
    if (write == no_variable) return;
    double sum = op % 7;
    for (const std::uint32_t v : work->reads(op)) sum += (*values)[v];
    (*values)[write] = (*values)[write] * 0.5 + sum / static_cast<double>(work->reads(op).size() + 1);
  }
};

/// Ends the program if a way is wrong: a figure for wrong work is worth nothing.
template <class Way>
void answer_check(const Request& request) {
  for (const Shape& shape : speed_shapes()) {
    if (!request.wants(shape.name) || !Way::takes(shape.name)) continue;
    const Work work = shape.make();
    std::atomic<std::uint32_t> runs = 0;
    std::vector<double> expected(work.variables(), 1.0);
    for (std::uint32_t op = 0; op < work.size(); ++op) Means{&work, &expected, &runs}(op);
    for (const int workers : request.workers) {
      std::vector<double> values(work.variables(), 1.0);
      runs = 0;
      const Means body{&work, &values, &runs};
      Way way(work, workers);
      prepare(way, body);
      run_whole(way, work, body);
      if (values != expected || runs != work.size()) {
        std::fprintf(stderr, "%s is wrong for %s with %d workers: %u of %u ops ran\n", Way::name, shape.name.c_str(),
                     workers, runs.load(), work.size());
        std::exit(1);
      }
      Answer answer("check", Way::name, shape.name, workers);
      answer.add("ops", {static_cast<double>(work.size())});
    }
  }
}

}  // namespace bench
