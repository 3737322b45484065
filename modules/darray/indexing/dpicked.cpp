module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
module tessera.darray;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import tessera.algorithm;

// Picking by arrays of indices: which elements, and reading and writing them.
namespace tessera {

namespace dynamic {

namespace {

using Offsets = std::vector<std::ptrdiff_t>;

void require_writing_on_host(Place place) {
  if (place.on_host()) return;
  throw PlaceError(to_string(Failure{
      .operation = "indexing by arrays",
      .problem = "the array is on " + to_string(place) + ", and elements are written by indices on the host only",
      .advice = "write where a mask is true: x({ellipsis}) = where(mask, y, x)"}));
}

/// An index array beside the axis that it picks along.
struct IndexArray {
  int axis;
  DArray positions;  // int64, of any shape
};

/// Where the indexers have put everything: axes that stay, with their offsets, and index arrays.
class Selector {
 public:
  Selector(const DLayout& layout, std::span<const DIndexOrArray> indexers) : layout_(layout) {
    read_all(indexers);
    place_arrays();
  }

  Selection selection() {
    Selection result;
    std::vector<std::ptrdiff_t> extents;
    for (std::size_t k = 0; k <= kept_.size(); ++k) {
      if (k == arrays_at_ && !arrays_.empty()) {
        const DDim shape = common_shape();
        extents.insert(extents.end(), shape.extents().begin(), shape.extents().end());
        result.offsets.push_back(offsets_of_arrays(shape));
      }
      if (k == kept_.size()) break;
      extents.push_back(static_cast<std::ptrdiff_t>(kept_[k].size()));
      result.offsets.push_back(std::move(kept_[k]));
    }
    if (std::ssize(extents) > max_rank) {
      throw ShapeError(to_string(Failure{.operation = "indexing by arrays",
                                         .problem = "the result has " + std::to_string(extents.size()) + " axes",
                                         .advice = "there are at most " + std::to_string(max_rank)}));
    }
    if (!result.offsets.empty()) {
      for (std::ptrdiff_t& offset : result.offsets.front()) offset += constant_;
    }
    result.shape = DDim(extents);
    return result;
  }

 private:
  static int axes_of(const DIndexOrArray& indexer) {
    if (indexer.is_array()) return indexer.array().dtype() == DType::boolean ? indexer.array().rank() : 1;
    const DIndexer::Kind kind = indexer.indexer().kind();
    return kind == DIndexer::Kind::added || kind == DIndexer::Kind::rest ? 0 : 1;
  }

  std::ptrdiff_t extent(int axis) const { return layout_.extents[static_cast<std::size_t>(axis)]; }
  std::ptrdiff_t stride(int axis) const { return layout_.strides[static_cast<std::size_t>(axis)]; }

  void read_all(std::span<const DIndexOrArray> indexers) {
    int named = 0, ellipses = 0;
    for (const DIndexOrArray& indexer : indexers) {
      named += axes_of(indexer);
      ellipses += !indexer.is_array() && indexer.indexer().kind() == DIndexer::Kind::rest ? 1 : 0;
    }
    if (named > layout_.rank || ellipses > 1) {
      throw IndexError(to_string(Failure{.operation = "indexing by arrays",
                                         .problem = ellipses > 1 ? "there are " + std::to_string(ellipses) + " ellipses"
                                                                 : std::to_string(named) + " axes are named of shape " +
                                                                       to_string(DDim(layout_.shape()))}));
    }
    const int rest = layout_.rank - named;
    for (const DIndexOrArray& indexer : indexers) {
      if (!indexer.is_array() && indexer.indexer().kind() == DIndexer::Kind::rest) {
        for (int k = 0; k < rest; ++k) keep(DIndexer(all));
      } else {
        read(indexer);
      }
    }
    while (axis_ < layout_.rank) keep(DIndexer(all));
  }

  void read(const DIndexOrArray& indexer) {
    if (indexer.is_array()) {
      read_array(indexer.array());
    } else if (indexer.indexer().kind() == DIndexer::Kind::index) {
      note_block();
      constant_ += checked(indexer.indexer().index(), 0, axis_) * stride(axis_);
      ++axis_;
    } else {
      keep(indexer.indexer());
    }
  }

  /// An axis that stays, maybe in part, or one that is new.
  void keep(const DIndexer& indexer) {
    if (indexer.kind() == DIndexer::Kind::added) {
      kept_.push_back(Offsets{0});
      return;
    }
    // The slice of this axis alone says where it begins and how it goes on.
    DLayout one{.rank = 1};
    one.extents[0] = extent(axis_);
    one.strides[0] = stride(axis_);
    const DLayout part = sliced(one, {&indexer, 1});
    Offsets offsets(static_cast<std::size_t>(part.extents[0]));
    for (std::size_t k = 0; k < offsets.size(); ++k)
      offsets[k] = part.offset + static_cast<std::ptrdiff_t>(k) * part.strides[0];
    kept_.push_back(std::move(offsets));
    ++axis_;
  }

  /// Index arrays and integers stand together while nothing that stays is between them.
  void note_block() {
    if (!has_block_) {
      has_block_ = true;
      arrays_at_ = kept_.size();
    } else if (kept_.size() != block_end_) {
      is_separated_ = true;
    }
    block_end_ = kept_.size();
  }

  void read_array(const DArray& given) {
    const DArray array = given.place().on_host() ? given : given.to(CpuPlace{});
    note_block();
    if (array.dtype() == DType::boolean) return read_mask(array);
    if (!core::is_integer(array.dtype()))
      throw_dtype("indexing by arrays", array.dtype(), "indices that are integers, or a mask of bool");
    arrays_.push_back({axis_, array.cast(DType::int64)});
    ++axis_;
  }

  void read_mask(const DArray& mask) {
    for (int k = 0; k < mask.rank(); ++k) {
      if (mask.shape()[k] == extent(axis_ + k)) continue;
      throw ShapeError(
          to_string(Failure{.operation = "indexing by arrays",
                            .problem = "a mask of shape " + to_string(mask.shape()) + " for axis " +
                                       std::to_string(axis_) + " of shape " + to_string(DDim(layout_.shape())),
                            .advice = "a mask has the extents of the axes along which it picks"}));
    }
    if (mask.rank() == 0) {
      throw ShapeError(
          to_string(Failure{.operation = "indexing by arrays", .problem = "a mask of rank 0 picks along no axis"}));
    }
    const Array<bool, 1> flat = get<Array<bool, 1>>(mask.clone().flatten());
    Array<std::int64_t, 1> rest = flatnonzero(flat);
    for (int k = mask.rank(); k-- > 0;) {
      const std::int64_t along = std::max<std::ptrdiff_t>(mask.shape()[k], 1);
      arrays_.push_back({axis_ + k, DArray(evaluate(rest % along))});
      rest = evaluate(rest / along);
    }
    axis_ += mask.rank();
  }

  std::ptrdiff_t checked(std::int64_t index, std::ptrdiff_t position, int axis) const {
    const std::ptrdiff_t length = extent(axis);
    if (index >= -length && index < length) return index < 0 ? index + length : index;
    throw IndexError(to_string(Failure{.operation = "indexing by arrays",
                                       .problem = "index " + std::to_string(index) + " at position " +
                                                  std::to_string(position) + " is outside axis " +
                                                  std::to_string(axis) + " of extent " + std::to_string(length)}));
  }

  void place_arrays() {
    if (is_separated_) arrays_at_ = 0;
  }

  DDim common_shape() const {
    std::vector<DArray> arrays;
    arrays.reserve(arrays_.size());
    for (const IndexArray& one : arrays_) arrays.push_back(one.positions);
    return broadcast(arrays)[0].shape();
  }

  Offsets offsets_of_arrays(const DDim& shape) const {
    Offsets sums(static_cast<std::size_t>(product(shape)));
    for (const IndexArray& one : arrays_) {
      const DArray spread = one.positions.broadcast_to(shape).clone();
      const auto* positions = static_cast<const std::int64_t*>(spread.data());
      for (std::size_t k = 0; k < sums.size(); ++k)
        sums[k] += checked(positions[k], static_cast<std::ptrdiff_t>(k), one.axis) * stride(one.axis);
    }
    return sums;
  }

  DLayout layout_;
  int axis_ = 0;
  std::vector<Offsets> kept_;
  std::vector<IndexArray> arrays_;
  std::size_t arrays_at_ = 0, block_end_ = 0;
  std::ptrdiff_t constant_ = 0;
  bool has_block_ = false, is_separated_ = false;
};

/// What is done with a row of elements, of which the offsets are given, and with their values, which lie densely.
using RowWork = void (*)(std::byte* elements, std::span<const std::ptrdiff_t> offsets, std::byte* values);

/// Does it with all elements, row by row.
void for_each_row(const Selection& selection, const DArray& strided, const DArray& dense, RowWork work) {
  const auto& lists = selection.offsets;
  if (std::ranges::any_of(lists, [](const Offsets& list) { return list.empty(); })) return;
  const auto size = static_cast<std::ptrdiff_t>(item_size(strided.dtype()));
  auto* const elements = static_cast<std::byte*>(strided.data());
  auto* values = static_cast<std::byte*>(dense.data());
  std::vector<std::size_t> at(lists.size());
  const Offsets& last = lists.back();
  for (;;) {
    std::ptrdiff_t base = 0;
    for (std::size_t k = 0; k + 1 < lists.size(); ++k) base += lists[k][at[k]];
    work(elements + base * size, last, values);
    values += std::ssize(last) * size;
    std::size_t k = lists.size() - 1;
    while (k > 0 && ++at[k - 1] == lists[k - 1].size()) at[--k] = 0;
    if (k == 0) return;
  }
}

template <std::size_t Size>
void read_row(std::byte* elements, std::span<const std::ptrdiff_t> offsets, std::byte* values) {
  for (const std::ptrdiff_t offset : offsets) {
    std::memcpy(values, elements + offset * static_cast<std::ptrdiff_t>(Size), Size);
    values += Size;
  }
}
template <std::size_t Size>
void write_row(std::byte* elements, std::span<const std::ptrdiff_t> offsets, std::byte* values) {
  for (const std::ptrdiff_t offset : offsets) {
    std::memcpy(elements + offset * static_cast<std::ptrdiff_t>(Size), values, Size);
    values += Size;
  }
}

void copy_elements(const Selection& selection, const DArray& strided, const DArray& dense, bool writes) {
  const auto copy = [&]<std::size_t Size>(std::integral_constant<std::size_t, Size>) {
    for_each_row(selection, strided, dense, writes ? write_row<Size> : read_row<Size>);
  };
  switch (item_size(strided.dtype())) {
    case 1: return copy(std::integral_constant<std::size_t, 1>());
    case 2: return copy(std::integral_constant<std::size_t, 2>());
    case 4: return copy(std::integral_constant<std::size_t, 4>());
    case 8: return copy(std::integral_constant<std::size_t, 8>());
    default: return copy(std::integral_constant<std::size_t, 16>());
  }
}

/// All offsets are at one distance from the next: those of an axis.
bool is_axis(const Offsets& list) {
  for (std::size_t k = 2; k < list.size(); ++k) {
    if (list[k] - list[k - 1] != list[1] - list[0]) return false;
  }
  return true;
}

/// The elements in new memory of the GPU. The last lists that are axes are those of slices; the others together say where each slice begins.
DArray gathered_on_gpu(const DArray& x, const Selection& selection) {
  const DArray result(selection.shape, x.dtype(), x.place());
  if (result.size() == 0) return result;
  const auto& lists = selection.offsets;
  std::size_t starting = lists.size();
  std::ptrdiff_t length = 1, base = 0;  // of a slice, and from an element at which it is said to begin
  std::vector<std::ptrdiff_t> slice, from{1}, to;
  for (; starting > 1 && is_axis(lists[starting - 1]); --starting) {
    const Offsets& list = lists[starting - 1];
    slice.insert(slice.begin(), std::ssize(list));
    from.insert(from.begin() + 1, list.size() > 1 ? list[1] - list[0] : 0);
    to.insert(to.begin(), length);
    length *= std::ssize(list);
    base += list[0];
  }
  to.insert(to.begin(), length);
  std::vector<std::int64_t> starts{base};
  for (std::size_t k = 0; k < starting; ++k) {
    std::vector<std::int64_t> sums;
    sums.reserve(starts.size() * lists[k].size());
    for (const std::int64_t start : starts) {
      for (const std::ptrdiff_t offset : lists[k]) sums.push_back(start + offset);
    }
    starts = std::move(sums);
  }
  const DDim shape = x.shape();
  const std::ptrdiff_t item = item_size(x.dtype());
  x.buffer()->wait_for_ops(schedule::Purpose::read, {x.data(), shape.extents(), x.strides(), item});
  plan::gather_on_device({.to = {{result.data(), to, item}, x.place(), result.buffer()->uses()},
                          .from = {{x.data(), from, item}, x.place(), x.buffer()->uses()},
                          .slice = slice},
                         starts);
  return result;
}

// As in expressions: integers wrap, and a quotient by 0 is 0.

template <class C>
C sum_of(C a, C b) {
  if constexpr (std::is_integral_v<C>) {
    return static_cast<C>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  } else {
    return static_cast<C>(a + b);
  }
}
template <class C>
C difference_of(C a, C b) {
  if constexpr (std::is_integral_v<C>) {
    return static_cast<C>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  } else {
    return static_cast<C>(a - b);
  }
}
template <class C>
C product_of(C a, C b) {
  if constexpr (std::is_integral_v<C>) {
    return static_cast<C>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  } else {
    return static_cast<C>(a * b);
  }
}
template <class C>
C quotient_of(C a, C b) {
  if constexpr (std::is_integral_v<C>) {
    if (b == 0) return 0;
    if (std::is_signed_v<C> && b == static_cast<C>(-1)) return difference_of(C(0), a);
  }
  return static_cast<C>(a / b);
}

/// Each element becomes apply(element, value).
template <class T, auto apply>
void combine_row(std::byte* elements, std::span<const std::ptrdiff_t> offsets, std::byte* values) {
  using C = compute_t<T>;
  auto* const to = reinterpret_cast<T*>(elements);
  const auto* value = reinterpret_cast<const T*>(values);
  for (const std::ptrdiff_t offset : offsets)
    to[offset] = static_cast<T>(apply(static_cast<C>(to[offset]), static_cast<C>(*value++)));
}

template <class T>
RowWork combination(Combine combine) {
  using C = compute_t<T>;
  switch (combine) {
    case Combine::add: return combine_row<T, sum_of<C>>;
    case Combine::subtract: return combine_row<T, difference_of<C>>;
    case Combine::multiply: return combine_row<T, product_of<C>>;
    default: return combine_row<T, quotient_of<C>>;
  }
}

}  // namespace

Selection select(const DLayout& layout, std::span<const DIndexOrArray> indexers) {
  return Selector(layout, indexers).selection();
}

DArray gathered(const DArray& x, const Selection& selection) {
  if (!x.place().on_host()) return gathered_on_gpu(x, selection);
  const DArray result(selection.shape, x.dtype());
  x.wait(schedule::Purpose::read);
  copy_elements(selection, x, result, false);
  return result;
}

void scattered(const DArray& x, const Selection& selection, Combine combine, const DArray& values) {
  require_writing_on_host(x.place());
  x.require_writable("indexing by arrays");
  const DArray spread = values.broadcast_to(selection.shape).clone();  // read before anything is written
  x.wait(schedule::Purpose::change);
  if (combine == Combine::assign) return copy_elements(selection, x, spread, true);
  core::with_element(x.dtype(), [&]<class T>() {
    if constexpr (Numeric<T>) {
      for_each_row(selection, x, spread, combination<T>(combine));
    } else {
      throw_dtype("combining elements", x.dtype(), "numbers");
    }
  });
}

}  // namespace dynamic

DLeaf node_of(const DPicked& picked) { return {picked.get()}; }

DPicked::DPicked(DArray array, std::span<const DIndexOrArray> indexers)
    : array_(std::move(array)), selection_(dynamic::select(array_.layout(), indexers)) {}

void DPicked::write(dynamic::Combine how, const DArray& source) const {
  if (source.dtype() != array_.dtype() && !assignable(source.dtype(), array_.dtype())) {
    throw DTypeError(to_string(Failure{
        .operation = "indexing by arrays",
        .problem = std::string(name(source.dtype())) + " is not assigned to " + std::string(name(array_.dtype())),
        .advice = "convert it: y.cast(dtype)"}));
  }
  dynamic::scattered(array_, selection_, how, source.dtype() == array_.dtype() ? source : source.cast(array_.dtype()));
}

}  // namespace tessera
