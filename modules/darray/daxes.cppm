module;
#include <cstddef>
export module tessera.darray:daxes;
import tessera.standard;
import tessera.array;

// Axes that are named at run time.
namespace tessera {

/// The axes that a function works along: sum(x, 1), sum(x, {0, -1}). Negative ones count from the end.
export class DAxes {
 public:
  template <std::integral I>
  DAxes(I axis) : axes_{within_int(Position(axis).value)} {}
  DAxes(std::initializer_list<int> axes) : axes_(axes) {}
  explicit DAxes(std::span<const int> axes) : axes_(axes.begin(), axes.end()) {}

  inline std::span<const int> axes() const { return axes_; }

 private:
  /// Axes beyond the range of int are out of every range.
  static inline int within_int(std::ptrdiff_t axis) {
    constexpr std::ptrdiff_t most = std::numeric_limits<int>::max();
    return static_cast<int>(std::min(std::max(axis, -most), most));
  }

  std::vector<int> axes_;
};

}  // namespace tessera
