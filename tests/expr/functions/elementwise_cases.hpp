// The differential test of one elementwise function: random shapes of rank 0 to 9, operands and result in every layout,
// against a slow obvious reference. The functions are tables of pointers and every array has rank 9 (a lower rank is one
// with extents of 1 in front), so that only the functions themselves are instantiated for each element type.
#pragma once
#include "device_accuracy.hpp"
#include "support.hpp"

namespace elementwise {

using namespace tessera;
using namespace support;

__extension__ using Wide = __int128;

inline constexpr int axes = 9;
template <class T>
using Operand9 = Array<T, axes>;

/// The type in which a reference is computed: wider than T.
template <class T>
struct ExactOf {
  using type = Wide;
};
template <Floating T>
struct ExactOf<T> {
  using type = long double;
};
template <Complex T>
struct ExactOf<T> {
  using type = std::complex<long double>;
};
template <class T>
using exact_t = typename ExactOf<T>::type;

template <class T>
exact_t<T> exact(T value) {
  if constexpr (Complex<T>)
    return {value.real(), value.imag()};
  else if constexpr (Floating<T>)
    return static_cast<long double>(static_cast<compute_t<T>>(value));
  else
    return value;
}

/// A function of one or two operands: how the library computes it and what it should be.
template <class In, class Out>
struct Function {
  const char* name;
  void (*apply)(const Operand9<Out>& to, const Operand9<In>& a, const Operand9<In>& b);
  exact_t<Out> (*reference)(exact_t<In> a, exact_t<In> b);
  double ulps = 4;      // of the compute type that a result may be off, beside its rounding
  double absolute = 0;  // the same in units of the compute type's epsilon times the larger of 1 and the operands
};

template <class In, class Out = In, class Apply, class Reference>
Function<In, Out> unary(const char* name, Apply, Reference, double ulps = 4, double absolute = 0) {
  return {
      name,
      [](const Operand9<Out>& to, const Operand9<In>& a, const Operand9<In>&) { assign(to, Apply{}(a)); },
      [](exact_t<In> a, exact_t<In>) { return static_cast<exact_t<Out>>(Reference{}(a)); },
      ulps,
      absolute,
  };
}

template <class In, class Out = In, class Apply, class Reference>
Function<In, Out> binary(const char* name, Apply, Reference, double ulps = 4, double absolute = 0) {
  return {
      name,
      [](const Operand9<Out>& to, const Operand9<In>& a, const Operand9<In>& b) { assign(to, Apply{}(a, b)); },
      [](exact_t<In> a, exact_t<In> b) { return static_cast<exact_t<Out>>(Reference{}(a, b)); },
      ulps,
      absolute,
  };
}

/// Distance of T's numbers around x.
template <Floating T>
long double spacing(long double x) {
  constexpr int digits = std::same_as<T, float16>    ? 11
                         : std::same_as<T, bfloat16> ? 8
                         : std::same_as<T, float>    ? 24
                                                     : 53;
  constexpr int lowest = std::same_as<T, float16> ? -14 : std::same_as<T, double> ? -1022 : -126;
  const int exponent = x == 0 || !std::isfinite(x) ? lowest : std::max(std::ilogb(x), lowest);
  return std::ldexp(1.0L, exponent - digits + 1);
}

template <Floating T>
long double largest() {
  if constexpr (sizeof(T) == 2)
    return std::same_as<T, float16> ? 65504.0L : 0x1.fep+127L;
  else
    return std::numeric_limits<T>::max();
}

/// The result is the reference, rounded to T, within what `function` may be off. A function that multiplies an operand of
/// magnitude `size` by a subnormal number multiplies its spacing too.
template <class In, Floating Out>
bool agrees(const Function<In, Out>& function, Out got, long double want, long double size) {
  using C = compute_t<Out>;
  const auto value = static_cast<long double>(static_cast<C>(got));
  if (value != value || want != want) return value != value && want != want;
  if (want == 0 && value == 0) return std::signbit(value) == std::signbit(want);
  if (std::isinf(want)) return value == want;
  const long double rounding = spacing<Out>(want) * (function.ulps == 0 ? 0.5L : 0.5L + 0x1p-10L);
  const long double most = rounding + function.ulps * (spacing<C>(want) + size * spacing<C>(0)) +
                           function.absolute * std::numeric_limits<C>::epsilon() * std::max(1.0L, size);
  if (std::isinf(value)) return std::abs(want) + most >= largest<Out>() && std::signbit(value) == std::signbit(want);
  return std::abs(value - want) <= most;
}

template <class In, Complex Out>
bool agrees(const Function<In, Out>& function, Out got, std::complex<long double> want, long double size) {
  const long double epsilon = std::numeric_limits<typename Out::value_type>::epsilon();
  if (std::isnan(want.real())) return std::isnan(got.real());
  if (exact(got) == want) return true;
  return std::abs(exact(got) - want) <= epsilon * (function.ulps * std::abs(want) + function.absolute * size);
}

template <class In, class Out>
bool agrees(const Function<In, Out>&, Out got, Wide want, long double) {
  if constexpr (std::same_as<Out, bool>)
    return got == (want != 0);
  else
    return got == static_cast<Out>(static_cast<std::make_unsigned_t<Out>>(static_cast<std::uint64_t>(want)));
}

template <class T>
long double size_of_value(T value) {
  if constexpr (Complex<T>)
    return std::abs(exact(value));
  else if constexpr (Floating<T>)
    return std::isfinite(exact(value)) ? std::abs(exact(value)) : 0;
  else
    return 0;
}

/// Values where functions have their edges, others around 1, others of any magnitude.
template <class T>
T varied_value(Random& random) {
  if constexpr (!Floating<T>) {
    if constexpr (Complex<T>) {
      const T value = random_value<T>(random);
      const auto on_axis = random.below(8);
      return on_axis == 0 ? T(value.real(), 0) : on_axis == 1 ? T(0, value.imag()) : on_axis == 2 ? T(0, 0) : value;
    } else {
      return random_value<T>(random);
    }
  } else {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const float edges[] = {0.0f,     -0.0f,     1.0f,  -1.0f,    0.5f,      -0.5f,
                           2.5f,     -3.5f,     2.0f,  infinity, -infinity, std::numeric_limits<float>::quiet_NaN(),
                           0x1p-20f, -0x1p-20f, 20.0f, -3.0f};
    const auto choice = random.below(8);
    if (choice == 0) return T(edges[random.below(std::size(edges))]);
    if (choice == 1) return T(std::ldexp(random.real(), static_cast<int>(random.between(-30, 30))));
    return T((choice < 4 ? 1.0 : choice < 7 ? 6.0 : 60.0) * random.real());
  }
}

/// Extents of rank 0 to 9 with at most a few hundred elements, behind extents of 1; now and then one is 0.
inline Dim<axes> random_shape(Random& random) {
  Dim<axes> shape;
  for (int axis = 0; axis < axes; ++axis) shape = shape.with(axis, 1);
  const int rank = static_cast<int>(random.below(axes + 1));
  std::ptrdiff_t left = 500;
  for (int axis = axes - 1; axis >= axes - rank; --axis) {
    const std::ptrdiff_t extent = random.between(1, std::min<std::ptrdiff_t>(left, axis == axes - 1 ? 200 : 6));
    shape = shape.with(axis, extent);
    left /= extent;
  }
  if (rank > 0 && random.below(12) == 0) shape = shape.with(static_cast<int>(random.between(axes - rank, axes - 1)), 0);
  return shape;
}

/// `shape`, in some cases with extents of 1 that broadcast to it.
inline Dim<axes> operand_shape(Dim<axes> shape, Random& random) {
  if (random.below(2) == 0) return shape;
  for (int axis = 0; axis < axes; ++axis) {
    if (random.below(3) == 0) shape = shape.with(axis, 1);
  }
  return shape;
}

template <class T>
Operand9<T> varied_array(const Dim<axes>& shape, Arrangement kind, Random& random) {
  const auto array = storage_like<T>(shape, kind, T(0.0f), random);
  for_each_position(shape, [&](const auto& at) { element(array, at) = varied_value<T>(random); });
  return array;
}

/// The element that broadcasting puts at `position`.
template <class T, class Position>
T broadcast_element(const Operand9<T>& array, Position position) {
  for (int axis = 0; axis < axes; ++axis) {
    if (array.shape()[axis] == 1) position[static_cast<std::size_t>(axis)] = 0;
  }
  return element(array, position);
}

/// One case of one function under every instruction set; everything in it follows from the seed.
template <class In, class Out>
void check_case(const Function<In, Out>& function, std::uint64_t seed) {
  Random random = Random::of_case(seed);
  const auto kind = all_arrangements[random.seed() % std::size(all_arrangements)];
  const auto target = target_arrangements[random.seed() / 6 % std::size(target_arrangements)];
  const Dim<axes> shape = random_shape(random);
  const auto a = varied_array<In>(operand_shape(shape, random), kind, random);
  const auto b = varied_array<In>(operand_shape(shape, random), all_arrangements[random.below(6)], random);
  const auto result = storage_like<Out>(shape, target, Out(0), random, false);
  bool failed = false;
  for_each_isa([&](device::Isa isa) {
    if (failed) return;
    assign(broadcast_to(result, shape), Out(7));  // so that an element which is not written shows
    const auto to = there(result);
    if (a.shape() == shape || b.shape() == shape) {
      function.apply(to, there(a), there(b));
    } else {
      function.apply(to, broadcast_to(there(a), shape), there(b));
    }
    const auto computed = here(to);
    for_each_position(shape, [&](const auto& at) {
      const In x = broadcast_element(a, at);
      const In y = broadcast_element(b, at);
      const Out got = element(computed, at);
      const auto want = function.reference(exact(x), exact(y));
      if (failed || agrees(function, got, want, std::max(size_of_value(x), size_of_value(y)))) return;
      failed = true;
      std::ostringstream expected;
      if constexpr (std::same_as<exact_t<Out>, Wide>)
        expected << static_cast<long long>(want);
      else
        expected << want;
      FAIL_CHECK(std::string(function.name)
                 << "(" << text_of(x) << ", " << text_of(y) << ") of " << name(dtype_of<In>) << " is " << text_of(got)
                 << ", expected " << expected.str() << "; shape " << shape << ", " << name_of(kind) << " operand, "
                 << name_of(target) << " result, "
                 << (is_on_gpu() ? to_string(test_place()) : std::string(device::name(isa)))
                 << "; TESSERA_TEST_SEED=" << random.seed() << " repeats this case");
    });
  });
}

/// Cases of one function: all 30 pairs of layouts of operand and result. Under a sanitizer each function meets other pairs than
/// the one before it, so that five of them together meet all.
inline constexpr std::uint64_t usual_cases = is_sanitized ? 7 : 30;

/// The case is worth being one of a few: it has some elements, and no more axes than leave its storage small when every axis has gaps.
inline bool is_telling(std::uint64_t seed) {
  Random random = Random::of_case(seed);
  const Dim<axes> shape = random_shape(random);
  const auto longer = std::ranges::count_if(shape.extents(), [](std::ptrdiff_t extent) { return extent > 1; });
  return product(shape) >= 8 && longer <= 4;
}

/// Seeds of the cases of a function, from `first` on. Of a few each function takes others than the one before it, so that together they
/// meet all pairs of layouts.
inline std::vector<std::uint64_t> seeds_of(std::uint64_t first, std::uint64_t cases) {
  static std::uint64_t functions = 0;
  if (Random::repeats_one_case()) return {first};
  const auto wanted = static_cast<std::uint64_t>(few_of(static_cast<int>(cases)));
  const std::uint64_t start = wanted == cases ? 0 : 7 * functions++;
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t k = 0; k < cases && seeds.size() < wanted; ++k) {
    const std::uint64_t seed = first + (start + k * 11) % cases;
    if (wanted == cases || is_telling(seed)) seeds.push_back(seed);
  }
  return seeds;
}

/// The function with the error that it may have where the tests compute.
template <class In, class Out>
Function<In, Out> at_test_place(Function<In, Out> function) {
  if constexpr (Floating<In> && Floating<Out>) {
    if (is_on_gpu()) function.ulps = device_ulps(function.name, std::same_as<compute_t<Out>, double>, function.ulps);
  }
  return function;
}

/// Every function of the table in `cases` cases; TESSERA_TEST_SEED runs one.
template <class In, class Out>
void check(const std::vector<Function<In, Out>>& functions, std::uint64_t cases = usual_cases) {
  std::uint64_t first = 1000;
  for (const auto& function : functions) {
    first += cases;
    for (const std::uint64_t seed : seeds_of(first, cases)) check_case(at_test_place(function), seed);
  }
}

}  // namespace elementwise
