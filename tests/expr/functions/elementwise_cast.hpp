// What casts between element types should give.
#pragma once
#include "elementwise_cases.hpp"

namespace elementwise {

/// What a cast of a real value should give, in the reference type of Out.
template <class In, class Out>
exact_t<Out> converted(exact_t<In> value) {
  if constexpr (std::same_as<Out, bool>) {
    return value != exact_t<In>(0);
  } else if constexpr (Complex<In> && Complex<Out>) {
    return value;
  } else if constexpr (Complex<In>) {
    return converted<double, Out>(value.real());
  } else if constexpr (Integer<Out> && Floating<In>) {
    if (value != value) return 0;
    constexpr auto low = static_cast<long double>(std::numeric_limits<Out>::min());
    constexpr auto high = static_cast<long double>(std::numeric_limits<Out>::max());
    return static_cast<Wide>(std::trunc(std::min(std::max(value, low), high)));
  } else {
    return static_cast<exact_t<Out>>(value);
  }
}

template <class In, class Out>
Function<In, Out> cast_to() {
  return unary<In, Out>(
      "cast", [](const auto& x) { return cast<Out>(x); }, [](exact_t<In> x) { return converted<In, Out>(x); },
      Complex<Out> ? 1 : 0.01);
}

template <class In, class... Out>
void check_from() {
  (check(std::vector{cast_to<In, Out>()}, 12), ...);
}

template <class In>
void check_from_to_all() {
  check_from<In, bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
             std::uint32_t, std::uint64_t, float16, bfloat16, float, double, std::complex<float>,
             std::complex<double>>();
}

}  // namespace elementwise
