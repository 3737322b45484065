module;
#include <cstddef>
export module tessera.expr:movable_loop;
import tessera.standard;
import tessera.core;
import :plan;

// Loops of which parts are evaluated elsewhere.
namespace tessera::plan {

/// A copy of leaves that can be moved, without an allocation for the usual few.
class MovableLeaves {
 public:
  explicit MovableLeaves(std::span<const Operand> from) : from_(from), many_(from.size() > few ? from.size() : 0) {
    reset();
  }
  MovableLeaves(const MovableLeaves&) = delete;
  MovableLeaves& operator=(const MovableLeaves&) = delete;

  std::span<Operand> all() { return {many_.empty() ? few_ : many_.data(), from_.size()}; }

  /// The leaves as they were given.
  void reset() { std::ranges::copy(from_, all().begin()); }

  /// Moves the leaves by `count` elements along an axis.
  void advance(std::size_t axis, std::ptrdiff_t count) {
    for (Operand& leaf : all()) {
      const std::ptrdiff_t elements = count * leaf.strides[axis];
      if (leaf.data != nullptr) leaf.data += elements * leaf.item;
      leaf.first += elements;
    }
  }

 private:
  static constexpr std::size_t few = 6;
  std::span<const Operand> from_;
  Operand few_[few];
  std::vector<Operand> many_;
};

/// A copy of a loop whose leaves can be moved.
class MovableLoop {
 public:
  explicit MovableLoop(const Loop& from) : loop(from), leaves_(from.leaves) { loop.leaves = leaves(); }
  MovableLoop(const MovableLoop&) = delete;
  MovableLoop& operator=(const MovableLoop&) = delete;

  std::span<Operand> leaves() { return leaves_.all(); }

  /// The leaves as they were given.
  void reset_leaves() { leaves_.reset(); }

  /// Moves the leaves by `count` elements along an axis.
  void advance_leaves(std::size_t axis, std::ptrdiff_t count) { leaves_.advance(axis, count); }

  /// Moves the target to a position, counted from where `from` has it.
  void place_target(const Loop& from, std::ptrdiff_t elements) {
    loop.target.data = from.target.data + elements * from.target.item;
  }

  Loop loop;

 private:
  MovableLeaves leaves_;
};

}  // namespace tessera::plan
