module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:compress;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import :rows;
import :device_kernels;
import :device_work;
import :compressing;

// Picking the elements where a mask is true.
namespace tessera {

/// A mask for the elements of O: bool, along as many axes.
export template <class M, class O>
concept MaskOperand = rows::KnownOperand<M> && rows::KnownOperand<O> &&
                      (std::same_as<value_of<M>, bool> || unsatisfied<"a mask has elements of bool: write x != 0">) &&
                      (rank_of<M> == rank_of<O> || unsatisfied<"a mask has as many axes as the elements it picks">);

/// The elements of an operand in row-major order without gaps. A copy may be an op that has yet to run.
template <class A>
auto contiguous(const A& elements) {
  using Contiguous = Array<value_of<A>, A::rank, typename A::place_type>;
  if constexpr (ArrayHandle<A> && A::rank > 0) {  // of rank 0 it may be an element that is not there: copying says so
    if (storage::is_contiguous(elements.shape(), elements.strides())) return elements;
  }
  return Contiguous(evaluate(elements));
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
  auto result = contiguous(elements);
  result.wait(schedule::Purpose::read);
  return result;
}

/// compress() of elements on the host.
template <class Result, class M, class O>
Result compressed_on_host(const M& mask, const O& x, const std::source_location& where) {
  const auto picked = compressible(mask, "compress", where);
  const auto elements = compressible(x, "compress", where);
  const auto selection = select(picked, elements, where);
  Result result(Dim<1>{selection.count()}, elements.place());
  selection.write(result.data(), 1);
  return result;
}

/// compress_into() of elements on the host.
template <class A, class M, class O>
void compress_into_on_host(const A& result, const M& mask, const O& x, const std::source_location& where) {
  rows::require_host_algorithm(result.place(), "compress_into", where);
  const auto picked = compressible(mask, "compress_into", where);
  const auto elements = compressible(x, "compress_into", where);
  result.wait(schedule::Purpose::change);
  if (rows::may_overlap(result, elements) || rows::may_overlap(result, picked)) {
    using Computed = Array<value_of<A>, 1, typename A::place_type>;
    const auto computed = compressed_on_host<Computed>(picked, elements, where);
    rows::require_result(result, computed.shape().extents(), "compress_into", where);
    return assign(result, computed);
  }
  const auto selection = select(picked, elements, where);
  const Dim<1> wanted{selection.count()};
  rows::require_result(result, wanted.extents(), "compress_into", where);
  selection.write(result.data(), result.strides()[0]);
}

/// The mask and the elements of a call on a GPU, and how many are picked: the host waits for that number.
template <class M, class A>
class DeviceSelection {
 public:
  DeviceSelection(const M& mask, const A& elements) : mask_(contiguous(mask)), elements_(contiguous(elements)) {
    device_work::wait_for_ops(mask_, schedule::Purpose::read);
    device_work::wait_for_ops(elements_, schedule::Purpose::read);
    if (mask_.size() == 0) return;
    count_ = item(count_nonzero(mask_));
  }

  std::ptrdiff_t count() const { return count_; }

  /// Writes the elements to contiguous memory on their GPU, which shares none with them.
  template <class R>
  void write(const R& result) const {
    if (count_ == 0) return;
    const Array<std::int64_t, 1, typename R::place_type> written(Dim{1}, result.place());  // CUB counts once more
    device_work::enqueue(result.place(),
                         {device_work::uses_of(elements_), device_work::uses_of(result), device_work::uses_of(mask_),
                          device_work::uses_of(written)},
                         [&](const device_kernels::Target& target) {
                           device_kernels::select({dtype_of<value_of<A>>, elements_.size(), elements_.data(),
                                                   mask_.data(), result.data(), written.data()},
                                                  target);
                         });
  }

 private:
  decltype(contiguous(std::declval<const M&>())) mask_;
  decltype(contiguous(std::declval<const A&>())) elements_;
  std::ptrdiff_t count_ = 0;
};

/// compress() of arrays or views on a GPU.
template <class Result, class M, class A>
Result compressed_on_gpu(const M& mask, const A& elements, const std::source_location& where) {
  rows::require_same_place(mask.place(), elements.place(), "compress", where);
  compressing::require_mask_shape(mask.shape().extents(), elements.shape().extents(), where);
  const DeviceSelection selection(mask, elements);
  Result result(Dim<1>{selection.count()}, elements.place());
  selection.write(result);
  return result;
}

/// compress_into() of arrays or views on a GPU.
template <class R, class M, class A>
void compress_into_on_gpu(const R& result, const M& mask, const A& elements, const std::source_location& where) {
  rows::require_same_place(result.place(), elements.place(), "compress_into", where);
  using Computed = Array<value_of<R>, 1, typename R::place_type>;
  const auto computed = compressed_on_gpu<Computed>(mask, elements, where);
  rows::require_result(result, computed.shape().extents(), "compress_into", where);
  assign(result, computed);
}

/// Neither place is the host's for sure: whether the elements are on a GPU is known at run time.
template <class M, class O>
inline constexpr bool may_be_on_gpu = !HostPlace<rows::result_place<M>> && !HostPlace<rows::result_place<O>>;

template <class A>
bool is_on_gpu(const A& elements) {
  return !Place(elements.place()).on_host();
}

/// The elements of x where `mask` is true, in row-major order: x[mask] in NumPy. On a GPU the host waits for their number, then the work is
/// enqueued. Throws ShapeError for masks of another shape, PlaceError for a mask on another place, OutOfMemory, and DeviceError for elements
/// on a GPU without the library of CUDA kernels.
export template <class M, class O>
  requires MaskOperand<M, O>
auto compress(const M& mask, const O& x, std::source_location where = std::source_location::current()) {
  using Result = Array<value_of<O>, 1, rows::result_place<O>>;
  if constexpr (may_be_on_gpu<M, O>) {
    const auto picked = rows::elements_of(mask);
    const auto values = rows::elements_of(x);
    if (is_on_gpu(picked) || is_on_gpu(values)) return compressed_on_gpu<Result>(picked, values, where);
    return compressed_on_host<Result>(picked, values, where);
  } else {
    return compressed_on_host<Result>(mask, x, where);
  }
}

/// Writes what compress() returns to `result`, which may overlap x. Throws as compress(), PlaceError for a result on another place, and
/// ShapeError for one of another length; nothing has been written then.
export template <class A, class M, class O>
  requires MaskOperand<M, O> && ResultElements<A, value_of<O>, 1>
void compress_into(const A& result, const M& mask, const O& x,
                   std::source_location where = std::source_location::current()) {
  if constexpr (may_be_on_gpu<M, O> && !HostPlace<typename A::place_type>) {
    const auto picked = rows::elements_of(mask);
    const auto values = rows::elements_of(x);
    if (is_on_gpu(picked) || is_on_gpu(values)) return compress_into_on_gpu(result, picked, values, where);
    return compress_into_on_host(result, picked, values, where);
  } else {
    return compress_into_on_host(result, mask, x, where);
  }
}

}  // namespace tessera
