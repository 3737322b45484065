module;
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>
module tessera.darray;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;

// Normalisations, compiled for each floating element type at the highest rank.
namespace tessera::dynamic {

namespace {

/// The array with the named axes behind the others.
DArray turned(const DArray& x, std::span<const int> axes, const char* operation) {
  std::vector<int> last(axes.size());
  for (std::size_t k = 0; k < axes.size(); ++k) last[k] = static_cast<int>(k) - static_cast<int>(axes.size());
  return x.with_layout(moved(x.layout(), axes, last, operation));
}

/// The same with the named axes as one.
DArray with_axes_last(const DArray& x, std::span<const int> axes, const char* operation) {
  const DArray rows = turned(x, axes, operation);
  const DLayout layout = rows.layout();
  std::vector<std::ptrdiff_t> shape(layout.shape().begin(), layout.shape().end());
  std::ptrdiff_t count = 1;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    count *= shape.back();
    shape.pop_back();
  }
  shape.push_back(count);
  return with_all_axes(rows.reshape(shape));
}

std::vector<int> axes_of(const DArray& x, const std::optional<DAxes>& named, const char* operation) {
  std::vector<int> axes;
  axes.reserve(static_cast<std::size_t>(x.rank()));
  for (int axis = 0; axis < x.rank(); ++axis) axes.push_back(axis);
  if (!named) return axes;
  const auto marks = marked(named->axes(), x.rank(), operation);
  std::erase_if(axes, [&](int axis) { return !marks[static_cast<std::size_t>(axis)]; });
  if (axes.empty()) {
    throw IndexError(
        to_string(Failure{.operation = operation, .problem = "the list of axes is empty", .advice = "name an axis"}));
  }
  return axes;
}

/// Throws ShapeError over an axis without elements.
void require_elements(const DArray& x, std::span<const int> axes, const char* operation) {
  for (const int axis : axes) {
    if (x.shape()[axis] != 0) continue;
    throw ShapeError(to_string(Failure{
        .operation = operation,
        .problem = "axis " + std::to_string(axis) + " of the shape " + to_string(x.shape()) + " has no elements"}));
  }
}

/// The values of normalise(rows), which works along the last axis.
template <class Normalise>
DArray normalised(const char* operation, const DArray& x, const std::optional<DAxes>& named,
                  const Normalise& normalise) {
  const std::vector<int> axes = axes_of(x, named, operation);
  require_elements(x, axes, operation);
  const DArray result(x.shape(), x.dtype(), x.place());
  if (result.size() == 0 && kind(x.dtype()) == Kind::floating) return result;
  const DArray rows = with_axes_last(x, axes, operation), to = with_axes_last(result, axes, operation);
  with_element(x.dtype(), [&]<class T>() {
    if constexpr (Floating<T>) {
      assign(rows_of<T>(to), normalise(rows_of<T>(rows)));
    } else {
      throw_dtype(operation, dtype_of<T>, "floating elements");
    }
  });
  if (to.buffer() == result.buffer()) return result;
  // The named axes of the result are not one in memory: its elements go back to where they belong.
  const DArray target = turned(result, axes, operation);
  copy_to(target, to.reshape(target.shape()));
  return result;
}

}  // namespace

DArray softmax(const DArray& x, const std::optional<DAxes>& axes) {
  return normalised("softmax", x, axes, [](const auto& rows) { return tessera::softmax<-1>(rows); });
}

DArray log_softmax(const DArray& x, const std::optional<DAxes>& axes) {
  return normalised("log_softmax", x, axes, [](const auto& rows) { return tessera::log_softmax<-1>(rows); });
}

DArray standardise(const DArray& x, const std::optional<DAxes>& axes, double epsilon, const char* operation) {
  return normalised(operation, x, axes,
                    [epsilon](const auto& rows) { return tessera::standardise<-1>(rows, epsilon); });
}

DExpression standardised_operand(const DArray& x, const DAxes& axes, double epsilon) {
  const bool is_narrow = x.dtype() == DType::float16 || x.dtype() == DType::bfloat16;
  const DArray values = standardise(is_narrow ? x.cast(DType::float32) : x, axes, epsilon, "layernorm");
  return DExpression(values.leaf(), x.dtype());
}

}  // namespace tessera::dynamic
