module;
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.array;

// The tables of conversions: casts inside a program, and the ways from memory to values and back; and which file has which function.
namespace tessera::dynamic {

namespace {

template <Element To>
const Function& cast_to_element() {
  static const Function made = function_of<1>("cast", ScalarRule::wraps, "elements of any type",
                                              [](const auto& x) -> decltype(cast<To>(x)) { return cast<To>(x); });
  return made;
}

template <Element Stored, Element Read>
Variant copying_variant() {
  static const LeafPlan<Read> plan{0};
  static constexpr plan::DeviceOperation operations[] = {
      {.kind = plan::DeviceOperation::Kind::leaf, .value = dtype_of<Read>}};
  return {kernel_of<Stored>(plan), &plan, dtype_of<Stored>, operations};
}

}  // namespace

const Function& cast_to(DType to) {
  static constexpr auto table = []<std::size_t... D>(std::index_sequence<D...>) {
    return std::array{&cast_to_element<element_t<static_cast<DType>(D)>>...};
  }(std::make_index_sequence<static_cast<std::size_t>(dtype_count)>{});
  return table[static_cast<std::size_t>(to)]();
}

Variant load_of(DType element) {
  if (element == DType::float16) return copying_variant<float, float16>();
  if (element == DType::bfloat16) return copying_variant<float, bfloat16>();
  return {};
}

Variant store_of(DType value, DType element) {
  return plan::with_compute_type(value, [&]<class From>() {
    Variant found;
    [&]<std::size_t... D>(std::index_sequence<D...>) {
      const auto consider = [&]<Element To>() {
        if constexpr (AssignableTo<From, To> && !std::same_as<From, To>) {
          if (dtype_of<To> == element) found = copying_variant<To, From>();
        }
      };
      (consider.template operator()<element_t<static_cast<DType>(D)>>(), ...);
    }(std::make_index_sequence<static_cast<std::size_t>(dtype_count)>{});
    return found;
  });
}

const Function& function(Name name) {
  static const std::vector<const Function*> table = [] {
    std::vector<const Function*> all;
    for (const auto family :
         {arithmetic_functions, comparing_functions, exponential_functions, angle_functions, special_functions}) {
      for (const Function& one : family()) all.push_back(&one);
    }
    return all;
  }();
  return *table[static_cast<std::size_t>(name)];
}

}  // namespace tessera::dynamic
