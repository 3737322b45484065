// Tests of recordings: a replay does what submitting the same ops again would do, with new arguments, on every executor.
#include <random>
#include <set>
#include <tuple>

#include "executors.hpp"

using namespace support;

namespace {

/// One op of the random workload: it reads some variables and writes one.
struct RandomOp {
  std::vector<std::size_t> reads;
  std::size_t write;

  void run(std::vector<double>& values) const {
    double sum = 1;
    for (const std::size_t read : reads) sum += values[read];
    values[write] = sum / static_cast<double>(reads.size() + 1);
  }
};

std::vector<RandomOp> random_workload(std::size_t count, std::size_t variables, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::size_t> any(0, variables - 1), how_many(2, 19);
  std::vector<RandomOp> ops(count);
  for (RandomOp& op : ops) {
    op.write = any(random);
    op.reads.resize(how_many(random));
    for (std::size_t& read : op.reads) read = any(random);
    std::erase(op.reads, op.write);
  }
  return ops;
}

std::vector<Var> named(const std::vector<Var>& vars, const std::vector<std::size_t>& indices) {
  std::vector<Var> some;
  for (const std::size_t index : indices) some.push_back(vars[index]);
  return some;
}

}  // namespace

TEST_CASE("a random workload that is recorded once and replayed gives what serial execution gives") {
  constexpr std::size_t variables = 100;
  constexpr int replays = 5;
  for (const auto& [name, options, at_once] : executor_cases()) {
    CAPTURE(name);
    const std::vector<RandomOp> ops = random_workload(name.starts_with("permuting") ? 500 : 2000, variables, 42);
    std::vector<double> expected(variables, 1.0), values(variables, 1.0);
    for (int i = 0; i < replays; ++i) {
      for (const RandomOp& op : ops) op.run(expected);
    }
    Scheduler sched(options);
    const std::vector<Var> vars(variables);
    const auto step = sched.capture([&] {
      for (const RandomOp& op : ops) {
        sched.submit(reads(named(vars, op.reads)), writes(vars[op.write]), [&op, &values] { op.run(values); });
      }
    });
    CHECK(step.size() == ops.size());
    CHECK(values == std::vector<double>(variables, 1.0));
    for (int i = 0; i < replays; ++i) step.replay();
    sched.wait_all();
    CHECK(values == expected);
  }
}

// --8<-- [start:step]
/// Halves the distance of a number from a goal; what is recorded is a member.
class Halving {
 public:
  explicit Halving(Scheduler& scheduler)
      : step_(scheduler.capture(
            [this, &scheduler](Parameter<double> goal) {
              scheduler.submit(writes(var_), [this, goal] { value_ = (value_ + goal.value()) / 2; });
            },
            CaptureOptions{.name = "halve", .priority = Priority::high})) {}
  Halving(const Halving&) = delete;  // the recorded op knows where this is

  void run(double goal) { step_.replay(goal); }
  const Var& var() const { return var_; }
  double value() const { return value_; }

 private:
  Var var_;
  double value_ = 0;
  Step<double> step_;  // double: the parameter's type
};
// --8<-- [end:step]

TEST_CASE("a step is kept as a member and replayed later") {
  for (const auto& [name, options, at_once] : executor_cases()) {
    CAPTURE(name);
    Scheduler scheduler(options);
    Halving halving(scheduler);
    for (const double goal : {8.0, 8.0, 2.0}) halving.run(goal);
    scheduler.wait(halving.var());
    CHECK(halving.value() == 4);
  }
}

TEST_CASE("each replay has its own arguments, also those that wait for an earlier one") {
  for (const auto& [name, options, at_once] : executor_cases()) {
    CAPTURE(name);
    Scheduler sched(options);
    // --8<-- [start:capture]
    Var gradient, weight;
    double g = 0, w = 1;
    auto step = sched.capture([&](Parameter<double> eta) {
      sched.submit(reads(weight), writes(gradient), [&] { g = 2 * w; }, {.name = "gradient"});
      sched.submit(reads(gradient), writes(weight), [&, eta] { w -= eta.value() * g; }, {.name = "update"});
    });
    for (const double eta : {0.25, 0.125, 0.5}) step.replay(eta);
    sched.wait(weight);
    // --8<-- [end:capture]
    CHECK(w == (1 - 2 * 0.25) * (1 - 2 * 0.125) * (1 - 2 * 0.5));
    step.replay(-0.5);
    sched.wait_all();
    CHECK(w == 0);
    CHECK(weight.version() == 4);
  }
}

TEST_CASE("a Var may be an argument, and orders the replay among other ops on it") {
  for (const auto& [name, options, at_once] : executor_cases()) {
    CAPTURE(name);
    Scheduler sched(options);
    // --8<-- [start:var]
    std::vector<int> batches(4), sums(1);
    std::vector<Var> batch_vars(4);
    Var sum;
    auto step = sched.capture([&](Parameter<std::size_t> index, Parameter<Var> batch) {
      sched.submit(reads(batch), writes(sum), [&, index] { sums[0] = 10 * sums[0] + batches[index.value()]; });
    });
    for (std::size_t i = 0; i < 4; ++i) {
      sched.submit(writes(batch_vars[i]), [&batches, i] { batches[i] = static_cast<int>(i) + 1; });
      step.replay(i, batch_vars[i]);
    }
    sched.wait(sum);
    // --8<-- [end:var]
    CHECK(sums[0] == 1234);
    for (const Var& var : batch_vars) CHECK(var.version() == 1);
    CHECK(sum.version() == 4);
  }
}

namespace {

/// A value behind which there is a Var, as behind an array.
struct Cell {
  Var var;
  std::shared_ptr<int> value = std::make_shared<int>(0);
};
const Var& var_of(const Cell& cell) { return cell.var; }

static_assert(HasVar<Cell> && HasVar<Var> && !HasVar<int>);
static_assert(NamesVar<Parameter<Cell>> && !NamesVar<Parameter<int>> && !NamesVar<int>);

}  // namespace

TEST_CASE("an argument that has a Var is given to reads and writes, and let go when the replay has ended") {
  for (const auto& [name, options, at_once] : executor_cases()) {
    CAPTURE(name);
    Scheduler sched(options);
    auto step = sched.capture([&](Parameter<Cell> from, Parameter<Cell> to) {
      sched.submit(reads(from), writes(to), [=] { *to.value().value += *from.value().value; });
      sched.submit(writes(to), [=] { *to.value().value *= 2; });
    });
    Cell a, b, c;
    *a.value = 1;
    step.replay(a, b);
    step.replay(b, c);
    step.replay(a, c);
    sched.wait_all();
    CHECK(*b.value == 2);
    CHECK(*c.value == 10);
    CHECK(b.var.version() == 2);
    CHECK(c.var.version() == 4);
    CHECK(a.value.use_count() == 1);
    CHECK(c.value.use_count() == 1);
  }
}

TEST_CASE("replays and ordinary ops keep the order of submission") {
  for (const auto& [name, options, at_once] : executor_cases()) {
    CAPTURE(name);
    Scheduler sched(options);
    Var a, b;
    std::vector<int> order;
    int seen = 0;
    auto step = sched.capture([&](Parameter<int> tag) {
      sched.submit(writes(a), [&, tag] { order.push_back(tag.value()); });
      sched.submit(reads(a), writes(b), [&, tag] { order.push_back(tag.value() + 1); });
    });
    sched.submit(writes(a), [&] { order.push_back(0); });
    step.replay(10);
    sched.submit(writes(b), [&] { order.push_back(20); });
    sched.submit(reads(b), [&] { seen = static_cast<int>(order.size()); });
    step.replay(30);
    sched.wait_all();
    CHECK(order == std::vector<int>{0, 10, 11, 20, 30, 31});
    CHECK(seen == 4);
    CHECK(a.version() == 3);
    CHECK(b.version() == 3);
  }
}

TEST_CASE("recorded ops that share no Var may run in any order, and each runs once a replay") {
  std::set<std::vector<int>> orders;
  for (unsigned seed = 0; seed < 20; ++seed) {
    Scheduler sched({.executor = Permuting{.seed = seed}});
    std::vector<int> order;
    std::vector<Var> vars(4);
    auto step = sched.capture([&] {
      for (int i = 0; i < 4; ++i)
        sched.submit(writes(vars[static_cast<std::size_t>(i)]), [&order, i] { order.push_back(i); });
    });
    step.replay();
    sched.wait_all();
    orders.insert(order);
    std::ranges::sort(order);
    CHECK(order == std::vector<int>{0, 1, 2, 3});
  }
  CHECK(orders.size() > 5);
}

TEST_CASE("a graph that is wide and deep runs every op in order on several workers, again and again") {
  for (const auto& [name, options, at_once] : executor_cases()) {
    CAPTURE(name);
    constexpr int layers = 20, width = 16, replays = 20;
    Scheduler sched(options);
    std::vector<Var> vars(width);
    std::vector<int> cells(width);
    std::atomic<int> wrong{0}, runs{0};
    auto step = sched.capture([&] {
      for (int layer = 0; layer < layers; ++layer) {
        for (std::size_t i = 0; i < width; ++i) {
          const std::size_t left = (i + width - 1) % width;
          sched.submit(reads(vars[left]), writes(vars[i]), [&, layer, i, left] {
            // Of its row the neighbour to the left has run, except for the first one.
            if (cells[left] % layers != (i == 0 ? layer : (layer + 1) % layers)) ++wrong;
            ++cells[i];
            ++runs;
          });
        }
      }
    });
    for (int i = 0; i < replays; ++i) step.replay();
    sched.wait_all();
    CHECK(wrong == 0);
    CHECK(runs == layers * width * replays);
    for (const Var& var : vars) CHECK(var.version() == layers * replays);
  }
}

TEST_CASE("replays from several threads at once run one after the other") {
  for (const int workers : {1, 2, 4}) {
    Scheduler sched({.workers = workers});
    Var var;
    int inside = 0, wrong = 0, sum = 0;
    const auto step = sched.capture([&](Parameter<int> value) {
      sched.submit(writes(var), [&] { wrong += inside++; });
      sched.submit(writes(var), [&, value] { sum += value.value(); });
      sched.submit(writes(var), [&] { wrong += --inside; });
    });
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&step] {
        for (int i = 1; i <= 100; ++i) step.replay(i);
      });
    }
    for (std::thread& thread : threads) thread.join();
    sched.wait_all();
    CHECK(wrong == 0);
    CHECK(sum == 3 * 5050);
    CHECK(var.version() == 900);
  }
}

TEST_CASE("a recording without Vars is not replayed twice at once") {
  Scheduler sched({.workers = 4});
  std::atomic<int> inside{0}, wrong{0}, runs{0};
  auto step = sched.capture([&](Parameter<int> value) {
    sched.submit(reads(), [&, value] {
      if (inside.fetch_add(1) != 0 || value.value() != runs++) ++wrong;
      inside.fetch_sub(1);
    });
  });
  for (int i = 0; i < 200; ++i) step.replay(i);
  sched.wait_all();
  CHECK(wrong == 0);
  CHECK(runs == 200);
}

TEST_CASE("a step may go away while its replays are pending") {
  for (const auto& [name, options, at_once] : executor_cases()) {
    CAPTURE(name);
    Scheduler sched(options);
    const auto token = std::make_shared<int>(0);
    sched.stop();
    {
      Var var;
      auto step = sched.capture(
          [&](Parameter<int> value) { sched.submit(writes(var), [token, value] { *token += value.value(); }); });
      step.replay(1);
      step.replay(2);
    }
    CHECK(*token == 0);
    sched.start();
    sched.wait_all();
    CHECK(*token == 3);
    CHECK(token.use_count() == 1);
  }
}

TEST_CASE("an empty recording replays nothing") {
  for (const auto& [name, options, at_once] : executor_cases()) {
    CAPTURE(name);
    Scheduler sched(options);
    auto step = sched.capture([](Parameter<Var>) {});
    CHECK(step.size() == 0);
    Var var;
    step.replay(var);
    step.replay(var);
    sched.wait_all();
    CHECK(var.version() == 0);
    CHECK(step.graph().size() == 0);
  }
}

TEST_CASE("a recorded op may submit ops and ends after them") {
  for (const auto& [name, options, at_once] : executor_cases()) {
    CAPTURE(name);
    Scheduler sched(options);
    Var var;
    std::vector<int> order;
    auto step = sched.capture([&] {
      sched.submit(writes(var), [&] {
        order.push_back(1);
        Var inner;
        for (int i = 2; i < 5; ++i) sched.submit(writes(inner), [&order, i] { order.push_back(i); });
      });
      sched.submit(reads(var), [&] { order.push_back(5); });
    });
    step.replay();
    step.replay();
    sched.wait_all();
    CHECK(order == std::vector<int>{1, 2, 3, 4, 5, 1, 2, 3, 4, 5});
    CHECK(var.version() == 2);
  }
}

TEST_CASE("a replay inside an op belongs to that op") {
  for (const auto& [name, options, at_once] : executor_cases()) {
    CAPTURE(name);
    Scheduler sched(options);
    Var inner, outer;
    std::vector<int> order;
    auto step = sched.capture([&] {
      sched.submit(writes(inner), [&] { order.push_back(1); });
      sched.submit(writes(inner), [&] { order.push_back(2); });
    });
    sched.submit(writes(outer), [&] { step.replay(); });
    sched.submit(reads(outer), [&] { order.push_back(3); });
    sched.wait_all();
    CHECK(order == std::vector<int>{1, 2, 3});
  }
}

TEST_CASE("the graph of a recording has its ops, their Vars and what they wait for, transitively reduced") {
  Scheduler sched;
  // --8<-- [start:graph]
  Var input, hidden, output;
  auto step = sched.capture([&] {
    sched.submit(writes(input), [] {}, {.name = "load"});
    sched.submit(reads(input), writes(hidden), [] {}, {.name = "hide"});
    sched.submit(reads(input, hidden), writes(output), [] {}, {.name = "show"});
  });
  const DependencyGraph graph = step.graph();  // graph.to_dot(), graph.to_svg()
  // --8<-- [end:graph]
  REQUIRE(graph.size() == 3);
  CHECK(graph.op(0).name == "load");
  CHECK(graph.op(2).name == "show");
  CHECK(std::set(graph.op(2).reads.begin(), graph.op(2).reads.end()) == std::set{input.id(), hidden.id()});
  CHECK(graph.op(2).writes == std::vector{output.id()});
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (const DependencyGraph::Edge& edge : graph.edges()) edges.emplace_back(edge.from, edge.to);
  CHECK(edges == std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {1, 2}});
}

TEST_CASE("a long recording does not grow the stack") {
  Scheduler sched({.executor = Inline{}});
  Var var;
  std::int64_t count = 0;
  auto step = sched.capture([&] {
    for (int i = 0; i < 200'000; ++i) sched.submit(writes(var), [&count] { ++count; });
  });
  step.replay();
  step.replay();
  sched.wait_all();
  CHECK(count == 400'000);
  CHECK(var.version() == 400'000);
}
