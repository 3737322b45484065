// Tests of whole workloads against serial execution: exact equality, on every executor and many seeds.
#include "executors.hpp"

using namespace support;

namespace {

struct Assignment {
  std::vector<std::size_t> read;
  std::size_t written = 0;
  std::chrono::nanoseconds busy{};
};

/// Each step reads 2 to 19 random variables, repeats allowed, and writes one that it does not read.
std::vector<Assignment> random_steps(Random& random, std::size_t count, std::size_t variables,
                                     std::chrono::nanoseconds longest) {
  std::vector<Assignment> steps(count);
  for (Assignment& step : steps) {
    step.written = random.below(variables);
    const std::size_t reads = 2 + random.below(18);
    for (std::size_t i = 0; i < reads; ++i) step.read.push_back(random.below(variables));
    std::erase(step.read, step.written);
    if (longest.count() > 0) {
      step.busy =
          longest / 9 + std::chrono::nanoseconds(random.below(static_cast<std::size_t>(longest.count() * 8 / 9)));
    }
  }
  return steps;
}

void run_step(const Assignment& step, std::vector<double>& data) {
  double sum = 0;
  for (const std::size_t at : step.read) sum += data[at];
  data[step.written] = sum / static_cast<double>(step.read.size() + 1);
}

std::vector<double> run_serially(const std::vector<Assignment>& steps, std::size_t variables) {
  std::vector<double> data(variables, 1.0);
  for (const Assignment& step : steps) run_step(step, data);
  return data;
}

std::vector<double> run_scheduled(const std::vector<Assignment>& steps, std::size_t variables,
                                  const SchedulerOptions& options) {
  std::vector<double> data(variables, 1.0);
  const std::vector<Var> vars(variables);
  Scheduler scheduler(options);
  for (const Assignment& step : steps) {
    std::vector<Var> read;
    for (const std::size_t at : step.read) read.push_back(vars[at]);
    scheduler.submit(reads(std::span(std::as_const(read))), writes(vars[step.written]), [&step, &data] {
      run_step(step, data);
      if (step.busy.count() > 0) spin(step.busy);
    });
  }
  scheduler.wait_all();
  return data;
}

/// Depends on the order.
void mix(const long& from, long& to) { to = (to * 3 + from) % 100003; }

/// Waits for others now and then, before and after it has done its part.
Op mixed(Scheduler& scheduler, Var read, Var written, const long& from, long& to, int kind, Var scratch) {
  co_await access(reads(read), writes(written));
  if (kind % 3 == 0) co_await yield();
  if (kind % 5 == 0) co_await scheduler.launch(writes(scratch), [] {});
  mix(from, to);
  if (kind % 7 == 0) co_await yield();
}

}  // namespace

TEST_SUITE_BEGIN("long");

TEST_CASE("ten thousand ops over a hundred variables give exactly what serial execution gives") {
  for (int repeat = 0; repeat < 5; ++repeat) {
    Random random(100 + static_cast<std::uint64_t>(repeat));
    const std::size_t count = scale() > 1 ? 10000 : 2000;
    const std::vector<Assignment> steps = random_steps(random, count, 100, repeat == 0 ? 9us : 0us);
    const std::vector<double> expected = run_serially(steps, 100);
    CAPTURE(repeat);
    on_every_executor([&](const SchedulerOptions& options) {
      const bool equal = run_scheduled(steps, 100, options) == expected;
      CHECK(equal);
    });
  }
}

TEST_SUITE_END();

TEST_CASE("few variables and many ops, where queues are long, give exactly what serial execution gives") {
  for (const std::size_t variables : {2, 3, 5}) {
    Random random(variables);
    const std::vector<Assignment> steps = random_steps(random, 3000, variables, 0us);
    const std::vector<double> expected = run_serially(steps, variables);
    CAPTURE(variables);
    on_every_executor([&](const SchedulerOptions& options) {
      const bool equal = run_scheduled(steps, variables, options) == expected;
      CHECK(equal);
    });
  }
}

TEST_CASE("many seeds of the permuting executor find no order that gives another result") {
  Random random(77);
  const std::vector<Assignment> steps = random_steps(random, 400, 12, 0us);
  const std::vector<double> expected = run_serially(steps, 12);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    const bool equal = run_scheduled(steps, 12, {.executor = Permuting{seed}}) == expected;
    CHECK(equal);
  }
}

TEST_CASE("coroutines that yield, inner ops, waits and callables mixed at random give what serial execution gives") {
  on_every_executor([](const SchedulerOptions& options) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      CAPTURE(seed);
      constexpr std::size_t variables = 6;
      Random random(seed);
      std::vector<long> expected(variables, 1);
      std::vector<long> values(variables, 1);
      const std::vector<Var> vars(variables);
      const Var scratch;
      Scheduler scheduler(options);
      for (int i = 0; i < 500; ++i) {
        const std::size_t from = random.below(variables);
        const std::size_t to = random.below(variables);
        const auto kind = static_cast<int>(random.below(100));
        if (from == to) continue;
        mix(expected[from], expected[to]);
        if (kind < 50) {
          scheduler.submit(reads(vars[from]), writes(vars[to]), [&, from, to] { mix(values[from], values[to]); });
        } else {
          static_cast<void>(mixed(scheduler, vars[from], vars[to], values[from], values[to], kind, scratch));
        }
        if (kind == 99) scheduler.wait(vars[to]);
      }
      scheduler.wait_all();
      CHECK(values == expected);
    }
  });
}
