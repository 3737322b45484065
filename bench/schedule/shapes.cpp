// Makes the workloads and finds the dependencies in them.
#include "shapes.hpp"

#include <algorithm>
#include <array>
#include <random>

namespace bench {

void Work::add(std::span<const std::uint32_t> reads, std::uint32_t write) {
  reads_.insert(reads_.end(), reads.begin(), reads.end());
  first_read_.push_back(static_cast<std::uint32_t>(reads_.size()));
  writes_.push_back(write);
}

Edges::Edges(const Work& work) {
  std::vector<std::uint32_t> writer(work.variables(), no_variable);
  std::vector<std::vector<std::uint32_t>> readers(work.variables());
  std::vector<std::uint32_t> before;
  for (std::uint32_t op = 0; op < work.size(); ++op) {
    before.clear();
    for (const std::uint32_t v : work.reads(op)) {
      if (writer[v] != no_variable) before.push_back(writer[v]);
      readers[v].push_back(op);
    }
    if (const std::uint32_t v = work.write(op); v != no_variable) {
      if (readers[v].empty() && writer[v] != no_variable) before.push_back(writer[v]);
      before.insert(before.end(), readers[v].begin(), readers[v].end());
      readers[v].clear();
      writer[v] = op;
    }
    std::ranges::sort(before);
    from_.insert(from_.end(), before.begin(), std::ranges::unique(before).begin());
    first_.push_back(static_cast<std::uint32_t>(from_.size()));
  }
}

std::uint32_t Edges::longest_path() const {
  std::vector<std::uint32_t> depth(first_.size() - 1, 1);
  std::uint32_t longest = 0;
  for (std::uint32_t op = 0; op < depth.size(); ++op) {
    for (const std::uint32_t earlier : into(op)) depth[op] = std::max(depth[op], depth[earlier] + 1);
    longest = std::max(longest, depth[op]);
  }
  return longest;
}

Work chain(std::uint32_t ops) {
  Work work(1);
  for (std::uint32_t i = 0; i < ops; ++i) work.add({}, 0);
  return work;
}

Work two_reads(std::uint32_t ops) {
  Work work(3);
  for (std::uint32_t i = 0; i < ops; ++i) work.add({0, 1}, 2);
  return work;
}

namespace {

constexpr std::uint32_t many = 200'000;

Work independent_writes() {
  Work work(many);
  for (std::uint32_t i = 0; i < many; ++i) work.add({}, i);
  return work;
}

/// One op writes what 16 read, and one reads what those have written.
Work fans() {
  constexpr std::uint32_t width = 16;
  std::array<std::uint32_t, width> leaves;
  for (std::uint32_t i = 0; i < width; ++i) leaves[i] = i + 1;
  Work work(width + 1);
  while (work.size() + width < many) {
    for (const std::uint32_t leaf : leaves) work.add({0}, leaf);
    work.add(leaves, 0);
  }
  return work;
}

Work mostly_reads() {
  Work work(1);
  for (std::uint32_t i = 0; i < many; ++i) {
    if (i % 100 == 0) {
      work.add({}, 0);
    } else {
      work.add({0}, no_variable);
    }
  }
  return work;
}

/// The random workload of MXNet's engine tests: 2 to 19 draws of what to read from 100 variables; repeats fall together.
Work random_workload() {
  constexpr std::uint32_t variables = 100;
  std::mt19937 random(7);
  const auto draw = [&](std::uint32_t low, std::uint32_t high) { return low + random() % (high - low + 1); };
  Work work(variables);
  std::vector<std::uint32_t> reads;
  for (std::uint32_t i = 0; i < 50'000; ++i) {
    const std::uint32_t write = draw(0, variables - 1);
    reads.resize(draw(2, 19));
    for (std::uint32_t& v : reads) v = draw(0, variables - 1);
    std::ranges::sort(reads);
    reads.erase(std::ranges::unique(reads).begin(), reads.end());
    std::erase(reads, write);
    work.add(reads, write);
  }
  return work;
}

/// Each cell of a square waits for the one above and the one to its left.
Work wavefront() {
  constexpr std::uint32_t side = 300;
  Work work(side * side);
  for (std::uint32_t i = 0; i < side; ++i) {
    for (std::uint32_t j = 0; j < side; ++j) {
      const std::uint32_t cell = i * side + j;
      if (i > 0 && j > 0) {
        work.add({cell - side, cell - 1}, cell);
      } else if (cell > 0) {
        work.add({i > 0 ? cell - side : cell - 1}, cell);
      } else {
        work.add({}, cell);
      }
    }
  }
  return work;
}

/// The dependencies of the right-looking Cholesky factorisation of tiles x tiles tiles.
Work cholesky(std::uint32_t tiles) {
  const auto tile = [tiles](std::uint32_t i, std::uint32_t j) { return i * tiles + j; };
  Work work(tiles * tiles);
  for (std::uint32_t k = 0; k < tiles; ++k) {
    work.add({}, tile(k, k));
    for (std::uint32_t i = k + 1; i < tiles; ++i) work.add({tile(k, k)}, tile(i, k));
    for (std::uint32_t i = k + 1; i < tiles; ++i) {
      work.add({tile(i, k)}, tile(i, i));
      for (std::uint32_t j = k + 1; j < i; ++j) work.add({tile(i, k), tile(j, k)}, tile(i, j));
    }
  }
  return work;
}

/// Each op waits for its parent in a complete tree.
Work tree() {
  constexpr std::uint32_t nodes = (1u << 17) - 1;
  Work work(nodes);
  work.add({}, 0);
  for (std::uint32_t i = 1; i < nodes; ++i) work.add({(i - 1) / 2}, i);
  return work;
}

/// Sweeps over 16 blocks, each of which needs itself and its neighbours as the sweep before left them.
Work stencil() {
  constexpr std::uint32_t width = 16, sweeps = 300;
  Work work(2 * width);
  for (std::uint32_t t = 0; t < sweeps; ++t) {
    const std::uint32_t from = t % 2 * width, to = width - from;
    for (std::uint32_t i = 0; i < width; ++i) {
      std::vector<std::uint32_t> reads{from + i};
      if (i > 0) reads.push_back(from + i - 1);
      if (i + 1 < width) reads.push_back(from + i + 1);
      work.add(reads, to + i);
    }
  }
  return work;
}

}  // namespace

std::span<const Shape> speed_shapes() {
  static const std::vector<Shape> shapes{{"chain", [] { return chain(many); }},
                                         {"two_reads", [] { return two_reads(many); }},
                                         {"independent", [] { return independent(1); }},
                                         {"independent_writes", independent_writes},
                                         {"fans", fans},
                                         {"mostly_reads", mostly_reads},
                                         {"random", random_workload},
                                         {"wavefront", wavefront},
                                         {"cholesky", [] { return cholesky(80); }},
                                         {"tree", tree}};
  return shapes;
}

std::span<const Shape> grain_shapes() {
  static const std::vector<Shape> shapes{
      {"chain", [] { return chain(5'000); }}, {"stencil", stencil}, {"cholesky", [] { return cholesky(30); }}};
  return shapes;
}

Work independent(std::uint32_t submitters) {
  Work work(0);
  for (std::uint32_t i = 0; i < many / submitters * submitters; ++i) work.add({}, no_variable);
  return work;
}

Work own_chains(std::uint32_t submitters) {
  Work work(submitters);
  for (std::uint32_t thread = 0; thread < submitters; ++thread) {
    for (std::uint32_t i = 0; i < many / submitters; ++i) work.add({}, thread);
  }
  return work;
}

Work shared_variables(std::uint32_t submitters) {
  constexpr std::uint32_t variables = 64;
  std::mt19937 random(11);
  Work work(variables);
  for (std::uint32_t i = 0; i < many / submitters * submitters; ++i) {
    const std::uint32_t a = random() % variables;
    const std::uint32_t b = (a + 1 + random() % (variables - 2)) % variables;
    const std::uint32_t rest = random() % variables;
    std::uint32_t write = rest;
    while (write == a || write == b) write = (write + 1) % variables;
    work.add({a, b}, write);
  }
  return work;
}

}  // namespace bench
