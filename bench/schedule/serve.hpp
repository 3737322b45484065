// The main function of each program of this folder: puts the question on the command line to each way.
#pragma once

#include "check.hpp"
#include "grain.hpp"
#include "harness.hpp"
#include "latency.hpp"
#include "memory.hpp"
#include "speed.hpp"

namespace bench {

template <class Way>
void put(const Request& request) {
  const std::string& question = request.question;
  if (question == "check") return answer_check<Way>(request);
  if (question == "speed") return answer_speed<Way>(request);
  if (question == "submitters") {
    if constexpr (requires { Way::several_submitters; }) answer_submitters<Way>(request);
    return;
  }
  if (question == "fib") return answer_fib<Way>(request);
  if (question == "latency") return answer_latency<Way>(request);
  if (question == "grain") return answer_grain<Way>(request);
  if (question == "memory") return answer_memory<Way>(request);
  if (question == "allocations") return answer_allocations<Way>(request);
  std::fprintf(stderr, "there is no question '%s'\n", question.c_str());
  std::exit(2);
}

/// Puts the question to each way in turn; the answers are lines of JSON.
template <class... Ways>
int serve(int count, char** arguments) {
  const Request request = parse(count, arguments);
  (put<Ways>(request), ...);
  return 0;
}

}  // namespace bench
