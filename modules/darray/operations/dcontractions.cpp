module;
#include <array>
#include <cstddef>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>
module tessera.darray;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import tessera.algorithm;

// Contractions, which are compiled for the types in which sums are computed and take the rest at run time.
namespace tessera {

namespace {

/// The type in which elements are summed.
DType sum_type(DType dtype) {
  switch (kind(dtype)) {
    case Kind::floating: return item_size(dtype) == 2 ? DType::float32 : dtype;
    case Kind::complex: return dtype;
    default: return DType::int64;
  }
}

DArray contracted(std::string_view text, const contraction::Subscripts& subscripts, std::span<const DArray> arrays,
                  const std::source_location& where) {
  DType common = arrays.front().dtype();
  for (const DArray& array : arrays) {
    if (array.dtype() == DType::boolean) dynamic::throw_dtype("einsum", DType::boolean, "numbers");
    common = promote(common, array.dtype());
  }
  const DType computed = sum_type(common);
  std::vector<DArray> kept;  // what the operands point into
  std::vector<contraction::Operand> operands;
  for (const DArray& array : arrays) {
    kept.push_back(array.dtype() == computed ? array : array.cast(computed));
    const DArray& elements = kept.back();
    elements.wait(schedule::Purpose::read);
    contraction::Operand operand{.data = elements.data(), .extents = {}, .strides = {}, .place = elements.place()};
    for (int axis = 0; axis < elements.rank(); ++axis) {
      const auto at = static_cast<std::size_t>(axis);
      operand.extents[at] = elements.shape()[axis];
      operand.strides[at] = elements.strides()[at];
    }
    operands.push_back(operand);
  }
  const Place place = contraction::place_of(text, operands, where);
  const auto extents = contraction::result_extents(text, subscripts, operands, where);
  if (subscripts.out.count > max_rank) {
    throw ShapeError(to_string(Failure{.operation = "einsum \"" + std::string(text) + "\"",
                                       .problem = "the result has " + std::to_string(subscripts.out.count) + " axes",
                                       .advice = "there are at most " + std::to_string(max_rank),
                                       .where = where}));
  }
  const DArray result(DDim(std::span(extents).first(static_cast<std::size_t>(subscripts.out.count))), computed, place);
  if (result.size() > 0) contraction::contract(computed, subscripts, operands, result.data());
  return computed == common ? result : result.cast(common);
}

/// A string with an upper-case letter for each axis of both, of which the last `count` of a are the first ones of b.
std::string tensordot_text(int left, int right, int count) {
  std::string text, result;
  for (int axis = 0; axis < left; ++axis) text += static_cast<char>('A' + axis);
  result = text.substr(0, static_cast<std::size_t>(left - count));
  text += ',';
  for (int axis = 0; axis < right; ++axis) text += static_cast<char>('A' + left - count + axis);
  for (int axis = count; axis < right; ++axis) result += static_cast<char>('A' + left - count + axis);
  return text + "->" + result;
}

[[noreturn]] void refuse(const char* operation, std::string problem, const char* advice,
                         const std::source_location& where) {
  throw ShapeError(
      to_string(Failure{.operation = operation, .problem = std::move(problem), .advice = advice, .where = where}));
}

}  // namespace

DArray einsum(std::string_view subscripts, std::span<const DArray> arrays, std::source_location where) {
  std::vector<int> ranks;
  for (const DArray& array : arrays) ranks.push_back(array.rank());
  if (arrays.empty() || arrays.size() > 8)
    refuse("einsum", std::to_string(arrays.size()) + " arrays", "it takes one to eight", where);
  const contraction::Subscripts parsed = contraction::parse(subscripts, ranks);
  if (parsed.problem != nullptr) contraction::throw_wrong_subscripts(subscripts, parsed, where);
  return contracted(subscripts, parsed, arrays, where);
}

DArray einsum(std::string_view subscripts, std::initializer_list<DArray> arrays, std::source_location where) {
  return einsum(subscripts, std::span(arrays.begin(), arrays.size()), where);
}

namespace dynamic {

DArray tensordot(const DArray& a, const DArray& b, int count, const std::source_location& where) {
  if (count < 0 || count > a.rank() || count > b.rank()) {
    throw IndexError(to_string(Failure{.operation = "tensordot",
                                       .problem = std::to_string(count) + " axes of arrays of rank " +
                                                  std::to_string(a.rank()) + " and " + std::to_string(b.rank()),
                                       .where = where}));
  }
  return einsum(tensordot_text(a.rank(), b.rank(), count), {a, b}, where);
}

DArray inner(const DArray& a, const DArray& b, const std::source_location& where) {
  if (a.rank() == 0 || b.rank() == 0) refuse("inner", "an array has rank 0", "it takes vectors and more", where);
  const int last = -1, first = 0;
  return tensordot(a, b.with_layout(dynamic::moved(b.layout(), {&last, 1}, {&first, 1}, "inner")), 1, where);
}

DArray kron(const DArray& a, const DArray& b, const std::source_location& where) {
  if (a.rank() != 2 || b.rank() != 2) {
    refuse("kron", "arrays of shapes " + to_string(a.shape()) + " and " + to_string(b.shape()), "it takes two matrices",
           where);
  }
  const DArray blocks = a({all, newaxis, all, newaxis}) * b({newaxis, all, newaxis, all});
  return blocks.reshape({a.shape()[0] * b.shape()[0], a.shape()[1] * b.shape()[1]});
}

DArray cross(const DArray& a, const DArray& b, const std::source_location& where) {
  for (const DArray* x : {&a, &b}) {
    if (x->rank() == 0 || x->shape()[x->rank() - 1] != 3)
      refuse("cross", "an array of shape " + to_string(x->shape()), "the last axis has three elements", where);
  }
  const auto part = [](const DArray& x, int at) { return x({ellipsis, at}); };
  const auto component = [&](int first, int second) {
    return DArray(part(a, first) * part(b, second) - part(a, second) * part(b, first));
  };
  return stack({component(1, 2), component(2, 0), component(0, 1)}, -1);
}

DArray matrix_power(const DArray& a, std::ptrdiff_t power, const std::source_location& where) {
  if (a.rank() != 2 || a.shape()[0] != a.shape()[1])
    refuse("matrix_power", "an array of shape " + to_string(a.shape()), "the matrix is square", where);
  if (power < 0) refuse("matrix_power", "the power is " + std::to_string(power), "it is not negative", where);
  DArray factor = a.clone();
  DArray result = eye(a.dtype(), a.shape()[0], a.place());
  for (; power > 0; power /= 2) {
    if (power % 2 != 0) result = dynamic::dot(result, factor);
    if (power > 1) factor = dynamic::dot(factor, factor);
  }
  return result;
}

}  // namespace dynamic

}  // namespace tessera
