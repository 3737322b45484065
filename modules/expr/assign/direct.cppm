module;
#include <cstddef>
export module tessera.expr:direct;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import :plan;
import :node;
import :kernel;

// The short way from a node to its kernel, for the small expression in a hot loop above all: if every operand lies in memory just as the
// result does, one call of the kernel computes it all, and nothing else has to be written down.
namespace tessera {

/// An evaluation that is not worth cutting for several threads.
[[gnu::always_inline]] inline bool is_for_one_thread(std::ptrdiff_t elements) {
  return static_cast<std::size_t>(elements) < static_cast<std::size_t>(plan::parallel_threshold) ||
         (elements > 0 && num_threads() == 1);
}

/// Elements of `shape` if the strides are row-major without gaps, -1 otherwise. Views of one element or none may be refused.
template <int Rank>
[[gnu::always_inline]] inline std::ptrdiff_t row_major_elements(const Dim<Rank>& shape, const Strides<Rank>& strides) {
  std::size_t elements = 1;  // wraps only where an extent is 0
  for (int axis = Rank; axis-- > 0;) {
    if (static_cast<std::size_t>(strides[static_cast<std::size_t>(axis)]) != elements && shape[axis] != 1) return -1;
    elements *= static_cast<std::size_t>(shape[axis]);
  }
  return static_cast<std::ptrdiff_t>(elements);
}

/// Takes the leaves of a node as plan::Lowering does, and finds out whether all of them have the shape, the place and the order of
/// the result and none overlaps it other than element by element.
template <int Rank, int Count>
class DirectLeaves {
 public:
  DirectLeaves(const void* result, std::ptrdiff_t item, std::ptrdiff_t elements, const Dim<Rank>& shape, Place place)
      : result_(static_cast<const std::byte*>(result)),
        item_(item),
        elements_(elements),
        shape_(shape),
        place_(place) {}

  template <std::size_t N>
  [[gnu::always_inline]] int add(const void* data, std::span<const std::ptrdiff_t, N> shape, const auto& strides,
                                 std::ptrdiff_t item, Place place) {
    inputs_[count_].data = data;
    if constexpr (N == static_cast<std::size_t>(Rank)) {
      all_direct_ = all_direct_ && place == place_ && lies_like_result(shape, strides) && is_apart(data, item);
    } else {
      all_direct_ = false;
    }
    return count_++;
  }

  bool all_direct() const { return all_direct_; }
  const plan::Input* inputs() const { return inputs_; }

 private:
  [[gnu::always_inline]] bool lies_like_result(std::span<const std::ptrdiff_t, static_cast<std::size_t>(Rank)> shape,
                                               const Strides<Rank>& strides) const {
    std::ptrdiff_t expected = 1;
    for (int axis = Rank; axis-- > 0;) {
      const auto at = static_cast<std::size_t>(axis);
      if (shape[at] != shape_[axis] || (strides[at] != expected && shape[at] != 1)) return false;
      expected *= shape[at];
    }
    return true;
  }

  [[gnu::always_inline]] bool is_apart(const void* data, std::ptrdiff_t item) const {
    const auto* operand = static_cast<const std::byte*>(data);
    if (operand == result_ && item == item_) return true;  // read just where it is written
    return operand >= result_ + elements_ * item_ || operand + elements_ * item <= result_;
  }

  const std::byte* result_;
  std::ptrdiff_t item_, elements_;
  const Dim<Rank>& shape_;
  Place place_;
  bool all_direct_ = true;
  int count_ = 0;
  plan::Input inputs_[Count];
};

/// Calls `compute(lowered, inputs, elements)` if the expression's operands lie like the result, and returns whether they do.
template <Element To, class Node, int Rank, class Compute>
[[gnu::always_inline]] inline bool with_direct_operands(const Node& node, const void* data, const Dim<Rank>& shape,
                                                        const Strides<Rank>& strides, Place place,
                                                        const Compute& compute) {
  const std::ptrdiff_t elements = row_major_elements(shape, strides);
  if (!is_for_one_thread(elements)) return false;
  DirectLeaves<Rank, Node::leaf_count> leaves(data, sizeof(To), elements, shape, place);
  const auto lowered = node.lower(leaves);
  if (!leaves.all_direct()) return false;
  compute(lowered, leaves.inputs(), elements);
  return true;
}

/// Computes an expression over operands that lie like the result. Returns whether it did.
template <Element To, class Node, int Rank>
[[gnu::always_inline]] inline bool evaluate_directly(const Node& node, To* data, const Dim<Rank>& shape,
                                                     const Strides<Rank>& strides, Place place) {
  return with_direct_operands<To>(
      node, data, shape, strides, place,
      [data](const auto& lowered, const plan::Input* inputs, std::ptrdiff_t elements)
          __attribute__((always_inline)) { kernel_of<To>(lowered)(&lowered, data, inputs, elements); });
}

}  // namespace tessera
