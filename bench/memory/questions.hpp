// What the programs that time allocators have in common: how an answer is measured and printed, and what is drawn beforehand.
#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

inline void keep(void* pointer) { asm volatile("" : : "r"(pointer) : "memory"); }

inline double seconds_of(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Answer {
  std::string way, question, shape;
  int repeats;

  /// Runs `work`, which does `operations` operations, and prints the nanoseconds of one in each repeat.
  void print(std::ptrdiff_t operations, const std::function<void()>& work) const {
    work();
    std::vector<double> series;
    for (int repeat = 0; repeat < repeats; ++repeat)
      series.push_back(seconds_of(work) * 1e9 / static_cast<double>(operations));
    print_series(shape, series);
  }

  void print_series(const std::string& name, const std::vector<double>& nanoseconds) const {
    std::printf("{\"way\": \"%s\", \"question\": \"%s\", \"shape\": \"%s\", \"ns\": [", way.c_str(), question.c_str(),
                name.c_str());
    for (std::size_t i = 0; i < nanoseconds.size(); ++i) std::printf("%s%.2f", i == 0 ? "" : ", ", nanoseconds[i]);
    std::printf("]}\n");
    std::fflush(stdout);
  }
};

template <class Way>
void pairs(std::ptrdiff_t bytes, std::ptrdiff_t count) {
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    void* pointer = Way::allocate(bytes);
    keep(pointer);
    Way::deallocate(pointer, bytes);
  }
}

struct Held {
  void* pointer = nullptr;
  std::ptrdiff_t bytes = 0;
};

/// Sizes and slots, drawn before anything is timed.
struct Draws {
  std::vector<std::ptrdiff_t> bytes;
  std::vector<std::uint32_t> slots;

  explicit Draws(std::uint32_t live, std::size_t count = 1 << 18) : bytes(count), slots(count) {
    std::mt19937_64 random(live);
    std::uniform_real_distribution<double> logarithm(std::log(256.0), std::log(double(1 << 20)));
    for (auto& size : bytes) size = static_cast<std::ptrdiff_t>(std::exp(logarithm(random)));
    for (auto& slot : slots) slot = static_cast<std::uint32_t>(random() % live);
  }
};
