// Several index arrays, index arrays of several axes, and masks between the parentheses of a(...), as operands.
#include "picked_patterns.hpp"

using namespace tessera;

namespace {

using namespace picked_patterns;

template <class T>
void reads_what_it_names(std::uint64_t salt) {
  Random random(salt);
  INFO(random.how_to_repeat());
  for (int round = 0; round < (support::is_sanitized ? 2 : 6); ++round) {
    for (const Arrangement kind : support::all_arrangements) {
      const Dim<3> extents{random.between(1, 6), random.between(1, 6), random.between(1, 9)};
      const auto x = support::random_array<T>(extents, kind, random);
      for_each_pattern(extents, random, [&](const char* name, const auto& pick, const auto& shape, const auto& source) {
        INFO(name << " of " << to_string(extents) << ", " << support::name_of(kind));
        const auto picked = pick(x);
        constexpr int rank = rank_of<decltype(picked)>;
        REQUIRE(to_string(Dim<rank>(picked.shape())) == to_string(shape));
        Array<T, rank> expected(shape);
        for_each_at(shape, [&](const auto& at) { support::element(expected, at) = support::element(x, source(at)); });
        CHECK(support::difference(support::elements(evaluate(picked)), support::elements(expected)) == "");
        const Array<T, rank> beside = where(full(shape, true), pick(x), expected);
        CHECK(support::difference(support::elements(beside), support::elements(expected)) == "");
      });
    }
  }
}

}  // namespace

// --8<-- [start:index-arrays]
TEST_CASE("several index arrays pick together, as NumPy broadcasts them") {
  const Array<float, 2> x = make_array<float>({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  const Array<int, 1> rows{0, 1, 2}, columns{2, 0, -1};
  CHECK(to_string(x(rows, columns)) == "[3. 4. 9.]");
  CHECK(to_string(x(reshape(rows, 3, 1), columns(range(0, 2)))) == "[[3. 1.]\n [6. 4.]\n [9. 7.]]");
  const Array<int, 2> tokens = make_array<int>({{0, 2}, {1, 1}});
  CHECK(x(tokens, all).shape() == Dim{2, 2, 3});   // an embedding: a row for each index
  const float picked = sum(2 * x(rows, columns));  // one pass, without a copy
  CHECK(picked == 32);
}
// --8<-- [end:index-arrays]

// --8<-- [start:masks]
TEST_CASE("a mask picks where it is true, along as many axes as it has") {
  const Array<float, 2> x = make_array<float>({{1, -2, 3}, {-4, 5, -6}});
  CHECK(to_string(x(x < 0)) == "[-2. -4. -6.]");
  CHECK(to_string(x(sum<1>(x) > 0, all)) == "[[ 1. -2.  3.]]");
  CHECK(to_string(x(all, Array<bool, 1>{true, false, true})) == "[[ 1.  3.]\n [-4. -6.]]");
}
// --8<-- [end:masks]

TEST_CASE("what index arrays and masks name is read, whatever the layouts and the types") {
  reads_what_it_names<float>(21);
  reads_what_it_names<std::int8_t>(22);
  reads_what_it_names<std::complex<double>>(23);
}

TEST_CASE("long index arrays and masks, on several threads") {
  Random random(24);
  const std::ptrdiff_t extent = 1000, count = 300'000;
  const auto x = support::random_array<float>(Dim{extent, 7}, Arrangement::contiguous, random);
  const Array<std::int32_t, 1> rows = cast<std::int32_t>(random::uniform<float>(random::Key{1}, Dim{count}) * 1000.0f);
  const Array<std::int32_t, 1> columns = cast<std::int32_t>(random::uniform<float>(random::Key{2}, Dim{count}) * 7.0f);
  const Array<float, 1> picked = x(rows, columns);
  bool is_equal = true;
  for (std::ptrdiff_t i = 0; i < count; ++i) is_equal = is_equal && picked(i) == x(int(rows(i)), int(columns(i)));
  CHECK(is_equal);
  const Array<float, 2> wide = reshape(random::uniform<float>(random::Key{3}, Dim{count}), 300, 1000);
  const Array<float, 1> large = wide(wide > 0.75f);
  CHECK(array_equal(large, compress(wide > 0.75f, wide)));
}

TEST_CASE("index arrays and masks that do not fit are refused, with what they are") {
  const Array<float, 2> x = ones<float>(Dim{4, 3});
  const auto refusal = [&]<class Error>(std::type_identity<Error>, const auto& expression) {
    const std::string text = support::message_of<Error>([&] { static_cast<void>(evaluate(expression())); });
    return text.substr(0, text.find("; called at"));
  };
  using IndexRefusal = std::type_identity<IndexError>;
  using ShapeRefusal = std::type_identity<ShapeError>;
  const Array<int, 2> two = make_array<int>({{0, 1}, {2, 4}});
  const Array<int, 1> pair{0, 1}, three{0, 1, 2};
  CHECK(refusal(IndexRefusal{}, [&] { return x(two, all); }) ==
        "indexing: index 4 at position (1, 1) is out of range for axis 0 with extent 4");
  CHECK(refusal(IndexRefusal{}, [&] { return x(pair, Array<int, 1>{0, -4}); }) ==
        "indexing: index -4 at position 1 is out of range for axis 1 with extent 3");
  CHECK(support::contains(refusal(ShapeRefusal{}, [&] { return x(pair, three); }), "indexing: "));
  CHECK(refusal(ShapeRefusal{}, [&] { return x(Array<bool, 1>{true, false, true}, all); }) ==
        "indexing: the mask has the shape (3,), but axis 0 has (4,); a mask has the extents of the axes along which "
        "it picks");
  CHECK(support::contains(refusal(ShapeRefusal{}, [&] { return x(ones<float>(Dim{3, 4}) > 0); }),
                          "the mask has the shape (3, 4), but axes 0 to 1 have (4, 3)"));
}

TEST_CASE("indices pick from the operands of an expression, and a mask is read once for all of them") {
  const Array<float, 2> x = make_array<float>({{1, 2, 3}, {4, 5, 6}});
  const Array<int, 1> i{1, 0}, j{2, 2};
  const Array<float, 1> row{10, 20, 30};
  CHECK(to_string((x + row)(i, j)) == "[36. 33.]");
  CHECK(to_string((x + row)(x > 2.0f)) == "[33. 14. 25. 36.]");
  CHECK(to_string(dot(x, x.T())(i, i)) == "[77. 14.]");
}
