module;
#include <cstddef>
export module tessera.array:make_array;
import tessera.standard;
import tessera.core;
import tessera.device;
import :concepts;
import :handle;

// Arrays from C++ values: vectors, ranges and nested lists.
namespace tessera {

/// The elements of a range along one axis.
export template <std::ranges::input_range R, AnyPlace P = Place>
  requires Element<std::ranges::range_value_t<R>> && (!Elements<R>)
auto make_array(R&& values, P place = {}) {
  using T = std::ranges::range_value_t<R>;
  if constexpr (std::ranges::forward_range<R>) {
    const auto count = static_cast<std::ptrdiff_t>(std::ranges::distance(values));
    Array<T, 1, CpuPlace> array(Dim<1>{count});
    std::ranges::copy(values, array.data());
    return Array<T, 1, Place>(array).to(place);
  } else {
    std::vector<T> stored;
    std::ranges::copy(values, std::back_inserter(stored));
    return make_array(stored, place);
  }
}

[[noreturn]] inline void throw_ragged(std::size_t expected, std::size_t found, std::size_t row) {
  throw ShapeError(to_string(Failure{.operation = "make_array",
                                     .problem = "list " + std::to_string(row) + " has " + std::to_string(found) +
                                                " elements, the first has " + std::to_string(expected),
                                     .advice = "all lists of one level must be of the same length"}));
}

/// A vector from a list.
export template <Element T, AnyPlace P = Place>
Array<T, 1, P> make_array(std::initializer_list<T> values, P place = {}) {
  Array<T, 1, CpuPlace> array(Dim<1>{values.size()});
  std::ranges::copy(values, array.data());
  return Array<T, 1, Place>(array).to(place);
}

/// A matrix from a list of rows. Throws ShapeError if the rows differ in length.
export template <Element T, AnyPlace P = Place>
Array<T, 2, P> make_array(std::initializer_list<std::initializer_list<T>> rows, P place = {}) {
  const std::size_t columns = rows.size() == 0 ? 0 : rows.begin()->size();
  Array<T, 2, CpuPlace> array(Dim<2>{rows.size(), columns});
  T* to = array.data();
  std::size_t row = 0;
  for (const auto& values : rows) {
    if (values.size() != columns) throw_ragged(columns, values.size(), row);
    to = std::ranges::copy(values, to).out;
    ++row;
  }
  return Array<T, 2, Place>(array).to(place);
}

/// A stack of matrices from nested lists. Throws ShapeError if lists of one level differ in length.
export template <Element T, AnyPlace P = Place>
Array<T, 3, P> make_array(std::initializer_list<std::initializer_list<std::initializer_list<T>>> blocks, P place = {}) {
  const std::size_t rows = blocks.size() == 0 ? 0 : blocks.begin()->size();
  const std::size_t columns = rows == 0 ? 0 : blocks.begin()->begin()->size();
  Array<T, 3, CpuPlace> array(Dim<3>{blocks.size(), rows, columns});
  T* to = array.data();
  std::size_t list = 0;
  for (const auto& block : blocks) {
    if (block.size() != rows) throw_ragged(rows, block.size(), list);
    for (const auto& values : block) {
      if (values.size() != columns) throw_ragged(columns, values.size(), list);
      to = std::ranges::copy(values, to).out;
    }
    ++list;
  }
  return Array<T, 3, Place>(array).to(place);
}

}  // namespace tessera
