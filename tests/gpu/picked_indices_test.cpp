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
