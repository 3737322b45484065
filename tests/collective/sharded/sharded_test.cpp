// Arrays that are divided among ranks, against the same arrays whole.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support.hpp"

using namespace tessera;

namespace {

template <class T, int Rank>
bool agree(const Array<T, Rank>& a, const Array<T, Rank>& b) {
  if (a.shape() != b.shape()) return false;
  if constexpr (Floating<T>) {
    return static_cast<bool>(allclose(a, b));
  } else {
    return static_cast<bool>(all_of(a == b));
  }
}

template <class T>
Array<T, 2> matrix(std::ptrdiff_t rows, std::ptrdiff_t columns, std::uint64_t seed) {
  return Array<T, 2>(cast<T>(random::uniform<float>(random::Key{seed}, Dim{rows, columns}) * 16.f - 8.f));
}

const std::vector<ShardLayout> layouts{ShardLayout::replicated(), ShardLayout::split(0), ShardLayout::split(1)};

/// Of as many rows as ranks and more, of fewer, and of none.
template <class Check>
void for_shapes(const Check& check) {
  for (const auto& [rows, columns] :
       std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>>{{12, 20}, {7, 3}, {2, 5}, {1, 1}})
    check(rows, columns);
}

template <class T>
void check_reductions(const Group& world) {
  for_shapes([&](std::ptrdiff_t rows, std::ptrdiff_t columns) {
    const auto whole = matrix<T>(rows, columns, 3);
    for (const ShardLayout layout : layouts) {
      CAPTURE(to_string(layout));
      const Sharded<Array<T, 2>> x(world, whole, layout);
      CHECK(agree(sum(x).gather(), evaluate(sum(whole))));
      CHECK(agree(sum<0>(x).gather(), evaluate(sum<0>(whole))));
      CHECK(agree(sum<1>(x).gather(), evaluate(sum<1>(whole))));
      CHECK(agree(sum<-1>(x).gather(), evaluate(sum<1>(whole))));
      CHECK(agree(max<0>(x).gather(), evaluate(max<0>(whole))));
      CHECK(agree(min<1>(x).gather(), evaluate(min<1>(whole))));
      CHECK(agree(min(x).gather(), evaluate(min(whole))));
      CHECK(agree(prod<1>(x).gather(), evaluate(prod<1>(whole))));
      CHECK(sum<0>(x).layout() ==
            (layout == ShardLayout::split(1) ? ShardLayout::split(0) : ShardLayout::replicated()));
      CHECK(sum<1>(x).layout() ==
            (layout == ShardLayout::split(0) ? ShardLayout::split(0) : ShardLayout::replicated()));
      if constexpr (Floating<T>) {
        CHECK(agree(mean<0>(x).gather(), evaluate(mean<0>(whole))));
        CHECK(agree(mean(x).gather(), evaluate(mean(whole))));
      }
    }
  });
}

}  // namespace

TEST_CASE("parts are those of the axis, and gather to the whole") {
  const Group world = Group::world();
  for_shapes([&](std::ptrdiff_t rows, std::ptrdiff_t columns) {
    const auto whole = matrix<float>(rows, columns, 1);
    for (const ShardLayout layout : layouts) {
      const Sharded<Array<float, 2>> x(world, whole, layout);
      CHECK(x.shape() == whole.shape());
      CHECK(agree(x.gather(), whole));
      const auto again = Sharded<Array<float, 2>>::of_parts(world, x.local(), layout);
      CHECK(again.shape() == whole.shape());
      CHECK(agree(again.gather(), whole));
      for (const ShardLayout other : layouts) {
        const auto moved = x.redistribute(other);
        CHECK(moved.layout() == other);
        CHECK(moved.local().shape() == Sharded<Array<float, 2>>(world, whole, other).local().shape());
        CHECK(agree(moved.gather(), whole));
      }
    }
  });
}

TEST_CASE("no rows are divided, added up to zeros, and have no maximum") {
  const Group world = Group::world();
  const Array<float, 2> whole = zeros<float>(Dim{0, 4});
  for (const ShardLayout layout : layouts) {
    const Sharded<Array<float, 2>> x(world, whole, layout);
    CHECK(agree((x * 2.f + x).gather(), whole));
    CHECK(agree(shard_map([](const auto& own) { return exp(own); }, x).gather(), whole));
    CHECK(agree(sum<0>(x).gather(), zeros<float>(Dim{4})));
    CHECK(static_cast<float>(sum(x).gather()) == 0);
    CHECK_THROWS_AS(max<0>(x), ShapeError);
    CHECK_THROWS_AS(mean<0>(x), ShapeError);
    CHECK(mean<1>(x).gather().size() == 0);
    for (const ShardLayout other : layouts) CHECK(agree(x.redistribute(other).gather(), whole));
  }
}

TEST_CASE("the mean of numbers of 16 bits is exact where their sum is no such number") {
  const Group world = Group::world();
  const Array<float16, 1> whole = full<float16>(Dim{100'000}, float16(3.f));
  for (const ShardLayout layout : {ShardLayout::replicated(), ShardLayout::split(0)})
    CHECK(static_cast<float>(float16(mean(Sharded<Array<float16, 1>>(world, whole, layout)).gather())) == 3.f);
}

TEST_CASE("three axes are split and moved along each of them") {
  const Group world = Group::world();
  const Array<std::int32_t, 3> whole = reshape(arange<std::int32_t>(4 * 6 * 12), 4, 6, 12);
  for (int from = -1; from < 3; ++from) {
    for (int to = -1; to < 3; ++to) {
      const auto layout = [](int axis) { return axis < 0 ? ShardLayout::replicated() : ShardLayout::split(axis); };
      const Sharded<Array<std::int32_t, 3>> x(world, whole, layout(from));
      CHECK(agree(x.redistribute(layout(to)).gather(), whole));
    }
  }
}

TEST_CASE("elementwise expressions of equal layouts are computed by each rank alone") {
  const Group world = Group::world();
  for_shapes([&](std::ptrdiff_t rows, std::ptrdiff_t columns) {
    const auto a = matrix<float>(rows, columns, 1), b = matrix<float>(rows, columns, 2);
    const Array<float, 2> expected = a * 2.f - b / (exp(a) + 1.f);
    for (const ShardLayout layout : layouts) {
      const Sharded<Array<float, 2>> x(world, a, layout), y(world, b, layout);
      const Sharded<Array<float, 2>> z = x * 2.f - y / shard_map([](const auto& own) { return exp(own) + 1.f; }, x);
      CHECK(z.layout() == layout);
      CHECK(z.collectives().empty());
      CHECK(agree(z.gather(), expected));
      CHECK(agree((-x).gather(), Array<float, 2>(-a)));
      assign(y, x + y);
      CHECK(agree(y.gather(), Array<float, 2>(a + b)));
    }
  });
}

TEST_CASE("what is replicated is repeated along the axis that is split") {
  const Group world = Group::world();
  const auto a = matrix<float>(6, 4, 1);
  const Array<float, 1> row = arange<float>(4);
  const Sharded<Array<float, 2>> rows(world, a, ShardLayout::split(0));
  const Sharded<Array<float, 1>> bias(world, row, ShardLayout::replicated());
  CHECK(agree((rows + bias).gather(), Array<float, 2>(a + row)));
  const Sharded<Array<float, 2>> columns(world, a, ShardLayout::split(1));
  const Sharded<Array<float, 1>> own_bias(world, row, ShardLayout::split(0));
  CHECK((columns + own_bias).layout() == ShardLayout::split(1));
  CHECK(agree((columns + own_bias).gather(), Array<float, 2>(a + row)));
}

TEST_CASE("reductions exchange what is needed") {
  check_reductions<float>(Group::world());
  check_reductions<std::int32_t>(Group::world());
}

TEST_CASE("dot products of all layouts that fit are those of the whole factors") {
  const Group world = Group::world();
  for_shapes([&](std::ptrdiff_t rows, std::ptrdiff_t columns) {
    const auto a = matrix<double>(rows, columns, 1), b = matrix<double>(columns, 5, 2);
    const Array<double, 2> expected = dot(a, b);
    const Array<double, 1> v = a(0, all);
    int fitting = 0;
    for (const ShardLayout of_a : layouts) {
      for (const ShardLayout of_b : layouts) {
        const Sharded<Array<double, 2>> x(world, a, of_a), y(world, b, of_b);
        try {
          const auto z = dot(x, y);
          ++fitting;
          CHECK(agree(z.gather(), expected));
          CHECK(z.collectives().size() == (of_a == ShardLayout::split(1) ? 1 : 0));
        } catch (const ShapeError& error) {
          const std::string text = error.what();
          CHECK(text.find(to_string(of_a)) != std::string::npos);
          CHECK(text.find(to_string(of_b)) != std::string::npos);
        }
      }
    }
    CHECK(fitting == 4);
    const Sharded<Array<double, 1>> w(world, v, ShardLayout::split(0));
    const Sharded<Array<double, 2>> y(world, b, ShardLayout::split(0));
    CHECK(agree(dot(w, y).gather(), evaluate(dot(v, b))));
    CHECK(agree(dot(w, w).gather(), evaluate(dot(v, v))));
  });
}

TEST_CASE("sharded arrays say how they lie, and what they cost") {
  const Group world = Group::world();
  const auto a = matrix<float>(8, 4, 1);
  const Sharded<Array<float, 2>> x(world, a, ShardLayout::split(0));
  CHECK(explain(x).find("float32 (8, 4) split along axis 0 of group world") != std::string::npos);
  CHECK(explain(x).find("no collective") != std::string::npos);
  const std::string text = explain(sum<0>(x));
  CHECK(text.find("all_reduce of float32 16 bytes a rank: sum along the axis that is split") != std::string::npos);
  CHECK(explain(x.redistribute(ShardLayout::split(1))).find("split along axis 0 becomes split along axis 1") !=
        std::string::npos);
}

TEST_CASE("layouts that do not fit are errors that name them") {
  const Group world = Group::world();
  const auto a = matrix<float>(8, 8, 1);
  const Sharded<Array<float, 2>> rows(world, a, ShardLayout::split(0)), columns(world, a, ShardLayout::split(1)),
      whole(world, a, ShardLayout::replicated());
  const auto message = [](const auto& body) -> std::string {
    try {
      body();
    } catch (const ShapeError& error) {
      return error.what();
    }
    return {};
  };
  CHECK(message([&] {
          static_cast<void>(rows + columns);
        }).find("(8, 8) split along axis 0 and (8, 8) split along axis 1") != std::string::npos);
  CHECK(message([&] { static_cast<void>(rows + whole); }).find("(8, 8) replicated") != std::string::npos);
  CHECK(message([&] { assign(rows, columns); }).find("split along axis 1") != std::string::npos);
  CHECK(message([&] { static_cast<void>(dot(rows, columns)); }).find("split along axis 1") != std::string::npos);
  const Sharded<Array<float, 2>> wide(world, matrix<float>(8, 6, 1), ShardLayout::replicated());
  CHECK(message([&] { static_cast<void>(dot(wide, whole)); }).find("(8, 6) replicated") != std::string::npos);
  CHECK_THROWS_AS((Sharded<Array<float, 2>>(world, a, ShardLayout::split(2))), IndexError);
  if (world.size() > 1) {
    const Array<float, 2> part(Dim{world.rank() == 1 ? 5 : 1, 2});
    CHECK_THROWS_AS((Sharded<Array<float, 2>>::of_parts(world, part, ShardLayout::split(0))), ShapeError);
  }
}

TEST_CASE("sharded arrays are asynchronous in a scope") {
  const Group world = Group::world();
  const auto a = matrix<double>(9, 4, 1), b = matrix<double>(4, 9, 2);
  Scheduler scheduler;
  Array<double, 2> products;
  Array<double, 1> sums;
  {
    const Async on{scheduler};
    const Sharded<Array<double, 2>> x(world, a, ShardLayout::split(1)), y(world, b, ShardLayout::split(0));
    products = dot(x, y).local();
    sums = sum<1>(x + x).local();
  }
  CHECK(agree(products, evaluate(dot(a, b))));
  CHECK(agree(sums, evaluate(sum<1>(a + a))));
}

TEST_CASE_TEMPLATE("least and greatest are elements, also where a rank has none", T, float16, bfloat16, float,
                   std::int8_t) {
  const Group world = Group::world();
  for (const float sign : {1.f, -1.f}) {
    const Array<T, 2> rows = cast<T>(sign * 7.f * reshape(arange<float>(1, 3), Dim{2, 1}));
    const Sharded<Array<T, 2>> x(world, rows, ShardLayout::split(0));
    CHECK(agree(min<0>(x).gather(), evaluate(min<0>(rows))));
    CHECK(agree(max<0>(x).gather(), evaluate(max<0>(rows))));
    CHECK(agree(max(x).gather(), evaluate(max(rows))));
  }
}

TEST_CASE("a negative axis, parts that are none, and another group are refused") {
  const Group world = Group::world();
  CHECK_THROWS_WITH_AS(ShardLayout::split(-1), "ShardLayout::split: there is no axis -1; axes count from 0",
                       IndexError);
  if (world.size() == 1) return;
  const Array<float, 2> own = zeros<float>(Dim{2, world.rank() == 1 ? 4 : 3});
  for (const ShardLayout layout : {ShardLayout::replicated(), ShardLayout::split(0)})
    CHECK_THROWS_AS((Sharded<Array<float, 2>>::of_parts(world, own, layout)), ShapeError);
  const Group part = world.split(0);
  const Sharded<Array<float, 2>> x(world, zeros<float>(Dim{4, 3}), ShardLayout::split(0));
  const Sharded<Array<float, 2>> y(part, zeros<float>(Dim{4, 3}), ShardLayout::split(0));
  CHECK_THROWS_AS(assign(x, y), CollectiveError);
  CHECK_THROWS_AS(x + y, CollectiveError);
}

template <class A, class B>
concept add_up = requires(const A& a, const B& b) { a + b; };

TEST_CASE("what is not elementwise is no function of parts, and a plain array is no operand") {
  const Group world = Group::world();
  const Sharded<Array<float, 2>> x(world, ones<float>(Dim{6, 4}), ShardLayout::split(0));
  CHECK_THROWS_AS(shard_map([](const auto& own) { return evaluate(own(all, range(0, 2))); }, x), ShapeError);
  CHECK_THROWS_AS(shard_map([](const auto& own) { return evaluate(reshape(own, Dim{own.size(), 1})); }, x), ShapeError);
  using Rows = Sharded<Array<float, 2>>;
  static_assert(!add_up<Rows, Array<float, 2>> && !add_up<Array<float, 2>, Rows> && !add_up<Rows, DArray>);
  static_assert(add_up<Rows, float> && add_up<int, Rows> && add_up<Rows, Rows>);
}

TEST_CASE("arrays of an iteration do not remember each round") {
  const Group world = Group::world();
  const Sharded<Array<double, 2>> m(world, Array<double, 2>(eye<double>(6)), ShardLayout::split(0));
  Sharded<Array<double, 1>> v(world, ones<double>(Dim{6}), ShardLayout::replicated());
  for (int round = 0; round < 50; ++round) v = dot(m, v).redistribute(ShardLayout::replicated());
  CHECK(agree(v.gather(), ones<double>(Dim{6})));
  CHECK(v.collectives().size() == 1);
}
