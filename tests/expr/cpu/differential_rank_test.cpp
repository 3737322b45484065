// Differential tests over ranks 0 to 9 and random shapes: broadcast operands of different ranks, layouts and types, results in
// every layout, sizes below and above the parallel threshold.
#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

template <int Rank>
Dim<Rank> random_shape(Random& random, std::ptrdiff_t most_elements, bool may_be_empty) {
  Dim<Rank> shape;
  std::ptrdiff_t left = most_elements;
  for (int axis = 0; axis < Rank; ++axis) {
    const std::ptrdiff_t most = std::max<std::ptrdiff_t>(1, std::min<std::ptrdiff_t>(left, axis == Rank - 1 ? 300
                                                                                           : Rank > 4       ? 4
                                                                                                            : 40));
    std::ptrdiff_t extent = random.between(1, most);
    if (may_be_empty && random.below(12) == 0) extent = 0;
    shape = shape.with(axis, extent);
    left /= std::max<std::ptrdiff_t>(extent, 1);
  }
  return shape;
}

/// The trailing N axes of `shape`, some of them with extent 1 instead.
template <int N, int Rank>
Dim<N> operand_shape(const Dim<Rank>& shape, Random& random) {
  Dim<N> result;
  for (int axis = 0; axis < N; ++axis) result = result.with(axis, random.below(4) == 0 ? 1 : shape[Rank - N + axis]);
  return result;
}

/// The element of an operand that broadcasting puts at `position`.
template <class T, int N, class Position>
T broadcast_element(const Array<T, N>& array, const Position& position, int rank) {
  std::array<std::ptrdiff_t, static_cast<std::size_t>(N) + 1> own{};
  for (int axis = 0; axis < N; ++axis) {
    own[static_cast<std::size_t>(axis)] =
        array.shape()[axis] == 1 ? 0 : position[static_cast<std::size_t>(rank - N + axis)];
  }
  return element(array, own);
}

Arrangement random_arrangement(Random& random) { return all_arrangements[random.below(std::size(all_arrangements))]; }

/// d = a * b - c where b has fewer axes, c another type, and d any layout.
template <int Rank>
void check(Random& random, std::ptrdiff_t most_elements) {
  constexpr int fewer = Rank / 2;
  const Dim<Rank> shape = random_shape<Rank>(random, most_elements, most_elements < 10000);
  const auto a = random_array<float>(shape, random_arrangement(random), random);
  const auto b = random_array<float>(operand_shape<fewer>(shape, random), random_arrangement(random), random);
  const auto c = random_array<float16>(operand_shape<Rank>(shape, random), random_arrangement(random), random);
  const auto d = storage_like<double>(shape, target_arrangements[random.below(std::size(target_arrangements))], -77.0,
                                      random, false);
  const auto target = there(d);
  assign(target, there(a) * there(b) - there(c));
  const auto got = here(target);
  std::ptrdiff_t wrong = 0;
  for_each_position(shape, [&](const auto& at) {
    const float product = static_cast<float>(static_cast<double>(broadcast_element(a, at, Rank)) *
                                             static_cast<double>(broadcast_element(b, at, Rank)));
    const float expected = product - static_cast<float>(broadcast_element(c, at, Rank));
    if (element(got, at) == static_cast<double>(expected) || wrong++ > 0) return;
    FAIL_CHECK("shape " << shape << " b " << b.shape() << " c " << c.shape() << ": " << element(got, at)
                        << ", expected " << expected);
  });
  // Nothing but the elements of d was written.
  const auto* storage = static_cast<const double*>(got.buffer()->data());
  const auto untouched = std::count(storage, storage + d.buffer()->bytes() / std::ptrdiff_t{sizeof(double)}, -77.0);
  CHECK(untouched >= d.buffer()->bytes() / std::ptrdiff_t{sizeof(double)} - product(shape));
}

template <int Rank>
void check_rank() {
  Random random(200 + Rank);
  INFO("rank " << Rank << ", " << random.how_to_repeat());
  for_each_isa([&](device::Isa) {
    for (int trial = 0; trial < few_of(12); ++trial) check<Rank>(random, 2000);
  });
  if constexpr (Rank >= 2) check<Rank>(random, 3 * parallel_threshold);
}

}  // namespace

TEST_CASE("ranks 0 to 4: broadcast operands of every layout give what an index-by-index loop gives" *
          doctest::test_suite("any place")) {
  check_rank<0>();
  check_rank<1>();
  check_rank<2>();
  check_rank<3>();
  check_rank<4>();
}

TEST_CASE("ranks 5 to 9: broadcast operands of every layout give what an index-by-index loop gives" *
          doctest::test_suite("any place")) {
  check_rank<5>();
  check_rank<6>();
  check_rank<7>();
  check_rank<8>();
  check_rank<9>();
}

TEST_CASE("an empty array is assigned without touching anything") {
  const Array<float, 3> a = zeros<float>(Dim{4, 0, 5});
  const Array<float, 3> result = evaluate(exp(a) + ones<float>(Dim{5}));
  CHECK(result.shape() == Dim{4, 0, 5});
}
