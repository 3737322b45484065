module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:random;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;
import :philox;
import :device_random;
import :device_rejection;

// Arrays of random numbers as lazy expressions: an element depends on the key and its row-major position only.
namespace tessera::random {

/// Random bits of a uniform number, so that every value is exact in T and below 1.
template <Floating T>
inline constexpr int uniform_bits = sizeof(T) == 8               ? 53
                                    : sizeof(T) == 4             ? 24
                                    : std::is_same_v<T, float16> ? 11
                                                                 : 8;

template <class T>
struct UniformNumbers {
  static constexpr const char* name = "random::uniform";
  static constexpr const char* code = device_random;
  static constexpr const char* device = sizeof(T) == 8               ? "tessera_uniform_double($0, $1)"
                                        : sizeof(T) == 4             ? "tessera_uniform_float<24>($0, $1)"
                                        : std::is_same_v<T, float16> ? "tessera_uniform_float<11>($0, $1)"
                                                                     : "tessera_uniform_float<8>($0, $1)";
  static void generate(const void* key, void* to, std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t n) {
    fill_uniform(*static_cast<const Key*>(key), uniform_bits<T>, static_cast<compute_t<T>*>(to), first, step, n);
  }
};

template <class T>
struct NormalNumbers {
  static constexpr const char* name = "random::normal";
  static constexpr const char* code = device_random;
  static constexpr const char* device =
      sizeof(T) == 8 ? "tessera_normal_double($0, $1)" : "tessera_normal_float($0, $1)";
  static void generate(const void* key, void* to, std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t n) {
    fill_normal(*static_cast<const Key*>(key), static_cast<compute_t<T>*>(to), first, step, n);
  }
};

template <class T>
struct RandomBits {
  static constexpr const char* name = "random::bits";
  static constexpr const char* code = device_random;
  static constexpr const char* device = sizeof(T) == 8 ? "tessera_bits64($0, $1)" : "tessera_bits32($0, $1)";
  static void generate(const void* key, void* to, std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t n) {
    fill_bits(*static_cast<const Key*>(key), static_cast<T*>(to), first, step, n);
  }
};

/// A stream of its own for each number, with the device code of what draws from it.
struct RandomStreams : RandomBits<std::uint64_t> {
  static constexpr const char* code = device_rejection;
};

/// Random numbers of a shape, computed where they are needed; it has no memory and so no place.
template <Element T, int Rank, class Numbers>
class RandomNode : public ExpressionOperations<RandomNode<T, Rank, Numbers>, T, Rank> {
 public:
  using expression_tag = void;
  using value_type = T;
  using place_type = void;
  static constexpr int rank = Rank;
  static constexpr int leaf_count = 1;
  static constexpr int fusible = 0;
  static constexpr const char* name = Numbers::name;
  static constexpr const char* device_generator = Numbers::device;
  static constexpr const char* device_code = Numbers::code;

  RandomNode(Key key, const Dim<Rank>& shape) : key_(key), shape_(shape) { static_cast<void>(product(shape)); }

  const Dim<Rank>& shape() const { return shape_; }
  std::uint64_t seed() const { return key_.value; }
  std::optional<Place> place() const { return std::nullopt; }
  bool conflicts(const plan::Written&) const { return false; }
  bool any_leaf(const plan::LeafVisitor&) const { return false; }

  LeafPlan<compute_t<T>> lower(plan::Lowering& lowering) const {
    const Strides<Rank> strides = storage::contiguous_strides(shape_);
    return {lowering.add_generated(Numbers::generate, &key_, shape_.extents(), strides, sizeof(compute_t<T>))};
  }

 private:
  Key key_;
  Dim<Rank> shape_;
};

/// Uniform numbers in [0, 1) with as many random bits as T has significant ones. Throws ShapeError if the shape is too large.
export template <Floating T, int Rank>
auto uniform(Key key, const Dim<Rank>& shape) {
  return RandomNode<T, Rank, UniformNumbers<T>>(key, shape);
}

/// Normal numbers with mean 0 and variance 1. Throws ShapeError if the shape is too large.
export template <Floating T, int Rank>
auto normal(Key key, const Dim<Rank>& shape) {
  return RandomNode<T, Rank, NormalNumbers<T>>(key, shape);
}

/// Random integers that have every value of T equally often. Throws ShapeError if the shape is too large.
export template <Integer T, int Rank>
  requires std::unsigned_integral<T>
auto bits(Key key, const Dim<Rank>& shape) {
  if constexpr (sizeof(T) >= 4) {
    return RandomNode<T, Rank, RandomBits<T>>(key, shape);
  } else {
    return cast<T>(bits<std::uint32_t>(key, shape) >> (32 - 8 * static_cast<int>(sizeof(T))));
  }
}

/// For numbers that may need to draw several times.
template <int Rank>
auto streams(Key key, const Dim<Rank>& shape) {
  return RandomNode<std::uint64_t, Rank, RandomStreams>(key, shape);
}

/// The numbers 0 to count - 1 in random order; every order is equally likely. Throws ShapeError if count is negative.
export Array<std::int64_t, 1> permutation(Key key, std::ptrdiff_t count);

}  // namespace tessera::random
