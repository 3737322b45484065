// Index arrays and masks between the parentheses of a(...), with the position of the array that each position of the result stands for.
#pragma once
#include "../support.hpp"

namespace picked_patterns {

using namespace tessera;
using support::Arrangement;
using support::Random;

template <int Rank>
using At = std::array<std::ptrdiff_t, static_cast<std::size_t>(Rank)>;

/// Calls body(at) for every position of the shape in row-major order.
template <int Rank, class Body>
void for_each_at(const Dim<Rank>& shape, const Body& body) {
  support::for_each_position(shape, [&](const auto& position) {
    At<Rank> at;
    std::copy_n(position.begin(), Rank, at.begin());
    body(at);
  });
}

/// Indices of any shape into [-extent, extent), in memory of a random layout.
template <class I, int Rank>
Array<I, Rank> indices(const Dim<Rank>& shape, std::ptrdiff_t extent, Random& random) {
  const auto kind = support::target_arrangements[random.below(5)];
  Array<I, Rank> result = support::storage_like<I>(shape, kind, I(0), random, false);
  for_each_at(shape, [&](const auto& at) {
    const std::ptrdiff_t index = random.below(extent);
    const bool counts_from_end = std::is_signed_v<I> && random.below(2) == 0;
    support::element(result, at) = static_cast<I>(counts_from_end ? index - extent : index);
  });
  return result;
}

template <int Rank>
Array<bool, Rank> mask(const Dim<Rank>& shape, Random& random) {
  const auto kind = support::target_arrangements[random.below(5)];
  Array<bool, Rank> result = support::storage_like<bool>(shape, kind, false, random, false);
  const std::ptrdiff_t one_of = random.between(1, 4);
  for_each_at(shape, [&](const auto& at) { support::element(result, at) = random.below(one_of) == 0; });
  return result;
}

/// Positions at which a mask is true, in row-major order.
template <int Rank>
std::vector<At<Rank>> true_positions(const Array<bool, Rank>& mask) {
  std::vector<At<Rank>> found;
  for_each_at(mask.shape(), [&](const auto& at) {
    if (support::element(mask, at)) found.push_back(at);
  });
  return found;
}

template <class I, int Rank>
std::ptrdiff_t position(const Array<I, Rank>& indices, const At<Rank>& at, std::ptrdiff_t extent) {
  const auto index = static_cast<std::ptrdiff_t>(support::element(indices, at));
  return index < 0 ? index + extent : index;
}

/// Calls `check(name, pick, shape, source)` for each way to pick from arrays of `extents`: pick(x) is what is picked, `shape` its shape and source(at) the position in x
/// of what is at `at` in it.
template <class Check>
void for_each_pattern(const Dim<3>& extents, Random& random, const Check& check) {
  const std::ptrdiff_t a = extents[0], b = extents[1], c = extents[2];
  const std::ptrdiff_t n = random.between(0, 7), m = random.between(1, 4);
  const auto i = indices<std::int64_t>(Dim{n}, a, random);
  const auto j = indices<std::int32_t>(Dim{n}, b, random);
  const auto k = indices<std::uint64_t>(Dim{n}, c, random);
  const auto two = indices<std::int16_t>(Dim{m, n}, a, random);
  const auto column = indices<std::int64_t>(Dim<2>{m, 1}, b, random);
  const auto rows = mask(Dim{a}, random);
  const auto face = mask(Dim{a, b}, random);
  const auto back = mask(Dim{b, c}, random);
  const auto whole = mask(extents, random);
  const auto true_rows = true_positions(rows);
  const auto true_face = true_positions(face);
  const auto true_back = true_positions(back);
  const auto true_whole = true_positions(whole);
  const auto count = [](const auto& positions) { return static_cast<std::ptrdiff_t>(positions.size()); };
  const auto number = [](const auto& positions, std::ptrdiff_t at) { return positions[static_cast<std::size_t>(at)]; };

  check(
      "x(i, j, all)", [&](auto&& x) { return x(i, j, all); }, Dim{n, c},
      [&](const At<2>& at) { return At<3>{position(i, {at[0]}, a), position(j, {at[0]}, b), at[1]}; });
  check(
      "x(i, all, k)", [&](auto&& x) { return x(i, all, k); }, Dim{n, b},
      [&](const At<2>& at) { return At<3>{position(i, {at[0]}, a), at[1], position(k, {at[0]}, c)}; });
  check(
      "x(all, j, k)", [&](auto&& x) { return x(all, j, k); }, Dim{a, n},
      [&](const At<2>& at) { return At<3>{at[0], position(j, {at[1]}, b), position(k, {at[1]}, c)}; });
  check(
      "x(i, j, k)", [&](auto&& x) { return x(i, j, k); }, Dim{n},
      [&](const At<1>& at) {
        return At<3>{position(i, {at[0]}, a), position(j, {at[0]}, b), position(k, {at[0]}, c)};
      });
  check(
      "x(two)", [&](auto&& x) { return x(two); }, Dim{m, n, b, c},
      [&](const At<4>& at) { return At<3>{position(two, {at[0], at[1]}, a), at[2], at[3]}; });
  check(
      "x(two, column, range)", [&](auto&& x) { return x(two, column, range(none, none, -1)); }, Dim{m, n, c},
      [&](const At<3>& at) {
        return At<3>{position(two, {at[0], at[1]}, a), position(column, {at[0], 0}, b), c - 1 - at[2]};
      });
  check(
      "x(two, 0, k)", [&](auto&& x) { return x(two, 0, k); }, Dim{m, n},
      [&](const At<2>& at) { return At<3>{position(two, {at[0], at[1]}, a), 0, position(k, {at[1]}, c)}; });
  check(
      "x(all, column, newaxis, k)", [&](auto&& x) { return x(all, column, newaxis, k); }, Dim<4>{m, n, a, 1},
      [&](const At<4>& at) { return At<3>{at[2], position(column, {at[0], 0}, b), position(k, {at[1]}, c)}; });
  check(
      "x(rows)", [&](auto&& x) { return x(rows); }, Dim{count(true_rows), b, c},
      [&](const At<3>& at) { return At<3>{number(true_rows, at[0])[0], at[1], at[2]}; });
  check(
      "x(face)", [&](auto&& x) { return x(face); }, Dim{count(true_face), c},
      [&](const At<2>& at) {
        const auto found = number(true_face, at[0]);
        return At<3>{found[0], found[1], at[1]};
      });
  check(
      "x(all, back)", [&](auto&& x) { return x(all, back); }, Dim{a, count(true_back)},
      [&](const At<2>& at) {
        const auto found = number(true_back, at[1]);
        return At<3>{at[0], found[0], found[1]};
      });
  check(
      "x(-1, back)", [&](auto&& x) { return x(-1, back); }, Dim{count(true_back)},
      [&](const At<1>& at) {
        const auto found = number(true_back, at[0]);
        return At<3>{a - 1, found[0], found[1]};
      });
  check(
      "x(whole)", [&](auto&& x) { return x(whole); }, Dim{count(true_whole)},
      [&](const At<1>& at) { return number(true_whole, at[0]); });
  check(
      "x(rows, all, 0)", [&](auto&& x) { return x(rows, all, 0); }, Dim{count(true_rows), b},
      [&](const At<2>& at) { return At<3>{number(true_rows, at[0])[0], at[1], 0}; });
  if (count(true_face) > 0) {
    const auto z = indices<std::int64_t>(Dim{count(true_face)}, c, random);
    check(
        "x(face, z)", [&](auto&& x) { return x(face, z); }, Dim{count(true_face)},
        [&](const At<1>& at) {
          const auto found = number(true_face, at[0]);
          return At<3>{found[0], found[1], position(z, {at[0]}, c)};
        });
  }
}

}  // namespace picked_patterns
