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

namespace storage {

/// Positions along an axis that are shown of an array of `size` elements: more than 1000 are summarised by the first and the last three
/// of each axis.
export std::vector<std::ptrdiff_t> shown_positions(std::ptrdiff_t extent, std::ptrdiff_t size);

/// The cells, one for each element that is shown, in row-major order, padded to one width and put into brackets; lines break before
/// column 75.
export std::string in_brackets(std::span<const std::ptrdiff_t> shape, std::vector<std::string> cells);

/// Elements in the host's memory as to_string() writes them; strides in elements.
export std::string text_of_elements(const void* first, DType dtype, std::span<const std::ptrdiff_t> shape,
                                    std::span<const std::ptrdiff_t> strides);

}  // namespace storage

/// The elements of a view in brackets, one bracket pair per axis, columns aligned; more than 1000 elements are
/// summarised with "...". Throws PlaceError if they are not on the host.
export template <class T, int Rank, AnyPlace P>
std::string to_string(const ArrayView<T, Rank, P>& view) {
  require_host(view.place(), "to_string");
  return storage::text_of_elements(view.data(), dtype_of<std::remove_const_t<T>>, view.shape().extents(),
                                   view.strides());
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
