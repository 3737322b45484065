export module tessera.darray:daxes;
import tessera.standard;

// Axes that are named at run time.
namespace tessera {

/// The axes that a function works along: sum(x, 1), sum(x, {0, -1}). Negative ones count from the end.
export class DAxes {
 public:
  template <std::integral I>
  DAxes(I axis) : axes_{static_cast<int>(axis)} {}
  DAxes(std::initializer_list<int> axes) : axes_(axes) {}
  explicit DAxes(std::span<const int> axes) : axes_(axes.begin(), axes.end()) {}

  inline std::span<const int> axes() const { return axes_; }

 private:
  std::vector<int> axes_;
};

}  // namespace tessera
