module;
#include <cstddef>
export module tessera.algorithm:host_elements;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import :rows;
import :compress;

// Operands as algorithms that run on the host alone see them: memory that it reads, in row-major order without gaps, of one type.
namespace tessera::rows {

/// Elements of a type that is known at run time, without gaps, on the host.
struct Vector {
  DType dtype;
  const void* data;
  std::ptrdiff_t size;
};

/// An operand's name and whose it is, for errors.
struct Argument {
  const char* operation;
  const char* name;
  std::source_location where;
};

/// Throws PlaceError for elements that the host cannot read.
void require_on_host(Place place, const Argument& argument);

/// The elements as Ts, complete. Throws PlaceError, OutOfMemory.
template <Element T, class O>
auto on_host(const O& x, const Argument& argument) {
  const auto compact = [&](const auto& elements) {
    require_on_host(elements.place(), argument);
    auto result = contiguous(elements);
    result.wait(schedule::Purpose::read);
    return result;
  };
  if constexpr (std::same_as<value_of<O>, T>) {
    return compact(elements_of(x));
  } else {
    return compact(Array<T, rank_of<O>, result_place<O>>(evaluate(cast<T>(x))));
  }
}

template <class A>
Vector vector_of(const A& elements) {
  return {dtype_of<value_of<A>>, elements.data(), elements.size()};
}

/// A number in an error.
std::string text_of(double number);

/// Throws std::invalid_argument: an argument's value is none that the operation takes.
[[noreturn]] void throw_value(const Argument& argument, const std::string& problem, const char* advice = "");

}  // namespace tessera::rows

namespace tessera {

/// Two operands that are compared: elements with an order and a common type.
template <class A, class B>
concept ComparedOperands = rows::KnownOperand<A> && rows::KnownOperand<B> && OrderedOperand<A> && OrderedOperand<B> &&
                           (Promotable<value_of<A>, value_of<B>> ||
                            unsatisfied<"the element types have no common one: cast<T>(...) one of them">);

}  // namespace tessera
