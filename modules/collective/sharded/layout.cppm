module;
#include <cstddef>
export module tessera.collective:layout;
import tessera.standard;
import tessera.core;

// How an array lies on the ranks of a group.
namespace tessera {

namespace collective {

[[noreturn]] void refuse_negative_axis(int axis);

}  // namespace collective

/// Whole on every rank, or cut along one axis into a part for each rank, as equal as possible, the first ones one larger.
export class ShardLayout {
 public:
  static constexpr ShardLayout replicated() { return ShardLayout(-1); }
  /// Axes count from 0. Throws IndexError for a negative one.
  static constexpr ShardLayout split(int axis) {
    if (axis < 0) collective::refuse_negative_axis(axis);
    return ShardLayout(axis);
  }

  constexpr bool is_split() const noexcept { return axis_ >= 0; }
  /// The axis along which it is cut; -1 for none.
  constexpr int axis() const noexcept { return axis_; }

  friend constexpr bool operator==(ShardLayout, ShardLayout) = default;

 private:
  constexpr explicit ShardLayout(int axis) : axis_(axis) {}

  int axis_;
};

/// "replicated", "split along axis 1"
export std::string to_string(ShardLayout layout);

namespace collective {

/// What an operand of several is, for what fits together and for errors.
struct LaidOut {
  ShardLayout layout;
  std::span<const std::ptrdiff_t> shape;
};

/// "(8, 5) split along axis 0"
std::string text_of(const LaidOut& operand);

/// Throws IndexError for an axis that an array of so many does not have.
ShardLayout checked_layout(ShardLayout layout, int rank);

/// How the result of an elementwise function lies: split as those that are; operands that are replicated are repeated along that axis. Throws ShapeError with
/// all layouts for others.
ShardLayout layout_of_elementwise(std::span<const LaidOut> operands, int rank);

/// Of a dot product: how the result lies, and whether all ranks have a part of each sum.
struct ProductLayout {
  ShardLayout layout;
  bool sums_parts;
};
/// Throws ShapeError with both layouts if they do not fit.
ProductLayout layout_of_product(const LaidOut& a, const LaidOut& b);

}  // namespace collective

}  // namespace tessera
