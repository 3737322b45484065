module;
#include <cstddef>
export module tessera.array:viewed;
import tessera.standard;
import tessera.core;
import :concepts;
import :handle;
import :layout;
import :array_parameter;
import :view;

// Seeing the same elements through another layout. Functions that change shapes and strides say how they change a Layout; what that makes of
// an array, of a view and of a parameter stands here, and what it makes of an expression in tessera.expr.

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wignored-qualifiers"  // see elements.cppm

namespace tessera {

/// `change` takes a Layout and returns another one of elements of the same memory. Of a const array the result is const.
export template <Elements A, class Change>
auto viewed(A&& array, const Change& change) {
  return array.with_layout(change(array.layout()));
}
export template <ArrayHandle A, class Change>
  requires std::is_const_v<std::remove_reference_t<A>>
const auto viewed(A&& array, const Change& change) {
  return array.with_layout(change(array.layout()));
}

/// A change of layout, made in each replay's argument.
template <class Change>
struct ChangedArgument {
  Change change;

  auto operator()(const auto& array) const { return array.with_layout(change(array.layout())); }
};

export template <ArrayParameter A, class Change>
auto viewed(const A& parameter, const Change& change) {
  return parameter.seen_by(ChangedArgument<Change>{change});
}

}  // namespace tessera

#pragma clang diagnostic pop
