// Times kernels by name and answers requests for them: what the programs of this folder share. C++17, for nvcc's sake.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "numbers.hpp"

namespace bench {

/// A line of the input: what to time, at which shape, and for how long. A vector has one row.
struct Request {
  std::string kernel;
  std::string dtype;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  double milliseconds = 0;
  std::int64_t l2_bytes = 0;  // of the GPU's cache; from the command line

  std::int64_t count() const { return rows * columns; }
};

/// A kernel whose operands are in place. The destination holds NaN, or -1 if it holds integers, until the first repetition.
struct Work {
  std::function<void(long)> enqueue;             // so many repetitions
  std::function<std::vector<double>()> samples;  // the result at the positions that are compared; waits
};

enum class Clock {
  finished,  // until the GPU has done the work
  enqueued   // until the host may go on
};

struct Kernel {
  std::string name;
  std::string dtype;
  std::function<Work(const Request&)> prepare;
  Clock clock = Clock::finished;
};

/// A program's kernels and what the harness needs of its library.
struct Library {
  std::string name;
  std::vector<Kernel> kernels;
  std::function<void()> synchronize;  // returns when the GPU has done everything
  std::function<void()> trim;         // gives cached memory back to the GPU
};

/// How many sets of operands of so many bytes are used in turns: one if it is far larger than the L2 cache, otherwise as many as are.
inline std::size_t sets_of(const Request& request, std::int64_t bytes) {
  constexpr std::int64_t most = 8;
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>((4 * request.l2_bytes - 1) / std::max<std::int64_t>(bytes, 1) + 1, 1, most));
}

/// Work on sets of operands: `make()` makes one, run(set) enqueues the kernel, samples(set) reads the result.
template <class Make, class Run, class Samples>
Work rotate(const Request& request, std::int64_t bytes_of_set, const Make& make, Run run, Samples samples) {
  using Set = decltype(make());
  auto sets = std::make_shared<std::vector<Set>>();
  for (std::size_t left = sets_of(request, bytes_of_set); left > 0; --left) sets->push_back(make());
  auto enqueue = [sets, run, next = std::size_t{0}](long repetitions) mutable {
    for (; repetitions > 0; --repetitions) {
      run((*sets)[next]);
      next = next + 1 == sets->size() ? 0 : next + 1;
    }
  };
  return {std::move(enqueue), [sets, samples] { return samples(sets->front()); }};
}

/// Nanoseconds of one repetition.
struct Timing {
  std::vector<double> samples;
  long repetitions = 0;  // of each sample
};

inline double nanoseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

/// Wall time from before the first enqueuing until the GPU has done all repetitions.
inline double finished_after(const Library& library, const Work& work, long repetitions) {
  library.synchronize();
  const auto begin = std::chrono::steady_clock::now();
  work.enqueue(repetitions);
  library.synchronize();
  return nanoseconds_since(begin);
}

/// Samples that take a tenth of the request's time each, in which launching is hidden; a first tenth and more warms up.
inline Timing time_finished(const Library& library, const Work& work, double milliseconds) {
  constexpr std::size_t fewest = 5;
  const double shortest = milliseconds * 1e5;
  Timing timing{{}, 1};
  while (finished_after(library, work, timing.repetitions) < shortest) timing.repetitions *= 2;
  for (double spent = 0; spent < milliseconds * 1e6 || timing.samples.size() < fewest;) {
    const double elapsed = finished_after(library, work, timing.repetitions);
    spent += elapsed;
    timing.samples.push_back(elapsed / static_cast<double>(timing.repetitions));
  }
  return timing;
}

/// Host time alone, with so few repetitions that the queue of the GPU has room for all; the first batches warm up.
inline Timing time_enqueued(const Library& library, const Work& work, double milliseconds) {
  constexpr int warm_up = 20;
  constexpr std::size_t fewest = 25;
  Timing timing{{}, 64};
  double spent = 0;
  for (int batch = 0; spent < milliseconds * 1e6 || timing.samples.size() < fewest; ++batch) {
    library.synchronize();
    const auto begin = std::chrono::steady_clock::now();
    work.enqueue(timing.repetitions);
    const double elapsed = nanoseconds_since(begin);
    spent += elapsed;
    if (batch >= warm_up) timing.samples.push_back(elapsed / static_cast<double>(timing.repetitions));
  }
  library.synchronize();
  return timing;
}

/// A string of JSON.
inline std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\') result += '\\';
    result += static_cast<unsigned char>(character) < 0x20 ? ' ' : character;
  }
  return result + "\"";
}

/// A list of JSON; what is not finite is null.
inline std::string listed(const std::vector<double>& values) {
  std::ostringstream text;
  text.precision(std::numeric_limits<double>::max_digits10);
  for (std::size_t i = 0; i < values.size(); ++i) {
    text << (i == 0 ? "[" : ", ");
    if (std::isfinite(values[i])) {
      text << values[i];
    } else {
      text << "null";
    }
  }
  return values.empty() ? "[]" : text.str() + "]";
}

/// Times the kernel and writes a line: the median and the least of the samples, and the result of the first repetition.
inline void time_kernel(const Library& library, const Kernel& kernel, const Request& request) {
  const Work work = kernel.prepare(request);
  work.enqueue(1);
  const std::vector<double> values = work.samples();
  Timing timing = kernel.clock == Clock::finished ? time_finished(library, work, request.milliseconds)
                                                  : time_enqueued(library, work, request.milliseconds);
  std::sort(timing.samples.begin(), timing.samples.end());
  std::cout << R"("ns": )" << timing.samples[timing.samples.size() / 2] << R"(, "least": )" << timing.samples.front()
            << R"(, "samples": )" << timing.samples.size() << R"(, "repetitions": )" << timing.repetitions
            << R"(, "values": )" << listed(values);
}

/// Answers a request with one line, also where it fails.
inline void answer(const Library& library, const Request& request) {
  const auto found = std::find_if(library.kernels.begin(), library.kernels.end(), [&](const Kernel& kernel) {
    return kernel.name == request.kernel && kernel.dtype == request.dtype;
  });
  std::cout << "{";
  try {
    if (found == library.kernels.end())
      throw std::runtime_error("there is no kernel " + request.kernel + " " + request.dtype);
    time_kernel(library, *found, request);
  } catch (const std::exception& error) {
    std::cout << R"("problem": )" << quoted(error.what());
  }
  try {
    library.trim();
  } catch (const std::exception&) {
    // a GPU that has failed keeps its memory, and has been told of
  }
  std::cout << "}" << std::endl;
}

/// `list` prints the kernels and their types. Otherwise reads lines "kernel dtype rows columns milliseconds" and answers each with a
/// line, until the input ends; --l2=BYTES says how large the GPU's cache is.
inline int serve(const Library& library, int count, char** arguments) {
  std::cout.precision(9);
  Request request;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "list") {
      for (const Kernel& kernel : library.kernels) std::cout << kernel.name << ' ' << kernel.dtype << '\n';
      return 0;
    }
    if (argument.rfind("--l2=", 0) != 0) {
      std::cerr << "usage: list | [--l2=BYTES], not '" << argument << "'\n";
      return 2;
    }
    request.l2_bytes = std::stoll(argument.substr(5));
  }
  while (std::cin >> request.kernel >> request.dtype >> request.rows >> request.columns >> request.milliseconds)
    answer(library, request);
  return 0;
}

}  // namespace bench
