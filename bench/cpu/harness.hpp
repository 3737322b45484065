// Times kernels by name and answers requests for them: what all programs of this folder share. C++17, for xtensor's sake.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace bench {

/// What a kernel has computed, for the comparison with what the others have.
struct Result {
  const float* values = nullptr;
  std::ptrdiff_t count = 0;
};

/// Runs a kernel that many times in a row and tells what it computed; holds its operands.
using Repeat = std::function<Result(long)>;

/// A kernel under the name by which the rows of the table know it. `prepare` makes and fills the operands.
struct Kernel {
  std::string name;
  std::function<Repeat()> prepare;
};

/// Side of the square matrices of the table.
inline constexpr std::ptrdiff_t side = 2048;

/// The optimiser must take memory for read and written here.
inline void clobber() { asm volatile("" : : : "memory"); }

/// The optimiser must take what `pointer` points to for known outside.
inline void escape(const void* pointer) { asm volatile("" : : "g"(pointer) : "memory"); }

/// n, as a number that the optimiser does not know.
inline std::ptrdiff_t opaque(std::ptrdiff_t n) {
  asm volatile("" : "+r"(n));
  return n;
}

/// The loop around a kernel, which returns a Result or nothing. It is part of the kernel's own code, so a call of a few nanoseconds
/// can be timed.
template <class Body>
Repeat repeat(Body body) {
  return [body = std::move(body)](long n) mutable {
    Result result;
    for (; n > 0; --n) {
      if constexpr (std::is_void_v<decltype(body())>) {
        body();
      } else {
        result = body();
      }
      clobber();
    }
    return result;
  };
}

/// Numbers in [0, 1), the same in every program.
inline void fill(float* values, std::ptrdiff_t n, std::uint32_t seed) {
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    seed = seed * 1664525u + 1013904223u;
    values[i] = static_cast<float>(seed >> 8) * 0x1p-24f;
  }
}

/// The same numbers in a library's array or vector, which the optimiser takes for known outside.
template <class Values>
Values filled(Values values, std::uint32_t seed) {
  fill(values.data(), static_cast<std::ptrdiff_t>(values.size()), seed);
  escape(values.data());
  return values;
}

template <class Values>
Result result_of(const Values& values) {
  return {values.data(), static_cast<std::ptrdiff_t>(values.size())};
}

inline std::ptrdiff_t floats_in(std::ptrdiff_t bytes) { return bytes / static_cast<std::ptrdiff_t>(sizeof(float)); }

/// A number that depends on every value and its position.
inline double checksum(const Result& result) {
  double sum = 0;
  for (std::ptrdiff_t i = 0; i < result.count; ++i) sum += double{result.values[i]} * static_cast<double>(i % 97 - 48);
  return sum;
}

/// Nanoseconds of one repetition.
struct Timing {
  double median;
  double least;
  std::size_t samples;
  double checksum;
};

inline double nanoseconds(const Repeat& run, long repetitions) {
  const auto begin = std::chrono::steady_clock::now();
  run(repetitions);
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

/// Times the kernel for that long, in batches that the clock can resolve; the first run, which touches memory, is left out.
inline Timing measure(const Repeat& run, double milliseconds) {
  constexpr double shortest_batch = 20'000;
  constexpr std::size_t fewest_samples = 3;
  run(1);
  long batch = 1;
  while (nanoseconds(run, batch) < shortest_batch) batch *= 2;
  std::vector<double> samples;
  for (double spent = 0; spent < milliseconds * 1e6 || samples.size() < fewest_samples;) {
    const double batch_time = nanoseconds(run, batch);
    spent += batch_time;
    samples.push_back(batch_time / static_cast<double>(batch));
  }
  std::sort(samples.begin(), samples.end());
  return {samples[samples.size() / 2], samples.front(), samples.size(), checksum(run(1))};
}

inline void answer(const std::string& library, const std::string& isa, const std::string& name, const Timing& timing) {
  std::cout << R"({"kernel": ")" << name << R"(", "isa": ")" << isa << R"(", "library": ")" << library << R"(", "ns": )"
            << timing.median << R"(, "least": )" << timing.least << R"(, "samples": )" << timing.samples
            << R"(, "checksum": )" << timing.checksum << "}" << std::endl;
}

/// Times the kernels whose names stand on the command line, each for the milliseconds that --ms=N before it gives; "--list"
/// prints all names. Without arguments reads lines "name milliseconds" and answers each with one line, until the input ends.
inline int serve(const std::string& library, const std::string& isa, const std::vector<Kernel>& kernels, int count,
                 char** arguments) {
  std::cout.precision(9);
  const auto time_one = [&](const std::string& name, double milliseconds) {
    const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const Kernel& k) { return k.name == name; });
    if (found == kernels.end()) {
      std::cerr << library << " has no kernel '" << name << "'\n";
      std::exit(2);
    }
    answer(library, isa, name, measure(found->prepare(), milliseconds));
  };
  double milliseconds = 200;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--list") {
      for (const Kernel& kernel : kernels) std::cout << kernel.name << '\n';
    } else if (argument.rfind("--ms=", 0) == 0) {
      milliseconds = std::stod(argument.substr(5));
    } else {
      time_one(argument, milliseconds);
    }
  }
  if (count > 1) return 0;
  std::string name;
  while (std::cin >> name >> milliseconds) time_one(name, milliseconds);
  return 0;
}

/// Floats at the start of a cache line, filled or not.
class Floats {
 public:
  explicit Floats(std::ptrdiff_t n, std::uint32_t seed = 1)
      : values_(
            static_cast<float*>(std::aligned_alloc(64, (static_cast<std::size_t>(n) * sizeof(float) + 63) / 64 * 64)),
            &std::free) {
    fill(values_.get(), n, seed);
    escape(values_.get());
  }
  float* data() const { return values_.get(); }

 private:
  std::shared_ptr<float> values_;
};

}  // namespace bench
