module;
#include <complex>
#include <cstddef>
#include <ostream>
#include <span>
#include <string>
#include <type_traits>
#include <vector>
export module tessera.array:print;
import tessera.core;
import tessera.device;
import :concepts;
import :handle;
import :view;

// Arrays as text, in NumPy's layout.
namespace tessera {

/// One printed array: its shape and the elements to show, row-major; summarised axes show their first and last three.
struct PrintedElements {
  std::vector<std::ptrdiff_t> shape{};
  std::vector<std::string> cells{};// one per shown element, row-major
  bool summarised = false;
};

inline constexpr std::ptrdiff_t print_threshold = 1000;  // more elements than this are summarised
inline constexpr std::ptrdiff_t print_edge = 3;          // shown at each end of a summarised axis

/// Positions along an axis that are shown.
std::vector<std::ptrdiff_t> shown_positions(std::ptrdiff_t extent, bool summarised);

/// Aligned text of floating values, all in one format as NumPy does: 8 significant decimals at most, trailing zeros
/// cut, scientific notation for very large, very small or widely spread values.
std::vector<std::string> format_floats(std::span<const double> values, bool single_precision);

/// Cells padded to one width and put into brackets.
std::string lay_out(const PrintedElements& printed);

template <class T>
std::vector<std::string> format_cells(const std::vector<T>& values) {
  std::vector<std::string> cells;
  if constexpr (Floating<T>) {
    const std::vector<double> wide(values.begin(), values.end());
    cells = format_floats(wide, sizeof(T) < 8);
  } else if constexpr (Complex<T>) {
    std::vector<double> real, imag;
    for (const T& value : values) {
      real.push_back(static_cast<double>(value.real()));
      imag.push_back(static_cast<double>(value.imag()));
    }
    const auto re = format_floats(real, sizeof(T) < 16);
    const auto im = format_floats(imag, sizeof(T) < 16);
    for (std::size_t i = 0; i < re.size(); ++i) {
      const std::string trimmed = im[i].substr(im[i].find_first_not_of(' '));
      cells.push_back(re[i] + (trimmed.front() == '-' ? "" : "+") + trimmed + "j");
    }
  } else if constexpr (std::is_same_v<T, bool>) {
    for (const bool value : values) cells.emplace_back(value ? "True" : "False");
  } else {
    for (const T value : values) cells.push_back(std::to_string(value));
  }
  return cells;
}

template <int Axis, class V, class T>
void collect(const V& view, std::ptrdiff_t offset, bool summarised, std::vector<T>& values) {
  if constexpr (Axis == V::rank) {
    values.push_back(view.data()[offset]);
  } else {
    for (const std::ptrdiff_t i : shown_positions(view.shape()[Axis], summarised)) {
      collect<Axis + 1>(view, offset + i * view.strides()[Axis], summarised, values);
    }
  }
}

/// The elements in brackets, one bracket pair per axis, columns aligned; more than 1000 elements are summarised with
/// "...". Works on every place.
export template <Element T, int Rank, AnyPlace P>
std::string to_string(const Array<T, Rank, P>& array) {
  if (!array) return "(no storage)";
  const Array<T, Rank, Place> dynamic = array;
  const Array<T, Rank, Place> host = Place(array.place()).on_host() ? dynamic : dynamic.to(Place(CpuPlace{}));
  PrintedElements printed{.shape = {host.shape().extents().begin(), host.shape().extents().end()}, .cells = {}};
  printed.summarised = host.size() > print_threshold;
  std::vector<T> values;
  collect<0>(host, 0, printed.summarised, values);
  printed.cells = format_cells(values);
  return lay_out(printed);
}

export template <Element T, int Rank, AnyPlace P>
std::ostream& operator<<(std::ostream& out, const Array<T, Rank, P>& array) {
  return out << to_string(array);
}

}  // namespace tessera
