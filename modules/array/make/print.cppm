module;
#include <cstddef>
export module tessera.array:print;
import tessera.standard;
import tessera.core;
import tessera.device;
import :concepts;
import :elements;
import :handle;
import :number_text;
import :view;

// Arrays as text, in NumPy's layout.
namespace tessera {

/// One printed array: its shape and the elements to show, row-major; summarised axes show their first and last three.
struct PrintedElements {
  std::vector<std::ptrdiff_t> shape{};
  std::vector<std::string> cells{};  // one per shown element, row-major
  bool summarised = false;
};

inline constexpr std::ptrdiff_t print_threshold = 1000;  // more elements than this are summarised
inline constexpr std::ptrdiff_t print_edge = 3;          // shown at each end of a summarised axis

/// Positions along an axis that are shown.
std::vector<std::ptrdiff_t> shown_positions(std::ptrdiff_t extent, bool summarised);

/// Makes all cells as wide as the widest.
void pad_left(std::vector<std::string>& cells);

/// Cells padded to one width and put into brackets; lines break before column 75.
std::string lay_out(const PrintedElements& printed);

template <class T>
std::vector<double> widened(const std::vector<T>& values) {
  std::vector<double> wide;
  for (const T& value : values) wide.push_back(static_cast<double>(value));
  return wide;
}

template <class T>
std::vector<std::string> format_cells(const std::vector<T>& values) {
  if constexpr (Floating<T>) {
    return format_floats(widened(values), dtype_of<T>);
  } else if constexpr (Complex<T>) {
    using Part = typename T::value_type;
    std::vector<Part> real, imag;
    for (const T& value : values) {
      real.push_back(value.real());
      imag.push_back(value.imag());
    }
    return format_complex(widened(real), widened(imag), dtype_of<Part>);
  } else {
    std::vector<std::string> cells;
    for (const T value : values) {
      if constexpr (std::is_same_v<T, bool>) {
        cells.emplace_back(value ? " True" : "False");  // as wide, whether there is a False or not
      } else {
        cells.push_back(std::to_string(value));
      }
    }
    return cells;
  }
}

template <class T>
std::string format_scalar(const T& value) {
  if constexpr (Floating<T>) {
    return scalar_text(static_cast<double>(value), dtype_of<T>);
  } else if constexpr (Complex<T>) {
    return scalar_text(static_cast<double>(value.real()), static_cast<double>(value.imag()),
                       dtype_of<typename T::value_type>);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "True" : "False";
  } else {
    return format_cells(std::vector<T>{value}).front();
  }
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

/// The elements of a view in brackets, one bracket pair per axis, columns aligned; more than 1000 elements are
/// summarised with "...". Throws PlaceError if they are not on the host.
export template <class T, int Rank, AnyPlace P>
std::string to_string(const ArrayView<T, Rank, P>& view) {
  require_host(view.place(), "to_string");
  if constexpr (Rank == 0) {
    return format_scalar(*view.data());
  } else {
    if (view.size() == 0) return "[]";
    PrintedElements printed{.shape = {view.shape().extents().begin(), view.shape().extents().end()}};
    printed.summarised = view.size() > print_threshold;
    std::vector<std::remove_const_t<T>> values;
    collect<0>(view, 0, printed.summarised, values);
    printed.cells = format_cells(values);
    return lay_out(printed);
  }
}

/// As for views, on every place.
export template <class T, int Rank, AnyPlace P>
std::string to_string(const Array<T, Rank, P>& array) {
  if (!array.has_storage()) return "(no storage)";
  if (Place(array.place()).on_host()) return to_string(make_view(array));
  const Array<T, Rank, CpuPlace> host = array.to(CpuPlace{});
  return to_string(make_view(host));
}

/// The elements of an array or a view, or those that an expression evaluates to, as to_string() writes them.
export template <class O>
  requires Elements<O> || ExpressionNode<O>
std::ostream& operator<<(std::ostream& out, const O& x) {
  return out << to_string(x);
}

}  // namespace tessera
