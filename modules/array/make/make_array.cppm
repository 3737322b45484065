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

/// A vector from a list.
export template <Element T, AnyPlace P = Place>
Array<T, 1, P> make_array(std::initializer_list<T> values, P place = {}) {
  return {values, place};
}

/// A matrix from a list of rows. Throws ShapeError if the rows differ in length.
export template <Element T, AnyPlace P = Place>
Array<T, 2, P> make_array(std::initializer_list<std::initializer_list<T>> rows, P place = {}) {
  return {rows, place};
}

/// A stack of matrices from nested lists. Throws ShapeError if lists of one level differ in length.
export template <Element T, AnyPlace P = Place>
Array<T, 3, P> make_array(std::initializer_list<std::initializer_list<std::initializer_list<T>>> blocks, P place = {}) {
  return {blocks, place};
}

/// Numbers that a list of one type does not take, such as 1 and 2.5 together.
struct MixedNumbers {
  std::initializer_list<double> values;

  MixedNumbers(std::initializer_list<double> of) : values(of) {}
};

/// Numbers of different types are taken as double: make_array({1, 2.5}).
// clang-format off
export inline Array<double, 1> make_array(MixedNumbers numbers, Place place = {}) { return {numbers.values, place}; }  // a range of elements: bool, integers, floating or complex numbers
// clang-format on

}  // namespace tessera
