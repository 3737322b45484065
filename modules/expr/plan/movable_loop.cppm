module;
#include <cstddef>
export module tessera.expr:movable_loop;
import tessera.standard;
import tessera.core;
import :plan;

// Loops of which parts are evaluated elsewhere.
namespace tessera::plan {

/// A copy of a loop whose leaves can be moved, without an allocation for the usual few.
class MovableLoop {
 public:
  explicit MovableLoop(const Loop& from)
      : loop(from), from_(from.leaves), many_(from.leaves.size() > few ? from.leaves.size() : 0) {
    loop.leaves = leaves();
  }
  MovableLoop(const MovableLoop&) = delete;
  MovableLoop& operator=(const MovableLoop&) = delete;

  std::span<Operand> leaves() { return {many_.empty() ? few_ : many_.data(), from_.size()}; }

  /// The leaves as they were given.
  void reset_leaves() { std::ranges::copy(from_, leaves().begin()); }

  /// Moves the leaves by `count` elements along an axis.
  void advance_leaves(std::size_t axis, std::ptrdiff_t count) {
    for (Operand& leaf : leaves()) {
      const std::ptrdiff_t elements = count * leaf.strides[axis];
      if (leaf.data != nullptr) leaf.data += elements * leaf.item;
      leaf.first += elements;
    }
  }

  /// Moves the target to a position, counted from where `from` has it.
  void place_target(const Loop& from, std::ptrdiff_t elements) {
    loop.target.data = from.target.data + elements * from.target.item;
  }

  Loop loop;

 private:
  static constexpr std::size_t few = 6;
  std::span<const Operand> from_;
  Operand few_[few];
  std::vector<Operand> many_;
};

}  // namespace tessera::plan
