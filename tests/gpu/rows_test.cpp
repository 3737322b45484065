// Elementwise work on rows that begin, or end, off aligned addresses, and on operands that skip elements: values beside the CPU's, and the way that
// kernels reach each operand.
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>

import tessera;

#include "cases.hpp"
#include "comparison.hpp"

using namespace tessera;
using cases::numbers;

namespace {

constexpr double exactly = 0;

const Place gpu = GpuPlace{0};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

template <class D, class S>
std::string variant_of(const D& destination, const S& source) {
  return DeviceLaunch(destination, source).variant();
}

const char* const in_packs = "4 elements an access from the first aligned one of each row on";

/// Writes a part of a larger array, all of which is compared: nothing around the part may change.
template <class T, class Write>
void check_part(const std::string& name, const Write& write) {
  for (const std::ptrdiff_t columns : {64, 65, 66, 67, 129}) {
    check_alike(name + ", " + std::to_string(columns) + " columns", exactly, [&](Place p) {
      const auto x = numbers<T>(Dim{5, columns}, 3).to(p), y = numbers<T>(Dim{5, columns}, 4).to(p).clone();
      write(x, y, columns);
      return y;
    });
  }
}

}  // namespace

TEST_CASE("parts of rows that all operands begin at the same distance from an aligned address") {
  for (const std::ptrdiff_t first : {0, 1, 2, 3, 4, 7}) {
    for (const std::ptrdiff_t rest : {0, 1, 2, 5}) {
      INFO("columns from " << first << " on, without the last " << rest);
      const auto inner = [=](std::ptrdiff_t columns) { return range(first, columns - rest); };
      check_part<float>("float", [&](const auto& x, const auto& y, std::ptrdiff_t n) {
        assign(y(all, inner(n)), x(all, inner(n)) * 2 + y(all, inner(n)));
      });
      check_part<std::int16_t>("int16", [&](const auto& x, const auto& y, std::ptrdiff_t n) {
        assign(y(all, inner(n)), x(all, inner(n)) + y(all, inner(n)));
      });
    }
  }
}

TEST_CASE("rows of every alignment with rows and columns that are repeated") {
  check_part<float>("row", [](const auto& x, const auto& y, std::ptrdiff_t) {
    assign(y(all, all), maximum(x + numbers<float>(Dim{x.shape()[1]}, 7).to(x.place()), 0));
  });
  check_part<float>("column", [](const auto& x, const auto& y, std::ptrdiff_t) {
    assign(y(all, all), x * numbers<float>(Dim{5, 1}, 7).to(x.place()));
  });
  check_part<std::uint8_t>("bytes", [](const auto& x, const auto& y, std::ptrdiff_t n) {
    assign(y(range(1, 4), range(3, n)), x(range(1, 4), range(3, n)) + x(range(0, 3), range(3, n)));
  });
  check_part<float16>("half", [](const auto& x, const auto& y, std::ptrdiff_t n) {
    assign(y(all, range(1, n)), x(all, range(1, n)) * 0.5f);
  });
  check_part<double>("double", [](const auto& x, const auto& y, std::ptrdiff_t n) {
    assign(y(range(none, none, -1), range(1, n)), x(range(none, none, -1), range(1, n)) + 1);
  });
  check_part<std::complex<float>>("complex", [](const auto& x, const auto& y, std::ptrdiff_t n) {
    assign(y(all, range(1, n)), x(all, range(1, n)) + y(all, range(1, n)));
  });
  check_alike("three axes", exactly, [](Place p) {
    const auto x = numbers<float>(Dim{3, 4, 70}, 3).to(p), y = zeros<float>(Dim{3, 4, 70}, p);
    assign(y(all, range(1, 3), range(1, 69)),
           x(all, range(1, 3), range(1, 69)) + x(range(0, 1), range(0, 2), range(1, 69)));
    return y;
  });
  check_alike("two types", exactly, [](Place p) {
    const auto x = numbers<float16>(Dim{6, 73}, 3).to(p);
    const auto y = numbers<float>(Dim{6, 73}, 4).to(p).clone();
    assign(y(all, range(1, 73)), x(all, range(1, 73)) + y(all, range(1, 73)));
    return y;
  });
  check_alike("a line with another in front", exactly, [](Place p) {
    const auto x = numbers<float>(Dim{1000}, 3).to(p), y = zeros<float>(Dim{1003}, p);
    assign(y(range(3, 1003)), x(range(0, 1000)) * 3);
    assign(y(range(5, 998)), x(range(1, 994)) - y(range(5, 998)));
    return y;
  });
}

TEST_CASE("every second, third and fourth element") {
  for (const std::ptrdiff_t step : {2, 3, 4, 5}) {
    for (const std::ptrdiff_t first : {0, 1, 2, 3, 4}) {
      INFO("each " << step << " from " << first << " on");
      const auto some = range(first, 512, step);
      const auto into = [&](Place p) { return zeros<float>(Dim{6, (512 - first + step - 1) / step}, p); };
      check_alike("of rows", exactly, [&](Place p) {
        const auto y = into(p);
        assign(y(all, all), numbers<float>(Dim{6, 512}, 3).to(p)(all, some) * 2);
        return y;
      });
      check_alike("of a line", exactly, [&](Place p) { return evaluate(numbers<float>(Dim{512}, 3).to(p)(some) + 1); });
      check_alike("of bytes", exactly,
                  [&](Place p) { return evaluate(numbers<std::uint8_t>(Dim{6, 512}, 3).to(p)(all, some) + 1); });
      check_alike("of doubles", exactly,
                  [&](Place p) { return evaluate(numbers<double>(Dim{6, 512}, 3).to(p)(all, some) * 2); });
    }
  }
  const auto z = [](Place p) { return numbers<std::complex<float>>(Dim{7, 90}, 3).to(p); };
  check_alike("parts of complex numbers", exactly, [&](Place p) { return evaluate(real(z(p)) + imag(z(p))); });
}

TEST_CASE("what is at the same distance from aligned addresses is read and written in packs") {
  const Array<float, 1> x(Dim{4096}, gpu), y(Dim{4096}, gpu);
  CHECK(contains(variant_of(y(range(1, 4096)), x(range(1, 4096)) * 2), in_packs));
  CHECK(contains(variant_of(y(range(1, 4000)), x(range(5, 4004)) * 2), in_packs));
  CHECK_FALSE(contains(variant_of(y(range(0, 4095)), x(range(1, 4096)) * 2), in_packs));
  CHECK_FALSE(contains(variant_of(y(range(1, 9)), x(range(1, 9)) * 2), in_packs));  // too short
  const Array<float, 2> a(Dim{95, 97}, gpu), b(Dim{95, 97}, gpu), c(Dim{95, 96}, gpu);
  const Array<float, 1> row(Dim{97}, gpu);
  CHECK(contains(variant_of(b(all, range(1, 97)), a(all, range(1, 97)) * 2), in_packs));
  CHECK_FALSE(contains(variant_of(c, a(all, range(1, 97)) * 2), in_packs));
  const std::string with_row = variant_of(b, a + row);
  CAPTURE(with_row);
  CHECK(contains(with_row, in_packs));
  CHECK(contains(with_row, "y unit stride, x0 unit stride, x1 unit stride, one by one"));
}

TEST_CASE("the description of a kernel says how its operands are reached") {
  // --8<-- [start:rows]
  const Array<float, 2> a = ones<float>(Dim{95, 97}, gpu), b = zeros<float>(Dim{95, 97}, gpu);
  const DeviceLaunch launch(b(all, range(1, 97)), a(all, range(1, 97)) * 2);
  CHECK(launch.variant() ==
        "rank 2, 32-bit indices, 4 elements an access from the first aligned one of each row on: "
        "y unit stride, x0 unit stride");
  // --8<-- [end:rows]
}

TEST_CASE("of operands that skip elements whole packs are read") {
  const Array<float, 2> x(Dim{64, 256}, gpu), y(Dim{64, 128}, gpu);
  const std::string second = variant_of(y, x(all, range(0, 256, 2)) * 2);
  CAPTURE(second);
  CHECK(contains(second, in_packs));
  CHECK(contains(second, "x0 some of each pack"));
  CHECK(contains(variant_of(y, x(all, range(1, 256, 2)) * 2), "x0 some of each pack"));
  CHECK_FALSE(contains(variant_of(y(all, range(0, 51)), x(all, range(0, 255, 5)) * 2), "some of each pack"));
  CHECK_FALSE(contains(variant_of(y, x(all, range(255, none, -2)) * 2), "some of each pack"));
}
