// Tessera's scheduler under the questions of the bench: ops submitted each time, and a captured step that is replayed.
#include <coroutine>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "serve.hpp"

import tessera;

namespace {

using bench::Work;

/// The Vars of a workload, and for each op the handles that it names.
class Vars {
 public:
  explicit Vars(const Work& work) : work_(&work), vars_(work.variables()), first_read_(work.size()) {
    for (std::uint32_t op = 0; op < work.size(); ++op) {
      first_read_[op] = static_cast<std::uint32_t>(reads_.size());
      for (const std::uint32_t v : work.reads(op)) reads_.push_back(vars_[v]);
    }
  }

  template <class Body>
  void submit(tessera::Scheduler& scheduler, const Body& body, std::uint32_t op) const {
    const std::span<const tessera::Var> named(reads_.data() + first_read_[op], work_->reads(op).size());
    const auto run = [&body, op] { body(op); };
    if (work_->write(op) == bench::no_variable) {
      scheduler.submit(tessera::reads(named), run);
      return;
    }
    const tessera::Var& written = vars_[work_->write(op)];
    switch (named.size()) {
      case 0: return scheduler.submit(tessera::writes(written), run);
      case 1: return scheduler.submit(tessera::reads(named[0]), tessera::writes(written), run);
      case 2: return scheduler.submit(tessera::reads(named[0], named[1]), tessera::writes(written), run);
      default: return scheduler.submit(tessera::reads(named), tessera::writes(written), run);
    }
  }

 private:
  const Work* work_;
  std::vector<tessera::Var> vars_;
  std::vector<tessera::Var> reads_;
  std::vector<std::uint32_t> first_read_;
};

class Submitted {
 public:
  static constexpr const char* name = "Tessera";
  static constexpr bool several_submitters = true;
  static bool takes(std::string_view) { return true; }

  Submitted(const Work& work, int workers) : vars_(work), scheduler_({.workers = workers}) {}

  template <class Body>
  void submit(const Body& body, std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t op = first; op < last; ++op) vars_.submit(scheduler_, body, op);
  }
  template <class Body>
  void submit_shared(const Body& body, std::uint32_t first, std::uint32_t last) {
    submit(body, first, last);
  }
  void wait() { scheduler_.wait_all(); }
  void hold() { scheduler_.stop(); }
  void release() { scheduler_.start(); }

  static long fib(int n, int workers) {
    tessera::Scheduler scheduler({.workers = workers});
    long result = 0;
    static_cast<void>(nested(scheduler, n, result));
    scheduler.wait_all();
    return result;
  }

 private:
  static tessera::Op nested(tessera::Scheduler& scheduler, int n, long& result) {
    co_await tessera::access();
    if (n < 2) {
      result = n;
      co_return;
    }
    long a = 0, b = 0;
    const tessera::Op left = nested(scheduler, n - 1, a);
    const tessera::Op right = nested(scheduler, n - 2, b);
    co_await left;
    co_await right;
    result = a + b;
  }

  Vars vars_;
  tessera::Scheduler scheduler_;
};

template <class S>
concept Captures = requires(S& scheduler) { scheduler.capture([] {}).replay(); };

/// Ops recorded once with their dependencies.
template <Captures S>
class Replayed {
 public:
  static constexpr const char* name = "Tessera, replay";
  /// A replay is one op, and an op names at most 65,535 Vars.
  static bool takes(std::string_view shape) {
    return shape != "independent_writes" && shape != "wavefront" && shape != "tree";
  }

  Replayed(const Work& work, int workers) : work_(&work), vars_(work), scheduler_({.workers = workers}) {}

  template <class Body>
  void prepare(const Body& body) {
    const auto record = [&] {
      for (std::uint32_t op = 0; op < work_->size(); ++op) vars_.submit(scheduler_, body, op);
    };
    step_.reset(new Step(scheduler_.capture(record)));
  }
  template <class Body>
  void submit(const Body&, std::uint32_t, std::uint32_t) {
    step_->replay();
  }
  void wait() { scheduler_.wait_all(); }

 private:
  using Step = decltype(std::declval<S&>().capture([] {}));

  const Work* work_;
  Vars vars_;
  S scheduler_;
  std::unique_ptr<Step> step_;
};

template <class S>
int serve(int count, char** arguments) {
  if constexpr (Captures<S>) {
    return bench::serve<Submitted, Replayed<S>>(count, arguments);
  } else {
    return bench::serve<Submitted>(count, arguments);
  }
}

}  // namespace

int main(int count, char** arguments) { return serve<tessera::Scheduler>(count, arguments); }
