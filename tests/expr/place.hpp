// Where the tests of the suite "any place" compute. Operands are made on the host in their layouts; there() takes them, whole storage and
// all, to the place that TESSERA_TEST_PLACE names, and here() brings results back. On the CPU both are the array itself.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace support {

using namespace tessera;

/// The GPU that TESSERA_TEST_PLACE=gpu:<number> names, or the CPU.
inline Place wanted_place() {
  static const Place place = [] {
    const char* const variable = std::getenv("TESSERA_TEST_PLACE");
    const std::string text = variable != nullptr && *variable != '\0' ? variable : "cpu";
    if (text == "cpu") return Place(CpuPlace{});
    const auto ordinal = text.starts_with("gpu:") ? std::atoi(text.c_str() + 4) : -1;
    if (text == to_string(Place(GpuPlace{ordinal}))) return Place(GpuPlace{ordinal});
    throw std::invalid_argument("TESSERA_TEST_PLACE is cpu or gpu:<number>, not " + text);
  }();
  return place;
}

/// Where the running test case computes: those outside the suite stay on the CPU.
inline Place test_place() {
  const auto* const test = doctest::getContextOptions()->currentTest;
  return test != nullptr && std::string_view(test->m_test_suite) == "any place" ? wanted_place() : Place(CpuPlace{});
}

inline bool is_on_gpu() { return !test_place().on_host(); }

/// All of the array's storage copied to another place, seen through the same shape, strides and offset.
template <class T, int Rank>
Array<T, Rank> moved(const Array<T, Rank>& array, Place place) {
  const auto count = array.buffer()->bytes() / static_cast<std::ptrdiff_t>(sizeof(T));
  const Array<T, 1> storage(array.buffer(), Layout<1>{.shape = Dim<1>{count}, .strides = {1}}, array.place());
  const Array<T, 1> copy = storage.to(place);
  const Layout<Rank> layout{.shape = array.shape(),
                            .strides = array.strides(),
                            .offset = array.data() - static_cast<const T*>(array.buffer()->data())};
  return {copy.buffer(), layout, place};
}

/// The array at the place of the tests.
template <class T, int Rank, class P>
Array<T, Rank> there(const Array<T, Rank, P>& array) {
  const Array<T, Rank> from = array;
  return !is_on_gpu() || from.buffer() == nullptr || from.place() == test_place() ? from : moved(from, test_place());
}

/// The array on the host.
template <class T, int Rank, class P>
Array<T, Rank> here(const Array<T, Rank, P>& array) {
  const Array<T, Rank> from = array;
  return from.buffer() == nullptr || from.place().on_host() ? from : moved(from, CpuPlace{});
}

/// The same for several.
template <class T, int Rank>
std::vector<Array<T, Rank>> there(const std::vector<Array<T, Rank>>& arrays) {
  std::vector<Array<T, Rank>> moved_arrays;
  for (const auto& array : arrays) moved_arrays.push_back(there(array));
  return moved_arrays;
}

/// How many of `all` random trials are run: all, or TESSERA_TEST_CASES, as each trial on a GPU brings kernels that must be compiled.
inline int few_of(int all) {
  const char* const text = std::getenv("TESSERA_TEST_CASES");
  return text != nullptr ? std::min(all, std::max(1, std::atoi(text))) : all;
}

/// Only a few cases are wanted: large ones, which a GPU that a CPU stands in for would compute for minutes, are not among them.
inline bool is_short_run() { return few_of(2) == 1; }

}  // namespace support
