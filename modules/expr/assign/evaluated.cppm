module;
#include <cstddef>
export module tessera.expr:evaluated;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :node;
import :assign;

// What needs the values of an expression at once: copies, text, loops over elements.
namespace tessera {

/// The elements in new storage, at once: what is written to x later is not seen. No storage if there is none. Throws OutOfMemory, and what
/// evaluation throws.
export template <Operand O>
auto copy(const O& x) {
  if constexpr (ArrayHandle<O>) {
    return x.clone();
  } else {
    return evaluate(x);
  }
}

/// The values of an expression, as to_string() writes an array's.
export template <ExpressionNode E>
std::string to_string(const E& expression) {
  return to_string(evaluate(expression));
}

/// A position among the values that an expression had when the loop over it began.
template <Element T, int Rank>
class EvaluatedIterator {
 public:
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::input_iterator_tag;

  explicit EvaluatedIterator(Array<T, Rank, CpuPlace> values)
      : values_(std::move(values)), next_(values_.data()), left_(values_.size()) {}

  const T& operator*() const { return *next_; }
  EvaluatedIterator& operator++() {
    ++next_;
    --left_;
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const EvaluatedIterator& at, std::default_sentinel_t) { return at.left_ == 0; }

 private:
  Array<T, Rank, CpuPlace> values_;
  const T* next_;
  std::ptrdiff_t left_;
};

/// What begin() of an expression returns: its values, computed by the call and brought to the host.
export template <ExpressionNode E>
auto evaluated_begin(const E& expression) {
  const Array<value_of<E>, rank_of<E>> values = evaluate(expression);
  const Array<value_of<E>, rank_of<E>> on_host = values.to(Place(CpuPlace{}));
  on_host.wait(schedule::Purpose::read);
  return EvaluatedIterator<value_of<E>, rank_of<E>>(Array<value_of<E>, rank_of<E>, CpuPlace>(on_host));
}

}  // namespace tessera
