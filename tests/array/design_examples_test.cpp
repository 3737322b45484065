// Tests of the lines that the design shows of places, memory, shapes and arrays.
#include <doctest/doctest.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "support.hpp"
import tessera;

using namespace tessera;

TEST_CASE("places and memory") {
  const std::ptrdiff_t before = memory::used(CpuPlace{});
  void* p = memory::alloc(CpuPlace{}, 4096);
  CHECK(reinterpret_cast<std::uintptr_t>(p) % 64 == 0);
  CHECK(memory::used(CpuPlace{}) == before + 4096);
  CHECK(memory::stats(CpuPlace{}).in_use == before + 4096);
  memory::free(CpuPlace{}, p);
  CHECK(memory::used(CpuPlace{}) == before);
}

TEST_CASE("shapes") {
  Dim d{2, 3};
  Dim<2> e = make_dim(3, 3);
  DDim f = make_ddim({1, 2, 3});
  static_assert(std::same_as<decltype(d), Dim<2>>);
  CHECK(product(d) == 6);
  CHECK(product(e) == 9);
  CHECK(f.rank() == 3);
  CHECK(visit([](const auto& shape) { return shape.rank; }, f) == 3);
}

TEST_CASE("arrays are handles to shared storage") {
  Array<float, 2> a(Dim{2, 3});
  CHECK(a.place() == Place(CpuPlace{}));
  auto v = make_array(std::vector{1.f, 2.f}, CpuPlace{});
  CHECK(joined(v) == "1 2");
  a[{0, 1}] = 1.0f;
  float x = a[{0, 1}];
  CHECK(x == 1.0f);
}

TEST_CASE("zeros on a GPU needs one") {
  const auto make = [] { return zeros<float>(Dim{784, 10}, GpuPlace{0}); };
  if (device_count() == 0) {
    CHECK_THROWS_AS(make(), DeviceError);
  } else {
    auto g = make();
    CHECK(g.place() == GpuPlace{0});
    CHECK(static_cast<float>(g[{783, 9}]) == 0);
  }
}

TEST_CASE("slices, views and shapes") {
  Array<float, 2> a = reshape(arange(0.f, 6.f), 2, 3);
  auto s = slice(a, {0, 0}, {2, 3}, {1, 2});
  CHECK(described(s) == "(2, 2) 0 2 3 5");
  auto r = a(all, range(0, 3, 2));
  auto row = a(1, ellipsis);
  CHECK(described(r) == "(2, 2) 0 2 3 5");
  CHECK(described(row) == "(3,) 3 4 5");
  auto t = a.T();
  CHECK(described(t) == "(3, 2) 0 3 1 4 2 5");
  Array<float, 4> h4 = zeros<float>(Dim{2, 3, 4, 5});
  auto u = transpose(h4, {0, 2, 3, 1});
  CHECK(u.shape() == Dim{2, 4, 5, 3});
  auto flat = flatten(a);
  auto q = reshape(a, Dim{3, 2});
  CHECK(described(flat) == "(6,) 0 1 2 3 4 5");
  CHECK(described(q) == "(3, 2) 0 1 2 3 4 5");
  for (const float* data : {s.data(), r.data(), t.data(), flat.data(), q.data()}) CHECK(data == a.data());
}

TEST_CASE("rule 1: = gives a name a value, views write elements") {
  Array<float, 2> a = zeros<float>(Dim{2, 2}), b = ones<float>(Dim{2, 2}), empty;
  const auto column = make_array({5.f, 6.f});
  a(all, 0) = column;
  CHECK(joined(a) == "5 0 6 0");
  const auto before = a;
  a = b + 0;
  CHECK(joined(a) == "1 1 1 1");
  CHECK(joined(before) == "5 0 6 0");
  a = b;
  CHECK(a.data() == b.data());
  const auto cloned = b.clone();
  CHECK(cloned.data() != b.data());
  empty = a + b;
  CHECK(joined(empty) == "2 2 2 2");
}

TEST_CASE("rule 2: a kept expression outlives the scope of its arrays; borrowing is explicit") {
  auto e = [] {
    const auto a = make_array({1.f, 2.f}), b = make_array({10.f, 20.f});
    return a + b;
  }();
  const Array<float, 1> sum = e;
  CHECK(joined(sum) == "11 22");
  float mine[] = {1, 2, 3, 4};
  auto borrowed = borrow(mine, Dim{2, 2}, CpuPlace{});
  borrowed = borrowed * 2;
  CHECK(joined(mine) == "2 4 6 8");
  make_view(mine, Dim<1>{4}) = 0;
  CHECK(joined(borrowed) == "0 0 0 0");
}

TEST_CASE("rule 4: extents that do not fit throw") {
  Array<float, 2> a(Dim{2, 3});
  CHECK_THROWS_AS(a(ellipsis) = zeros<float>(Dim{3, 2}), ShapeError);
}

TEST_CASE("rule 6: moving is explicit, and a static place makes element access a plain reference") {
  Array<float, 1, CpuPlace> a = make_array(std::vector{1.f}, CpuPlace{});
  static_assert(std::same_as<decltype(a[0]), float&>);
  const auto move = [&] { return a.to(GpuPlace{0}); };
  if (device_count() == 0) {
    CHECK_THROWS_AS(move(), DeviceError);
  } else {
    CHECK(static_cast<float>(move()[0]) == 1);
  }
}
