// Taskflow under the questions of the bench: graphs, built each time or once, and its dependent and independent asynchronous tasks.
#include <atomic>
#include <optional>
#include <taskflow/taskflow.hpp>

#include "serve.hpp"

namespace {

using bench::Edges;
using bench::Work;

std::size_t count_of(int workers) { return static_cast<std::size_t>(workers); }

template <class Body>
void build(tf::Taskflow& flow, const Body& body, const Edges& edges, std::uint32_t ops) {
  std::vector<tf::Task> tasks(ops);
  for (std::uint32_t op = 0; op < ops; ++op) {
    tasks[op] = flow.emplace([&body, op] { body(op); });
    for (const std::uint32_t earlier : edges.into(op)) tasks[earlier].precede(tasks[op]);
  }
}

/// Builds the graph, runs it and takes it down again.
class Graph {
 public:
  static constexpr const char* name = "Taskflow";
  static bool takes(std::string_view shape) { return shape != "single"; }

  Graph(const Work& work, int workers) : edges_(work), ops_(work.size()), executor_(count_of(workers)) {}

  template <class Body>
  void submit(const Body& body, std::uint32_t, std::uint32_t) {
    flow_.emplace();
    build(*flow_, body, edges_, ops_);
    if (!held_) executor_.run(*flow_);
  }
  void wait() {
    executor_.wait_for_all();
    flow_.reset();
  }
  void hold() { held_ = true; }
  void release() {
    held_ = false;
    executor_.run(*flow_);
  }

 private:
  Edges edges_;
  std::uint32_t ops_;
  std::optional<tf::Taskflow> flow_;
  tf::Executor executor_;
  bool held_ = false;
};

/// Runs a graph again that was built before.
class Rerun {
 public:
  static constexpr const char* name = "Taskflow, rerun";
  static bool takes(std::string_view) { return true; }

  Rerun(const Work& work, int workers) : edges_(work), ops_(work.size()), executor_(count_of(workers)) {}

  template <class Body>
  void prepare(const Body& body) {
    build(flow_, body, edges_, ops_);
  }
  template <class Body>
  void submit(const Body&, std::uint32_t, std::uint32_t) {
    executor_.run(flow_);
  }
  void wait() { executor_.wait_for_all(); }

 private:
  Edges edges_;
  std::uint32_t ops_;
  tf::Taskflow flow_;
  tf::Executor executor_;
};

/// Keeps the workers busy until it is opened.
class Gate {
 public:
  void close(tf::Executor& executor) {
    open_ = false;
    for (std::size_t i = 0; i < executor.num_workers(); ++i) executor.silent_async([this] { open_.wait(false); });
  }
  void open() {
    open_ = true;
    open_.notify_all();
  }

 private:
  std::atomic<bool> open_{true};
};

/// Tasks that are given the earlier tasks which they wait for.
class DependentAsync {
 public:
  static constexpr const char* name = "Taskflow dependent_async";
  static constexpr bool several_submitters = true;
  static bool takes(std::string_view) { return true; }

  DependentAsync(const Work& work, int workers) : edges_(work), tasks_(work.size()), executor_(count_of(workers)) {}

  template <class Body>
  void submit(const Body& body, std::uint32_t first, std::uint32_t last) {
    std::vector<tf::AsyncTask> earlier;
    for (std::uint32_t op = first; op < last; ++op) {
      const std::span<const std::uint32_t> into = edges_.into(op);
      if (into.empty()) {
        tasks_[op] = executor_.silent_dependent_async([&body, op] { body(op); });
      } else if (into.size() == 1) {
        tasks_[op] = executor_.silent_dependent_async([&body, op] { body(op); }, tasks_[into[0]]);
      } else {
        earlier.clear();
        for (const std::uint32_t from : into) earlier.push_back(tasks_[from]);
        tasks_[op] = executor_.silent_dependent_async([&body, op] { body(op); }, earlier.begin(), earlier.end());
      }
    }
  }
  void wait() { executor_.wait_for_all(); }
  void hold() { gate_.close(executor_); }
  void release() { gate_.open(); }

 private:
  Edges edges_;
  std::vector<tf::AsyncTask> tasks_;
  Gate gate_;
  tf::Executor executor_;
};

/// Tasks that wait for nothing.
class SilentAsync {
 public:
  static constexpr const char* name = "Taskflow silent_async";
  static constexpr bool several_submitters = true;
  static bool takes(std::string_view shape) { return shape == "independent" || shape == "single"; }

  SilentAsync(const Work&, int workers) : executor_(count_of(workers)) {}

  template <class Body>
  void submit(const Body& body, std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t op = first; op < last; ++op) executor_.silent_async([&body, op] { body(op); });
  }
  void wait() { executor_.wait_for_all(); }
  void hold() { gate_.close(executor_); }
  void release() { gate_.open(); }

  static long fib(int n, int workers) {
    tf::Executor executor(count_of(workers));
    return executor.async([&executor, n] { return nested(executor, n); }).get();
  }

 private:
  static long nested(tf::Executor& executor, int n) {
    if (n < 2) return n;
    long a = 0;
    tf::TaskGroup group = executor.task_group();
    group.silent_async([&executor, n, &a] { a = nested(executor, n - 1); });
    const long b = nested(executor, n - 2);
    group.corun();
    return a + b;
  }

  Gate gate_;
  tf::Executor executor_;
};

}  // namespace

int main(int count, char** arguments) {
  return bench::serve<Graph, Rerun, DependentAsync, SilentAsync>(count, arguments);
}
