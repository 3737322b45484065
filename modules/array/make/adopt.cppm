module;
#include <cstddef>
export module tessera.array:adopt;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.memory;
import :buffer;
import :concepts;
import :handle;
import :layout;

// Arrays over memory of other libraries, and memory for those who write through pointers.
namespace tessera {

namespace storage {

/// How many elements lie before and from the first one on, with gaps. Throws ShapeError if there are too many to count.
export struct ElementSpan {
  std::ptrdiff_t before = 0, after = 0;
};
export ElementSpan span_of(std::span<const std::ptrdiff_t> shape, std::span<const std::ptrdiff_t> strides);

}  // namespace storage

/// The elements at `pointer`, with any strides (in elements), which `owner` keeps alive as long as an array sees them; without an owner, they
/// must outlive all of these. Nothing is copied. `pointer` is the address of the element at index 0 of each axis; for elements that are only
/// read it points to const. Throws ShapeError (too large), std::bad_alloc.
export template <class T, int Rank, AnyPlace P = Place>
  requires Element<std::remove_const_t<T>>
Array<T, Rank, P> adopt(T* pointer, const Dim<Rank>& shape, const std::type_identity_t<Strides<Rank>>& strides,
                        P place = {}, std::shared_ptr<const void> owner = {}) {
  const storage::ElementSpan span = storage::span_of(shape.extents(), strides);
  const std::ptrdiff_t bytes = core::checked_multiply(core::checked_add(span.before, span.after), sizeof(T));
  void* const begin = const_cast<std::remove_const_t<T>*>(pointer - span.before);
  return {storage::BufferShare::make(memory::Allocation::adopt(begin, bytes, place, std::move(owner))),
          Layout<Rank>{.shape = shape, .strides = strides, .offset = span.before}, place};
}
/// Row-major elements.
export template <class T, int Rank, AnyPlace P = Place>
  requires Element<std::remove_const_t<T>>
Array<T, Rank, P> adopt(T* pointer, const Dim<Rank>& shape, P place = {}, std::shared_ptr<const void> owner = {}) {
  return adopt(pointer, shape, contiguous_strides(shape), place, std::move(owner));
}

/// Where a name's elements are to be written by who writes all of them through a pointer, such as a function of another library: row-major, of
/// this shape, at this place, not initialised. The name gets its storage now, when it is first written; later it keeps it where shape and
/// place are the same and no other name shares it. Returns when no pending op uses the elements. Throws ShapeError (too large), OutOfMemory,
/// DeviceError, what a pending op has thrown; the name is as before then. Source: mutable_data of Paddle's tensors.
export template <Element T, int Rank, AnyPlace P>
T* mutable_data(Array<T, Rank, P>& name, const std::type_identity_t<Dim<Rank>>& shape,
                const std::type_identity_t<P>& place = {}) {
  const bool is_own = name.has_storage() && name.buffer()->owns() && name.buffer()->names() == 1;
  if (is_own && name.shape() == shape && name.place() == place && name.is_contiguous()) {
    name.wait();
  } else {
    Array<T, Rank, P> fresh(shape, place);
    fresh.wait();  // memory of a GPU may come back to this thread's stream while that still reads what was in it
    name = std::move(fresh);
  }
  return name.data();
}

}  // namespace tessera
