// Tests of arrays over foreign memory, of memory given when it is first written, and of references that keep storage.
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>
import tessera;

using namespace tessera;

TEST_CASE("adopted memory is seen with any strides, and kept by its owner") {
  auto owner = std::make_shared<std::vector<int>>(12);
  std::iota(owner->begin(), owner->end(), 0);
  const std::weak_ptr<std::vector<int>> watch = owner;
  int* const last = owner->data() + 11;
  Array<int, 2> rows;
  {
    // --8<-- [start:adopt]
    const auto backwards = adopt(last, Dim{3, 4}, {-4, -1}, CpuPlace{}, owner);  // both axes run backwards
    // --8<-- [end:adopt]
    static_assert(std::same_as<decltype(backwards), const Array<int, 2, CpuPlace>>);
    CHECK(backwards(0, 0) == 11);
    CHECK(backwards(2, 3) == 0);
    rows = backwards(range(1, 3), all);
  }
  owner.reset();
  CHECK(!watch.expired());
  rows += 100;
  CHECK(int(rows(0, 0)) == 107);
  CHECK(int(sum(rows)) == 28 + 800);
  rows = Array<int, 2>();
  CHECK(watch.expired());
}

TEST_CASE("adopted memory without an owner is not given back, and const memory is only read") {
  double values[] = {1, 2, 3, 4, 5, 6};
  {
    auto a = adopt(values, Dim{2, 3});
    a(ellipsis) = a * 2.0;
  }
  CHECK(values[5] == 12);
  const double* const constant = values;
  const auto b = adopt(constant, Dim{6});
  static_assert(std::same_as<std::remove_cvref_t<decltype(b)>, Array<const double, 1>>);
  CHECK(double(sum(b)) == 42);
  Array<double, 1> own = adopt(values, Dim{6});
  own = own + 1;  // a name that does not own its storage gets new storage
  CHECK(values[0] == 2);
  CHECK(adopt(values, Dim{0, 3}).size() == 0);
  CHECK_THROWS_AS(adopt(values, Dim{4, 1}, {std::ptrdiff_t{1} << 61, 1}), ShapeError);
}

TEST_CASE("mutable_data gives storage when it is first written") {
  // --8<-- [start:mutable_data]
  Array<float, 2> a;
  float* to = mutable_data(a, Dim{2, 3});  // now the name has storage, not initialised
  std::iota(to, to + 6, 0.f);
  // --8<-- [end:mutable_data]
  CHECK(float(a(1, 2)) == 5);
  CHECK(mutable_data(a, Dim{2, 3}) == to);  // the same again
  const Array<float, 2> other = a;
  float* const fresh = mutable_data(a, Dim{2, 3});
  CHECK(fresh != to);  // another name sees the old storage
  CHECK(float(other(1, 2)) == 5);
  CHECK(mutable_data(a, Dim{3, 3}) == a.data());
  CHECK(a.shape() == Dim{3, 3});
  CHECK_THROWS_AS(mutable_data(a, Dim{std::ptrdiff_t{1} << 40, std::ptrdiff_t{1} << 40}), ShapeError);
  CHECK(a.shape() == Dim{3, 3});
  Array<double, 1> column = zeros<double>(Dim{4, 2})(all, 0);
  CHECK(column.strides()[0] == 2);
  CHECK(mutable_data(column, Dim{4}) != nullptr);
  CHECK(column.strides()[0] == 1);
}

TEST_CASE("a reference may outlive its array") {
  // --8<-- [start:make_reference]
  const auto kept = [] {
    const Array<float, 2> a = ones<float>(Dim{2, 2});
    return make_reference(a, {1, -1});  // keeps the storage of a
  }();
  kept = 7.f;
  CHECK(kept + 1 == 8);
  // --8<-- [end:make_reference]
  Array<std::complex<double>, 1> z = zeros<std::complex<double>>(Dim{3});
  const auto second = make_reference(z, make_ddim({1}));
  second = std::complex<double>(1, 2);
  CHECK(std::complex<double>(z(1)) == std::complex<double>(1, 2));
  CHECK_THROWS_AS(make_reference(z, {3}), IndexError);
  CHECK_THROWS_AS(make_reference(z, make_ddim({1, 1})), IndexError);
}

TEST_CASE("a reference that is kept waits for the ops on its element") {
  Scheduler scheduler({.workers = 2});
  Array<float, 1> a = zeros<float>(Dim{100'000});
  const auto element = make_reference(a, {99'999});
  {
    const Async on{scheduler};
    for (int i = 0; i < 10; ++i) a += 1.f;
  }
  CHECK(element == 10.f);
}

TEST_CASE("a shape whose rank is known at run time bounds slices and reshapes") {
  const Array<int, 2> a = reshape(arange(12), 3, 4);
  const DDim begin = make_ddim({1, 0}), end = make_ddim({3, 2}), shape = make_ddim({2, 6});
  CHECK(all_of(slice(a, begin, end) == Array<int, 2>{{4, 5}, {8, 9}}));
  CHECK(all_of(reshape<2>(a, shape) == reshape(a, 2, 6)));
  CHECK(reshape<2>(a, shape).data() == a.data());
  CHECK_THROWS_AS(reshape<3>(a, shape), ShapeError);
  CHECK_THROWS_AS(reshape<2>(a, make_ddim({5, 5})), ShapeError);
  CHECK_THROWS_AS(slice(a, shape, make_ddim({1})), IndexError);
}
