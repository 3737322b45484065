module;
#include <cstddef>
#include <cstdint>
#include <cstring>
module tessera.expr:lanes;
import tessera.standard;
import tessera.core;

// What is done with the lanes of vectors of clang's, in each set of instructions.
namespace tessera::plan {

// Vectors go by reference: by value, a function without a target has no registers for them.

/// Halves are added to halves until one lane is left.
template <int Lanes, class Vector>
[[gnu::always_inline]] inline auto sum_of_lanes(const Vector& v) {
  using Real = std::remove_cvref_t<decltype(v[0])>;
  if constexpr (Lanes == 1) {
    return v[0];
  } else if constexpr (Lanes == 2) {
    return static_cast<Real>(v[0] + v[1]);
  } else {
    return [&]<std::size_t... Lane>(std::index_sequence<Lane...>) __attribute__((always_inline)) {
      const auto low = __builtin_shufflevector(v, v, static_cast<int>(Lane)...);
      const auto high = __builtin_shufflevector(v, v, static_cast<int>(Lane + Lanes / 2)...);
      return sum_of_lanes<Lanes / 2>(low + high);
    }(std::make_index_sequence<static_cast<std::size_t>(Lanes / 2)>());
  }
}

/// `Rows` vectors hold the sums of `Held` rows each, side by side: their halves are added to halves, those of two vectors at once, until
/// each row has one lane.
template <int Lanes, int Rows, int Held, class Vector, std::size_t... Lane>
[[gnu::always_inline]] inline void fold_rows(Vector (&sums)[Rows], std::index_sequence<Lane...> lanes) {
  constexpr int part = Lanes / Held;  // lanes of a row
  if constexpr (part > 1) {
    constexpr int half = part / 2;
    constexpr int next = Rows > 1 ? Rows / 2 : 1;
    Vector folded[next];
    for (int i = 0; i < next; ++i) {
      const Vector& first = sums[Rows > 1 ? 2 * i : 0];
      const Vector& second = sums[Rows > 1 ? 2 * i + 1 : 0];
      folded[i] = __builtin_shufflevector(first, second, static_cast<int>(Lane / half * part + Lane % half)...) +
                  __builtin_shufflevector(first, second, static_cast<int>(Lane / half * part + Lane % half + half)...);
    }
    fold_rows<Lanes, next, 2 * Held>(folded, lanes);
    sums[0] = folded[0];
  }
}

/// The last vector of a row that ends inside one: it begins earlier, and the elements that the vector before it has are zeros.
template <class Vector, class Real>
class LastVector {
  using Integer = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
  using Integers [[gnu::vector_size(sizeof(Vector))]] = Integer;
  static constexpr std::ptrdiff_t lanes = sizeof(Vector) / sizeof(Real);

 public:
  /// Of `count` numbers, of which `left` have not been read.
  [[gnu::always_inline]] LastVector(std::ptrdiff_t count, std::ptrdiff_t left) : first_(count - lanes) {
    keep_from(lanes - left, std::make_index_sequence<static_cast<std::size_t>(lanes)>());
  }

  template <class T>
  [[gnu::always_inline]] void load(Vector& to, const T* row) const {
    std::memcpy(&to, reinterpret_cast<const Real*>(row) + first_, sizeof(Vector));
    to = reinterpret_cast<Vector>(reinterpret_cast<Integers>(to) & mask_);
  }

 private:
  /// All bits of the lanes from number `first` on, none of those before it.
  template <std::size_t... Lane>
  [[gnu::always_inline]] void keep_from(std::ptrdiff_t first, std::index_sequence<Lane...>) {
    constexpr Integers numbers = {static_cast<Integer>(Lane)...};
    mask_ = numbers >= static_cast<Integer>(first);
  }

  std::ptrdiff_t first_;
  Integers mask_;
};

}  // namespace tessera::plan
