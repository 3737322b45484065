// Everyday access in Tessera: elements that are skipped, turned round, picked, spread, or stand in rows of three.
#include "harness.hpp"

import tessera;

#include "tessera_arrays.hpp"

using namespace tessera;

namespace bench {

namespace {

template <class T>
std::int64_t bytes_of(std::int64_t count) {
  return count * static_cast<std::int64_t>(sizeof(T));
}

/// One operand of floats and a result, by one expression.
template <int From, int To, class Run>
Work of_one(const Request& request, const Dim<From>& from, const Dim<To>& to, const Run& run) {
  struct Set {
    OnGpu<float, From> x;
    OnGpu<float, To> y;
  };
  return rotate(
      request, bytes_of<float>(2 * request.count()), [&] { return Set{numbers<float>(from, 1), poisoned<float>(to)}; },
      [run](Set& s) { run(s.y, s.x); }, [](const Set& s) { return samples(s.y); });
}

Work reversed(const Request& request) {
  const Dim shape{request.count()};
  return of_one(request, shape, shape, [](auto& y, const auto& x) { y = copy(flip(x)); });
}

Work every_third(const Request& request) {
  const auto third = range(0, request.count(), 3);
  return of_one(request, Dim{request.count()}, Dim{(request.count() + 2) / 3},
                [third](auto& y, const auto& x) { y = copy(x(third)); });
}

/// Matrices of `rows` by 64 by so many that all columns are there, with their axes in the opposite order.
Work axes_reversed(const Request& request) {
  constexpr std::int64_t middle = 64;
  const std::int64_t inner = request.columns / middle;
  return of_one(request, Dim{request.rows, middle, inner}, Dim{inner, middle, request.rows},
                [](auto& y, const auto& x) { y = copy(transpose(x, {2, 1, 0})); });
}

Work maxima_of_middles(const Request& request) {
  constexpr std::int64_t middle = 64;
  const std::int64_t inner = request.columns / middle;
  return of_one(request, Dim{request.rows, middle, inner}, Dim{request.rows, inner},
                [](auto& y, const auto& x) { y = max<1>(x); });
}

Work variances(const Request& request) {
  return of_one(request, Dim{request.rows, request.columns}, Dim{request.rows},
                [](auto& y, const auto& x) { y = var<1>(x); });
}

Work total(const Request& request) {
  return of_one(request, Dim{request.count()}, Dim{1}, [](auto& y, const auto& x) { y = sum<0>(x, keepdims); });
}

/// The sum of each element and its four neighbours.
Work neighbours(const Request& request) {
  const auto up = range(0, request.rows - 2), middle = range(1, request.rows - 1), down = range(2, request.rows);
  const auto left = range(0, request.columns - 2), centre = range(1, request.columns - 1),
             right = range(2, request.columns);
  return of_one(request, Dim{request.rows, request.columns}, Dim{request.rows - 2, request.columns - 2},
                [=](auto& y, const auto& x) {
                  y = x(middle, centre) + x(up, centre) + x(down, centre) + x(middle, left) + x(middle, right);
                });
}

/// Two operands and a result.
template <class X, class Z, class Y>
struct Pair {
  X x;
  Z z;
  Y y;
};
template <class X, class Z, class Y>
Pair(X, Z, Y) -> Pair<X, Z, Y>;

/// `make()` makes a Pair of so many bytes; run(result, operand, operand).
template <class Make, class Run>
Work of_two(const Request& request, std::int64_t bytes, const Make& make, const Run& run) {
  return rotate(
      request, bytes, make, [run](auto& s) { run(s.y, s.x, s.z); }, [](const auto& s) { return samples(s.y); });
}

/// A value for each channel of each pixel.
Work weighted_channels(const Request& request) {
  const Dim shape{request.rows, request.columns};
  return of_two(
      request, bytes_of<float>(2 * request.count()),
      [=] { return Pair{numbers<float>(shape, 1), numbers<float>(Dim{shape[1]}, 2), poisoned<float>(shape)}; },
      [](auto& y, const auto& x, const auto& weights) { y = x * weights; });
}

Work column_and_row(const Request& request) {
  const Dim shape{request.rows, request.columns};
  return of_two(
      request, bytes_of<float>(request.count()),
      [=] {
        return Pair{numbers<float>(shape.with(1, 1), 1), numbers<float>(Dim{shape[1]}, 2), poisoned<float>(shape)};
      },
      [](auto& y, const auto& column, const auto& row) { y = column + row; });
}

Work choosing(const Request& request) {
  const Dim shape{request.count()};
  return of_two(
      request, bytes_of<float>(3 * request.count()),
      [=] { return Pair{numbers<float>(shape, 1), numbers<float>(shape, 2), poisoned<float>(shape)}; },
      [](auto& y, const auto& x, const auto& z) { y = where(x > 0.5f, x, z); });
}

/// Numbers of bytes as floats from 0 to 1.
Work from_bytes(const Request& request) {
  struct Set {
    OnGpu<std::uint8_t, 1> x;
    OnGpu<float, 1> y;
  };
  const Dim shape{request.count()};
  return rotate(
      request, 5 * request.count(),
      [&] { return Set{made_of<std::uint8_t>(shape, 1, [](float x) { return 256.0f * x; }), poisoned<float>(shape)}; },
      [](Set& s) { s.y = cast<float>(s.x) / 255.0f; }, [](const Set& s) { return samples(s.y); });
}

/// Positions below `end`, in no order.
OnGpu<std::int64_t, 1> positions_below(std::int64_t end, std::int64_t count) {
  return made_of<std::int64_t>(Dim{count}, 2,
                               [end](float x) { return static_cast<double>(x) * static_cast<double>(end); });
}

Work picked_rows(const Request& request) {
  const Dim shape{request.rows, request.columns};
  return of_two(
      request, bytes_of<float>(2 * request.count()),
      [=] { return Pair{numbers<float>(shape, 1), positions_below(shape[0], shape[0]), poisoned<float>(shape)}; },
      [](auto& y, const auto& x, const auto& indices) { y = x(indices, all); });
}

Work picked_elements(const Request& request) {
  const Dim shape{request.count()};
  return of_two(
      request, bytes_of<float>(4 * request.count()),
      [=] { return Pair{numbers<float>(shape, 1), positions_below(shape[0], shape[0]), poisoned<float>(shape)}; },
      [](auto& y, const auto& x, const auto& indices) { y = x(indices); });
}

}  // namespace

std::vector<Kernel> pattern_kernels() {
  return {{"reversed", "f32", reversed},
          {"every_third", "f32", every_third},
          {"axes_reversed", "f32", axes_reversed},
          {"maxima_of_middles", "f32", maxima_of_middles},
          {"variances", "f32", variances},
          {"total", "f32", total},
          {"neighbours", "f32", neighbours},
          {"weighted_channels", "f32", weighted_channels},
          {"column_and_row", "f32", column_and_row},
          {"choosing", "f32", choosing},
          {"from_bytes", "f32", from_bytes},
          {"picked_rows", "f32", picked_rows},
          {"picked_elements", "f32", picked_elements}};
}

}  // namespace bench
