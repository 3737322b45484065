// What the tests of this room share: seeded random operands in every layout, slow obvious readers, guards for global
// settings. Includes its headers first, then imports the library.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

import tessera;

#include "element_bytes.hpp"
#include "place.hpp"

namespace support {

using namespace tessera;

/// The sanitizers watch: they look for bad accesses and undefined arithmetic, not for values, which other builds check in full.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

/// SplitMix64. The seed comes from TESSERA_TEST_SEED, so that a failure, which prints it, can be repeated.
class Random {
 public:
  explicit Random(std::uint64_t salt) : seed_(base_seed()), state_(seed_ + 0x9e3779b97f4a7c15u * salt) {}

  /// The numbers of one seed alone: that of TESSERA_TEST_SEED, or `seed` without it.
  static Random of_case(std::uint64_t seed) {
    Random random(0);
    if (!repeats_one_case()) random.seed_ = random.state_ = seed;
    return random;
  }
  /// TESSERA_TEST_SEED names a single case.
  static bool repeats_one_case() { return std::getenv("TESSERA_TEST_SEED") != nullptr; }
  std::uint64_t seed() const { return seed_; }

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// In [0, n).
  std::ptrdiff_t below(std::ptrdiff_t n) { return static_cast<std::ptrdiff_t>(bits() % static_cast<std::uint64_t>(n)); }
  /// In [low, high].
  std::ptrdiff_t between(std::ptrdiff_t low, std::ptrdiff_t high) { return low + below(high - low + 1); }
  /// In [-1, 1).
  double real() { return static_cast<double>(bits() >> 11) * 0x1p-52 - 1.0; }

  std::string how_to_repeat() const { return "repeat with TESSERA_TEST_SEED=" + std::to_string(seed_); }

 private:
  static std::uint64_t base_seed() {
    const char* text = std::getenv("TESSERA_TEST_SEED");
    return text != nullptr ? std::strtoull(text, nullptr, 0) : 20240607;
  }
  std::uint64_t seed_;
  std::uint64_t state_;
};

/// A value of T: for integers all bits, often small or at the ends of the range; floating values around 1.
template <class T>
T random_value(Random& random) {
  if constexpr (std::same_as<T, bool>) {
    return (random.bits() & 1) != 0;
  } else if constexpr (Integer<T>) {
    constexpr T edges[] = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T(0), T(1),
                           static_cast<T>(-1)};
    const auto choice = random.below(8);
    if (choice < 5) return edges[choice];
    const auto bits = static_cast<T>(random.bits());
    return choice == 5 ? static_cast<T>(bits & T(15)) : bits;
  } else if constexpr (Complex<T>) {
    using Part = typename T::value_type;
    return {static_cast<Part>(4 * random.real()), static_cast<Part>(4 * random.real())};
  } else {
    return T(4 * random.real());
  }
}

enum class Arrangement { contiguous, sliced, negative, transposed, broadcast, random };
inline constexpr Arrangement all_arrangements[] = {Arrangement::contiguous, Arrangement::sliced,
                                                   Arrangement::negative,   Arrangement::transposed,
                                                   Arrangement::broadcast,  Arrangement::random};
/// The arrangements that can be written to.
inline constexpr Arrangement target_arrangements[] = {
    Arrangement::contiguous, Arrangement::sliced, Arrangement::negative, Arrangement::transposed, Arrangement::random};

inline std::string name_of(Arrangement kind) {
  constexpr const char* names[] = {"contiguous", "sliced", "negative", "transposed", "broadcast", "random"};
  return names[static_cast<int>(kind)];
}

/// How one axis lies in its storage.
struct AxisPlan {
  std::ptrdiff_t step;
  bool repeats;
};

inline AxisPlan plan_axis(Arrangement kind, bool may_repeat, Random& random) {
  switch (kind) {
    case Arrangement::contiguous:
    case Arrangement::transposed: return {1, false};
    case Arrangement::sliced: return {random.between(1, 3), false};
    case Arrangement::negative: return {-random.between(1, 2), false};
    case Arrangement::broadcast: return {1, random.below(2) == 0};
    case Arrangement::random: break;
  }
  constexpr std::ptrdiff_t steps[] = {1, 1, 2, 3, -1, -2};
  return {steps[random.below(6)], may_repeat && random.below(4) == 0};
}

/// An array of `shape` whose elements lie in storage as `kind` says; the storage is filled with `fill`.
template <class T, int Rank>
Array<T, Rank> storage_like(const Dim<Rank>& shape, Arrangement kind, T fill, Random& random, bool may_repeat = true) {
  std::array<int, static_cast<std::size_t>(Rank)> order{};
  for (int axis = 0; axis < Rank; ++axis) order[static_cast<std::size_t>(axis)] = axis;
  if (kind == Arrangement::transposed) std::reverse(order.begin(), order.end());
  if (kind == Arrangement::random) {
    for (int axis = Rank; axis-- > 1;)
      std::swap(order[static_cast<std::size_t>(axis)], order[static_cast<std::size_t>(random.below(axis + 1))]);
  }
  Layout<Rank> layout{.shape = shape};
  std::ptrdiff_t stride = 1;
  for (int position = Rank; position-- > 0;) {
    const int axis = order[static_cast<std::size_t>(position)];
    AxisPlan plan = plan_axis(kind, may_repeat, random);
    if (plan.repeats) continue;
    const std::ptrdiff_t extent = std::max<std::ptrdiff_t>(shape[axis], 1);
    constexpr std::ptrdiff_t most_of_many_axes = 50'000;  // elements, of which most would be gaps
    if (Rank > 4 && stride * extent * std::abs(plan.step) > most_of_many_axes) plan.step = plan.step < 0 ? -1 : 1;
    layout.strides[static_cast<std::size_t>(axis)] = stride * plan.step;
    if (plan.step < 0) layout.offset += stride * -plan.step * (extent - 1);
    stride *= extent * std::abs(plan.step) + (kind == Arrangement::sliced || kind == Arrangement::random ? 1 : 0);
  }
  Array<T, 1> storage = full(Dim<1>{stride}, fill);
  return {storage.buffer(), layout, Place(CpuPlace{})};
}

/// Calls body(position) for every position of the shape in row-major order.
template <int Rank, class Body>
void for_each_position(const Dim<Rank>& shape, const Body& body) {
  std::array<std::ptrdiff_t, static_cast<std::size_t>(Rank) + 1> position{};
  const std::ptrdiff_t* const extents = shape.extents().data();
  for (std::ptrdiff_t n = product(shape); n > 0; --n) {
    body(position);
    to_next_position(&position[0], extents, Rank);
  }
}

template <class T, int Rank, class Position>
T& element(const Array<T, Rank>& array, const Position& position) {
  if constexpr (Rank == 0) return *array.data();
  return array.data()[offset_of(&position[0], std::data(array.strides()), Rank)];
}

/// Calls use(bytes) with where the elements of an array on the host lie.
template <class T, int Rank, class Use>
void on_bytes(const Array<T, Rank>& array, const Use& use) {
  std::array<std::ptrdiff_t, static_cast<std::size_t>(Rank) + 1> strides{};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(Rank); ++axis)
    strides[axis] = array.strides()[axis] * static_cast<std::ptrdiff_t>(sizeof(T));
  use(ElementBytes{array.data(), array.shape().extents(), {strides.data(), static_cast<std::size_t>(Rank)}, sizeof(T)});
}

/// An array of `shape` and layout `kind` with values from random_value<T>.
template <class T, int Rank>
Array<T, Rank> random_array(const Dim<Rank>& shape, Arrangement kind, Random& random) {
  const Array<T, Rank> array = storage_like<T>(shape, kind, T(0), random);
  const auto count = static_cast<std::size_t>(product(shape));
  const auto values = std::make_unique<T[]>(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = random_value<T>(random);
  on_bytes(array, [&](const ElementBytes& bytes) { copy_in(bytes, values.get()); });
  return array;
}

/// The elements in row-major order, wherever the array is.
template <class T, int Rank>
std::vector<T> elements(const Array<T, Rank>& array) {
  const Array<T, Rank> host = here(array);
  const auto count = static_cast<std::size_t>(product(host.shape()));
  std::conditional_t<std::same_as<T, bool>, std::vector<std::uint8_t>, std::vector<T>> values(count);
  static_assert(sizeof(bool) == 1);
  on_bytes(host, [&](const ElementBytes& bytes) { copy_out(values.data(), bytes); });
  if constexpr (std::same_as<T, bool>) {
    return {values.begin(), values.end()};
  } else {
    return values;
  }
}

template <class T>
std::string text_of(T value) {
  std::ostringstream out;
  out.precision(17);
  if constexpr (Integer<T> && sizeof(T) == 1)
    out << static_cast<int>(value);
  else if constexpr (Floating<T>)
    out << static_cast<double>(value);
  else
    out << value;
  return out.str();
}

/// Equal as values: NaN equals NaN, zeros have the same sign.
template <class T>
bool same(T a, T b) {
  if constexpr (Complex<T>) {
    return same(a.real(), b.real()) && same(a.imag(), b.imag());
  } else if constexpr (Floating<T>) {
    const auto x = static_cast<double>(a);
    const auto y = static_cast<double>(b);
    return (x != x && y != y) || (x == y && std::signbit(x) == std::signbit(y));
  } else {
    return a == b;
  }
}

/// Where two lists of elements first differ, in words; empty when they are the same.
template <class T>
std::string difference(const std::vector<T>& got, const std::vector<T>& expected) {
  if (got.size() != expected.size())
    return std::to_string(got.size()) + " elements, expected " + std::to_string(expected.size());
  if constexpr (!std::same_as<T, bool>) {  // the same bits, as most are
    if (got.empty() || std::memcmp(got.data(), expected.data(), got.size() * sizeof(T)) == 0) return "";
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!same<T>(got[i], expected[i]))
      return "element " + std::to_string(i) + " is " + text_of<T>(got[i]) + ", expected " + text_of<T>(expected[i]);
  }
  return "";
}

/// As difference, for results that may be off by relative * |expected| + absolute.
template <class T>
std::string distance(const std::vector<T>& got, const std::vector<double>& expected, double relative, double absolute) {
  if (got.size() != expected.size())
    return std::to_string(got.size()) + " elements, expected " + std::to_string(expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto value = static_cast<double>(got[i]);
    if (same(value, expected[i]) || std::abs(value - expected[i]) <= relative * std::abs(expected[i]) + absolute)
      continue;
    return "element " + std::to_string(i) + " is " + text_of(value) + ", expected " + text_of(expected[i]);
  }
  return "";
}

/// From this many elements on, one operation uses several threads (modules/expr/plan/plan.cppm).
inline constexpr std::ptrdiff_t parallel_threshold = 64 * 1024;

inline constexpr device::Isa all_isas[] = {device::Isa::baseline, device::Isa::avx2, device::Isa::avx512};

/// Calls body(isa) under each instruction set that this CPU has; once when the tests compute on a GPU.
template <class Body>
void for_each_isa(const Body& body) {
  if (is_on_gpu()) return body(device::isa());
  for (const device::Isa isa : all_isas) {
    device::limit_isa(isa);
    if (device::isa() == isa) body(isa);
  }
  device::limit_isa(device::Isa::avx512);
}

/// Restores the number of threads at the end of a scope.
struct Threads {
  explicit Threads(int count) : before(num_threads()) { set_num_threads(count); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() { set_num_threads(before); }
  int before;
};

/// The message of the Error that `action` throws; says so when it throws none.
template <class Error, class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace support
