// The order of the kernels' keys, on the host: all bit patterns of 16 bits, and random ones of others, sort as numbers do.
#include "order.cuh"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

using namespace tessera::kernels;

namespace {

int failures = 0;

void expect(bool is_right, const char* what, unsigned long long a, unsigned long long b) {
  if (is_right || ++failures > 20) return;
  std::printf("%s: bits %llx and %llx\n", what, a, b);
}

double value_of(__half x) { return __half2float(x); }
double value_of(__nv_bfloat16 x) { return __bfloat162float(x); }
template <class T>
long double value_of(T x) {
  return static_cast<long double>(x);
}

/// Keys against values for two elements in a direction.
template <class T>
void compare(T a, T b, bool is_descending) {
  using Bits = BitsOf<T>;
  Bits x, y;
  std::memcpy(&x, &a, sizeof x);
  std::memcpy(&y, &b, sizeof y);
  const auto exact = order_of<T>(is_descending, false);
  const auto merged = order_of<T>(is_descending, true);
  const auto u = value_of(a);
  const auto v = value_of(b);
  expect(exact.original(exact.ordered(x)) == x, "a key does not lead back", x, y);
  expect((exact.ordered(x) == exact.ordered(y)) == (x == y), "two elements have one exact key", x, y);
  const bool both_numbers = u == u && v == v;
  if (both_numbers && u != v) {
    const bool is_first = is_descending ? v < u : u < v;
    expect((exact.ordered(x) < exact.ordered(y)) == is_first, "exact keys are in another order", x, y);
    expect((merged.ordered(x) < merged.ordered(y)) == is_first, "merged keys are in another order", x, y);
  }
  if (u == v || (u != u && v != v)) expect(merged.ordered(x) == merged.ordered(y), "equals have two keys", x, y);
  if (u == u && v != v) {
    expect(exact.ordered(x) < exact.ordered(y), "NaN does not come last", x, y);
    expect(merged.ordered(x) < merged.ordered(y), "NaN does not come last", x, y);
  }
  const Bits canonical = merged.original(merged.ordered(x));
  expect(merged.ordered(canonical) == merged.ordered(x), "a merged key changes when it is restored", x, y);
}

template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T>
void check(std::mt19937_64& random) {
  std::vector<T> values;
  if constexpr (sizeof(T) <= 2 && !std::is_same<T, bool>::value) {
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << (8 * sizeof(T))); ++bits)
      values.push_back(from_bits<T>(bits));
  }
  const std::uint64_t sign = std::uint64_t{1} << (8 * sizeof(T) - 1);
  for (const std::uint64_t magnitude : {std::uint64_t{0}, std::uint64_t{1}, sign - 1}) {
    if (std::is_same<T, bool>::value) break;
    values.push_back(from_bits<T>(magnitude));
    values.push_back(from_bits<T>(magnitude | sign));
  }
  for (int i = 0; i < 20000; ++i)
    values.push_back(from_bits<T>(std::is_same<T, bool>::value ? random() & 1 : random()));
  if (mantissa_bits<T> > 0) {
    const std::uint64_t infinity = (sign - 1) & ~((std::uint64_t{1} << mantissa_bits<T>)-1);
    for (const std::uint64_t bits : {infinity, infinity + 1, infinity | sign, (infinity | sign) + 1})
      for (int i = 0; i < 50; ++i) values.push_back(from_bits<T>(bits));
  }
  std::shuffle(values.begin(), values.end(), random);
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    compare<T>(values[i], values[i + 1], false);
    compare<T>(values[i], values[i + 1], true);
  }
}

}  // namespace

int main() {
  std::mt19937_64 random(1);
  check<bool>(random);
  check<std::int8_t>(random);
  check<std::uint8_t>(random);
  check<std::int16_t>(random);
  check<std::uint16_t>(random);
  check<__half>(random);
  check<__nv_bfloat16>(random);
  check<std::int32_t>(random);
  check<std::uint32_t>(random);
  check<float>(random);
  check<std::int64_t>(random);
  check<std::uint64_t>(random);
  check<double>(random);
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
