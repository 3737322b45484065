module;
#include <cstddef>
export module tessera.algorithm:compress;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import :rows;
import :compressing;

// Picking the elements where a mask is true.
namespace tessera {

/// A mask for the elements of O: bool, along as many axes.
export template <class M, class O>
concept MaskOperand = rows::KnownOperand<M> && rows::KnownOperand<O> &&
                      (std::same_as<value_of<M>, bool> || unsatisfied<"a mask has elements of bool: write x != 0">) &&
                      (rank_of<M> == rank_of<O> || unsatisfied<"a mask has as many axes as the elements it picks">);

/// The elements of an operand in row-major order without gaps.
template <class A>
auto contiguous(const A& elements) {
  using Contiguous = Array<value_of<A>, A::rank, typename A::place_type>;
  if constexpr (ArrayHandle<A>) {
    if (is_contiguous(elements.shape(), elements.strides())) return elements;
  }
  return Contiguous(copy(elements));
}

template <class M, class A>
compressing::Selection select(const M& mask, const A& elements, const std::source_location& where) {
  compressing::require_mask_shape(mask.shape().extents(), elements.shape().extents(), where);
  return {{mask.data(), static_cast<std::size_t>(product(mask.shape()))}, elements.data(), sizeof(value_of<A>)};
}

template <class A>
auto compressible(const A& operand, const char* name, const std::source_location& where) {
  const auto elements = rows::elements_of(operand);
  rows::require_host_algorithm(elements.place(), name, where);
  elements.settle(Purpose::read);
  return contiguous(elements);
}

/// The elements of x where `mask` is true, in row-major order: x[mask] in NumPy. Throws ShapeError for masks of another shape,
/// DeviceError for elements on a GPU, OutOfMemory.
export template <class M, class O>
  requires MaskOperand<M, O>
auto compress(const M& mask, const O& x, std::source_location where = std::source_location::current()) {
  const auto picked = compressible(mask, "compress", where);
  const auto elements = compressible(x, "compress", where);
  const auto selection = select(picked, elements, where);
  const Array<value_of<O>, 1, rows::result_place<O>> result(Dim<1>{selection.count()}, elements.place());
  selection.write(result.data(), 1);
  return result;
}

/// Writes what compress() returns to `result`, which may overlap x. Throws as compress(), and ShapeError for a result of another length;
/// nothing has been written then.
export template <class A, class M, class O>
  requires MaskOperand<M, O> && ResultElements<A, value_of<O>, 1>
void compress_into(const A& result, const M& mask, const O& x,
                   std::source_location where = std::source_location::current()) {
  rows::require_host_algorithm(result.place(), "compress_into", where);
  const auto picked = compressible(mask, "compress_into", where);
  const auto elements = compressible(x, "compress_into", where);
  result.settle(Purpose::change);
  if (rows::may_overlap(result, elements) || rows::may_overlap(result, picked)) {
    const auto computed = compress(picked, elements, where);
    rows::require_shape(result.shape().extents(), computed.shape().extents(), "compress_into", where);
    return assign(result, copy(computed));
  }
  const auto selection = select(picked, elements, where);
  const Dim<1> wanted{selection.count()};
  rows::require_shape(result.shape().extents(), wanted.extents(), "compress_into", where);
  selection.write(result.data(), result.strides()[0]);
}

}  // namespace tessera
