module;
#include <cstddef>
export module tessera.darray:make_darray;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.array;
import tessera.expr;
import :alternative;
import :dlayout;
import :handle;

// New dynamic arrays.
namespace tessera {

/// Filled with the value, in its type: make_darray({2, 3}, 0.0f) is of float32. Throws ShapeError, OutOfMemory, DeviceError.
export DArray make_darray(const DDim& shape, const DValue& value, Place place = {});
export DArray make_darray(std::initializer_list<std::ptrdiff_t> shape, const DValue& value, Place place = {});

/// Not initialised.
export DArray make_darray(const DDim& shape, DType dtype, Place place = {});
export DArray make_darray(std::initializer_list<std::ptrdiff_t> shape, DType dtype, Place place = {});

/// Elements in an allocation, which it takes over; strides in elements, row-major without them, and `offset` elements from its
/// beginning. Throws ShapeError if an element would lie outside.
export DArray make_darray(memory::Allocation allocation, DType dtype, const DDim& shape);
export DArray make_darray(memory::Allocation allocation, DType dtype, const DDim& shape,
                          std::span<const std::ptrdiff_t> strides, std::ptrdiff_t offset = 0);

/// Foreign memory as an array, without a copy: element (i, j, ...) lies at pointer + i * strides[0] + j * strides[1] + ..., in
/// elements, strides of either sign. `owner` keeps the memory alive until the last array of it is gone; without one it must outlive
/// them. Throws ShapeError for strides that do not fit the shape.
export DArray adopt(void* pointer, DType dtype, const DDim& shape, std::span<const std::ptrdiff_t> strides,
                    Place place = {}, std::shared_ptr<const void> owner = {});
/// The same for memory that may only be read.
export DArray adopt(const void* pointer, DType dtype, const DDim& shape, std::span<const std::ptrdiff_t> strides,
                    Place place = {}, std::shared_ptr<const void> owner = {});
/// Row-major elements.
export DArray adopt(void* pointer, DType dtype, const DDim& shape, Place place = {},
                    std::shared_ptr<const void> owner = {});

/// Where a name's elements are to be written by who writes all of them through a pointer, as of arrays, and also of another dtype and rank than
/// it has. Throws ShapeError (too large), OutOfMemory, DeviceError, what a pending op has thrown; the name is as before then.
export void* mutable_data(DArray& name, DType dtype, const DDim& shape, Place place = {});
/// The same for elements of T.
export template <Element T>
T* mutable_data(DArray& name, const DDim& shape, Place place = {}) {
  return static_cast<T*>(mutable_data(name, dtype_of<T>, shape, place));
}

/// A value, or a list of such: what make_darray({{1, 2.5}, {3, 4}}) is written with.
export class DNested {
 public:
  template <class T>
    requires Element<std::remove_cvref_t<T>>
  DNested(const T& value) : value_(value) {}
  DNested(const DValue& value) : value_(value) {}
  DNested(std::initializer_list<DNested> list) : is_list_(true), list_(list.begin(), list.end()) {}

  inline bool is_list() const { return is_list_; }
  inline const DValue& value() const { return value_; }
  inline const std::vector<DNested>& list() const { return list_; }

 private:
  bool is_list_ = false;
  DValue value_;
  std::vector<DNested> list_;
};

/// The values, as deep as there are axes; their common type, integers beside floating numbers as those. Throws ShapeError if lists of
/// one level differ in length, DTypeError for values without a common type.
export DArray make_darray(const DNested& values);

/// A vector of a range's elements.
export template <std::ranges::input_range R>
  requires Element<std::ranges::range_value_t<R>> && (!std::same_as<std::remove_cvref_t<R>, DArray>)
DArray make_darray(const R& values, Place place = {}) {
  return DArray(make_array(values, place));
}

/// All elements zero.
export DArray zeros(DType dtype, const DDim& shape, Place place = {});
/// All elements one.
export DArray ones(DType dtype, const DDim& shape, Place place = {});
/// All elements equal to a value, which is converted as cast() does.
export DArray full(DType dtype, const DDim& shape, const DValue& value, Place place = {});
/// Zeros with the dtype, shape and place of another array.
export DArray zeros_like(const DArray& array);
/// Ones, the same way.
export DArray ones_like(const DArray& array);
/// A value, the same way, converted as cast() does.
export DArray full_like(const DArray& array, const DValue& value);
/// Not initialised, the same way.
export DArray empty_like(const DArray& array);
/// start, start + step, ... before stop. Throws DTypeError for bool and complex types, ShapeError for step 0.
export DArray arange(DType dtype, double start, double stop, double step = 1, Place place = {});
/// 0, 1, ... before stop.
export DArray arange(DType dtype, double stop, Place place = {});
/// `count` numbers from start to stop, both included or without the end. Throws DTypeError unless the type is floating.
export DArray linspace(DType dtype, double start, double stop, std::ptrdiff_t count, Endpoint end, Place place = {});
export DArray linspace(DType dtype, double start, double stop, std::ptrdiff_t count, Place place = {});
/// Ones on a diagonal, the main one or as many places above it as `diagonal` says, and zeros elsewhere.
export DArray eye(DType dtype, std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t diagonal = 0,
                  Place place = {});
export DArray eye(DType dtype, std::ptrdiff_t size, Place place = {});

}  // namespace tessera
