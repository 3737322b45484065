// One case of the differential test: takes its inputs from a file of stored values and holds its results to those of NumPy, which are
// stored beside them. generate.py writes the cases and the values.
#pragma once
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <source_location>
#include <span>
#include <string>
#include <vector>

import tessera;

namespace differential {

using namespace tessera;

/// An array as the file has it: its elements are still text.
struct Stored {
  std::string kind = {};  // input, result or text
  std::string dtype = {};
  std::vector<std::ptrdiff_t> shape = {};
  std::vector<std::string> values = {};
  std::vector<double> bounds =
      {};  // by how much an element may differ, for each or one for all; infinite: not compared
  std::string text = {};
};

/// What a case reads and is held to, in the order in which it asks.
class Values {
 public:
  explicit Values(std::vector<Stored> stored) : stored_(std::move(stored)) {}

  /// The next input, in storage of its own.
  template <class T, int Rank, class P = Place>
  Array<T, Rank, P> input() {
    const Stored& from = next("input", dtype_of<T>, Rank);
    Dim<Rank> shape;
    for (int axis = 0; axis < Rank; ++axis) shape = shape.with(axis, from.shape[static_cast<std::size_t>(axis)]);
    Array<T, Rank, P> array(shape);
    read_elements(from, array.data());
    return array;
  }

  /// Holds an array to the next result.
  template <class T, int Rank, class P>
  void check(const Array<T, Rank, P>& array) {
    const auto rows = copy(array);
    check_elements(next("result", dtype_of<T>, Rank), rows.shape().extents(), rows.data());
  }

  /// Holds what is printed to the next text.
  void check_text(const std::string& text);

  /// Throws if the case did not ask for all that there is.
  void finish() const;

 private:
  const Stored& next(const std::string& kind, DType dtype, int rank);
  const Stored& next(const std::string& kind);
  static void read_elements(const Stored& from, void* elements);
  static void check_elements(const Stored& expected, std::span<const std::ptrdiff_t> shape, const void* elements);

  std::vector<Stored> stored_;
  std::size_t asked_ = 0;
};

/// A case of the program. It enters itself into the list of all when it is made.
class Case {
 public:
  using Body = void (*)(Values&);

  Case(int number, Body body, std::source_location where = std::source_location::current());

  int number;
  Body body;
  std::source_location where;
};

/// All cases of the program, by their numbers.
const std::vector<Case>& cases();

}  // namespace differential
