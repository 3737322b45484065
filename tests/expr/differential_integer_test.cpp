// Differential tests of the operators on integers and bool: every operator, width, layout and instruction set against
// arithmetic in 128 bits. One expression per type holds all operators; a selecting operand says which one an element gets.
#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

__extension__ using Wide = __int128;
__extension__ using WideUnsigned = unsigned __int128;

/// Products of two 64-bit numbers may need all 128 bits: they wrap.
Wide times(Wide a, Wide b) { return static_cast<Wide>(static_cast<WideUnsigned>(a) * static_cast<WideUnsigned>(b)); }

/// x reduced to the range of T, as wrapping arithmetic leaves it.
template <class T>
T wrapped(Wide x) {
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(static_cast<std::uint64_t>(x)));
}

template <class T>
T shifted(T a, T by, bool left) {
  const bool everything = by < 0 || static_cast<std::uint64_t>(by) >= 8 * sizeof(T);
  if (left) return everything ? T(0) : wrapped<T>(times(Wide(a), Wide(1) << static_cast<int>(by)));
  if (everything) return a < 0 ? wrapped<T>(-1) : T(0);
  return static_cast<T>(Wide(a) >> static_cast<int>(by));
}

const std::string operations[] = {"+",  "-",  "*",  "/",      "%",       "&",       "|",       "^",         "<<",
                                  ">>", "-x", "~x", "abs(x)", "sign(x)", "maximum", "minimum", "square(x)", "relu(x)"};

template <class T>
T arithmetic_reference(int operation, T a, T b) {
  switch (operation) {
    case 0: return wrapped<T>(Wide(a) + Wide(b));
    case 1: return wrapped<T>(Wide(a) - Wide(b));
    case 2: return wrapped<T>(times(Wide(a), Wide(b)));
    case 3: return b == 0 ? T(0) : wrapped<T>(Wide(a) / Wide(b));
    case 4: return b == 0 ? T(0) : wrapped<T>(Wide(a) % Wide(b));
    case 5: return wrapped<T>(Wide(a) & Wide(b));
    case 6: return wrapped<T>(Wide(a) | Wide(b));
    case 7: return wrapped<T>(Wide(a) ^ Wide(b));
    case 8: return shifted(a, b, true);
    case 9: return shifted(a, b, false);
    case 10: return wrapped<T>(-Wide(a));
    case 11: return wrapped<T>(~Wide(a));
    case 12: return a < 0 ? wrapped<T>(-Wide(a)) : a;
    case 13: return a < 0 ? wrapped<T>(-1) : a > 0 ? T(1) : T(0);
    case 14: return std::max(a, b);
    case 15: return std::min(a, b);
    case 16: return wrapped<T>(times(Wide(a), Wide(a)));
    default: return a < 0 ? T(0) : a;
  }
}

/// All operators at once; `k` selects one per element.
template <class K, class A>
auto arithmetic_of(const K& k, const A& a, const A& b) {
  const auto first = where(k < 2, where(k == 0, a + b, a - b), where(k == 2, a * b, a / b));
  const auto second = where(k < 6, where(k == 4, a % b, a & b), where(k < 8, where(k == 6, a | b, a ^ b), a << b));
  const auto third = where(k < 11, where(k == 9, a >> b, -a), where(k < 13, where(k == 11, ~a, abs(a)), sign(a)));
  const auto fourth = where(k < 16, where(k == 14, maximum(a, b), minimum(a, b)), where(k == 16, square(a), relu(a)));
  return where(k < 9, where(k < 4, first, second), where(k < 14, third, fourth));
}

/// The comparisons as bits of one number.
template <class A>
auto comparisons_of(const A& a, const A& b) {
  using U = std::uint8_t;
  return cast<U>(a == b) | (cast<U>(a != b) << 1) | (cast<U>(a < b) << 2) | (cast<U>(a <= b) << 3) |
         (cast<U>(a > b) << 4) | (cast<U>(a >= b) << 5);
}

template <class T>
void check_arithmetic(Arrangement kind, Arrangement target, Random& random) {
  const Dim<3> shape{random.between(1, 5), random.between(1, 9), random.between(1, 140)};
  const auto a = random_array<T>(shape, kind, random);
  const auto b = random_array<T>(shape, Arrangement::random, random);
  const auto k = storage_like<std::int8_t>(shape, kind, 0, random);
  for_each_position(
      shape, [&](const auto& at) { element(k, at) = static_cast<std::int8_t>(random.below(std::size(operations))); });
  const auto result = storage_like<T>(shape, target, T(0), random, false);
  assign(result, arithmetic_of(k, a, b));
  for_each_position(shape, [&](const auto& at) {
    const T x = element(a, at);
    const T y = element(b, at);
    const int operation = element(k, at);
    const T expected = arithmetic_reference(operation, x, y);
    if (element(result, at) == expected) return;
    FAIL_CHECK(text_of(x) << " " << operations[operation] << " " << text_of(y) << " is " << text_of(element(result, at))
                          << ", expected " << text_of(expected));
  });
}

template <class T>
void check_comparisons(Arrangement kind, Random& random) {
  const Dim<2> shape{random.between(1, 9), random.between(1, 140)};
  const auto a = random_array<T>(shape, kind, random);
  const auto b = random_array<T>(shape, Arrangement::random, random);
  const auto result = elements(evaluate(comparisons_of(a, b)));
  std::size_t i = 0;
  for_each_position(shape, [&](const auto& at) {
    const T x = element(a, at);
    const T y = element(b, at);
    const int expected = (x == y) | (x != y) << 1 | (x < y) << 2 | (x <= y) << 3 | (x > y) << 4 | (x >= y) << 5;
    if (result[i++] != expected)
      FAIL_CHECK("comparing " << text_of(x) << " with " << text_of(y) << " gives bits " << int(result[i - 1])
                              << ", expected " << expected);
  });
}

template <class T>
void check_type() {
  Random random(1 + sizeof(T));
  INFO(name(dtype_of<T>) << ", " << random.how_to_repeat());
  for_each_isa([&](device::Isa isa) {
    for (const auto kind : all_arrangements) {
      for (const auto target : target_arrangements) {
        INFO(name_of(kind) << " operands, " << name_of(target) << " result, " << device::name(isa));
        check_arithmetic<T>(kind, target, random);
      }
      check_comparisons<T>(kind, random);
    }
  });
}

}  // namespace

TEST_CASE("operators on signed integers wrap, and agree with 128-bit arithmetic in every layout") {
  check_type<std::int8_t>();
  check_type<std::int16_t>();
  check_type<std::int32_t>();
  check_type<std::int64_t>();
}

TEST_CASE("operators on unsigned integers wrap, and agree with 128-bit arithmetic in every layout") {
  check_type<std::uint8_t>();
  check_type<std::uint16_t>();
  check_type<std::uint32_t>();
  check_type<std::uint64_t>();
}

TEST_CASE("operators on bool are logic") {
  Random random(99);
  INFO(random.how_to_repeat());
  for_each_isa([&](device::Isa) {
    for (const auto kind : all_arrangements) {
      const Dim<2> shape{random.between(1, 9), random.between(1, 140)};
      const auto a = random_array<bool>(shape, kind, random);
      const auto b = random_array<bool>(shape, Arrangement::random, random);
      using U = std::uint8_t;
      const auto bits = elements(evaluate(cast<U>(a & b) | (cast<U>(a | b) << 1) | (cast<U>(a ^ b) << 2) |
                                          (cast<U>(!a) << 3) | (cast<U>(~b) << 4) | (cast<U>(a == b) << 5) |
                                          (cast<U>(a < b) << 6) | (cast<U>(where(a, b, !b)) << 7)));
      std::size_t i = 0;
      for_each_position(shape, [&](const auto& at) {
        const bool x = element(a, at);
        const bool y = element(b, at);
        const int expected = (x && y) | (x || y) << 1 | (x != y) << 2 | (!x) << 3 | (!y) << 4 | (x == y) << 5 |
                             (!x && y) << 6 | (x ? y : !y) << 7;
        if (bits[i++] != expected)
          FAIL_CHECK(x << " with " << y << " gives bits " << int(bits[i - 1]) << ", expected " << expected);
      });
    }
  });
}
