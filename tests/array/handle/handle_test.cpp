// Tests of arrays as handles: construction, assignment, places, the life of their storage.
#include <doctest/doctest.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "support.hpp"
import tessera;

using namespace tessera;

TEST_CASE("an array starts without storage") {
  const Array<float, 2> a;
  CHECK_FALSE(a.has_storage());
  CHECK(a.shape() == Dim{0, 0});
  CHECK(a.size() == 0);
  CHECK(a.data() == nullptr);
  CHECK(Array<float, 0>().size() == 0);
}

TEST_CASE("an array of a shape has aligned row-major storage on the CPU") {
  const Array<double, 3> a(Dim{2, 3, 4});
  CHECK(a.has_storage());
  CHECK(a.size() == 24);
  CHECK(a.strides() == Strides<3>{12, 4, 1});
  CHECK(a.place() == Place(CpuPlace{}));
  CHECK(a.buffer()->bytes() == 24 * 8);
  CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 64 == 0);
}

TEST_CASE("rank 0 holds one element, a zero extent none") {
  Array<int, 0> scalar{Dim<0>{}};
  scalar[{}] = 3;
  CHECK(scalar.size() == 1);
  CHECK(scalar[{}] == 3);
  const Array<int, 3> empty(Dim{2, 0, 3});
  CHECK(empty.size() == 0);
  CHECK(empty.has_storage());
}

TEST_CASE("an array over a buffer sees the layout that it is given") {
  Array<int, 1> a = arange(0, 6);
  const Array<int, 2> columns(a.buffer(), Layout<2>{.shape = Dim{3, 2}, .strides = {1, 3}, .offset = 0}, a.place());
  CHECK(described(columns) == "(3, 2) 0 3 1 4 2 5");
  CHECK(columns.buffer() == a.buffer());
}

// --8<-- [start:assignment]
TEST_CASE("= gives a name a value and never changes what another name sees") {
  Array<float, 1> a = make_array({1.f, 2.f}), b = make_array({3.f, 4.f});
  const auto first = a;
  a = b;  // now a and b are the same elements
  CHECK(a.data() == b.data());
  CHECK(to_string(first) == "[1. 2.]");
  a = b * 2;  // in storage of its own
  CHECK(to_string(b) == "[3. 4.]");
  CHECK(to_string(a) == "[6. 8.]");
  const auto own = b.clone();  // new storage
  b(all) = 0;
  CHECK(to_string(own) == "[3. 4.]");
}

TEST_CASE("a view on the left always writes elements") {
  Array<int, 2> a = zeros<int>(Dim{2, 3});
  const auto row = make_array({1, 2, 3});
  a(0) = row;
  CHECK(to_string(a) == "[[1 2 3]\n [0 0 0]]");
  a(all, 0) = 7;
  CHECK(to_string(a) == "[[7 2 3]\n [7 0 0]]");
}

TEST_CASE("assigning an expression to an array without storage allocates it") {
  const auto a = make_array({1.f, 2.f});
  Array<float, 1> b;
  b = a + 1;
  CHECK(to_string(b) == "[2. 3.]");
  CHECK(b.data() != a.data());
}
// --8<-- [end:assignment]

TEST_CASE("an expression initialises an array") {
  auto a = make_array({1, 2, 3});
  const Array<int, 1> b = a * a;
  CHECK(joined(b) == "1 4 9");
  const Array<double, 2> table = reshape(arange(0.0, 3.0), 3, 1) + arange(0.0, 2.0);
  CHECK(described(table) == "(3, 2) 0 1 1 2 2 3");
}

TEST_CASE("a scalar or a source of lower rank cannot give an array without storage its shape") {
  Array<float, 2> a;
  CHECK_THROWS_WITH_AS(
      a = 1,
      doctest::Contains("assignment: the array on the left has no storage; the right side is (); give it a shape "
                        "first, or assign an expression of its full rank; called at handle_test.cpp:"),
      ShapeError);
  CHECK_THROWS_AS(a(ellipsis) = make_array({1.f}), ShapeError);
  CHECK_FALSE(a.has_storage());
}

TEST_CASE("an rvalue writes a whole array of its own type, broadcast") {
  Array<int, 2> a = zeros<int>(Dim{2, 2});
  auto b = reshape(arange(0, 4), 2, 2);
  a(ellipsis) = b;
  CHECK(joined(a) == "0 1 2 3");
  CHECK(a.data() != b.data());
  a(range(0, 2)) = b(0);
  CHECK(joined(a) == "0 1 0 1");
  a(all, 1) = b(all, 0) * 10;
  CHECK(joined(a) == "0 0 0 20");
}

TEST_CASE("a failed assignment leaves the elements as they were") {
  Array<int, 2> a = reshape(arange(0, 6), 2, 3);
  const auto wrong = make_array({1, 2});
  CHECK_THROWS_WITH_AS(a(ellipsis) = wrong + 0,
                       doctest::Contains("the shape (2,) does not broadcast to (2, 3): axis 1 has extents 2 and 3"),
                       ShapeError);
  CHECK_THROWS_AS(a(ellipsis) = wrong, ShapeError);
  CHECK_THROWS_AS(a += wrong, ShapeError);
  CHECK(described(a) == "(2, 3) 0 1 2 3 4 5");
}

TEST_CASE("compound assignments write into the storage, also through views") {
  Array<double, 1> a = make_array({2.0, 4.0});
  const auto same = a;
  a += same;
  CHECK(joined(same) == "4 8");
  a -= 1;
  CHECK(joined(same) == "3 7");
  a *= a;
  CHECK(joined(same) == "9 49");
  a /= 2;
  CHECK(joined(same) == "4.5 24.5");
  a(range(1, 2)) *= 2;
  CHECK(joined(same) == "4.5 49");
}

TEST_CASE("a moved-from array has no storage") {
  Array<int, 1> a = arange(0, 3), b;
  b = std::move(a);
  CHECK_FALSE(a.has_storage());
  CHECK(a.size() == 0);
  CHECK_THROWS_AS(a[0], IndexError);
  const Array<int, 1> c(std::move(b));
  CHECK(b.shape() == Dim<1>{0});
  CHECK(joined(c) == "0 1 2");
  a = c + 1;
  CHECK(joined(a) == "1 2 3");
}

TEST_CASE("moving an array to itself keeps it") {
  Array<int, 1> a = arange(0, 3);
  Array<int, 1>& same = a;
  a = std::move(same);
  CHECK(joined(a) == "0 1 2");
}

TEST_CASE("static places become dynamic by themselves, dynamic ones static on request") {
  Array<int, 1, CpuPlace> fixed(Dim<1>{2});
  fixed[0] = 1;
  const Array<int, 1> dynamic = fixed;
  CHECK(dynamic.data() == fixed.data());
  const Array<int, 1, CpuPlace> again(dynamic);
  CHECK(again.data() == fixed.data());
  const auto convert = [&] { return Array<int, 1, GpuPlace>(dynamic); };
  CHECK_THROWS_WITH_AS(convert(), doctest::Contains("cpu"), PlaceError);
}

TEST_CASE("to returns the same storage where the elements are there already") {
  const Array<int, 1> a = arange(0, 3);
  CHECK(a.to(Place(CpuPlace{})).data() == a.data());
  const auto fixed = a.to(CpuPlace{});
  static_assert(std::same_as<decltype(fixed), const Array<int, 1, CpuPlace>>);
  CHECK(fixed.data() == a.data());
  CHECK(a(range(none, none, -1)).to(CpuPlace{}).strides() == Strides<1>{-1});
}

TEST_CASE("to a device that does not exist throws and says what is missing") {
  const Array<int, 1> a = arange(0, 3);
  CHECK_THROWS_WITH_AS(a.to(GpuPlace{device_count()}), doctest::Contains(device_count() == 0 ? "gpu:0" : "gpu:"),
                       DeviceError);
  CHECK_THROWS_AS((Array<int, 1>(Dim<1>{3}, GpuPlace{device_count()})), DeviceError);
  CHECK(joined(a) == "0 1 2");
}

TEST_CASE("clone is row-major whatever it copies") {
  const auto a = reshape(arange(0, 6), 2, 3).T();
  auto copied = a.clone();
  CHECK(copied.is_contiguous());
  CHECK(described(copied) == described(a));
  copied[{0, 0}] = 9;
  CHECK(a[{0, 0}] == 0);
  CHECK(Array<int, 2>(Dim{0, 4}).clone().shape() == Dim{0, 4});
  CHECK_FALSE(Array<int, 2>().clone().has_storage());
  CHECK_FALSE(Array<int, 0>().clone().has_storage());
}

// --8<-- [start:borrow]
TEST_CASE("borrowed memory is seen as an array and never freed") {
  const std::ptrdiff_t used = memory::used(CpuPlace{});
  std::vector<float> mine{1, 2, 3, 4, 5, 6};
  {
    auto a = borrow(mine.data(), Dim{2, 3}, CpuPlace{});
    a *= 10;
    a = a + 0.f;  // a window: = writes, too
    CHECK(memory::used(CpuPlace{}) == used);
  }
  CHECK(joined(mine) == "10 20 30 40 50 60");
}
// --8<-- [end:borrow]

TEST_CASE("a clone of borrowed memory is owned") {
  int mine[] = {1, 2};
  const auto owned = borrow(mine, Dim<1>{2}).clone();
  mine[0] = 9;
  CHECK(joined(owned) == "1 2");
  CHECK(owned.buffer()->owns());
}

TEST_CASE("storage lives as long as any view of it, and not longer") {
  const std::ptrdiff_t used = memory::used(CpuPlace{});
  std::optional<Array<int, 1>> last;
  {
    const Array<int, 3> a = reshape(arange(0, 24), 2, 3, 4);
    last = a(1, ellipsis, range(none, none, -1)).T()(0, all);
    CHECK(a.buffer()->names() == 2);
  }
  CHECK(joined(*last) == "15 19 23");
  CHECK(memory::used(CpuPlace{}) == used + 24 * 4);
  last.reset();
  CHECK(memory::used(CpuPlace{}) == used);
}

TEST_CASE("names are counted before, beside and after other threads") {
  constexpr int each = 20000;
  const std::ptrdiff_t used = memory::used(CpuPlace{});
  {
    const Array<int, 1> a(Dim<1>{10});
    std::vector<Array<int, 1>> names(100, a);
    CHECK(a.buffer()->names() == 101);
    const auto count = [&a] {
      for (int i = 0; i < each; ++i) {
        const Array<int, 1> first = a, second = first;
        const Array<int, 1> third = std::move(second);
      }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(count);
    names.resize(50);
    count();
    for (std::thread& thread : threads) thread.join();
    CHECK(a.buffer()->names() == 51);
    names.clear();
    CHECK(a.buffer()->names() == 1);
  }
  CHECK(memory::used(CpuPlace{}) == used);
}

TEST_CASE("assigning another handle frees storage that nobody else sees") {
  const std::ptrdiff_t used = memory::used(CpuPlace{});
  Array<int, 1> a(Dim<1>{100});
  a = Array<int, 1>(Dim<1>{10});
  CHECK(memory::used(CpuPlace{}) == used + 40);
  a = Array<int, 1>();
  CHECK(memory::used(CpuPlace{}) == used);
}

TEST_CASE("T reverses the axes and shares the storage") {
  const auto a = reshape(arange(0, 24), 2, 3, 4);
  CHECK(a.T().shape() == Dim{4, 3, 2});
  CHECK(a.T()[{3, 2, 1}] == 23);
  CHECK(a.T()[{1, 0, 0}] == 1);
  CHECK(a.T().data() == a.data());
  CHECK(arange(0, 3).T().shape() == Dim<1>{3});
  CHECK(zeros<int>(Dim<0>{}).T().size() == 1);
}
