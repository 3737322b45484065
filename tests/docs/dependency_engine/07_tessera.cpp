// The library: the same workloads on its scheduler, and one step of training two layers, which draws its own timeline and graph.
#include <algorithm>
#include <fstream>
#include <functional>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "step.hpp"

import tessera;

using namespace tessera;

namespace {

/// Gives the library's scheduler the shape that the other steps have.
class SubmittingEngine {
 public:
  using Var = tessera::Var;

  explicit SubmittingEngine(int workers) : scheduler_({.workers = workers}) {}

  template <class F>
  void submit(std::span<Var* const> read, std::span<Var* const> written, const F& body) {
    if (read.empty()) return scheduler_.submit(writes(*written[0]), body);
    scheduler_.submit(reads(*read[0], *read[1]), writes(*written[0]), body);
  }
  void wait_all() { scheduler_.wait_all(); }

 private:
  Scheduler scheduler_;
};

/// The same for what it has captured.
class ReplayingEngine {
 public:
  using Var = tessera::Var;

  explicit ReplayingEngine(int workers) : scheduler_({.workers = workers}) {}

  template <class F>
  void submit(std::span<Var* const> read, std::span<Var* const> written, const F& body) {
    submissions_.push_back([this, read, written, body] {
      if (read.empty()) return scheduler_.submit(writes(*written[0]), body);
      scheduler_.submit(reads(*read[0], *read[1]), writes(*written[0]), body);
    });
  }
  void replay() {
    if (!step_) {
      step_ = scheduler_.capture([this] {
        for (const std::function<void()>& submission : submissions_) submission();
      });
    }
    step_->replay();
    scheduler_.wait_all();
  }

 private:
  Scheduler scheduler_;
  std::vector<std::function<void()>> submissions_;
  std::optional<Step<>> step_;
};

/// Two layers, a batch, and what one step of training computes on the way.
struct Network {
  static constexpr float eta = 0.01f;

  Array<float, 2> input = random::uniform<float>(random::Key{1}, Dim{256, 384}) - 0.5f;
  Array<float, 2> target = random::uniform<float>(random::Key{2}, Dim{256, 256}) - 0.5f;
  Array<float, 2> weights1 = 0.1f * (random::uniform<float>(random::Key{3}, Dim{384, 384}) - 0.5f);
  Array<float, 2> weights2 = 0.1f * (random::uniform<float>(random::Key{4}, Dim{384, 256}) - 0.5f);
  Array<float, 2> hidden{Dim{256, 384}}, error_hidden{Dim{256, 384}}, gradient1{Dim{384, 384}};
  Array<float, 2> output{Dim{256, 256}}, error{Dim{256, 256}}, gradient2{Dim{384, 256}};

  void forward1() { hidden = tanh(dot(input, weights1)); }
  void forward2() { output = dot(hidden, weights2); }
  void loss() { error = output - target; }
  void find_gradient2() { gradient2 = dot(hidden.T(), error); }
  void backward() { error_hidden = dot(error, weights2.T()) * (1.0f - hidden * hidden); }
  void update2() { weights2 = weights2 - eta * gradient2; }
  void find_gradient1() { gradient1 = dot(input.T(), error_hidden); }
  void update1() { weights1 = weights1 - eta * gradient1; }

  void step() { forward1(), forward2(), loss(), find_gradient2(), backward(), update2(), find_gradient1(), update1(); }
};

// --8<-- [start:step]
/// The Vars of what the ops of one step share.
struct NetworkVars {
  Var x, w1, h, w2, y, dy, g2, dh, g1;
};

void submit_step(Scheduler& scheduler, Network& net, const NetworkVars& v) {
  scheduler.submit(reads(v.x, v.w1), writes(v.h), [&] { net.forward1(); }, {.name = "forward 1"});
  scheduler.submit(reads(v.h, v.w2), writes(v.y), [&] { net.forward2(); }, {.name = "forward 2"});
  scheduler.submit(reads(v.y), writes(v.dy), [&] { net.loss(); }, {.name = "loss"});
  scheduler.submit(reads(v.h, v.dy), writes(v.g2), [&] { net.find_gradient2(); }, {.name = "gradient 2"});
  scheduler.submit(reads(v.dy, v.w2, v.h), writes(v.dh), [&] { net.backward(); }, {.name = "backward"});
  scheduler.submit(reads(v.g2), writes(v.w2), [&] { net.update2(); }, {.name = "update 2"});
  scheduler.submit(reads(v.x, v.dh), writes(v.g1), [&] { net.find_gradient1(); }, {.name = "gradient 1"});
  scheduler.submit(reads(v.g1), writes(v.w1), [&] { net.update1(); }, {.name = "update 1"});
}
// --8<-- [end:step]

bool are_equal(const Array<float, 2>& a, const Array<float, 2>& b) { return std::equal(a.begin(), a.end(), b.begin()); }

struct Pictures {
  std::string timeline, graph;
};

bool use_two_workers(const std::vector<OpRecord>& ops) {
  return std::ranges::any_of(ops, [&ops](const OpRecord& op) { return op.worker != ops.front().worker; });
}

/// Draws a step in which both workers took part, if there is one among the first: threads may have to wake up. Returns nothing if the
/// weights are not those of serial steps.
Pictures draw() {
  set_num_threads(1);  // inside an op, so that each op is one worker's
  Network serial, asynchronous;
  const NetworkVars vars;
  Scheduler scheduler({.workers = 2});
  Pictures drawn;
  for (int step = 0; step < 20; ++step) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // each step begins with all workers idle
    // --8<-- [start:trace]
    const Trace trace(scheduler);
    submit_step(scheduler, asynchronous, vars);
    scheduler.wait_all();
    const std::vector<OpRecord> ops = trace.records();
    drawn.timeline = timeline_svg(ops, {.title = "A step of training", .workers = 2});
    drawn.graph = DependencyGraph(ops).to_svg({.title = "What waits for what"});
    // --8<-- [end:trace]
    serial.step();
    if (!are_equal(serial.weights1, asynchronous.weights1) || !are_equal(serial.weights2, asynchronous.weights2)) {
      std::printf("after %d steps the weights differ from those of serial ones\n", step + 1);
      return {};
    }
    if (step > 0 && use_two_workers(ops)) break;
  }
  return drawn;
}

/// What a graph says whatever the times are: its ops, and which waits for which and why, one a line, without the numbers of Vars.
std::string structure_of(const std::string& graph) {
  std::multiset<std::string> lines;
  const std::regex title("<title>([^<]*)</title>"), var_numbers("Vars? [0-9, ]+");
  for (std::sregex_iterator at(graph.begin(), graph.end(), title), end; at != end; ++at) {
    const std::string text = std::regex_replace((*at)[1].str(), var_numbers, "Var");
    const std::size_t line_end = text.find('\n');
    const bool is_edge = text.find("\xE2\x86\x92") != text.npos;
    lines.insert((is_edge ? text : text.substr(0, line_end)) + '\n');
  }
  std::string all;
  for (const std::string& line : lines) all += line;
  return all;
}

/// How many ops and lanes a timeline has.
std::string summary_of(const std::string& timeline) {
  std::smatch count;
  if (!std::regex_search(timeline, count, std::regex("[0-9]+ ops in"))) return "no ops";
  std::size_t lanes = 0;
  for (std::size_t at = timeline.find(">worker "); at != timeline.npos; at = timeline.find(">worker ", at + 1)) ++lanes;
  return count.str() + " " + std::to_string(lanes) + " lanes\n";
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool are_same(const char* what, const std::string& shown, const std::string& drawn) {
  if (shown == drawn && std::ranges::count(drawn, '\n') != 0) return true;
  std::printf("%s: the page's picture shows\n%sand a new one\n%s", what, shown.c_str(), drawn.c_str());
  return false;
}

}  // namespace

/// Argument: the folder of the page's pictures, which are compared with new ones, or written with --write.
int main(int count, char** arguments) {
  const std::vector<std::string> given(arguments + 1, arguments + count);
  const Pictures drawn = draw();
  if (given.empty() || drawn.graph.empty()) return 1;
  const std::string timeline = given[0] + "/engine-timeline.svg", graph = given[0] + "/engine-graph.svg";
  if (given.size() > 1 && given[1] == "--write") {
    std::ofstream(timeline) << drawn.timeline;
    std::ofstream(graph) << drawn.graph;
  }
  if (!are_same("graph", structure_of(text_of(graph)), structure_of(drawn.graph))) return 1;
  if (!are_same("timeline", summary_of(text_of(timeline)), summary_of(drawn.timeline))) return 1;
  const int submitted = step::run<SubmittingEngine>("Tessera");
  return submitted != 0 ? submitted : step::run<ReplayingEngine>("Tessera, replay");
}
