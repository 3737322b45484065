module;
#include <cstddef>
export module tessera.expr:fusing;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :lowering;
import :kernel;
import :node;
import :map;
import :program;

// Trees of functions whose form is known at compile time although the types of their leaves are not: one loop for all of a tree, for
// the types for which it has been compiled.
namespace tessera::dynamic {

/// Makes a plan of that type: leaves are numbered and scalars taken in the order in which they are written.
template <class Plan>
struct PlanMaker;
template <Element T>
struct PlanMaker<LeafPlan<T>> {
  template <class S>
  static LeafPlan<T> make(int& leaf, const S*&) {
    return {leaf++};
  }
};
template <class C>
struct PlanMaker<ScalarPlan<C>> {
  template <class S>
  static ScalarPlan<C> make(int&, const S*& scalar) {
    return {static_cast<C>(*scalar++)};
  }
};
template <std::size_t... I, class Op, class... Plans>
struct PlanMaker<MapPlanOf<std::index_sequence<I...>, Op, Plans...>> {
  template <class S>
  static auto make(int& leaf, const S*& scalar) {
    return MapPlanOf<std::index_sequence<I...>, Op, Plans...>{PlanMaker<Plans>::make(leaf, scalar)...};
  }
};

/// One loop for a static expression over views and scalars of T, which are only a type here.
export template <Element T, ExpressionNode Node>
struct FusedLoop {
  using Plan = decltype(std::declval<const Node&>().lower(std::declval<plan::Lowering&>()));
  using Value = typename Node::value_type;

  /// Calls `use` with the kernel and its nodes, which hold these scalars.
  static void with(const T* scalars, const void* context,
                   void (*use)(const void* context, plan::Kernel kernel, const void* nodes)) {
    int leaf = 0;
    const Plan plan = PlanMaker<Plan>::make(leaf, scalars);
    use(context, kernel_of<Value>(plan), &plan);
  }
};

}  // namespace tessera::dynamic
