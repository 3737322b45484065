module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module tessera.device;
import tessera.core;
import :driver_table;
import :gpu_error;
import :launch_collector;
import :stream_state;

// Comparing launches that are held back with those of the last time, and launching graphs.
namespace tessera::device {

namespace {

/// A launch with all that it names. It is used again for other launches, and keeps its memory.
struct KeptLaunch {
  void take(const Launch& other) {
    function = other.function;
    blocks = other.blocks;
    threads = other.threads;
    shared_bytes = other.shared_bytes;
    arguments.assign(other.arguments.begin(), other.arguments.end());
    expression.assign(other.expression);
    where = other.where;
  }
  Launch launch() const {
    return {.function = function,
            .blocks = blocks,
            .threads = threads,
            .shared_bytes = shared_bytes,
            .arguments = arguments,
            .expression = expression,
            .where = where};
  }
  bool has_same_kernel(const KeptLaunch& other) const {
    return function == other.function && arguments.size() == other.arguments.size();
  }
  bool has_same_numbers(const KeptLaunch& other) const {
    return blocks == other.blocks && threads == other.threads && shared_bytes == other.shared_bytes &&
           arguments == other.arguments;
  }

  CuFunction function = nullptr;
  unsigned blocks = 0, threads = 0, shared_bytes = 0;
  std::vector<std::byte> arguments{};
  std::string expression{};
  std::source_location where{};
};

/// The first `count` of `all`.
struct KeptLaunches {
  std::vector<KeptLaunch> all{};
  std::size_t count = 0;

  void add(const Launch& launch) {
    if (count == all.size()) all.emplace_back();
    all[count].take(launch);
    ++count;
  }
  std::span<const KeptLaunch> launches() const { return std::span(all).first(count); }
};

bool have_same_kernels(std::span<const KeptLaunch> a, std::span<const KeptLaunch> b) {
  return std::ranges::equal(
      a, b, [](const KeptLaunch& left, const KeptLaunch& right) { return left.has_same_kernel(right); });
}

CuKernelNode node_of(const KeptLaunch& launch, ArgumentBuffer& arguments) {
  return {.function = launch.function,
          .blocks = launch.blocks,
          .threads = launch.threads,
          .shared_bytes = launch.shared_bytes,
          .extra = arguments.extra()};
}

/// A chain of kernels that CUDA has prepared.
class Graph {
 public:
  explicit Graph(GpuPlace place) : place_(place) {}
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    try {
      last_.wait();
      enter(place_);
    } catch (...) {  // with the GPU everything is lost
      return;
    }
    if (native_ != nullptr) driver().graph_exec_destroy(native_);
    if (graph_ != nullptr) driver().graph_destroy(graph_);
  }

  /// Returns false if CUDA refuses. The context is the place's.
  bool prepare(std::span<const KeptLaunch> launches) {
    if (driver().graph_create(&graph_, 0) != cuda_success) return false;
    nodes_.reserve(launches.size());
    for (const KeptLaunch& launch : launches) {
      ArgumentBuffer arguments(launch.arguments);
      const CuKernelNode node = node_of(launch, arguments);
      const bool is_first = nodes_.empty();
      CuGraphNode made = nullptr;
      if (driver().graph_add_kernel(&made, graph_, is_first ? nullptr : &nodes_.back(), is_first ? 0 : 1, &node) !=
          cuda_success)
        return false;
      nodes_.push_back(made);
    }
    return driver().graph_instantiate(&native_, graph_, 0) == cuda_success;
  }

  /// Changes what is another in `launches` than in `last`. Returns false if CUDA refuses.
  bool update(std::span<const KeptLaunch> launches, std::span<const KeptLaunch> last) {
    for (std::size_t k = 0; k < launches.size(); ++k) {
      if (launches[k].has_same_numbers(last[k])) continue;
      ArgumentBuffer arguments(launches[k].arguments);
      const CuKernelNode node = node_of(launches[k], arguments);
      if (driver().graph_update_kernel(native_, nodes_[k], &node) != cuda_success) return false;
    }
    return true;
  }

  bool launch(CuStream stream) { return driver().graph_launch(native_, stream) == cuda_success; }
  void note(const StreamMark& mark) { last_ = mark; }
  GpuPlace place() const { return place_; }

 private:
  GpuPlace place_;
  CuGraph graph_ = nullptr;
  CuGraphExec native_ = nullptr;
  std::vector<CuGraphNode> nodes_;
  StreamMark last_;  // of the last launch
};

/// Launches of one stream with nothing between them, and their graph once they have been repeated.
class LaunchRun {
 public:
  /// Gives CUDA the launches, and has those of the last time in their place. Throws DeviceError.
  void give(KeptLaunches& now, GpuPlace place, CuStream stream) {
    const std::span<const KeptLaunch> launches = now.launches();
    enter(place);
    const bool is_repeated =
        launches.size() > 1 && has_last_ && place == last_place_ && have_same_kernels(launches, last_.launches());
    const bool is_given = is_repeated && give_as_graph(launches, place, stream);
    if (!is_repeated) graph_.reset();
    std::swap(now, last_);
    has_last_ = true;
    last_place_ = place;
    if (is_given) return;
    for (const KeptLaunch& launch : last_.launches()) device::give(launch.launch(), place, stream);
  }
  void note(const StreamMark& mark) {
    if (graph_ != nullptr) graph_->note(mark);
  }
  const KeptLaunches& last() const { return last_; }
  bool has_graph() const { return graph_ != nullptr; }

 private:
  bool give_as_graph(std::span<const KeptLaunch> launches, GpuPlace place, CuStream stream) {
    if (is_refused_) return false;
    bool is_ready = graph_ != nullptr;
    if (is_ready) {
      is_ready = graph_->update(launches, last_.launches());
    } else {
      graph_ = std::make_unique<Graph>(place);
      is_ready = graph_->prepare(launches);
    }
    if (is_ready && graph_->launch(stream)) return true;
    is_refused_ = true;  // one by one they say what is wrong, if anything is
    graph_.reset();
    return false;
  }

  KeptLaunches last_;
  GpuPlace last_place_{};
  bool has_last_ = false;
  bool is_refused_ = false;
  std::unique_ptr<Graph> graph_;
};

}  // namespace

/// The runs of a repeated piece of work, in their order.
class LaunchRuns final : public LaunchCollector {
 public:
  void begin() { next_ = 0; }

  void add(Stream& stream, const Launch& launch) override {
    if (stream_ != &stream) give();
    now_.add(launch);
    stream_ = &stream;
    StreamState::of(stream).promise();
  }

  bool has_for(const StreamState& stream) const override {
    return stream_ != nullptr && &StreamState::of(*stream_) == &stream;
  }

  void give() override {
    if (stream_ == nullptr) return;
    Stream& stream = *std::exchange(stream_, nullptr);
    StreamState& state = StreamState::of(stream);
    try {
      if (next_ == runs_.size()) runs_.push_back(std::make_unique<LaunchRun>());
      LaunchRun& run = *runs_[next_++];
      run.give(now_, stream.place(), state.native());
      now_.count = 0;
      std::uint64_t sequence = state.keep_promises();
      for (const KeptLaunch& launch : run.last().launches())
        state.note_launch(sequence++, launch.expression, launch.where);
      run.note(stream.mark());
    } catch (...) {
      now_.count = 0;
      if (state.collects()) static_cast<void>(state.keep_promises());  // nobody waits for what will not come
      throw;
    }
  }

  int graphs() const {
    return static_cast<int>(std::ranges::count_if(runs_, [](const auto& run) { return run->has_graph(); }));
  }

 private:
  std::vector<std::unique_ptr<LaunchRun>> runs_;
  std::size_t next_ = 0;
  KeptLaunches now_;
  Stream* stream_ = nullptr;  // that they are for; null when there are none
};

LaunchGraphs::LaunchGraphs() : runs_(std::make_unique<LaunchRuns>()) {}

LaunchGraphs::~LaunchGraphs() = default;

int LaunchGraphs::count() const { return runs_->graphs(); }

CollectedLaunches::CollectedLaunches(LaunchGraphs& graphs)
    : is_active_(thread_collector() == nullptr && driver().has_graphs) {
  if (!is_active_) return;
  graphs.runs_->begin();
  thread_collector() = graphs.runs_.get();
}

CollectedLaunches::~CollectedLaunches() {
  try {
    finish();
  } catch (...) {
  }
}

void CollectedLaunches::finish() {
  if (!std::exchange(is_active_, false)) return;
  std::exchange(thread_collector(), nullptr)->give();
}

}  // namespace tessera::device
