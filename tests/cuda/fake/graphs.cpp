// A stand-in for the CUDA driver library: graphs of kernels.
//
// Environment: FAKE_CUDA_GRAPHS=0 for a driver that refuses to make any.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "driver.hpp"
#include "kernels.hpp"

using namespace fake;

namespace {

constexpr int not_supported = 801;

/// CUDA_KERNEL_NODE_PARAMS_v2.
struct KernelNode {
  Function* function;
  unsigned blocks, blocks_y, blocks_z;
  unsigned threads, threads_y, threads_z;
  unsigned shared_bytes;
  void** parameters;
  void** extra;
  void* kernel;
  void* context;
};

struct Node {
  Launch launch{};
  std::vector<const Node*> after{};
};

struct Graph {
  const Gpu* gpu = nullptr;
  std::vector<std::unique_ptr<Node>> nodes{};
};

/// What a graph was when it was instantiated, with what has been changed since.
struct GraphExec {
  const Gpu* gpu = nullptr;
  std::vector<const Node*> nodes{};  // of the graph: they name what is launched
  std::vector<Launch> launches{};
  std::vector<std::vector<std::size_t>> after{};
};

std::vector<std::unique_ptr<Graph>>& graphs() {
  static auto& all = *new std::vector<std::unique_ptr<Graph>>;
  return all;
}

std::vector<std::unique_ptr<GraphExec>>& execs() {
  static auto& all = *new std::vector<std::unique_ptr<GraphExec>>;
  return all;
}

template <class T>
bool is_among(const std::vector<std::unique_ptr<T>>& all, const std::type_identity_t<T>* one) {
  return std::ranges::any_of(all, [one](const auto& each) { return each.get() == one; });
}

int read(const KernelNode& node, const Gpu* gpu, Launch& launch) {
  if (node.blocks_y * node.blocks_z * node.threads_y * node.threads_z != 1 || node.parameters != nullptr)
    return invalid_value;
  if (node.kernel != nullptr || node.function == nullptr) return invalid_value;
  launch = {
      .function = node.function, .blocks = node.blocks, .threads = node.threads, .shared_bytes = node.shared_bytes};
  return check_launch(launch, gpu, node.extra);
}

/// In any order that the edges allow.
void run(Machine& machine, const std::vector<Launch>& launches, const std::vector<std::vector<std::size_t>>& after) {
  std::vector<bool> done(launches.size(), false);
  for (std::size_t k = 0; k < launches.size(); ++k) {
    std::vector<std::size_t> ready;
    for (std::size_t at = 0; at < launches.size(); ++at) {
      if (!done[at] && std::ranges::all_of(after[at], [&](std::size_t before) { return done[before]; }))
        ready.push_back(at);
    }
    const std::size_t chosen = ready[machine.random_below(static_cast<unsigned>(ready.size()))];
    run_kernel(machine, launches[chosen]);
    done[chosen] = true;
  }
}

}  // namespace

extern "C" {

int cuGraphCreate(Graph** graph, unsigned flags) {
  const std::lock_guard lock(Machine::instance().mutex);
  if (current == nullptr) return invalid_context;
  if (current->broken != success) return current->broken;
  const char* wish = std::getenv("FAKE_CUDA_GRAPHS");
  if (wish != nullptr && std::string(wish) == "0") return not_supported;
  if (flags != 0) return invalid_value;
  *graph = graphs().emplace_back(std::make_unique<Graph>(Graph{.gpu = current})).get();
  return success;
}

int cuGraphAddKernelNode_v2(Node** made, Graph* graph, Node* const* after, std::size_t count, const KernelNode* what) {
  const std::lock_guard lock(Machine::instance().mutex);
  if (!is_among(graphs(), graph)) return invalid_handle;
  Node node;
  if (const int result = read(*what, graph->gpu, node.launch); result != success) return result;
  for (std::size_t k = 0; k < count; ++k) {
    if (!is_among(graph->nodes, after[k])) return invalid_value;
    node.after.push_back(after[k]);
  }
  *made = graph->nodes.emplace_back(std::make_unique<Node>(std::move(node))).get();
  return success;
}

int cuGraphInstantiateWithFlags(GraphExec** exec, Graph* graph, unsigned long long) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (!is_among(graphs(), graph)) return invalid_handle;
  auto made = std::make_unique<GraphExec>(GraphExec{.gpu = graph->gpu});
  for (const auto& node : graph->nodes) {
    std::vector<std::size_t> after;
    for (const Node* before : node->after)
      after.push_back(static_cast<std::size_t>(std::ranges::find(made->nodes, before) - made->nodes.begin()));
    made->nodes.push_back(node.get());
    made->launches.push_back(node->launch);
    made->after.push_back(std::move(after));
  }
  machine.log("prepare a graph of " + std::to_string(graph->nodes.size()) + " kernels");
  *exec = execs().emplace_back(std::move(made)).get();
  return success;
}

int cuGraphExecKernelNodeSetParams_v2(GraphExec* exec, Node* node, const KernelNode* what) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (!is_among(execs(), exec)) return invalid_handle;
  const auto at = std::ranges::find(exec->nodes, node);
  if (at == exec->nodes.end()) return invalid_value;
  Launch launch;
  if (const int result = read(*what, exec->gpu, launch); result != success) return result;
  exec->launches[static_cast<std::size_t>(at - exec->nodes.begin())] = std::move(launch);
  machine.log("change a kernel of a graph");
  return success;
}

int cuGraphLaunch(GraphExec* exec, Stream* stream) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (const int result = check_stream(machine, stream); result != success) return result;
  if (fails_now()) return machine.failure;
  if (!is_among(execs(), exec)) return invalid_handle;
  if (exec->gpu != stream->gpu) return invalid_context;
  std::vector<Range> uses;
  for (const Launch& launch : exec->launches) {
    for (const Range& range : memory_of(machine, launch.arguments)) uses.push_back(range);
  }
  machine.give(*stream,
               {.name = "launch a graph of " + std::to_string(exec->launches.size()) + " kernels",
                .uses = std::move(uses),
                .run = [&machine, launches = exec->launches, after = exec->after] { run(machine, launches, after); }});
  return success;
}

int cuGraphExecDestroy(GraphExec* exec) {
  const std::lock_guard lock(Machine::instance().mutex);
  return std::erase_if(execs(), [exec](const auto& known) { return known.get() == exec; }) == 1 ? success
                                                                                                : invalid_handle;
}

int cuGraphDestroy(Graph* graph) {
  const std::lock_guard lock(Machine::instance().mutex);
  return std::erase_if(graphs(), [graph](const auto& known) { return known.get() == graph; }) == 1 ? success
                                                                                                   : invalid_handle;
}

/// Graphs, instantiated or not, that have not been destroyed.
std::size_t fake_graphs() {
  const std::lock_guard lock(Machine::instance().mutex);
  return graphs().size() + execs().size();
}

}  // extern "C"
