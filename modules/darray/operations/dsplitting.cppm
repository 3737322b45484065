module;
#include <cstddef>
export module tessera.darray:dsplitting;
import tessera.standard;
import tessera.core;
import tessera.expr;
import :handle;
import :dfunctions;
import :daxes;

// Several views of one dynamic array, or of several: each is the function of its name for arrays. They share the storage and copy nothing.
namespace tessera {

namespace dynamic {

export std::vector<DArray> split(const DArray& x, std::ptrdiff_t parts, int axis);
export std::vector<DArray> split(const DArray& x, std::span<const std::ptrdiff_t> cuts, int axis);
export std::vector<DArray> unstacked(const DArray& x, int axis);
export std::vector<DArray> broadcast(std::span<const DArray> arrays);

}  // namespace dynamic

/// `count` equal parts along an axis, one after the other. Throws ShapeError if they are not equal, IndexError.
export template <DynamicOperand X, std::integral Count>
std::vector<DArray> split(const X& x, Count count, int axis = 0) {
  return dynamic::split(x, Position(count).value, axis);
}

/// The parts along an axis before, between and behind positions: split(x, {3, 5}, 0). Throws IndexError unless the positions ascend and are on the
/// axis.
export template <DynamicOperand X>
std::vector<DArray> split(const X& x, std::initializer_list<std::ptrdiff_t> cuts, int axis = 0) {
  return dynamic::split(x, std::span(cuts.begin(), cuts.size()), axis);
}

/// What x has at each position of an axis, without it. Throws IndexError.
export template <DynamicOperand X>
std::vector<DArray> unstack(const X& x, int axis = 0) {
  return dynamic::unstacked(x, axis);
}

/// The arrays, each with the shape that all broadcast to; they only read. Throws ShapeError under NumPy's rules.
export inline std::vector<DArray> broadcast_arrays(std::initializer_list<DArray> arrays) {
  return dynamic::broadcast({arrays.begin(), arrays.size()});
}
export inline std::vector<DArray> broadcast_arrays(std::span<const DArray> arrays) {
  return dynamic::broadcast(arrays);
}

/// The axes in the order `axes`, sharing the storage. Throws IndexError if they are no permutation.
export template <DynamicOperand X>
DArray permute_dims(const X& x, std::initializer_list<int> axes) {
  const DArray& array = x;
  return array.transpose(axes);
}

}  // namespace tessera
