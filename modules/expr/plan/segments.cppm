module;
#include <cstddef>
export module tessera.expr:segments;
import tessera.standard;
import tessera.core;
import :plan;

// Results that take their elements from other positions of their source, axis by axis: shifted, reversed, repeated.
namespace tessera::plan {

/// Positions to, to + 1, ... of one axis of a result, which are positions first, first + step, ... of the source's axis; step is 1, -1,
/// or 0 where one position repeats.
export struct Segment {
  std::ptrdiff_t to, count, first, step;
};

/// The segments that make up one axis of a result.
export class SegmentList {
 public:
  inline void add(const Segment& segment) {
    if (count_ == few_.size()) many_.assign(few_.begin(), few_.end());
    if (count_ >= few_.size()) {
      many_.push_back(segment);
    } else {
      few_[count_] = segment;
    }
    ++count_;
  }
  std::span<const Segment> segments() const { return {many_.empty() ? few_.data() : many_.data(), count_}; }

 private:
  std::array<Segment, 3> few_{};
  std::vector<Segment> many_;  // all of them once there are more than a few
  std::size_t count_ = 0;
};

/// What stands beside the source along a padded axis.
export enum class Padding { constant, edge, reflect, symmetric, wrap };

/// Which segments make up one axis of a result. They are listed when there is memory for that: a wrapped axis may have as many as elements.
export class AxisSegments {
 public:
  /// The axis as it is.
  explicit AxisSegments(std::ptrdiff_t extent = 0) : extent_(extent) {}

  /// The axis rolled by `shift` positions, 0 <= shift < extent or both 0.
  static AxisSegments rolled(std::ptrdiff_t extent, std::ptrdiff_t shift);

  /// The axis backwards.
  static AxisSegments reversed(std::ptrdiff_t extent);

  /// The axis with `before` and `after` positions added; with constant padding only the source's own positions are covered.
  /// The extent is positive unless the padding is constant.
  static AxisSegments padded(std::ptrdiff_t extent, std::ptrdiff_t before, std::ptrdiff_t after, Padding padding);

  SegmentList listed() const;

 private:
  enum class Kind { rolled, reversed, padded };
  std::ptrdiff_t extent_;
  std::ptrdiff_t before_ = 0, after_ = 0;  // a shift is what comes before
  Kind kind_ = Kind::rolled;
  Padding padding_ = Padding::constant;
};

/// What is done with a loop that is a part of another one; it is valid during the call.
using LoopBody = std::function<void(const Loop& loop)>;

/// Calls `body` with the loop, whose leaves lie over the source's shape and whose target over the result's, for every combination of segments, one
/// list for each axis.
void for_each_segment(const Loop& loop, std::span<const SegmentList> axes, const LoopBody& body);

/// Calls `body` with loops over the target's shape outside of the box that the single segment of each axis covers.
void for_each_slab_around(const Loop& loop, std::span<const SegmentList> axes, const LoopBody& body);

/// How often the elements of an axis appear in a result: the axis as a whole one time after the other, or each element.
struct Repeats {
  std::ptrdiff_t times;
  bool whole;
};

/// Calls `body` with the loop, whose leaves lie over the source's shape, into a target in which axes repeat.
void with_repeats(const Loop& loop, std::span<const Repeats> axes, const LoopBody& body);

}  // namespace tessera::plan
