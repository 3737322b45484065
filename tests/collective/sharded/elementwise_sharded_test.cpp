// Operators and elementwise functions of sharded arrays are those of arrays, bit for bit, and send nothing.
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "support.hpp"

using namespace tessera;

namespace {

template <class T, int Rank>
bool same_bits(const Array<T, Rank>& a, const Array<T, Rank>& b) {
  return a.shape() == b.shape() && std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(T)) == 0;
}

/// An array, and the same one divided.
template <class T>
struct Both {
  Both(Array<T, 2> of, ShardLayout layout) : whole(std::move(of)), sharded(ranks::world(), whole, layout) {}

  Array<T, 2> whole;
  Sharded<Array<T, 2>> sharded;
};

template <class X>
const X& whole_of(const X& x) {
  return x;
}
template <class T>
const Array<T, 2>& whole_of(const Both<T>& x) {
  return x.whole;
}
template <class X>
const X& sharded_of(const X& x) {
  return x;
}
template <class T>
const Sharded<Array<T, 2>>& sharded_of(const Both<T>& x) {
  return x.sharded;
}

template <class F, class... X>
void check(const char* name, ShardLayout layout, const F& f, const X&... x) {
  CAPTURE(name);
  CAPTURE(to_string(layout));
  const auto result = f(sharded_of(x)...);
  CHECK(result.layout() == layout);
  CHECK(result.collectives().empty());
  CHECK(same_bits(result.gather(), evaluate(f(whole_of(x)...))));
}

#define CHECK_ONE(function, x) check(#function, layout, [](const auto& a) { return function(a); }, x)
#define CHECK_TWO(function, x, y) \
  check(#function, layout, [](const auto& a, const auto& b) { return function(a, b); }, x, y)
#define CHECK_SIGN(sign, x, y) check(#sign, layout, [](const auto& a, const auto& b) { return a sign b; }, x, y)

/// As many rows as ranks and more, and fewer.
template <class Check>
void for_layouts(const Check& check_layout) {
  for (const Dim<2> shape : {Dim{7, 3}, Dim{2, 5}}) {
    for (const ShardLayout layout : {ShardLayout::replicated(), ShardLayout::split(0), ShardLayout::split(1)})
      check_layout(shape, layout);
  }
}

Array<float, 2> numbers(Dim<2> shape, std::uint64_t seed) {
  Array<float, 2> x = random::uniform<float>(random::Key{seed}, shape) * 4.f - 2.f;
  x.data()[1] = std::numeric_limits<float>::quiet_NaN();
  x.data()[2] = std::numeric_limits<float>::infinity();
  x.data()[3] = 0.f;
  return x;
}

}  // namespace

TEST_CASE("operators") {
  for_layouts([](Dim<2> shape, ShardLayout layout) {
    const Both<float> x(numbers(shape, 1), layout), y(numbers(shape, 2), layout);
    const Both<std::int32_t> i(ranks::numbers<std::int32_t>(shape, 0), layout);
    const Both<std::int32_t> j(ranks::numbers<std::int32_t>(shape, 0, 1), layout);
    CHECK_SIGN(+, x, y);
    CHECK_SIGN(-, x, y);
    CHECK_SIGN(*, x, 3);
    CHECK_SIGN(/, 1.5f, x);
    CHECK_SIGN(%, i, j);
    CHECK_SIGN(==, x, y);
    CHECK_SIGN(!=, x, x);
    CHECK_SIGN(<, x, y);
    CHECK_SIGN(<=, x, 0.f);
    CHECK_SIGN(>, 0.f, y);
    CHECK_SIGN(>=, i, j);
    CHECK_SIGN(&, i, 3);
    CHECK_SIGN(|, i, j);
    CHECK_SIGN(^, i, j);
    CHECK_SIGN(<<, i, j);
    CHECK_SIGN(>>, i, 1);
    check("-", layout, [](const auto& a) { return -a; }, i);
    check("~", layout, [](const auto& a) { return ~a; }, i);
    check("!", layout, [](const auto& a) { return !(a > 2); }, i);
  });
}

TEST_CASE("functions by name") {
  for_layouts([](Dim<2> shape, ShardLayout layout) {
    const Both<float> x(numbers(shape, 1), layout), y(numbers(shape, 2), layout);
    const Both<std::int32_t> i(ranks::numbers<std::int32_t>(shape, 0), layout);
    const Both<bool> b(ranks::numbers<bool>(shape, 0), layout);
    CHECK_ONE(exp, x);
    CHECK_ONE(log1p, x);
    CHECK_ONE(sqrt, x);
    CHECK_ONE(tanh, x);
    CHECK_ONE(erf, x);
    CHECK_ONE(relu, x);
    CHECK_ONE(gelu, x);
    CHECK_ONE(abs, x);
    CHECK_ONE(sign, x);
    CHECK_ONE(round, x);
    CHECK_ONE(isnan, x);
    CHECK_ONE(signbit, x);
    CHECK_ONE(square, i);
    CHECK_ONE(negative, i);
    CHECK_ONE(bitwise_invert, i);
    CHECK_ONE(logical_not, b);
    CHECK_TWO(add, i, 5);
    CHECK_TWO(less_equal, x, y);
    CHECK_TWO(bitwise_xor, i, 5);
    CHECK_TWO(maximum, x, y);
    CHECK_TWO(minimum, 0.f, x);
    CHECK_TWO(floor_divide, i, 2);
    CHECK_TWO(remainder, x, y);
    CHECK_TWO(pow, x, 2.f);
    CHECK_TWO(hypot, x, y);
    CHECK_TWO(logaddexp, x, y);
    CHECK_TWO(leaky_relu, x, 0.1f);
    CHECK_TWO(logical_and, b, b);
    CHECK_TWO(isclose, x, y);
    check("isclose(...)", layout, [](const auto& a, const auto& b) { return isclose(a, b, 0.0, 0.0, true); }, x, x);
    check("cast", layout, [](const auto& a) { return cast<double>(a); }, x);
    check("clip", layout, [](const auto& a) { return clip(a, none, 1.f); }, x);
    check("clip(a, b, 1)", layout, [](const auto& a, const auto& b) { return clip(a, b, 1.f); }, x, y);
    check("where", layout, [](const auto& a, const auto& b) { return where(a < b, a, 0.f); }, x, y);
    const Both<std::complex<float>> z(cast<std::complex<float>>(x.whole) * std::complex<float>(1.f, 2.f), layout);
    CHECK_ONE(conj, z);
    CHECK_ONE(imag, z);
    CHECK_ONE(angle, z);
  });
}

TEST_CASE("compound operators write the elements that there are") {
  for_layouts([](Dim<2> shape, ShardLayout layout) {
    Both<float> x(numbers(shape, 1), layout);
    const Both<float> y(numbers(shape, 2), layout);
    const Array<float, 2> own = x.sharded.local();  // another name of the same elements
    x.sharded += y.sharded;
    x.whole += y.whole;
    x.sharded *= 2.f;
    x.whole *= 2.f;
    x.sharded -= exp(y.sharded);
    x.whole -= exp(y.whole);
    (x.sharded /= y.sharded) += 1.f;
    x.whole /= y.whole;
    x.whole += 1.f;
    CHECK(same_bits(x.sharded.gather(), x.whole));
    CHECK(own.data() == x.sharded.local().data());
    Both<std::int32_t> i(ranks::numbers<std::int32_t>(shape, 0), layout);
    i.sharded %= 5;
    i.sharded <<= 3;
    i.sharded |= 6;
    i.sharded ^= 1;
    i.sharded >>= 1;
    i.sharded &= 31;
    CHECK(same_bits(i.sharded.gather(), evaluate((((i.whole % 5 << 3) | 6) ^ 1) >> 1 & 31)));
  });
}

TEST_CASE("compound operators whose result lies in another way are refused, and write nothing") {
  const Group& world = ranks::world();
  const Array<float, 2> a = ones<float>(Dim{6, 4});
  Sharded<Array<float, 2>> rows(world, a, ShardLayout::split(0)), whole(world, a, ShardLayout::replicated());
  Sharded<Array<float, 1>> row(world, Array<float, 1>(a(0, all)), ShardLayout::replicated());
  const Sharded<Array<float, 2>> columns(world, a, ShardLayout::split(1));
  CHECK_THROWS_AS(rows += columns, ShapeError);
  CHECK_THROWS_AS(whole += rows, ShapeError);
  const Sharded<Array<float, 2>> one_row(world, Array<float, 2>(a(range(0, 1), all)), ShardLayout::replicated());
  rows += one_row;  // repeated along the axis that is split
  CHECK(same_bits(rows.gather(), Array<float, 2>(a + 1.f)));
  CHECK(same_bits(whole.gather(), a));
}

TEST_CASE("what is written remembers the collectives that have made it, and keeps its elements") {
  const Group& world = ranks::world();
  const Sharded<Array<float, 2>> x(world, ones<float>(Dim{6, 4}), ShardLayout::split(0));
  Sharded<Array<float, 1>> sums(world, zeros<float>(Dim{4}), ShardLayout::replicated());
  const float* const elements = sums.local().data();
  for (int round = 0; round < 3; ++round) sums += sum<0>(x);
  CHECK(sums.collectives() == sum<0>(x).collectives());
  CHECK(sums.local().data() == elements);
  CHECK(same_bits(sums.gather(), full<float>(Dim{4}, 18.f)));
}

TEST_CASE("transposed, parts are views, and products take them") {
  for_layouts([](Dim<2> shape, ShardLayout layout) {
    const Both<float> x(random::uniform<float>(random::Key{1}, shape), layout);
    const auto turned = x.sharded.T();
    CHECK(turned.shape() == x.whole.T().shape());
    CHECK(turned.layout() == (layout.is_split() ? ShardLayout::split(1 - layout.axis()) : layout));
    CHECK(turned.local().data() == x.sharded.local().data());
    CHECK(same_bits(turned.gather(), evaluate(x.whole.T())));
    CHECK(same_bits((x.sharded * 2.f).T().gather(), evaluate(x.whole.T() * 2.f)));
    const ShardLayout other = layout == ShardLayout::split(0) ? layout : ShardLayout::replicated();
    const auto product = dot(turned, x.sharded.redistribute(other));
    CHECK(allclose(product.gather(), evaluate(dot(x.whole.T(), x.whole)), 1e-6, 1e-6));
  });
}

template <class A, class B>
concept compound = requires(A& a, const B& b) { a += b; };
template <class A, class B>
concept has_bits = requires(const A& a, const B& b) { a & b; };

TEST_CASE("what arrays refuse is refused") {
  using Floats = Sharded<Array<float, 2>>;
  using Ints = Sharded<Array<std::int32_t, 2>>;
  static_assert(compound<Floats, Floats> && compound<Floats, int> && compound<Floats, Sharded<Array<float, 1>>>);
  static_assert(!compound<Floats, Array<float, 2>> && !compound<const Floats, Floats> && !compound<Ints, Floats>);
  static_assert(has_bits<Ints, Ints> && has_bits<Ints, int> && !has_bits<Floats, Floats> && !has_bits<Floats, int>);
}

TEST_CASE("whether all are, and whether any is") {
  for_layouts([](Dim<2> shape, ShardLayout layout) {
    const Both<std::int32_t> i(ranks::numbers<std::int32_t>(shape, 0), layout);
    const auto compare = [&](const auto& divided, const auto& whole) {
      CHECK(same_bits(all_of(divided).gather(), evaluate(all_of(whole))));
      CHECK(same_bits(all_of<0>(divided).gather(), evaluate(all_of<0>(whole))));
      CHECK(same_bits(any_of<1>(divided).gather(), evaluate(any_of<1>(whole))));
      CHECK(same_bits(any_of(divided).gather(), evaluate(any_of(whole))));
    };
    compare(i.sharded < 6, i.whole < 6);
    compare(i.sharded < 7, i.whole < 7);
    compare(i.sharded > 6, i.whole > 6);
  });
}

TEST_CASE("what needs an axis as a whole is computed where each rank has it, and refused elsewhere") {
  for_layouts([](Dim<2> shape, ShardLayout layout) {
    const Both<float> x(random::uniform<float>(random::Key{7}, shape), layout);
    const auto compare = [&]<int Axis>(const auto& f) {
      if (layout == ShardLayout::split(Axis)) {
        CHECK_THROWS_WITH_AS(f(x.sharded),
                             doctest::Contains((to_string(layout) + "; redistribute() the array first").c_str()),
                             ShapeError);
        return;
      }
      const auto result = f(x.sharded);
      CHECK(result.collectives().empty());
      CHECK(same_bits(result.gather(), evaluate(f(x.whole))));
    };
    compare.operator()<0>([](const auto& a) { return softmax<0>(a); });
    compare.operator()<1>([](const auto& a) { return log_softmax<1>(a); });
    if (layout.is_split()) CHECK_THROWS_AS(softmax(x.sharded), ShapeError);
  });
}

TEST_CASE("norms do not overflow on their way from rank to rank") {
  for_layouts([](Dim<2> shape, ShardLayout layout) {
    for (const float scale : {1.f, 1e30f, 1e-30f, 0.f}) {
      CAPTURE(scale);
      const Both<float> x((random::uniform<float>(random::Key{5}, shape) - 0.5f) * scale, layout);
      CHECK(allclose(norm(x.sharded).gather(), evaluate(norm(x.whole)), 1e-6, 0.0));
      CHECK(allclose(norm<0>(x.sharded).gather(), evaluate(norm<0>(x.whole)), 1e-6, 0.0));
      CHECK(allclose(norm<1>(x.sharded).gather(), evaluate(norm<1>(x.whole)), 1e-6, 0.0));
    }
    Array<float, 2> special = ones<float>(shape);
    special.data()[0] = std::numeric_limits<float>::infinity();
    special.data()[special.size() - 1] = std::numeric_limits<float>::quiet_NaN();
    const Both<float> x(special, layout);
    CHECK(same_bits(isnan(norm<0>(x.sharded)).gather(), evaluate(isnan(norm<0>(x.whole)))));
    CHECK(same_bits(isinf(norm<1>(x.sharded)).gather(), evaluate(isinf(norm<1>(x.whole)))));
    const Both<float16> halves(full<float16>(shape, float16(200.f)), layout);  // whose squares are no such numbers
    CHECK(same_bits(norm<0>(halves.sharded).gather(), evaluate(norm<0>(halves.whole))));
    const Both<std::complex<double>> z(full<std::complex<double>>(shape, std::complex(3.0, 4.0)), layout);
    CHECK(allclose(norm(z.sharded).gather(), evaluate(norm(z.whole))));
  });
}
