// Random programs on overlapping and disjoint views: the same bits in any order that the scheduler may choose, and no order but what is
// needed.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <random>
#include <set>
#include <utility>
#include <vector>

import tessera;

using namespace tessera;

namespace {

constexpr std::ptrdiff_t rows = 9, columns = 8;
constexpr int matrices = 2;

/// A view of one of the matrices: where it begins, and its steps.
struct Part {
  int matrix;
  std::ptrdiff_t row, column, row_step, column_step;
};

enum class Action { add, update, fill, rewrite, sum_rows, read, name, wait };

struct Statement {
  Action action;
  std::ptrdiff_t height, width;
  Part to, from, also;
  float factor;
  bool is_option_on;
};

std::ptrdiff_t pick(std::mt19937& random, std::ptrdiff_t below) {
  return static_cast<std::ptrdiff_t>(random() % static_cast<std::uint32_t>(below));
}

/// Where `count` steps fit into `extent`.
std::pair<std::ptrdiff_t, std::ptrdiff_t> random_steps(std::mt19937& random, std::ptrdiff_t extent,
                                                       std::ptrdiff_t count) {
  const std::ptrdiff_t most = count == 1 ? 3 : (extent - 1) / (count - 1);
  const std::ptrdiff_t step = 1 + pick(random, std::min<std::ptrdiff_t>(most, 3));
  const std::ptrdiff_t reach = (count - 1) * step;
  const std::ptrdiff_t start = pick(random, extent - reach);
  return random() % 4 == 0 ? std::pair(start + reach, -step) : std::pair(start, step);
}

Part random_part(std::mt19937& random, std::ptrdiff_t height, std::ptrdiff_t width) {
  const auto [row, row_step] = random_steps(random, rows, height);
  const auto [column, column_step] = random_steps(random, columns, width);
  return {static_cast<int>(random() % matrices), row, column, row_step, column_step};
}

std::vector<Statement> random_program(std::uint32_t seed, int length, bool only_assignments) {
  std::mt19937 random(seed);
  std::vector<Statement> program;
  for (int i = 0; i < length; ++i) {
    const std::ptrdiff_t height = 1 + pick(random, rows), width = 1 + pick(random, random() % 3 == 0 ? columns : 3);
    constexpr Action usual[] = {Action::add,    Action::add,  Action::add,     Action::update,
                                Action::update, Action::fill, Action::rewrite, Action::sum_rows};
    constexpr Action rare[] = {Action::read, Action::read, Action::wait, Action::name};
    Action action = usual[random() % std::size(usual)];
    if (action == Action::rewrite && random() % 2 == 0) action = Action::add;
    if (!only_assignments && random() % 8 == 0) action = rare[random() % std::size(rare)];
    if (action == Action::name && random() % 4 != 0) action = Action::read;
    program.push_back({.action = action,
                       .height = height,
                       .width = width,
                       .to = random_part(random, height, width),
                       .from = random_part(random, height, width),
                       .also = random_part(random, height, width),
                       .factor = static_cast<float>(1 + random() % 7) / 8,
                       .is_option_on = only_assignments || random() % 6 != 0});
  }
  return program;
}

/// The matrices, one element more for each row, and what has been read on the way.
struct Machine {
  std::vector<Array<float, 2>> matrix;
  Array<float, 1> sums = zeros<float>(Dim{columns});
  std::vector<float> seen;

  Machine() {
    for (int i = 0; i < matrices; ++i) {
      matrix.push_back(reshape(arange(static_cast<float>(rows * columns)), Dim<2>{rows, columns}).clone());
    }
  }

  Array<float, 2> view(const Part& part, const Statement& step) const {
    const auto axis = [](std::ptrdiff_t start, std::ptrdiff_t count, std::ptrdiff_t by) {
      const std::ptrdiff_t end = start + count * by;
      return end < 0 ? range(start, none, by) : range(start, end, by);
    };
    return matrix[static_cast<std::size_t>(part.matrix)](axis(part.row, step.height, part.row_step),
                                                         axis(part.column, step.width, part.column_step));
  }

  void run(const Statement& step) {
    Array<float, 2>& whole = matrix[static_cast<std::size_t>(step.to.matrix)];
    switch (step.action) {
      case Action::add:
        view(step.to, step)(ellipsis) = view(step.from, step) * step.factor + view(step.also, step);
        break;
      case Action::update: view(step.to, step) += view(step.from, step) * step.factor; break;
      case Action::fill: view(step.to, step)(ellipsis) = step.factor; break;
      case Action::rewrite:
        whole(ellipsis) = matrix[static_cast<std::size_t>(step.from.matrix)] * step.factor + 1;
        break;
      case Action::sum_rows: sums(ellipsis) = sum<0>(whole) * 0.01f + sums; break;
      case Action::read:
        for (const float x : view(step.to, step)) seen.push_back(x);
        break;
      case Action::wait: whole.wait(); break;
      case Action::name: static_cast<void>(whole.var()); break;
    }
  }

  std::vector<float> result() {
    for (const Array<float, 2>& array : matrix) {
      for (const float x : array) seen.push_back(x);
    }
    for (const float x : sums) seen.push_back(x);
    return seen;
  }
};

std::vector<float> run_synchronously(const std::vector<Statement>& program) {
  Machine machine;
  for (const Statement& step : program) machine.run(step);
  return machine.result();
}

/// On one scheduler, or on two by turns.
std::vector<float> run_asynchronously(const std::vector<Statement>& program, Scheduler& scheduler, Scheduler& other) {
  Machine machine;
  for (std::size_t i = 0; i < program.size(); ++i) {
    Scheduler& used = i / 16 % 2 == 0 ? scheduler : other;
    if (&used != &scheduler && i % 16 == 0) scheduler.wait_all();
    if (&used == &scheduler && &scheduler != &other && i % 16 == 0) other.wait_all();
    const Async on{used, {.disjoint_views = program[i].is_option_on}};
    machine.run(program[i]);
  }
  return machine.result();
}

}  // namespace

TEST_CASE("random programs on views give what they give outside of a scope, to the last bit") {
  const char* const text = std::getenv("TESSERA_SEED");
  const auto first = text != nullptr ? static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10)) : 1u;
  for (std::uint32_t seed = first; seed < first + 300; ++seed) {
    INFO("seed ", seed);
    const std::vector<Statement> program = random_program(seed, 120, false);
    const std::vector<float> expected = run_synchronously(program);
    for (std::uint64_t order = 1; order <= 4; ++order) {
      Scheduler permuting({.executor = Permuting{.seed = order}});
      REQUIRE(run_asynchronously(program, permuting, permuting) == expected);
    }
    Scheduler pool({.workers = 2}), more({.workers = 3}), at_once({.executor = Inline{}}),
        bounded({.workers = 2, .window = 3});
    REQUIRE(run_asynchronously(program, pool, pool) == expected);
    REQUIRE(run_asynchronously(program, pool, more) == expected);
    REQUIRE(run_asynchronously(program, at_once, at_once) == expected);
    REQUIRE(run_asynchronously(program, bounded, bounded) == expected);
  }
}

TEST_CASE("assignments to views inside an op are its children") {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    INFO("seed ", seed);
    const std::vector<Statement> program = random_program(seed, 80, true);
    Scheduler scheduler({.workers = 2});
    Machine machine;
    const Var done;
    scheduler.submit(writes(done), [&] {
      const Async on{scheduler, {.disjoint_views = true}};
      for (const Statement& statement : program) machine.run(statement);
    });
    scheduler.wait(done);
    REQUIRE(machine.result() == run_synchronously(program));
  }
}

// ------------------------------------------------------------------------------------------------- no order but what is needed

namespace {

/// Memory that a step reads and writes, as numbers of elements.
struct Touched {
  std::set<std::ptrdiff_t> reads, writes;
};

Touched touched_by(const Statement& step) {
  const auto add = [&](std::set<std::ptrdiff_t>& to, const Part& part) {
    for (std::ptrdiff_t i = 0; i < step.height; ++i) {
      for (std::ptrdiff_t j = 0; j < step.width; ++j) {
        const std::ptrdiff_t row = part.row + i * part.row_step, column = part.column + j * part.column_step;
        to.insert((part.matrix * rows + row) * columns + column);
      }
    }
  };
  const auto add_all = [&](std::set<std::ptrdiff_t>& to, int matrix) {
    for (std::ptrdiff_t i = 0; i < rows * columns; ++i) to.insert(matrix * rows * columns + i);
  };
  Touched touched;
  if (step.action == Action::rewrite) {
    add_all(touched.writes, step.to.matrix);
    add_all(touched.reads, step.from.matrix);
  } else if (step.action == Action::sum_rows) {
    add_all(touched.reads, step.to.matrix);
    touched.writes.insert(-1);
  } else {
    add(touched.writes, step.to);
    if (step.action == Action::add) add(touched.reads, step.also);
    if (step.action != Action::fill) add(touched.reads, step.from);
    if (step.action == Action::update) add(touched.reads, step.to);
  }
  return touched;
}

template <class T>
bool meet(const std::set<T>& a, const std::set<T>& b) {
  return std::ranges::any_of(a, [&](const T& x) { return b.contains(x); });
}

/// For each pair of ops whether the later one waits for the earlier one, perhaps by way of others.
template <class Conflicts>
std::vector<std::vector<bool>> waits(std::size_t count, const Conflicts& conflicts) {
  std::vector<std::vector<bool>> result(count, std::vector<bool>(count, false));
  for (std::size_t later = 0; later < count; ++later) {
    for (std::size_t at = later; at-- > 0;) {
      if (result[later][at] || !conflicts(at, later)) continue;
      result[later][at] = true;
      for (std::size_t i = 0; i < at; ++i) result[later][i] = result[later][i] || result[at][i];
    }
  }
  return result;
}

}  // namespace

TEST_CASE("ops on views wait for just those that they must wait for") {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    const std::vector<Statement> program = random_program(seed, 50, true);
    Scheduler scheduler({.workers = 1});
    const Trace trace(scheduler);
    Machine machine;
    scheduler.stop();
    {
      const Async on{scheduler, {.disjoint_views = true}};
      // Reads that come before the first write of a part count as reads of all.
      for (Array<float, 2>& matrix : machine.matrix) matrix(0, 0, ellipsis) = 0;
      for (const Statement& step : program) machine.run(step);
    }
    scheduler.start();
    scheduler.wait_all();
    std::vector<OpRecord> records = trace.records();
    std::ranges::sort(records, {}, &OpRecord::id);
    const auto in_queues = waits(records.size(), [&](std::size_t a, std::size_t b) {
      const std::set<std::uint64_t> read(records[a].reads.begin(), records[a].reads.end()),
          written(records[a].writes.begin(), records[a].writes.end()),
          reads(records[b].reads.begin(), records[b].reads.end()),
          writes(records[b].writes.begin(), records[b].writes.end());
      return meet(written, reads) || meet(written, writes) || meet(read, writes);
    });
    std::vector<Touched> touched;
    for (const Statement& step : program) touched.push_back(touched_by(step));
    const auto needed = waits(program.size(), [&](std::size_t a, std::size_t b) {
      return meet(touched[a].writes, touched[b].reads) || meet(touched[a].writes, touched[b].writes) ||
             meet(touched[a].reads, touched[b].writes);
    });
    std::vector<std::size_t> ops;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (records[i].name != "join of views") ops.push_back(i);
    }
    ops.erase(ops.begin(), ops.begin() + matrices);
    REQUIRE(ops.size() == program.size());
    int missing = 0, needless = 0;
    for (std::size_t later = 0; later < ops.size(); ++later) {
      for (std::size_t earlier = 0; earlier < later; ++earlier) {
        const bool is_ordered = in_queues[ops[later]][ops[earlier]];
        missing += needed[later][earlier] && !is_ordered ? 1 : 0;
        needless += !needed[later][earlier] && is_ordered ? 1 : 0;
      }
    }
    INFO("seed ", seed);
    CHECK(missing == 0);
    CHECK(needless == 0);
  }
}
