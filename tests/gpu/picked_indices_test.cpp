// Index arrays that are on the array's GPU are read there: by generated shapes, strides, types and indices they pick and write what they do on the CPU, and only
// where one of them is wrong does the host look at them.
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "fake_cuda.hpp"
import tessera;

#include "cases.hpp"
#include "comparison.hpp"

using namespace tessera;
using cases::numbers;

namespace {

const Place gpu = GpuPlace{0}, cpu = CpuPlace{};

/// Shapes, and indices for an axis.
class Generator {
 public:
  explicit Generator(unsigned seed) : numbers_(seed) {}

  std::ptrdiff_t number(std::ptrdiff_t least, std::ptrdiff_t most) {
    return std::uniform_int_distribution<std::ptrdiff_t>(least, most)(numbers_);
  }
  /// Of the host, in [-extent, extent), or from 0 on for unsigned types.
  template <class I, int Rank>
  Array<I, Rank> indices(const Dim<Rank>& shape, std::ptrdiff_t extent) {
    Array<I, Rank> indices(shape);
    for (std::ptrdiff_t i = 0; i < indices.size(); ++i)
      indices.data()[i] = static_cast<I>(number(std::is_signed_v<I> ? -extent : 0, extent - 1));
    return indices;
  }

 private:
  std::mt19937 numbers_;
};

template <class A, class B>
void check_equal(const A& on_gpu, const B& on_cpu) {
  CHECK(Place(on_gpu.place()) == gpu);
  CHECK(on_gpu.shape() == on_cpu.shape());
  CHECK(difference(values_of(on_gpu), values_of(on_cpu), 0) == "");
}

/// What `pick(array, place)` picks on the CPU and on the GPU, by indices that are there.
template <class A, class Pick>
void check_picked(const A& array, const Pick& pick) {
  check_equal(evaluate(pick(array.to(gpu), gpu)), evaluate(pick(array, cpu)));
}

/// What an array is after `write(array, place)`.
template <class A, class Write>
void check_written(const A& array, const Write& write) {
  auto here = copy(array);
  auto there = array.to(gpu);
  write(here, cpu);
  write(there, gpu);
  check_equal(there, here);
}

template <class T, class I>
void check_seed(unsigned seed) {
  INFO(name(dtype_of<T>), " by ", name(dtype_of<I>), ", seed ", seed);
  Generator generator(seed);
  const auto n = [&] { return generator.number(1, 40); };
  const Dim<3> shape{n(), n(), n()};
  const auto array = numbers<T>(shape, static_cast<int>(seed));
  const Dim<1> many{generator.number(1, 90)};
  const auto i0 = generator.indices<I>(many, shape[0]), i1 = generator.indices<I>(many, shape[1]);
  const auto i2 = generator.indices<I>(Dim{2 * many[0], std::ptrdiff_t{3}}, shape[2]);
  const auto column = generator.indices<std::int32_t>(Dim{many[0], std::ptrdiff_t{1}}, shape[0]);
  const auto row = generator.indices<std::int64_t>(Dim{n()}, shape[1]);

  check_picked(array, [&](const auto& a, Place p) { return a(i0.to(p), all, all); });
  check_picked(array, [&](const auto& a, Place p) { return a(all, i1.to(p), all); });
  check_picked(array, [&](const auto& a, Place p) { return a(all, all, i2.to(p)); });
  check_picked(array, [&](const auto& a, Place p) { return a.T()(i2.to(p).T(), all, all); });
  check_picked(array, [&](const auto& a, Place p) { return a(i0.to(p), i1.to(p), range(none, none, -1)); });
  check_picked(array, [&](const auto& a, Place p) { return a(column.to(p), row.to(p), all); });
  check_picked(array, [&](const auto& a, Place p) { return a(column.to(p), row.to(p), 0); });
  check_picked(array, [&](const auto& a, Place p) {
    return a(range(none, none, -1), row.to(p), i2.to(p)(range(0, 1), range(0, 1)));
  });
  check_picked(array, [&](const auto& a, Place p) {
    const auto both = evaluate(stack<0>(i0, i1)).to(p);  // rows of one array, from behind
    return a(both(0, range(none, none, -1)), both(1, range(none, none, -1)), all);
  });

  const auto source = numbers<T>(Dim{many[0], shape[1], shape[2]}, static_cast<int>(seed) + 1);
  const auto across = numbers<T>(Dim{shape[0], many[0], shape[2]}, static_cast<int>(seed) + 2);
  check_written(array, [&](auto& a, Place p) { a(i0.to(p), all, all) = source.to(p); });
  check_written(array, [&](auto& a, Place p) { a(all, i1.to(p), all) = across.to(p); });
  check_written(array, [&](auto& a, Place p) { a(i0.to(p), i1.to(p), all) = source.to(p)(all, 0, all); });
  check_written(array, [&](auto& a, Place p) { a(i0.to(p), all, 0) = source.to(p)(all, all, 0); });
  check_written(array, [&](auto& a, Place p) { a(i0.to(p), i1.to(p), range(none, none, -1)) = T(3); });
  check_written(array, [&](auto& a, Place p) {
    a(column.to(p), row.to(p), all) = numbers<T>(Dim{row.shape()[0], shape[2]}, 3).to(p);
  });
}

}  // namespace

TEST_CASE("what index arrays of the GPU pick and write is the same as on the CPU, of generated arrays") {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    check_seed<float, std::int64_t>(seed);
    check_seed<std::uint8_t, std::int32_t>(seed + 10);
  }
  check_seed<double, std::uint64_t>(21);
  check_seed<bfloat16, std::int16_t>(22);
  check_seed<std::complex<double>, std::uint8_t>(23);
}

TEST_CASE("more elements than the threads of one block move, and as many equal indices") {
  Generator generator(31);
  const auto array = numbers<float>(Dim{3000}, 1);
  const auto indices = generator.indices<std::int64_t>(Dim{7001}, 3000);
  check_picked(array, [&](const auto& a, Place p) { return a(indices.to(p)); });
  check_written(array, [&](auto& a, Place p) { a(indices.to(p)) = arange<float>(7001).to(p); });
  check_written(array, [&](auto& a, Place p) { a(indices.to(p) % std::int64_t{2}) = arange<float>(7001).to(p); });
}

TEST_CASE("indices that are expressions are computed on the GPU, of any place") {
  const auto x = numbers<float>(Dim{6, 8}, 5);
  const Array<std::int32_t, 1> i{5, 0, 3};
  check_picked(x, [&](const auto& a, Place p) { return a(5 - i.to(p), all); });
  check_picked(
      x, [&](const auto& a, Place) { return a(random::integers<std::int64_t>(random::Key{3}, Dim{10}, 0, 6), all); });
  check_picked(x, [&](const auto& a, Place p) { return (2 * a)(i.to(p), all) + a(i.to(p), all); });
  check_written(x, [&](auto& a, Place p) { a(5 - i.to(p), all) = 1 + a(i.to(p), all); });
  Array<std::int64_t, 1> order = Array<std::int64_t, 1>{4, 2, 0, 1, 3, 4}.to(gpu);
  order(order) = order + 1;  // the indices are what is written, which are read before
  CHECK(to_string(order) == "[1 2 3 4 5 4]");
}

TEST_CASE("indices of the GPU that are out of range are named, and nothing is written") {
  const auto x = numbers<float>(Dim{3, 4}, 4).to(gpu);
  const auto before = values_of(x);
  const auto check = [&](const auto& indices, const char* message) {
    const auto there = indices.to(gpu);
    auto target = copy(x);
    CHECK_THROWS_WITH_AS(evaluate(x(all, there)), doctest::Contains(message), IndexError);
    CHECK_THROWS_WITH_AS((target(all, there) = 1.0f), doctest::Contains(message), IndexError);
    CHECK(difference(values_of(target), before, 0) == "");
  };
  check(Array<std::int32_t, 1>{0, 4, 1}, "index 4 at position 1 is out of range for axis 1 with extent 4");
  check(Array<std::int32_t, 1>{3, -5}, "index -5 at position 1 is out of range for axis 1 with extent 4");
  check(Array<std::uint64_t, 1>{std::numeric_limits<std::uint64_t>::max()}, "index 18446744073709551615 at position 0");
  check(Array<std::int64_t, 1>{std::numeric_limits<std::int64_t>::min()}, "index -9223372036854775808 at position 0");
  check(Array<std::int64_t, 1>{1, std::numeric_limits<std::int64_t>::max()}, "index 9223372036854775807 at position 1");
  // Of nothing, too.
  const Array<float, 2> empty(Dim{0, 4}, gpu);
  const Array<int, 1> first = Array<int, 1>{0}.to(gpu), fifth = Array<int, 1>{4}.to(gpu);
  CHECK_THROWS_AS(evaluate(empty(first, all)), IndexError);
  CHECK_THROWS_AS(evaluate(empty(all, fifth)), IndexError);
  CHECK(evaluate(empty(all, first)).shape() == Dim{0, 1});
  CHECK(evaluate(x(Array<int, 1>(Dim{0}).to(gpu), all)).shape() == Dim{0, 4});
}

namespace {

template <class T>
void check_combined(unsigned seed) {
  INFO(name(dtype_of<T>), ", seed ", seed);
  Generator generator(seed);
  const Dim<3> shape{generator.number(1, 20), generator.number(1, 20), generator.number(1, 20)};
  const auto array = numbers<T>(shape, static_cast<int>(seed));
  const Dim<1> many{generator.number(2, 300)};
  const auto i0 = generator.indices<std::int32_t>(many, shape[0]);
  const auto i1 = generator.indices<std::int64_t>(many, shape[1]);
  const auto source = numbers<T>(Dim{many[0], shape[1], shape[2]}, static_cast<int>(seed) + 1);
  const auto combined = [&](const auto& write) {
    for (const Place indices : {cpu, gpu}) {
      auto here = copy(array);
      auto there = array.to(gpu);
      write(here, cpu, cpu);
      write(there, gpu, indices);
      CHECK(difference(values_of(there), values_of(here), 0) == "");
    }
  };
  combined([&](auto& a, Place p, Place i) { a(i0.to(i), all, all) += source.to(p); });
  combined([&](auto& a, Place p, Place i) { a(i0.to(i), i1.to(i), all) -= source.to(p)(all, 0, all); });
  combined([&](auto& a, Place p, Place i) { a(all, i1.to(i), 0) += source.to(p)(all, 0, 0); });
  combined([&](auto& a, Place, Place i) { a.T()(all, i1.to(i), range(none, none, -1)) *= T(2); });
  combined([&](auto& a, Place, Place i) { a(i0.to(i), all, all) /= T(2); });
  if constexpr (Real<T>) {
    combined([&](auto& a, Place p, Place i) { scatter_min(a, i0.to(i), source.to(p)); });
    combined([&](auto& a, Place p, Place i) { scatter_max(a, i0.to(i), source.to(p)); });
  }
}

}  // namespace

TEST_CASE("elements of a GPU are combined with values by indices, all of those of equal indices in their order") {
  check_combined<float>(41);
  check_combined<std::int8_t>(42);
  check_combined<bfloat16>(43);
  check_combined<float16>(44);
  check_combined<std::uint64_t>(45);
  check_combined<std::complex<float>>(46);
  auto x = zeros<std::int32_t>(Dim{2}, gpu);
  x(Array<int, 1>{}) += 1;
  x(zeros<int>(Dim{5000}, gpu)) += arange<std::int32_t>(5000).to(gpu);
  CHECK(to_string(x) == "[12497500        0]");
  CHECK_THROWS_AS((x(Array<int, 1>{0, 2}.to(gpu)) += 1), IndexError);
  CHECK(to_string(x) == "[12497500        0]");
}

TEST_CASE("what is picked goes into existing elements, which a wrong index leaves as they were") {
  const auto x = numbers<float>(Dim{6, 8}, 5);
  const Array<std::int32_t, 1> i{5, 0, 3}, j{-1, 2, 2}, one{4};
  const auto y = numbers<float>(Dim{3, 16}, 6);
  check_written(y, [&](auto& a, Place p) { a(all, range(none, none, -2)) = x.to(p)(i.to(p), all); });
  check_written(y, [&](auto& a, Place p) { a(all, 3) = x.to(p)(i.to(p), j.to(p)); });
  check_written(y, [&](auto& a, Place p) { a(all, range(0, 8)) = x.to(p)(one.to(p), all); });  // broadcast
  check_written(y, [&](auto& a, Place p) { a(ellipsis) = copy(a)(j.to(p), all); });
  check_written(y, [&](auto& a, Place p) { a(ellipsis) = a(j.to(p), all); });  // read before it is written
  check_written(y, [&](auto& a, Place p) { a(all, range(0, 8)) += x.to(p)(i.to(p), all); });
  auto there = y.to(gpu);
  const auto source = x.to(gpu);
  const Array<std::int32_t, 1> outside = Array<std::int32_t, 1>{0, 1, 6}.to(gpu);
  CHECK_THROWS_AS((there(all, range(0, 8)) = source(outside, all)), IndexError);
  CHECK_THROWS_AS((there(all, 0) = source(outside, outside)), IndexError);
  check_equal(there, y);
}
