module;
#include <cstddef>
export module tessera.expr:kernel_tables;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :lowering;
import :kernel;
import :node;
import :map;
import :device_source;
import :function;

// How the tables of functions are made: from the functions that static expressions call, so that both take the same types and compute the
// same bits.
namespace tessera::dynamic {

/// A plan over blocks of values in compute types, whatever the elements were, and one such plan.
template <class Plan>
struct OnValues;
template <Element T>
struct OnValues<LeafPlan<T>> {
  using type = LeafPlan<compute_t<T>>;
  static type make(int& leaf) { return {leaf++}; }
};
template <std::size_t... I, class Op, class... Plans>
struct OnValues<MapPlanOf<std::index_sequence<I...>, Op, Plans...>> {
  using type = MapPlanOf<std::index_sequence<I...>, Op, typename OnValues<Plans>::type...>;
  static type make(int& leaf) { return type{OnValues<Plans>::make(leaf)...}; }
};

template <Element T>
using Values = ArrayView<T, 1, CpuPlace>;

/// The kernel of what `F` makes of these operands, which it takes each once and in order; none if it does not take them.
template <class F, class... Operands>
Variant variant_of() {
  if constexpr (std::invocable<const F&, const Operands&...>) {
    using Node = std::invoke_result_t<const F&, const Operands&...>;
    using Value = typename Node::value_type;
    using Lowered = decltype(std::declval<const Node&>().lower(std::declval<plan::Lowering&>()));
    int leaf = 0;
    static const typename OnValues<Lowered>::type plan = OnValues<Lowered>::make(leaf);
    return {kernel_of<compute_t<Value>>(plan), &plan, dtype_of<Value>, device_operations<Node>};
  } else {
    return {};
  }
}

/// A function of `Arguments` operands of each element type.
template <int Arguments, class F>
Function function_of(const char* name, ScalarRule scalars, const char* takes, const F&) {
  Function made{.name = name, .arguments = Arguments, .scalars = scalars, .takes = takes};
  [&]<std::size_t... D>(std::index_sequence<D...>) {
    const auto variant = []<Element T>() {
      if constexpr (Arguments == 1) return variant_of<F, Values<T>>();
      if constexpr (Arguments == 2) return variant_of<F, Values<T>, Values<T>>();
    };
    ((made.variants[D] = variant.template operator()<element_t<static_cast<DType>(D)>>()), ...);
  }(std::make_index_sequence<static_cast<std::size_t>(dtype_count)>{});
  return made;
}

}  // namespace tessera::dynamic
