// What a pending op costs in memory, and how often an engine that is warm asks the system for more.
#pragma once

#include <malloc.h>
#include <unistd.h>

#include <fstream>

#include "harness.hpp"

/// Calls of malloc and its kin so far; there when counting_malloc is loaded before the program.
extern "C" [[gnu::weak]] unsigned long bench_allocations();

namespace bench {

/// Bytes of memory that the process has touched.
inline double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// Bytes an op by which a fresh process grows while the second half of many ops is submitted and none begins; what the first ones
/// need once is not theirs. Right for the first shape in a process.
template <class Way>
void answer_memory(const Request& request) {
  if constexpr (Holds<Way>) {
    for (const bool reads : {false, true}) {
      const std::string name = reads ? "two_reads" : "chain";
      if (!request.wants(name) || !Way::takes(name)) continue;
      constexpr std::uint32_t ops = 2'000'000;
      const Work work = reads ? two_reads(ops) : chain(ops);
      Way way(work, 1);
      malloc_trim(0);
      way.hold();
      way.submit(Empty{}, 0, ops / 2);
      const double before = resident_bytes();
      way.submit(Empty{}, ops / 2, ops);
      const double grown = resident_bytes() - before;
      way.release();
      way.wait();
      Answer answer("memory", Way::name, name, 1);
      answer.add("bytes", {grown / (ops / 2)});
    }
  }
}

/// Allocations an op after rounds with as many pending ops: some, because each thread keeps some free blocks, and not always as many.
template <class Way>
void answer_allocations(const Request& request) {
  if (bench_allocations == nullptr) {
    std::fputs("allocations are counted where counting_malloc is in LD_PRELOAD\n", stderr);
    std::exit(2);
  }
  constexpr Empty empty;
  for (const Shape& shape : speed_shapes()) {
    if (!request.wants(shape.name) || !Way::takes(shape.name)) continue;
    const Work work = shape.make();
    for (const int workers : request.workers) {
      Way way(work, workers);
      prepare(way, empty);
      const auto round = [&] {
        if constexpr (Holds<Way>) {
          run_held(way, work, empty);
        } else {
          run_whole(way, work, empty);
        }
      };
      for (int i = 0; i < 8; ++i) round();
      const unsigned long before = bench_allocations();
      for (int i = 0; i < request.repeats; ++i) round();
      const double count = static_cast<double>(bench_allocations() - before);
      Answer answer("allocations", Way::name, shape.name, workers);
      answer.add("count", {count});
      answer.add("an_op", {count / request.repeats / work.size()});
    }
  }
}

}  // namespace bench
