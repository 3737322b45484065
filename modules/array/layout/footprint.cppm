module;
#include <cstddef>
#include <cstdint>
export module tessera.array:footprint;
import tessera.standard;

// The bytes that a view covers, and the proof that two views share none of them.
namespace tessera {

namespace storage {

/// Where the elements of a view lie: strides in elements of `item` bytes.
export struct ViewMemory {
  const void* data;
  std::span<const std::ptrdiff_t> shape;
  std::span<const std::ptrdiff_t> strides;
  std::ptrdiff_t item;
};

/// A set of bytes: a first one, and steps from it along axes. Axes that continue one another are one, so that views which cover the same
/// bytes in another order are equal.
export class Footprint {
 public:
  /// No bytes.
  Footprint() = default;

  explicit Footprint(const ViewMemory& view) noexcept;

  bool is_empty() const noexcept { return low_ == high_; }

  /// It may be larger than the view, because that has too many axes.
  bool is_exact() const noexcept { return is_exact_; }

  /// The two may have bytes in common: false is a proof, true may be an effort given up.
  bool overlaps(const Footprint& other) const noexcept;

  /// All bytes of the other one are proven to be in this one.
  bool covers(const Footprint& other) const noexcept;

  friend bool operator==(const Footprint& a, const Footprint& b) noexcept;

 private:
  /// One that takes up to `steps` steps of `stride` bytes.
  struct Axis {
    std::ptrdiff_t stride;
    std::ptrdiff_t steps;

    friend bool operator==(const Axis&, const Axis&) = default;
  };
  static constexpr std::size_t most_axes = 17;  // those of an expression, and the bytes of an element

  static std::size_t append(std::span<Axis> axes, std::size_t count, Axis next) noexcept;
  static bool reaches(std::span<const Axis> axes, std::ptrdiff_t distance, int& tries) noexcept;
  std::span<const Axis> axes() const noexcept { return std::span(axes_).first(count_); }

  std::intptr_t low_ = 0, high_ = 0;  // all bytes lie in [low_, high_)
  std::size_t count_ = 0;
  bool is_exact_ = true;
  std::array<Axis, most_axes> axes_;  // by stride, the smallest first
};

}  // namespace storage
using storage::Footprint;
using storage::ViewMemory;

}  // namespace tessera
