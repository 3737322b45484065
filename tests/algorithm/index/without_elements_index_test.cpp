// What index functions make of arrays without elements and without storage.
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "../../expr/without_elements.hpp"

#define CALL(...) [](auto& x) -> std::decay_t<decltype(__VA_ARGS__)> { return __VA_ARGS__; }

using namespace tessera;
using namespace support;

namespace {

const Array<int, 1> no_indices(Dim<1>{0});

}  // namespace

TEST_CASE("positions of nothing") {
  const Wanted none{"", "empty", "empty"};
  check<float>("flatnonzero", none, CALL(flatnonzero(x)));
  check<float>("nonzero", none, CALL(nonzero(x)[0]));
  check<float>("where", none, CALL(where(x > 0)[0]));
  check<bool>("argwhere", none, CALL(argwhere(x)));
  check<int>("unravel_index", {"no storage", "empty", "empty"}, CALL(unravel_index(x, Dim{2, 3})[1]));
  check<float>("meshgrid", {"", "empty", ""}, CALL(std::get<0>(meshgrid(x, x))));
  CHECK(to_string(indices(Dim{0, 3}).shape()) == "(2, 0, 3)");
}

TEST_CASE("picking and writing nothing") {
  check<float>("index arrays", {"", "nothing", "nothing"}, CALL(x(Array<int, 2>{{0}}, ellipsis)));
  check<float>("no indices", {"", "empty", "empty"}, CALL(x(no_indices, ellipsis)));
  check<float>("a mask", {"", "empty", "empty"}, CALL(x(x > 0)));
  check<float>("picked_to_write", {"", "empty", "empty"}, CALL(picked_to_write(x, no_indices, ellipsis)));
  check<float>("take_along_axis", {"", "nothing", ""}, CALL(take_along_axis<0>(x, Array<int, 1>{0})));
  check<float>("nothing along an axis", {"", "empty", ""}, CALL(take_along_axis<0>(x, no_indices)));
  check<float>("put_along_axis", {"", "no storage", ""}, CALL((put_along_axis<0>(x, no_indices, 1.f), "done")));
  check<float>("scatter_add", {"", "no storage", "no storage"}, CALL((scatter_add(x, no_indices, 1.f), "done")));
  check<float>("scatter_min", {"", "no storage", "no storage"}, CALL((scatter_min(x, no_indices, 1.f), "done")));
  check<float>("scatter_max", {"", "no storage", "no storage"}, CALL((scatter_max(x, no_indices, 1.f), "done")));
}

TEST_CASE("diagonals of nothing, and choosing among nothing") {
  const Wanted matrices{"", "", "empty"};
  check<float>("diagonal", matrices, CALL(diagonal(x)));
  check<float>("tril", matrices, CALL(tril(x, 1)));
  check<float>("triu", matrices, CALL(triu(x)));
  check<float>("trace", {"", "", "0.0"}, CALL(trace(x)));
  check<float>("select", {"no storage", "empty", "empty"}, CALL(select(x > 0, x, x < 0, -x, 1.f)));
}

TEST_CASE("sums of products of nothing") {
  check<float>("einsum of vectors", {"", "0.0", ""}, CALL(einsum<"i,i->">(x, x)));
  check<float>("einsum of matrices", {"", "", "empty"}, CALL(einsum<"ij,jk->ik">(x, x)));
  check<float>("einsum of elements", {"", "empty", ""}, CALL(einsum<"i,i->i">(x, x)));
  check<float>("tensordot", {"", "0.0", "empty"}, CALL(tensordot<1>(x, x)));
  check<float>("inner", {"", "0.0", "empty"}, CALL(inner(x, x)));
  check<float>("kron", {"", "", "empty"}, CALL(kron(x, x)));
  check<float>("cross", {"", "nothing", "nothing"}, CALL(cross(x, x)));
  check<float>("matrix_power", {"", "", "empty"}, CALL(matrix_power(x, 3)));
}

TEST_CASE("elements repeated by counts: none, and counts that are none") {
  const Array<float, 2> x = reshape(arange(6.0f), 2, 3);
  CHECK(repeat<0>(x, Array<int, 1>{0, 0}).shape() == Dim{0, 3});
  CHECK(array_equal(repeat<1>(x, Array<std::uint8_t, 1>{1, 0, 2}), make_array<float>({{0, 2, 2}, {3, 5, 5}})));
  CHECK(repeat<0>(zeros<float>(Dim{0, 3}), zeros<int>(Dim{0})).shape() == Dim{0, 3});
  CHECK_THROWS_AS(repeat<0>(x, Array<int, 1>{1}), ShapeError);
  CHECK_THROWS_AS(repeat<0>(x, Array<int, 1>{1, -1}), std::invalid_argument);
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  CHECK_THROWS_AS(repeat<0>(x, Array<std::int64_t, 1>{most, most}), ShapeError);
}
