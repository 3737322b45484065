module;
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>
module tessera.darray;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.array;
import tessera.expr;

// Making dynamic arrays.
namespace tessera {

namespace {

[[noreturn]] void throw_not_numbers(const char* operation, DType dtype, const char* takes) {
  throw DTypeError(to_string(Failure{
      .operation = operation, .problem = std::string("it makes ") + takes + ", not " + std::string(name(dtype))}));
}

void find_shape(const DNested& values, std::size_t axis, std::vector<std::ptrdiff_t>& shape,
                std::optional<DType>& dtype) {
  if (!values.is_list()) {
    if (axis != shape.size())
      throw ShapeError(to_string(Failure{.operation = "make_darray", .problem = "the lists are not all as deep"}));
    const DType mine = values.value().dtype();
    if (!dtype) dtype = mine;
    using core::is_integer;
    if (std::optional<DType> common = try_promote(*dtype, mine)) {
      dtype = common;
    } else if (is_integer(*dtype) && !is_integer(mine) && mine != DType::boolean) {
      dtype = mine;
    } else if (!(is_integer(mine) && !is_integer(*dtype) && *dtype != DType::boolean)) {
      static_cast<void>(promote(*dtype, mine));  // which throws
    }
    return;
  }
  const std::ptrdiff_t count = std::ssize(values.list());
  if (axis == shape.size()) {
    if (dtype)
      throw ShapeError(to_string(Failure{.operation = "make_darray", .problem = "the lists are not all as deep"}));
    shape.push_back(count);
  } else if (shape[axis] != count) {
    throw ShapeError(
        to_string(Failure{.operation = "make_darray",
                          .problem = "lists along axis " + std::to_string(axis) + " have " +
                                     std::to_string(shape[axis]) + " and " + std::to_string(count) + " values",
                          .advice = "lists of one level have one length"}));
  }
  for (const DNested& inner : values.list()) find_shape(inner, axis + 1, shape, dtype);
}

void copy_values(const DNested& values, DType dtype, std::byte*& to) {
  if (values.is_list()) {
    for (const DNested& inner : values.list()) copy_values(inner, dtype, to);
    return;
  }
  const DValue converted = values.value().cast(dtype);
  std::memcpy(to, converted.data(), static_cast<std::size_t>(item_size(dtype)));
  to += item_size(dtype);
}

/// A vector on the host, filled by a function of the position.
template <class At>
DArray filled(DType dtype, std::ptrdiff_t count, Place place, const At& at) {
  const DArray made(make_ddim({count}), dtype, CpuPlace{});
  dynamic::with_element(dtype, [&]<class T>() {
    auto* to = static_cast<T*>(made.data());
    for (std::ptrdiff_t i = 0; i < count; ++i) to[i] = DValue(at(i)).cast(dtype).template as<T>();
  });
  return made.to(place);
}

}  // namespace

DArray make_darray(const DDim& shape, const DValue& value, Place place) {
  return full(value.dtype(), shape, value, place);
}
DArray make_darray(std::initializer_list<std::ptrdiff_t> shape, const DValue& value, Place place) {
  return make_darray(make_ddim(shape), value, place);
}
DArray make_darray(const DDim& shape, DType dtype, Place place) { return DArray(shape, dtype, place); }
DArray make_darray(std::initializer_list<std::ptrdiff_t> shape, DType dtype, Place place) {
  return DArray(make_ddim(shape), dtype, place);
}

DArray make_darray(memory::Allocation allocation, DType dtype, const DDim& shape) {
  const dynamic::DLayout layout = dynamic::row_major(shape.extents());
  return make_darray(std::move(allocation), dtype, shape, layout.steps());
}

DArray make_darray(memory::Allocation allocation, DType dtype, const DDim& shape,
                   std::span<const std::ptrdiff_t> strides, std::ptrdiff_t offset) {
  dynamic::DLayout layout{.rank = shape.rank(), .offset = offset};
  if (std::ssize(strides) != shape.rank()) {
    throw ShapeError(
        to_string(Failure{.operation = "make_darray",
                          .problem = std::to_string(strides.size()) + " strides for the shape " + to_string(shape)}));
  }
  std::ranges::copy(shape.extents(), layout.extents.begin());
  std::ranges::copy(strides, layout.strides.begin());
  std::ptrdiff_t first = offset, last = offset;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const std::ptrdiff_t reach =
        core::checked_multiply(std::max<std::ptrdiff_t>(shape[axis] - 1, 0), strides[static_cast<std::size_t>(axis)]);
    std::ptrdiff_t& end = reach < 0 ? first : last;
    end = core::checked_add(end, reach);
  }
  const std::ptrdiff_t room = allocation.bytes() / item_size(dtype);
  if (product(shape) > 0 && (first < 0 || last >= room)) {
    throw ShapeError(to_string(Failure{.operation = "make_darray",
                                       .problem = "elements " + std::to_string(first) + " to " + std::to_string(last) +
                                                  " of " + std::string(name(dtype)) +
                                                  " are asked for, the allocation has " + std::to_string(room),
                                       .operands = {"the shape is " + to_string(shape)}}));
  }
  const Place place = allocation.place();
  return DArray(storage::BufferShare::make(std::move(allocation)), dtype, layout, place);
}

namespace {

DArray adopted(void* pointer, DType dtype, const DDim& shape, std::span<const std::ptrdiff_t> strides, Place place,
               std::shared_ptr<const void> owner, bool is_read_only) {
  if (std::ssize(strides) != shape.rank()) {
    throw ShapeError(
        to_string(Failure{.operation = "adopt",
                          .problem = std::to_string(strides.size()) + " strides for the shape " + to_string(shape)}));
  }
  const std::ptrdiff_t item = item_size(dtype);
  dynamic::DLayout layout{.rank = shape.rank()};
  std::ranges::copy(shape.extents(), layout.extents.begin());
  std::ranges::copy(strides, layout.strides.begin());
  const storage::ElementSpan span = storage::span_of(shape.extents(), strides);
  layout.offset = span.before;
  const std::ptrdiff_t bytes = core::checked_multiply(core::checked_add(span.before, span.after), item);
  auto* const begin = static_cast<std::byte*>(pointer) - span.before * item;
  const auto share = storage::BufferShare::make(memory::Allocation::adopt(begin, bytes, place, std::move(owner)));
  return {share, dtype, layout, place, is_read_only};
}

}  // namespace

DArray adopt(void* pointer, DType dtype, const DDim& shape, std::span<const std::ptrdiff_t> strides, Place place,
             std::shared_ptr<const void> owner) {
  return adopted(pointer, dtype, shape, strides, place, std::move(owner), false);
}
DArray adopt(const void* pointer, DType dtype, const DDim& shape, std::span<const std::ptrdiff_t> strides, Place place,
             std::shared_ptr<const void> owner) {
  return adopted(const_cast<void*>(pointer), dtype, shape, strides, place, std::move(owner), true);
}
DArray adopt(void* pointer, DType dtype, const DDim& shape, Place place, std::shared_ptr<const void> owner) {
  return adopted(pointer, dtype, shape, dynamic::row_major(shape.extents()).steps(), place, std::move(owner), false);
}

void* mutable_data(DArray& name, DType dtype, const DDim& shape, Place place) {
  const bool is_own = name.has_storage() && name.buffer()->owns() && name.buffer()->names() == 1;
  if (is_own && !name.is_read_only() && name.dtype() == dtype && name.shape() == shape && name.place() == place &&
      name.is_contiguous()) {
    name.wait();
  } else {
    DArray fresh(shape, dtype, place);
    fresh.wait();  // as for arrays
    name = std::move(fresh);
  }
  return name.data();
}

DArray make_darray(const DNested& values) {
  std::vector<std::ptrdiff_t> shape;
  std::optional<DType> dtype;
  find_shape(values, 0, shape, dtype);
  const DArray made(DDim(shape), dtype.value_or(DType::float64), CpuPlace{});
  auto* to = static_cast<std::byte*>(made.data());
  copy_values(values, made.dtype(), to);
  return made;
}

DArray full(DType dtype, const DDim& shape, const DValue& value, Place place) {
  DArray made(shape, dtype, place);
  const DValue converted = value.cast(dtype);
  if (!place.on_host()) {
    dynamic::with_element(dtype, [&]<class T>() { made = full<T>(Dim<1>{product(shape)}, converted.as<T>(), place); });
    return made.reshape(shape);
  }
  const auto size = static_cast<std::size_t>(item_size(dtype));
  auto* const to = static_cast<std::byte*>(made.data());
  const auto* const from = static_cast<const std::byte*>(converted.data());
  if (std::all_of(from, from + size, [](std::byte b) { return b == std::byte{}; })) {
    std::memset(to, 0, static_cast<std::size_t>(made.size()) * size);
  } else {
    dynamic::with_element(
        dtype, [&]<class T>() { std::fill_n(static_cast<T*>(made.data()), made.size(), converted.as<T>()); });
  }
  return made;
}
DArray zeros(DType dtype, const DDim& shape, Place place) { return full(dtype, shape, DValue::zero(dtype), place); }
DArray ones(DType dtype, const DDim& shape, Place place) { return full(dtype, shape, DValue(true).cast(dtype), place); }

DArray zeros_like(const DArray& array) { return zeros(array.dtype(), array.shape(), array.place()); }
DArray ones_like(const DArray& array) { return ones(array.dtype(), array.shape(), array.place()); }
DArray full_like(const DArray& array, const DValue& value) {
  return full(array.dtype(), array.shape(), value, array.place());
}
DArray empty_like(const DArray& array) { return DArray(array.shape(), array.dtype(), array.place()); }

DArray arange(DType dtype, double start, double stop, double step, Place place) {
  if (dtype == DType::boolean || kind(dtype) == Kind::complex) throw_not_numbers("arange", dtype, "ordered numbers");
  if (step == 0 || std::isnan(start) || std::isnan(stop) || std::isnan(step))
    throw ShapeError(to_string(Failure{.operation = "arange",
                                       .problem = "there is no way from " + std::to_string(start) + " to " +
                                                  std::to_string(stop) + " in steps of " + std::to_string(step)}));
  const double steps = std::ceil((stop - start) / step);
  if (steps >= 9e18)
    throw ShapeError(
        to_string(Failure{.operation = "arange", .problem = std::to_string(steps) + " elements cannot be counted"}));
  const auto count = static_cast<std::ptrdiff_t>(std::max(steps, 0.0));
  return filled(dtype, count, place, [&](std::ptrdiff_t i) { return start + static_cast<double>(i) * step; });
}

DArray arange(DType dtype, double stop, Place place) { return arange(dtype, 0, stop, 1, place); }

DArray linspace(DType dtype, double start, double stop, std::ptrdiff_t count, Endpoint end, Place place) {
  if (kind(dtype) != Kind::floating) throw_not_numbers("linspace", dtype, "floating elements");
  DArray made(make_ddim({count}), dtype, CpuPlace{});
  dynamic::with_element(dtype, [&]<class T>() {
    if constexpr (Floating<T>) made = linspace<T>(static_cast<T>(start), static_cast<T>(stop), count, end);
  });
  return made.to(place);
}

DArray linspace(DType dtype, double start, double stop, std::ptrdiff_t count, Place place) {
  return linspace(dtype, start, stop, count, Endpoint::included, place);
}

DArray eye(DType dtype, std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t diagonal, Place place) {
  const DArray made = zeros(dtype, make_ddim({rows, columns}), place);
  if (made.size() == 0 || diagonal >= columns || diagonal <= -rows) return made;
  dynamic::diagonal(made, diagonal).write(dynamic::ScalarOperand{DValue(true).cast(dtype), false});
  return made;
}

DArray eye(DType dtype, std::ptrdiff_t size, Place place) { return eye(dtype, size, size, 0, place); }

}  // namespace tessera
