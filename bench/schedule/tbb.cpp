// oneTBB under the questions of the bench: task_group and task_arena::enqueue for ops that depend on nothing, the flow graph for
// ops with edges, built each time or once.
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <optional>

#include "serve.hpp"

namespace {

using bench::Edges;
using bench::Work;

/// As many threads as asked for, also above the number of cores.
class Threads {
 public:
  explicit Threads(int count)
      : allowed_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(std::max(count, 2))) {}

 private:
  tbb::global_control allowed_;
};

/// The waiting thread is one of the workers.
class TaskGroup {
 public:
  static constexpr const char* name = "TBB task_group";
  static bool takes(std::string_view shape) { return shape == "independent"; }

  TaskGroup(const Work&, int workers) : threads_(workers), arena_(workers) {}

  template <class Body>
  void submit(const Body& body, std::uint32_t first, std::uint32_t last) {
    arena_.execute([&] {
      for (std::uint32_t op = first; op < last; ++op) group_.run([&body, op] { body(op); });
    });
  }
  void wait() {
    arena_.execute([&] { group_.wait(); });
  }

  static long fib(int n, int workers) {
    const Threads threads(workers);
    tbb::task_arena arena(workers);
    return arena.execute([n] { return nested(n); });
  }

 private:
  static long nested(int n) {
    if (n < 2) return n;
    long a = 0;
    tbb::task_group group;
    group.run([n, &a] { a = nested(n - 1); });
    const long b = nested(n - 2);
    group.wait();
    return a + b;
  }

  Threads threads_;
  tbb::task_arena arena_;
  tbb::task_group group_;
};

/// The submitting thread is no worker.
class Enqueue {
 public:
  static constexpr const char* name = "TBB enqueue";
  static constexpr bool several_submitters = true;
  static bool takes(std::string_view shape) { return shape == "independent" || shape == "single"; }

  Enqueue(const Work&, int workers) : threads_(workers + 1), arena_(workers, 0) {}

  template <class Body>
  void submit(const Body& body, std::uint32_t first, std::uint32_t last) {
    pending_.fetch_add(last - first);
    for (std::uint32_t op = first; op < last; ++op) {
      arena_.enqueue([this, &body, op] {
        body(op);
        if (pending_.fetch_sub(1) == 1) pending_.notify_all();
      });
    }
  }
  void wait() {
    for (std::uint32_t left = pending_.load(); left != 0; left = pending_.load()) pending_.wait(left);
  }

 private:
  Threads threads_;
  tbb::task_arena arena_;
  std::atomic<std::uint32_t> pending_{0};
};

/// A node for each op; those that wait for nothing are started from outside.
class Graph {
  using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;

 public:
  template <class Body>
  void build(const Body& body, const Edges& edges, std::uint32_t ops) {
    for (std::uint32_t op = 0; op < ops; ++op) {
      Node& node = nodes_.emplace_back(graph_, [&body, op](const tbb::flow::continue_msg&) { body(op); });
      for (const std::uint32_t earlier : edges.into(op)) tbb::flow::make_edge(nodes_[earlier], node);
      if (edges.into(op).empty()) sources_.push_back(op);
    }
  }
  void start() {
    for (const std::uint32_t op : sources_) nodes_[op].try_put(tbb::flow::continue_msg());
  }
  void wait() { graph_.wait_for_all(); }

 private:
  tbb::flow::graph graph_;
  std::deque<Node> nodes_;
  std::vector<std::uint32_t> sources_;
};

/// Builds the graph, runs it and takes it down again.
class FlowGraph {
 public:
  static constexpr const char* name = "TBB flow graph";
  static bool takes(std::string_view shape) { return shape != "single"; }

  FlowGraph(const Work& work, int workers) : edges_(work), ops_(work.size()), threads_(workers), arena_(workers) {}

  template <class Body>
  void submit(const Body& body, std::uint32_t, std::uint32_t) {
    arena_.execute([&] {
      graph_.emplace();
      graph_->build(body, edges_, ops_);
      if (!held_) graph_->start();
    });
  }
  void wait() {
    arena_.execute([&] {
      graph_->wait();
      graph_.reset();
    });
  }
  void hold() { held_ = true; }
  void release() {
    held_ = false;
    arena_.execute([&] { graph_->start(); });
  }

 private:
  Edges edges_;
  std::uint32_t ops_;
  Threads threads_;
  tbb::task_arena arena_;
  std::optional<Graph> graph_;
  bool held_ = false;
};

/// Runs a graph again that was built before.
class FlowGraphRerun {
 public:
  static constexpr const char* name = "TBB flow graph, rerun";
  static bool takes(std::string_view shape) { return shape != "single"; }

  FlowGraphRerun(const Work& work, int workers) : edges_(work), ops_(work.size()), threads_(workers), arena_(workers) {}

  template <class Body>
  void prepare(const Body& body) {
    arena_.execute([&] {
      graph_.emplace();
      graph_->build(body, edges_, ops_);
    });
  }
  template <class Body>
  void submit(const Body&, std::uint32_t, std::uint32_t) {
    arena_.execute([&] { graph_->start(); });
  }
  void wait() {
    arena_.execute([&] { graph_->wait(); });
  }

 private:
  Edges edges_;
  std::uint32_t ops_;
  Threads threads_;
  tbb::task_arena arena_;
  std::optional<Graph> graph_;
};

}  // namespace

int main(int count, char** arguments) {
  return bench::serve<TaskGroup, Enqueue, FlowGraph, FlowGraphRerun>(count, arguments);
}
