module;
#include <cstddef>
#include <cstdint>
export module tessera.darray:dpicked;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import :handle;
import :dfunctions;

// What arrays of indices and masks pick of a dynamic array.
namespace tessera {

/// One of the indexers between the parentheses of x(...), which may be an array of indices or a mask.
export class DIndexOrArray {
 public:
  DIndexOrArray(const DIndexer& indexer) : indexer_(indexer) {}
  DIndexOrArray(DArray array) : array_(std::move(array)) {}

  bool is_array() const { return array_.has_value(); }
  const DIndexer& indexer() const { return *indexer_; }
  const DArray& array() const { return *array_; }

 private:
  std::optional<DIndexer> indexer_;
  std::optional<DArray> array_;
};

namespace dynamic {

/// Which elements are picked: all sums of one offset of each list, in row-major order of the lists, are distances from the first element.
export struct Selection {
  std::vector<std::vector<std::ptrdiff_t>> offsets;
  DDim shape;  ///< of what is picked
};

/// Throws IndexError for an index out of range, more indices than axes and a step of 0, ShapeError for index arrays that do not broadcast, masks of
/// another shape and more than 9 axes, DTypeError for indices that are no integers.
export Selection select(const DLayout& layout, std::span<const DIndexOrArray> indexers);

/// What is done with an element and a value.
export enum class Combine { assign, add, subtract, multiply, divide };

export DArray gathered(const DArray& x, const Selection& selection);
export void scattered(const DArray& x, const Selection& selection, Combine combine, const DArray& values);

}  // namespace dynamic

/// x(rows, columns) of a DArray: an operand of expressions and functions, which reads the elements that are picked, and writes them. The rules are those of arrays: of an element
/// that is picked several times the last value stays, and `+=` and its like combine it with all of them. Indices are checked, and masks read, when it is
/// made. Elements of a GPU are read and written there, where the host says.
export class DPicked {
 public:
  /// Throws as dynamic::select().
  DPicked(DArray array, std::span<const DIndexOrArray> indexers);

  DDim shape() const { return selection_.shape; }
  DType dtype() const { return array_.dtype(); }
  int rank() const { return selection_.shape.rank(); }

  /// The elements, in new storage. Throws OutOfMemory.
  DArray get() const { return dynamic::gathered(array_, selection_); }
  operator DExpression() const { return DExpression(get()); }

  /// Writes the elements: of sources that broadcast to what is picked. Throws ShapeError, and DTypeError if the source does not convert or the array is
  /// read only; nothing has been written then.
  void operator=(const DArray& source) const { write(dynamic::Combine::assign, source); }
  void operator=(const DPicked& source) const { write(dynamic::Combine::assign, source.get()); }
  template <class S>
    requires DScalar<S> || DynamicTree<S> || std::convertible_to<const S&, DArray>
  void operator=(const S& source) const {
    combine(dynamic::Combine::assign, source);
  }
  template <class S>
  void operator+=(const S& source) const {
    combine(dynamic::Combine::add, source);
  }
  template <class S>
  void operator-=(const S& source) const {
    combine(dynamic::Combine::subtract, source);
  }
  template <class S>
  void operator*=(const S& source) const {
    combine(dynamic::Combine::multiply, source);
  }
  template <class S>
  void operator/=(const S& source) const {
    combine(dynamic::Combine::divide, source);
  }

 private:
  template <class S>
  void combine(dynamic::Combine how, const S& source) const {
    if constexpr (DScalar<S>) {
      // In the array's own type, as a number that fills has it.
      DArray filled(DDim(), array_.dtype());
      filled = source;
      write(how, filled);
    } else {
      write(how, DArray(source));
    }
  }
  void write(dynamic::Combine how, const DArray& source) const;

  DArray array_;
  dynamic::Selection selection_;
};

/// As the elements print.
export inline std::ostream& operator<<(std::ostream& out, const DPicked& picked) { return out << picked.get(); }

template <class... I>
  requires((DIndexArray<I> || std::convertible_to<const I&, DIndexer>) && ...) && (DIndexArray<I> || ...)
DPicked DArray::operator()(const I&... indexers) const {
  const DIndexOrArray list[] = {[&]() -> DIndexOrArray {
    if constexpr (DIndexArray<I>) {
      return DArray(indexers);
    } else {
      return DIndexer(indexers);
    }
  }()...};
  return {*this, list};
}

}  // namespace tessera
