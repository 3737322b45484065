// Rows that are long enough to be computed where they lie: walked in strips, with operands that repeat along them or down them.
#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

constexpr std::ptrdiff_t extents[] = {1, 2, 15, 16, 17, 37};
constexpr std::ptrdiff_t lengths[] = {127, 128, 200, 1025, 16384, 16387};

template <class T>
Array<T, 1> numbers(std::ptrdiff_t n, std::uint64_t salt) {
  Random random(salt);
  Array<T, 1> values(Dim{n});
  for (std::ptrdiff_t i = 0; i < n; ++i)
    values.data()[i] = static_cast<T>(static_cast<float>(random.below(2000)) - 1000.0f);
  return values;
}

/// Elements of rows x columns values that differ from `expected(i, j)`.
template <class T, class Expected>
std::ptrdiff_t differences(const T* values, std::ptrdiff_t rows, std::ptrdiff_t columns, const Expected& expected) {
  std::ptrdiff_t count = 0;
  for (std::ptrdiff_t i = 0; i < rows; ++i) {
    for (std::ptrdiff_t j = 0; j < columns; ++j) count += values[i * columns + j] != expected(i, j) ? 1 : 0;
  }
  return count;
}

}  // namespace

TEST_CASE("long rows with operands that repeat along them, down them or not at all") {
  for (const std::ptrdiff_t rows : extents) {
    for (const std::ptrdiff_t columns : lengths) {
      CAPTURE(rows);
      CAPTURE(columns);
      const auto r = numbers<float>(rows, 1), c = numbers<float>(columns, 2);
      Array<float, 2> y(Dim{rows, columns});
      y = r(all, newaxis) + c;
      CHECK(differences(y.data(), rows, columns, [&](auto i, auto j) { return r.data()[i] + c.data()[j]; }) == 0);
      y = y * 2.0f + c;
      CHECK(differences(y.data(), rows, columns,
                        [&](auto i, auto j) { return (r.data()[i] + c.data()[j]) * 2.0f + c.data()[j]; }) == 0);
    }
  }
}

TEST_CASE("copies of wide values for a narrow result, too many for all rows of a strip at once") {
  const auto r = numbers<double>(37, 3), c = numbers<double>(300, 4);
  Array<bool, 2> less(Dim{37, 300});
  less = r(all, newaxis) < c;
  CHECK(differences(less.data(), 37, 300, [&](auto i, auto j) { return r.data()[i] < c.data()[j]; }) == 0);
}

TEST_CASE("long rows of a view with gaps between them, and in three axes") {
  const auto r = numbers<float>(20, 5), c = numbers<float>(400, 6);
  Array<float, 2> wide(Dim{40, 500});
  wide = 0.0f;
  wide(range(0, 40, 2), range(50, 450)) = r(all, newaxis) - c;
  const auto inside = [](auto i, auto j) { return i % 2 == 0 && j >= 50 && j < 450; };
  CHECK(differences(wide.data(), 40, 500,
                    [&](auto i, auto j) { return inside(i, j) ? r.data()[i / 2] - c.data()[j - 50] : 0.0f; }) == 0);
  Array<float, 3> cube(Dim{3, 20, 400});
  const auto s = numbers<float>(3, 7);
  cube = s(all, newaxis, newaxis) + r(all, newaxis) * c;
  for (std::ptrdiff_t k = 0; k < 3; ++k)
    CHECK(differences(cube.data() + k * 20 * 400, 20, 400,
                      [&](auto i, auto j) { return s.data()[k] + r.data()[i] * c.data()[j]; }) == 0);
}

TEST_CASE("half-width elements in rows of every length, alone, beside float and repeated") {
  const auto check = []<class T>(T) {
    for (std::ptrdiff_t n = 1; n <= 200; ++n) {
      CAPTURE(n);
      const auto a = numbers<T>(n, 8), b = numbers<T>(n, 9);
      const auto f = numbers<float>(n, 10);
      const auto once = numbers<T>(1, 11);
      const auto value = [](float x) { return static_cast<float>(static_cast<T>(x)); };
      Array<T, 1> y(Dim{n});
      std::ptrdiff_t wrong = 0;
      y = a - b * 0.5f;
      for (std::ptrdiff_t i = 0; i < n; ++i)
        wrong += y.data()[i] != static_cast<T>(float(a.data()[i]) - float(b.data()[i]) * 0.5f) ? 1 : 0;
      y = a + once;
      for (std::ptrdiff_t i = 0; i < n; ++i)
        wrong += float(y.data()[i]) != value(float(a.data()[i]) + float(once.data()[0])) ? 1 : 0;
      y = cast<T>(f + cast<float>(a));
      for (std::ptrdiff_t i = 0; i < n; ++i)
        wrong += float(y.data()[i]) != value(f.data()[i] + float(a.data()[i])) ? 1 : 0;
      CHECK(wrong == 0);
    }
  };
  check(float16{});
  check(bfloat16{});
}

TEST_CASE("bfloat16 rounds to nearest, ties to even, and keeps infinities, NaN and zeros, at even and odd positions") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float values[] = {0.0f,        -0.0f,        infinity, -infinity, 1.00390625f,
                          1.01171875f, -1.00390625f, 3.4e38f,  1e-40f,    -1e-40f};
  constexpr std::ptrdiff_t n = 200;
  Array<bfloat16, 1> a(Dim{n}), ones(Dim{n}), y(Dim{n});
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    a.data()[i] = static_cast<bfloat16>(values[i % 10]);
    ones.data()[i] = static_cast<bfloat16>(i % 7 == 0 ? 1.5f : 1.00390625f);
  }
  a.data()[33] = static_cast<bfloat16>(std::numeric_limits<float>::quiet_NaN());
  a.data()[34] = static_cast<bfloat16>(std::numeric_limits<float>::quiet_NaN());
  y = a * ones;
  std::ptrdiff_t wrong = 0;
  for (std::ptrdiff_t i = 0; i < n; ++i)
    wrong += bfloat16(y.data()[i]).bits() != static_cast<bfloat16>(float(a.data()[i]) * float(ones.data()[i])).bits()
                 ? 1
                 : 0;
  CHECK(wrong == 0);
  CHECK(std::isnan(float(y.data()[33])));
  CHECK(std::isnan(float(y.data()[34])));
}
