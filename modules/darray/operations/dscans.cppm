export module tessera.darray:dscans;
import tessera.standard;
import tessera.core;
import :handle;
import :dfunctions;
import :dselect;

// Running sums and products of dynamic arrays: each is the function of its name for arrays, along an axis that is known at run time.
namespace tessera {

namespace dynamic {

export DArray cumulative_sum(const DArray& x, std::optional<int> axis);
export DArray cumulative_prod(const DArray& x, std::optional<int> axis);
export void cumulative_sum_into(const DArray& to, const DArray& x, std::optional<int> axis);
export void cumulative_prod_into(const DArray& to, const DArray& x, std::optional<int> axis);

}  // namespace dynamic

/// Sums of the elements up to each one along an axis, which a vector need not name, in a new array of the type of sum(). Throws
/// IndexError, ShapeError without an axis where there are several, and as the function for arrays.
export template <DynamicOperand X>
DArray cumulative_sum(const X& x, std::optional<int> axis = {}) {
  return dynamic::cumulative_sum(x, axis);
}

/// Products of the elements up to each one along an axis; as cumulative_sum().
export template <DynamicOperand X>
DArray cumulative_prod(const X& x, std::optional<int> axis = {}) {
  return dynamic::cumulative_prod(x, axis);
}

/// Writes what cumulative_sum() returns to an array of its type and shape, which may be x itself. Throws as cumulative_sum(), and
/// DTypeError or ShapeError for another array; nothing has been written then.
export template <std::same_as<DArray> A, DynamicElements X>
void cumulative_sum_into(const A& to, const X& x, std::optional<int> axis = {}) {
  dynamic::cumulative_sum_into(to, x, axis);
}

/// Writes what cumulative_prod() returns; as cumulative_sum_into().
export template <std::same_as<DArray> A, DynamicElements X>
void cumulative_prod_into(const A& to, const X& x, std::optional<int> axis = {}) {
  dynamic::cumulative_prod_into(to, x, axis);
}

}  // namespace tessera
