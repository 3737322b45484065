// What the tests of replayed assignments share: executors, arrays of made-up numbers, and messages of failures.
#pragma once
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

import tessera;

namespace replays {

using namespace tessera;

using Matrix = Array<float, 2>;

inline std::vector<SchedulerOptions> executors() {
  std::vector<SchedulerOptions> all{{.executor = Inline{}}, {.workers = 1}, {.workers = 2}, {.workers = 4}};
  for (std::uint64_t seed = 1; seed <= 30; ++seed) all.push_back({.executor = Permuting{.seed = seed}});
  return all;
}

template <class A>
std::vector<typename A::value_type> elements(const A& array) {
  return {array.begin(), array.end()};
}

template <class Error, class F>
std::string message_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline Matrix matrix(const Dim<2>& shape, unsigned seed) {
  Matrix made(shape);
  std::uint32_t state = seed * 2654435761u + 1;
  for (float& element : made) {
    state = state * 1664525u + 1013904223u;
    element = static_cast<float>(state >> 8) / 16777216.0f - 0.5f;
  }
  return made;
}

}  // namespace replays
