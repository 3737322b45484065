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

/// Elements of a GPU as slices: the last lists that are axes are those of slices, the others together say where each slice begins.
struct Slices {
  std::vector<std::int64_t> starts;
  std::vector<std::ptrdiff_t> extents;         // of a slice
  std::vector<std::ptrdiff_t> strides, dense;  // along it, in the array and in memory with all elements side by side
  std::ptrdiff_t length = 1;                   // elements of a slice
};

/// `distinct`: no element is twice in a slice.
Slices slices_of(const Selection& selection, bool distinct) {
  const auto& lists = selection.offsets;
  const auto step = [](const Offsets& list) { return list.size() > 1 ? list[1] - list[0] : 0; };
  const auto may_be_sliced = [&](const Offsets& list) {
    return is_axis(list) && !(distinct && list.size() > 1 && step(list) == 0);
  };
  Slices slices;
  std::size_t starting = lists.size();
  std::ptrdiff_t base = 0;  // from an element at which a slice is said to begin
  for (; starting > 1 && may_be_sliced(lists[starting - 1]); --starting) {
    const Offsets& list = lists[starting - 1];
    slices.extents.insert(slices.extents.begin(), std::ssize(list));
    slices.strides.insert(slices.strides.begin(), step(list));
    slices.dense.insert(slices.dense.begin(), slices.length);
    slices.length *= std::ssize(list);
    base += list[0];
  }
  slices.starts = {base};
  for (std::size_t k = 0; k < starting; ++k) {
    std::vector<std::int64_t> sums;
    sums.reserve(slices.starts.size() * lists[k].size());
    for (const std::int64_t start : slices.starts) {
      for (const std::ptrdiff_t offset : lists[k]) sums.push_back(start + offset);
    }
    slices.starts = std::move(sums);
  }
  return slices;
}

std::vector<std::ptrdiff_t> with_first(std::ptrdiff_t first, std::vector<std::ptrdiff_t> rest) {
  rest.insert(rest.begin(), first);
  return rest;
}

void wait_for_ops(const DArray& x, schedule::Purpose purpose) {
  const DDim shape = x.shape();
  x.buffer()->wait_for_ops(purpose, {x.data(), shape.extents(), x.strides(), item_size(x.dtype())});
}

/// The elements in new memory of the GPU.
DArray gathered_on_gpu(const DArray& x, const Selection& selection) {
  const DArray result(selection.shape, x.dtype(), x.place());
  if (result.size() == 0) return result;
  const Slices slices = slices_of(selection, false);
  const auto to = with_first(slices.length, slices.dense), from = with_first(1, slices.strides);
  const std::ptrdiff_t item = item_size(x.dtype());
  wait_for_ops(x, schedule::Purpose::read);
  plan::gather_on_device({.to = {{result.data(), to, item}, x.place(), result.buffer()->uses()},
                          .from = {{x.data(), from, item}, x.place(), x.buffer()->uses()},
                          .slice = slices.extents},
                         slices.starts);
  return result;
}

plan::Scattering scattering_of(Combine combine) {
  switch (combine) {
    case Combine::add: return plan::Scattering::add;
    case Combine::subtract: return plan::Scattering::subtract;
    case Combine::multiply: return plan::Scattering::multiply;
    case Combine::divide: return plan::Scattering::divide;
    default: return plan::Scattering::assign;
  }
}

/// Writes elements of a GPU; `spread` has a value for each, side by side.
void scattered_on_gpu(const DArray& x, const Selection& selection, Combine combine, const DArray& spread) {
  if (spread.size() == 0) return;
  const Slices slices = slices_of(selection, true);
  wait_for_ops(x, schedule::Purpose::change);
  wait_for_ops(spread, schedule::Purpose::read);
  device::Stream& stream = device::Stream::current(GpuPlace{x.place().ordinal()});
  x.buffer()->uses()->order_write(stream);
  spread.buffer()->uses()->order_read(stream);
  const plan::ScatteredMemory memory{.data = x.data(),
                                     .type = x.dtype(),
                                     .at = {.indices = slices.starts},
                                     .values = spread.data(),
                                     .values_step = slices.length,
                                     .extents = slices.extents,
                                     .strides = slices.strides,
                                     .value_strides = slices.dense};
  combine == Combine::assign ? plan::scatter_on_device(memory, x.place())
                             : plan::combine_on_device(memory, scattering_of(combine), x.place());
  x.buffer()->uses()->note_write(stream.mark());
  spread.buffer()->uses()->note_read(stream.mark());
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
  x.require_writable("indexing by arrays");
  const bool is_on_host = x.place().on_host();
  if (!is_on_host && combine != Combine::assign && kind(x.dtype()) == Kind::boolean)
    throw_dtype("combining elements", x.dtype(), "numbers");
  const bool is_elsewhere = values.place() != x.place() && !(is_on_host && values.place().on_host());
  if (is_elsewhere && values.rank() > 0) {
    throw PlaceError(to_string(Failure{
        .operation = "indexing by arrays",
        .problem = "the values are on " + to_string(values.place()) + " and the array on " + to_string(x.place()),
        .advice = "move them: y.to(place)"}));
  }
  const DArray here = is_elsewhere ? values.to(x.place()) : values;
  const DArray spread = here.broadcast_to(selection.shape).clone();  // read before anything is written
  if (!is_on_host) return scattered_on_gpu(x, selection, combine, spread);
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
