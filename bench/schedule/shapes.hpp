// The workloads of the scheduler's bench: lists of ops, each with the variables it reads and the one it writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bench {

inline constexpr std::uint32_t no_variable = UINT32_MAX;

/// Ops in the order of submission.
class Work {
 public:
  explicit Work(std::uint32_t variables) : variables_(variables) {}

  /// `reads` names each variable once and not the written one.
  void add(std::span<const std::uint32_t> reads, std::uint32_t write);
  void add(std::initializer_list<std::uint32_t> reads, std::uint32_t write) {
    add(std::span(reads.begin(), reads.size()), write);
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(writes_.size()); }
  std::uint32_t variables() const { return variables_; }
  std::span<const std::uint32_t> reads(std::uint32_t op) const {
    return std::span(reads_).subspan(first_read_[op], first_read_[op + 1] - first_read_[op]);
  }
  std::uint32_t write(std::uint32_t op) const { return writes_[op]; }

 private:
  std::uint32_t variables_;
  std::vector<std::uint32_t> reads_;
  std::vector<std::uint32_t> first_read_{0};
  std::vector<std::uint32_t> writes_;
};

/// Which earlier ops each op must wait for: what engines of tasks and edges take in place of variables.
class Edges {
 public:
  explicit Edges(const Work& work);

  std::span<const std::uint32_t> into(std::uint32_t op) const {
    return std::span(from_).subspan(first_[op], first_[op + 1] - first_[op]);
  }
  /// Ops on the longest path.
  std::uint32_t longest_path() const;

 private:
  std::vector<std::uint32_t> from_;
  std::vector<std::uint32_t> first_{0};
};

struct Shape {
  std::string name;
  Work (*make)();
};

/// The shapes whose time an op is measured with empty bodies.
std::span<const Shape> speed_shapes();

/// The shapes of the smallest useful op.
std::span<const Shape> grain_shapes();

/// What `submitters` threads submit: the same number of ops each, one thread's ops being a chain on a variable of its own.
Work own_chains(std::uint32_t submitters);

/// What `submitters` threads submit: ops that read two and write one of 64 variables, which all threads use.
Work shared_variables(std::uint32_t submitters);

/// Ops that depend on nothing.
Work independent(std::uint32_t submitters);

/// A chain on one variable.
Work chain(std::uint32_t ops);

/// Each op reads two variables, which never change, and writes one variable that all of them write.
Work two_reads(std::uint32_t ops);

}  // namespace bench
