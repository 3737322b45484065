// Asks a way of running ops the questions of the scheduler's bench: what the programs of this folder share.
//
// A way is a class with
//   static constexpr const char* name;
//   static bool takes(std::string_view shape);              whether it can express the shape
//   Way(const Work&, int workers);                          the work outlives it
//   void prepare(const Body&);                              what a way that replays does once; is not timed
//   void submit(const Body&, uint32_t first, uint32_t last);  op i calls body(i)
//   void wait();                                            until all ops have ended
//   void hold();  void release();                           between the two no op begins; left out where nothing is submitted
//   static long fib(int n, int workers);                    by nested ops; left out where ops do not nest
// and of the variables' ways one that several threads may use at once, `submit_shared`.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shapes.hpp"

namespace bench {

inline double now() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// What the command line asks for.
struct Request {
  std::string question;
  std::string shape;  // all of them if empty
  std::vector<int> workers{1, 2};
  int repeats = 3;

  bool wants(const std::string& name) const { return shape.empty() || shape == name; }
};

inline Request parse(int count, char** arguments) {
  Request request;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    const std::string value = argument.substr(argument.find('=') + 1);
    if (argument.starts_with("--shape=")) {
      request.shape = value;
    } else if (argument.starts_with("--repeats=")) {
      request.repeats = std::stoi(value);
    } else if (argument.starts_with("--workers=")) {
      request.workers = {std::stoi(value)};
    } else if (argument.starts_with("--") || !request.question.empty()) {
      std::fprintf(stderr, "usage: %s QUESTION [--shape=NAME] [--workers=N] [--repeats=N]\n", arguments[0]);
      std::exit(2);
    } else {
      request.question = argument;
    }
  }
  return request;
}

/// One answer: a JSON object on a line of its own.
class Answer {
 public:
  Answer(const std::string& question, const char* way, const std::string& shape, int workers)
      : text_(R"({"question": ")" + question + R"(", "way": ")" + way + R"(", "shape": ")" + shape +
              R"(", "workers": )" + std::to_string(workers)) {}
  ~Answer() {
    std::puts((text_ + "}").c_str());
    std::fflush(stdout);
  }
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  void add(const char* name, const std::vector<double>& samples) {
    text_ += std::string(R"(, ")") + name + R"(": [)";
    for (std::size_t i = 0; i < samples.size(); ++i) text_ += (i == 0 ? "" : ", ") + std::to_string(samples[i]);
    text_ += "]";
  }

 private:
  std::string text_;
};

/// The body of an op that does nothing.
struct Empty {
  void operator()(std::uint32_t) const {}
};

/// Nanoseconds from the first submission to the end of the last op.
template <class Way, class Body>
double run_whole(Way& way, const Work& work, const Body& body) {
  const double start = now();
  way.submit(body, 0, work.size());
  way.wait();
  return now() - start;
}

/// Nanoseconds of the submissions while no op begins.
template <class Way, class Body>
double run_held(Way& way, const Work& work, const Body& body) {
  way.hold();
  const double start = now();
  way.submit(body, 0, work.size());
  const double took = now() - start;
  way.release();
  way.wait();
  return took;
}

template <class Way>
concept Holds = requires(Way way) { way.hold(); };

template <class Way, class Body>
void prepare(Way& way, const Body& body) {
  if constexpr (requires { way.prepare(body); }) way.prepare(body);
}

}  // namespace bench
