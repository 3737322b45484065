// Operands that are contiguous along another axis than the destination are read in tiles: copies and expressions of every size of element, rank and
// direction, with extents that no tile divides.
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

import tessera;

#include "cases.hpp"
#include "comparison.hpp"
#include "fake_cuda.hpp"

using namespace tessera;
using cases::numbers;

namespace {

constexpr double exactly = 0;
const Place gpu = GpuPlace{0};

/// The launches of what `work` gives the GPU.
template <class Work>
std::string launches_of(const Work& work) {
  fake::start_log();
  work();
  std::string launches;
  const std::string log = fake::log();
  for (std::size_t at = log.find("launch "); at != std::string::npos; at = log.find("launch ", at + 1))
    launches += log.substr(at, log.find('\n', at) - at) + ";";
  return launches;
}

template <class T, class Shape>
void check_layouts(const Shape& shape) {
  const std::string name = "shape " + to_string(shape) + ", " + std::to_string(sizeof(T)) + " bytes";
  const auto x = [&](Place p) { return numbers<T>(shape, 1).to(p); };
  check_alike(name + ", copied", exactly, [&](Place p) { return x(p).T().clone(); });
  check_alike(name + ", reversed", exactly, [&](Place p) { return x(p)(range(none, none, -1), ellipsis).T().clone(); });
  check_alike(name + ", assigned", exactly, [&](Place p) { return evaluate(copy(x(p).T())); });
  check_alike(name + ", into a transposed view", exactly, [&](Place p) {
    auto y = full(x(p).T().shape(), T(1), p);
    y.T() = copy(x(p));
    return y;
  });
}

}  // namespace

TEST_CASE_TEMPLATE("transposed copies of elements of every size, with extents around those of a tile", T, bool, float16,
                   float, std::int64_t, std::complex<float>, std::complex<double>) {
  check_layouts<T>(Dim{16, 16});
  check_layouts<T>(Dim{64, 64});
  check_layouts<T>(Dim{33, 131});
  check_layouts<T>(Dim{65, 17});
  check_layouts<T>(Dim{15, 100});
  check_layouts<T>(Dim{3, 40, 70});
  check_layouts<T>(Dim{700, 3});
  check_layouts<T>(Dim{2, 15, 90});
}

TEST_CASE("the channels of pixels become planes, and planes pixels") {
  const auto pixels = [](Place p) { return numbers<std::uint8_t>(Dim{5, 14, 20, 3}, 6).to(p); };
  check_alike("planes", exactly, [&](Place p) { return transpose(pixels(p), {0, 3, 1, 2}).clone(); });
  check_alike("planes of a part", exactly, [&](Place p) {
    return transpose(pixels(p)(all, range(2, 9), range(none, none, -2)), {3, 0, 1, 2}).clone();
  });
  check_alike("pixels", exactly, [&](Place p) {
    auto y = zeros<std::uint8_t>(Dim{5, 14, 20, 3}, p);
    transpose(y, {0, 3, 1, 2})(ellipsis) = transpose(pixels(p), {0, 3, 1, 2}).clone();
    return y;
  });
}

TEST_CASE("every order of the axes of three and four") {
  const auto cube = [](Place p) { return numbers<float>(Dim{19, 35, 67}, 2).to(p); };
  check_alike("021", exactly, [&](Place p) { return transpose(cube(p), {0, 2, 1}).clone(); });
  check_alike("102", exactly, [&](Place p) { return transpose(cube(p), {1, 0, 2}).clone(); });
  check_alike("120", exactly, [&](Place p) { return transpose(cube(p), {1, 2, 0}).clone(); });
  check_alike("201", exactly, [&](Place p) { return transpose(cube(p), {2, 0, 1}).clone(); });
  check_alike("210", exactly, [&](Place p) { return evaluate(transpose(cube(p), {2, 1, 0}) * 2); });
  check_alike("120 computed", exactly, [&](Place p) { return evaluate(transpose(cube(p), {1, 2, 0}) * 2); });
  const auto four = [](Place p) { return numbers<std::int16_t>(Dim{18, 5, 3, 33}, 3).to(p); };
  check_alike("0231", exactly, [&](Place p) { return transpose(four(p), {0, 2, 3, 1}).clone(); });
  check_alike("3210", exactly, [&](Place p) { return transpose(four(p), {3, 2, 1, 0}).clone(); });
  check_alike("3120 computed", exactly, [&](Place p) { return evaluate(transpose(four(p), {3, 1, 2, 0}) + 1); });
  check_alike("1320 computed", exactly, [&](Place p) { return evaluate(transpose(four(p), {1, 3, 2, 0}) + 1); });
}

TEST_CASE("steps and directions of both sides") {
  auto x = [](Place p) { return numbers<float>(Dim{80, 90}, 4).to(p); };
  check_alike("every second", exactly, [&](Place p) { return x(p)(all, range(none, none, 2)).T().clone(); });
  check_alike("every third, backwards", exactly,
              [&](Place p) { return x(p)(range(none, none, -3), range(none, none, -2)).T().clone(); });
  check_alike("backwards, computed", exactly,
              [&](Place p) { return evaluate(-x(p)(range(none, none, -1), range(none, none, -1)).T()); });
  check_alike("into every second column", exactly, [&](Place p) {
    auto y = zeros<float>(Dim{90, 160}, p);
    y(all, range(none, none, 2)) = x(p).T() + 1.0f;
    y(all, range(none, none, -2)) = copy(x(p).T());
    return y;
  });
}

TEST_CASE("transposed operands beside contiguous, repeated, constant, random and other transposed ones") {
  const auto x = [](Place p) { return numbers<float>(Dim{70, 50}, 5).to(p); };
  const auto b = [](Place p) { return numbers<float>(Dim{50, 70}, 6).to(p); };
  const auto row = [](Place p) { return numbers<float>(Dim{70}, 7).to(p); };
  const auto column = [](Place p) { return numbers<float>(Dim{50, 1}, 8).to(p); };
  const auto bytes = [](Place p) { return numbers<std::uint8_t>(Dim{70, 50}, 9).to(p); };
  const auto wide = [](Place p) { return numbers<std::complex<double>>(Dim{70, 50}, 9).to(p); };
  check_alike("fused", exactly, [&](Place p) { return evaluate(x(p).T() * 2.0f + b(p)); });
  check_alike("row and column", exactly, [&](Place p) { return evaluate(x(p).T() * row(p) - column(p)); });
  check_alike("two types", exactly, [&](Place p) { return evaluate(x(p).T() + cast<float>(bytes(p).T())); });
  check_alike("16 bytes beside 1", exactly,
              [&](Place p) { return evaluate(where(bytes(p).T() > 3, wide(p).T(), 1.0)); });
  check_alike("half", exactly, [&](Place p) {
    const Array<float16, 2> half = cast<float16>(x(p));
    return evaluate(half.T() * float16(2.0f) + row(p));
  });
  check_alike("random numbers", exactly,
              [&](Place p) { return evaluate(x(p).T() + random::uniform<float>(random::Key{3}, Dim{50, 70})); });
  check_alike("more than fit", exactly, [&](Place p) {
    const auto one = [&](int seed) { return numbers<std::complex<double>>(Dim{70, 50}, seed).to(p); };
    return evaluate(one(1).T() + one(2).T() + one(3).T() + one(4).T() + one(5).T() + one(6).T() + one(7).T() +
                    one(8).T() + one(9).T());
  });
  check_alike("the same operand thrice", exactly, [&](Place p) {
    const auto y = x(p);
    return evaluate(y.T() * y.T() + y(range(none, none, -1), all).T() * y.T());
  });
  check_alike("three axes, two of them own", exactly, [&](Place p) {
    const auto cube = numbers<float>(Dim{20, 21, 22}, 1).to(p);
    const auto other = numbers<float>(Dim{22, 20, 21}, 2).to(p);
    return evaluate(transpose(cube, {2, 1, 0}) + transpose(other, {0, 2, 1}));
  });
  check_alike("onto itself", exactly, [&](Place p) {
    const auto y = numbers<float>(Dim{40, 40}, 3).to(p).clone();
    assign(y, y.T() + y);
    return y;
  });
}

TEST_CASE("a block works on a tile" * doctest::test_suite("fake")) {
  const auto x = numbers<float>(Dim{70, 100}, 1).to(gpu);
  const Array<float, 2> y(Dim{100, 70}, gpu);
  CHECK(launches_of([&] { assign(y, x.T() * 2.0f); }) == "launch 12 x 256;");  // 4 x 3 tiles of 32 x 32
  CHECK(launches_of([&] { static_cast<void>(x.T().clone()); }) == "launch 12 x 256;");
  const auto bytes = numbers<std::int8_t>(Dim{70, 100}, 1).to(gpu);
  CHECK(launches_of([&] { static_cast<void>(bytes.T().clone()); }) == "launch 4 x 256;");  // of 64 x 64
  const auto pairs = numbers<std::complex<double>>(Dim{70, 100}, 1).to(gpu);
  CHECK(launches_of([&] { static_cast<void>(pairs.T().clone()); }) == "launch 35 x 256;");                // of 16 x 16
  CHECK(launches_of([&] { static_cast<void>(x(all, range(0, 10)).T().clone()); }) == "launch 1 x 256;");  // too narrow
}

TEST_CASE("copies with 64-bit indices are those with 32-bit ones") {
  const auto check = [](const std::vector<storage::CopyAxis>& axes) {
    const auto from = numbers<std::int32_t>(Dim{20000}, 1).to(gpu);
    const auto narrow = zeros<std::int32_t>(Dim{20000}, gpu), wide = zeros<std::int32_t>(Dim{20000}, gpu);
    device::Stream& stream = device::Stream::current(GpuPlace{0});
    storage::launch_copy(axes, 4, narrow.data(), from.data(), stream);
    storage::launch_copy(axes, 4, wide.data(), from.data(), stream, storage::CopyIndices::wide);
    stream.synchronize();
    CHECK(difference(values_of(wide), values_of(narrow), exactly) == "");
    CHECK(difference(values_of(wide), values_of(zeros<std::int32_t>(Dim{20000})), exactly) != "");
  };
  check({});
  check({{1000, 2, 3}});
  check({{50, 100, 1}, {70, 1, 60}});
  check({{7, 1, 2000}, {40, 400, 50}, {45, 8, 1}});
  check({{3, 5000, 100}, {20, 7, 1}, {33, 140, 333}});
}

TEST_CASE("copies of contiguous rows move 16 bytes at once where addresses allow" * doctest::test_suite("fake")) {
  const auto x = numbers<float>(Dim{64, 128}, 1).to(gpu);
  CHECK(launches_of([&] { static_cast<void>(x(all, range(0, 64)).clone()); }) == "launch 1 x 256;");
  CHECK(launches_of([&] { static_cast<void>(x(all, range(2, 66)).clone()); }) == "launch 2 x 256;");
  CHECK(launches_of([&] { static_cast<void>(x(all, range(1, 65)).clone()); }) == "launch 4 x 256;");
  for (const std::ptrdiff_t first : {0, 1, 2}) {
    for (const std::ptrdiff_t count : {60, 62, 63}) {
      check_alike("from " + std::to_string(first) + ", " + std::to_string(count) + " columns", exactly, [&](Place p) {
        return numbers<float>(Dim{9, 70}, 1).to(p)(range(none, none, -2), range(first, first + count)).clone();
      });
    }
  }
}
