// einsum beside a walk over all positions of all letters, and what it refuses.
#include "../../expr/support.hpp"

using namespace tessera;
using namespace support;

namespace {

/// The sum over all positions of all letters, for explicit strings without an ellipsis.
template <class T, int Rank, class... A>
Array<T, Rank> slowly(std::string_view text, const A&... operands) {
  std::vector<std::string> in(1);
  std::string out;
  const std::size_t arrow = text.find("->");
  for (const char c : text.substr(0, arrow)) c == ',' ? in.emplace_back().clear() : in.back().push_back(c);
  out = text.substr(arrow + 2);
  std::string letters = out;
  for (const std::string& each : in) {
    for (const char c : each) {
      if (letters.find(c) == std::string::npos) letters.push_back(c);
    }
  }
  std::vector<std::ptrdiff_t> extents(letters.size(), 1);
  std::size_t number = 0;
  const auto look = [&](const auto& x) {
    for (int axis = 0; axis < std::remove_cvref_t<decltype(x)>::rank; ++axis) {
      auto& extent = extents[letters.find(in[number][static_cast<std::size_t>(axis)])];
      if (x.shape()[axis] != 1) extent = x.shape()[axis];
    }
    ++number;
  };
  (look(operands), ...);
  Dim<Rank> shape;
  for (int axis = 0; axis < Rank; ++axis)
    shape = shape.with(axis, extents[letters.find(out[static_cast<std::size_t>(axis)])]);
  Array<T, Rank> result = zeros<T>(shape);
  std::vector<std::ptrdiff_t> at(letters.size());
  for (const std::ptrdiff_t extent : extents) {
    if (extent == 0) return result;
  }
  for (;;) {
    number = 0;
    T term(1);
    const auto multiply = [&](const auto& x) {
      std::array<std::ptrdiff_t, 8> position{};
      for (int axis = 0; axis < std::remove_cvref_t<decltype(x)>::rank; ++axis) {
        const auto k = static_cast<std::size_t>(axis);
        position[k] = x.shape()[axis] == 1 ? 0 : at[letters.find(in[number][k])];
      }
      ++number;
      term = static_cast<T>(term * static_cast<T>(element(x, position)));
    };
    (multiply(operands), ...);
    std::array<std::ptrdiff_t, 8> to{};
    for (std::size_t k = 0; k < out.size(); ++k) to[k] = at[letters.find(out[k])];
    element(result, to) = static_cast<T>(element(result, to) + term);
    std::size_t axis = letters.size();
    while (axis > 0 && ++at[axis - 1] == extents[axis - 1]) at[--axis] = 0;
    if (axis == 0) return result;
  }
}

/// Small whole numbers, whose sums are exact.
template <class T, int Rank>
Array<T, Rank> whole(const Dim<Rank>& shape, Random& random) {
  Array<T, Rank> x = storage_like<T>(shape, target_arrangements[random.below(5)], T(0), random, false);
  for_each_position(shape, [&](const auto& at) { element(x, at) = static_cast<T>(random.between(0, 4)); });
  return x;
}

#define CHECK_EINSUM(text, ...)                                                               \
  do {                                                                                        \
    INFO(text);                                                                               \
    const auto found = evaluate(einsum<text>(__VA_ARGS__));                                   \
    using Found = std::remove_cvref_t<decltype(found)>;                                       \
    const auto expected = slowly<typename Found::value_type, Found::rank>(text, __VA_ARGS__); \
    CHECK(to_string(found.shape()) == to_string(expected.shape()));                           \
    CHECK(difference(elements(found), elements(expected)) == "");                             \
  } while (false)

template <class T>
void check_strings(std::uint64_t salt) {
  Random random(salt);
  INFO(random.how_to_repeat() << ", " << name(dtype_of<T>));
  for (int round = 0; round < (is_sanitized ? 2 : 6); ++round) {
    const auto i = random.between(0, 6), j = random.between(1, 7), k = random.between(1, 5), l = random.between(1, 4);
    const auto ij = whole<T>(Dim{i, j}, random), jk = whole<T>(Dim{j, k}, random), kl = whole<T>(Dim{k, l}, random);
    const auto ijk = whole<T>(Dim{i, j, k}, random), lkj = whole<T>(Dim{l, k, j}, random);
    const auto square = whole<T>(Dim{j, j}, random);
    const auto cube = whole<T>(Dim{k, k, k}, random);
    const auto v = whole<T>(Dim{j}, random), w = whole<T>(Dim{i}, random);
    const auto one = whole<T>(Dim<2>{i, 1}, random);
    CHECK_EINSUM("ij,jk->ik", ij, jk);
    CHECK_EINSUM("ij,jk->ki", ij, jk);
    CHECK_EINSUM("jk,ij->ik", jk, ij);
    CHECK_EINSUM("ij->ji", ij);
    CHECK_EINSUM("ij->", ij);
    CHECK_EINSUM("ij->j", ij);
    CHECK_EINSUM("ii->", square);
    CHECK_EINSUM("ii->i", square);
    CHECK_EINSUM("iii->i", cube);
    CHECK_EINSUM("iji->ji", cube);
    CHECK_EINSUM("i,j->ij", w, v);
    CHECK_EINSUM("ij,j->i", ij, v);
    CHECK_EINSUM("i,ij->j", w, ij);
    CHECK_EINSUM("ij,ij->", ij, ij);
    CHECK_EINSUM("ij,ij->i", ij, ij);
    CHECK_EINSUM("ij,ij->ji", ij, ij);
    CHECK_EINSUM("ijk,kl->ijl", ijk, kl);
    CHECK_EINSUM("ijk,lkj->il", ijk, lkj);
    CHECK_EINSUM("ijk,lkj->li", ijk, lkj);
    CHECK_EINSUM("ijk,jk->ij", ijk, jk);
    CHECK_EINSUM("ijk,ijk->kj", ijk, ijk);
    CHECK_EINSUM("ijk,i->jk", ijk, w);
    CHECK_EINSUM("ij,jj->ij", ij, square);
    CHECK_EINSUM("ij,jk,kl->il", ij, jk, kl);
    CHECK_EINSUM("ij,jk,kl,i->l", ij, jk, kl, w);
    CHECK_EINSUM("ij,kl->ijkl", ij, kl);
    CHECK_EINSUM("ij,kl->lj", ij, kl);
    CHECK_EINSUM("ij,i,j->", ij, w, v);
    CHECK_EINSUM("ij,jk->ij", ij, jk);
    CHECK_EINSUM("ij,ij->ij", one, ij);  // an extent of 1 broadcasts
    CHECK_EINSUM("ij,jk->ik", one, jk);
  }
}

}  // namespace

// --8<-- [start:einsum]
TEST_CASE("einsum names the axes of what is multiplied and summed") {
  const Array<float, 2> a = make_array<float>({{1, 2}, {3, 4}}), b = make_array<float>({{1, 0}, {2, 1}});
  CHECK(to_string(einsum<"ij,jk->ik">(a, b)) == "[[ 5.  2.]\n [11.  4.]]");        // the product of matrices
  CHECK(to_string(relu(einsum<"ij,kj->ik">(a, b) - 6)) == "[[0. 0.]\n [0. 4.]]");  // an expression as dot() is
  CHECK(float(einsum<"ii->">(a)) == 5);                                            // the trace
  CHECK(to_string(einsum<"ij->j">(a)) == "[4. 6.]");                               // sums of columns
  CHECK(float(einsum<"i,ij,j->">(a(0, all), b, a(1, all))) == 23);                 // three operands, the cheapest first
  const Array<float, 3> batch = ones<float>(Dim{5, 2, 2});
  CHECK(einsum<"bij,bjk->bik">(batch, batch).shape() == Dim{5, 2, 2});
  CHECK(einsum<"...ij,jk->...ik">(batch, b).shape() == Dim{5, 2, 2});
  CHECK(einsum<"ij,jk">(a, b).shape() == Dim{2, 2});  // without an arrow the letters that are there once remain
}
// --8<-- [end:einsum]

TEST_CASE("einsum is the sum over all positions of all letters") {
  check_strings<float>(70);
  check_strings<std::int32_t>(71);
  check_strings<std::complex<double>>(72);
  check_strings<std::uint8_t>(73);
}

TEST_CASE("einsum of halves, of different types and of expressions") {
  const Array<float16, 2> a = full(Dim{3, 300}, float16(0.5f));
  CHECK(float(einsum<"ij->i">(a)(2)) == 150);
  const Array<float, 1> i{1, 2, 3};
  const Array<double, 1> d{0.5, 0.5, 0.5};
  CHECK(double(einsum<"i,i->">(i, d)) == 3);
  CHECK(double(einsum<"i,i->">(i + 1, d * 2)) == 9);
  static_assert(std::same_as<decltype(einsum<"i,i->">(i, d))::value_type, double>);
}

TEST_CASE("the order of contraction is that of the fewest multiplications") {
  const Array<float, 2> tall = ones<float>(Dim{4000, 3}), wide = ones<float>(Dim{3, 4000});
  const Array<float, 1> v = ones<float>(Dim{4000});
  const Array<float, 1> found = einsum<"ij,jk,k->i">(tall, wide, v);  // from the left there would be 64 MB in between
  CHECK(found(7) == 12000.0f);
}

TEST_CASE("tensordot, inner, kron, cross and matrix_power") {
  Random random(74);
  const auto a = whole<double>(Dim{2, 3, 4}, random), b = whole<double>(Dim{3, 4, 5}, random);
  CHECK(array_equal(tensordot(a, b), einsum<"ijk,jkl->il">(a, b)));
  CHECK(array_equal(tensordot<0>(a(0, ellipsis), b(all, 0, 0)), einsum<"ij,k->ijk">(a(0, ellipsis), b(all, 0, 0))));
  CHECK(array_equal(tensordot<3>(a, a), einsum<"ijk,ijk->">(a, a)));
  const auto c = whole<double>(Dim{6, 4}, random);
  CHECK(array_equal(inner(a, c), einsum<"ijk,lk->ijl">(a, c)));
  const Array<int, 2> m = make_array<int>({{1, 2}, {3, 4}});
  CHECK(to_string(kron(m, make_array<int>({{0, 1}}))) == "[[0 1 0 2]\n [0 3 0 4]]");
  CHECK(to_string(cross(Array<int, 1>{1, 0, 0}, Array<int, 1>{0, 1, 0})) == "[0 0 1]");
  CHECK(to_string(matrix_power(m, 3)) == "[[ 37  54]\n [ 81 118]]");
  CHECK(to_string(matrix_power(m, 0)) == "[[1 0]\n [0 1]]");
}

TEST_CASE("what einsum refuses, with what is wrong") {
  const Array<float, 2> a = ones<float>(Dim{2, 3}), b = ones<float>(Dim{4, 2});
  const std::string text = message_of<ShapeError>([&] { static_cast<void>(einsum<"ij,jk->i">(a, b)); });
  CHECK(contains(text, "einsum \"ij,jk->i\": 'j' has 3 elements and, in operand 1, 4"));
  CHECK_THROWS_AS(static_cast<void>(evaluate(einsum<"ij,jk->ik">(a, b))), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(einsum<"ii->i">(a)), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(cross(a, b)), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(matrix_power(a, 2)), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(matrix_power(ones<float>(Dim{2, 2}), -1)), ShapeError);
}

TEST_CASE("strings are read as NumPy reads them, and errors point at the character") {
  const auto problem = [](std::string_view text, std::initializer_list<int> ranks) {
    const auto found = contraction::parse(text, std::span(ranks.begin(), ranks.size()));
    return found.problem == nullptr ? std::string() : std::string(found.problem) + " " + std::to_string(found.position);
  };
  CHECK(problem("ij,jk->ik", {2, 2}) == "");
  CHECK(problem(" i j , j k -> i k", {2, 2}) == "");
  CHECK(problem("ij,jk->iz", {2, 2}) == "no operand has this letter 8");
  CHECK(problem("ij,jk->ii", {2, 2}) == "a letter twice in the result 8");
  CHECK(problem("ij,jk->ik", {2}) == "too many operands 3");
  CHECK(problem("ij->i", {2, 2}) == "too few operands 2");
  CHECK(problem("ijk,jk->i", {2, 2}) == "more letters than axes 0");
  CHECK(problem("ij,j->i", {2, 2}) == "fewer letters than axes 3");
  CHECK(problem("...i...->i", {2}) == "a second ellipsis 4");
  CHECK(problem("...i->i", {2}) == "no ellipsis in the result 6");
  CHECK(problem("i;j->ij", {1, 1}) == "too few operands 1");
  CHECK(problem("ij->i.", {2}) == "no letter 5");
}
