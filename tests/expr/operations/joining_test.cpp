// concat and stack: every part computed into its slice, against a walk over all positions of the result.
#include <span>

#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

/// What lies at each position of the parts joined along `axis`, found part by part.
template <class T, int Rank>
std::vector<T> joined(const std::vector<Array<T, Rank>>& parts, int axis, const Dim<Rank>& shape) {
  std::vector<T> values;
  for_each_position(shape, [&](auto at) {
    std::size_t part = 0;
    while (at[static_cast<std::size_t>(axis)] >= parts[part].shape()[axis])
      at[static_cast<std::size_t>(axis)] -= parts[part++].shape()[axis];
    values.push_back(element(parts[part], at));
  });
  return values;
}

template <class T, int Rank>
std::vector<T> stacked(const std::vector<Array<T, Rank>>& parts, int axis, const Dim<Rank + 1>& shape) {
  std::vector<T> values;
  for_each_position(shape, [&](const auto& at) {
    std::array<std::ptrdiff_t, static_cast<std::size_t>(Rank) + 1> inner{};
    for (int from = 0, to = 0; from <= Rank; ++from) {
      if (from != axis) inner[static_cast<std::size_t>(to++)] = at[static_cast<std::size_t>(from)];
    }
    values.push_back(element(parts[static_cast<std::size_t>(at[static_cast<std::size_t>(axis)])], inner));
  });
  return values;
}

/// Three parts in layouts `kinds`, of extents that differ along `axis` only, now and then 0.
template <class T, int Rank>
std::vector<Array<T, Rank>> random_parts(int axis, bool same, std::span<const Arrangement> kinds, Random& random) {
  Dim<Rank> shape;
  for (int i = 0; i < Rank; ++i) shape = shape.with(i, random.between(1, Rank > 4 ? 2 : 5));
  std::vector<Array<T, Rank>> parts;
  for (const Arrangement kind : kinds)
    parts.push_back(random_array<T>(same ? shape : shape.with(axis, random.between(0, 4)), kind, random));
  return parts;
}

template <class T, int Rank, int Axis>
void check_axis(Random& random) {
  const Arrangement kinds[] = {all_arrangements[random.below(6)], all_arrangements[random.below(6)],
                               all_arrangements[random.below(6)]};
  INFO(name(dtype_of<T>) << " rank " << Rank << " axis " << Axis << ": " << name_of(kinds[0]) << ", "
                         << name_of(kinds[1]) << ", " << name_of(kinds[2]));
  const auto made = random_parts<T, Rank>(Axis, false, kinds, random);
  const auto parts = there(made);
  const Array<T, Rank> beside = concat<Axis>(parts[0], parts[1], parts[2]);
  CHECK(difference(elements(beside), joined(made, Axis, beside.shape())) == "");
  const Array<T, Rank> target =
      there(storage_like<T>(beside.shape(), target_arrangements[random.below(5)], T(0), random, false));
  assign(target, concat<Axis - Rank>(parts));
  CHECK(difference(elements(target), elements(beside)) == "");
  if constexpr (Rank < 9) {
    const auto alike = random_parts<T, Rank>(Axis, true, kinds, random);
    const auto equal = there(alike);
    const Array<T, Rank + 1> layers = stack<Axis>(equal[0], equal[1], equal[2]);
    CHECK(difference(elements(layers), stacked(alike, Axis, layers.shape())) == "");
    CHECK(array_equal(layers, evaluate(stack<Axis>(std::span(equal)))));
    const Array<T, Rank + 1> last = stack<-1>(equal[0], equal[1], equal[2]);
    CHECK(difference(elements(last), stacked(alike, Rank, last.shape())) == "");
  }
}

template <class T>
void check_type(std::uint64_t salt) {
  Random random(salt);
  INFO(random.how_to_repeat());
  for (int trial = 0; trial < few_of(10); ++trial) {
    check_axis<T, 1, 0>(random);
    check_axis<T, 3, 0>(random);
    check_axis<T, 3, 1>(random);
    check_axis<T, 3, 2>(random);
  }
}

}  // namespace

TEST_CASE("parts of an expression are written straight into the destination") {
  // --8<-- [start:join]
  const Array<float, 2> a = make_array<float>({{0, 1}});
  const Array<float, 2> b = make_array<float>({{2, 3}, {4, 5}});
  const Array<float, 2> c = concat<0>(a + 10, b);  // shape (3, 2); no temporary for a + 10
  CHECK(array_equal(c, make_array<float>({{10, 11}, {2, 3}, {4, 5}})));
  const Array<float, 3> d = stack<-1>(b, b * b);  // shape (2, 2, 2): a new last axis
  CHECK(d[{1, 0, 1}] == 16.0f);
  const std::vector<Array<float, 2>> batches{a, b, a};
  CHECK(evaluate(concat<0>(batches)).shape() == Dim{4, 2});  // as many as there are at run time
  // --8<-- [end:join]
}

TEST_CASE("joined arrays of every layout, for types of every size" * doctest::test_suite("any place")) {
  check_type<float>(900);
  check_type<std::uint8_t>(901);
  check_type<bfloat16>(902);
  check_type<std::complex<double>>(903);
}

TEST_CASE("joined arrays of rank 0 and of rank 9" * doctest::test_suite("any place")) {
  Random random(904);
  INFO(random.how_to_repeat());
  check_axis<float, 9, 0>(random);
  check_axis<float, 9, 4>(random);
  check_axis<float, 9, 8>(random);
  const Array<float, 1> pair = stack<0>(there(full(Dim<0>{}, 3.0f)), there(full(Dim<0>{}, 4.0f)));
  CHECK(array_equal(pair, there(make_array<float>({3, 4}))));
}

TEST_CASE("element types are promoted, and narrowed again by the assignment" * doctest::test_suite("any place")) {
  const Array<std::int8_t, 1> small = there(make_array<std::int8_t>({-1, 2}));
  const Array<std::uint8_t, 1> bytes = there(make_array<std::uint8_t>({200}));
  const auto both = evaluate(concat<0>(small, bytes));
  static_assert(std::same_as<decltype(both)::value_type, std::int16_t>);
  CHECK(array_equal(both, there(make_array<std::int16_t>({-1, 2, 200}))));
  const Array<float16, 1> half = there(full(Dim{2}, float16(0.5f)));
  const Array<double, 1> wide = there(full(Dim{1}, 1e300));
  static_assert(std::same_as<decltype(concat<0>(half, half, wide))::value_type, double>);
  CHECK(evaluate(concat<0>(half, wide))[{2}] == 1e300);
  Array<float, 1> narrow = there(Array<float, 1>(Dim{3}));
  narrow = concat<0>(half, wide);
  CHECK(std::isinf(float(narrow[{2}])));
  const auto numbers = evaluate(concat<0>(half, there(full(Dim{1}, std::complex<float>(0, 1)))));
  CHECK(numbers[{1}] == std::complex<float>(0.5f, 0));
}

TEST_CASE("reductions, products and joins as parts, and joins inside larger expressions" *
          doctest::test_suite("any place")) {
  Array<double, 2> a = reshape(there(arange(12.0)), Dim{3, 4});
  const Array<double, 2> means = evaluate(mean<0>(a, keepdims));
  const Array<double, 2> square = evaluate(dot(a, a.T()));
  const std::vector<Array<double, 2>> plain{means, a, evaluate(dot(square, a))};
  CHECK(array_equal(concat<0>(mean<0>(a, keepdims), a, dot(square, a)), concat<0>(plain)));
  CHECK(array_equal(concat<0>(mean<0>(a, keepdims), a, dot(dot(a, a.T()), a) * 1), concat<0>(plain)));
  CHECK(array_equal(concat<1>(concat<1>(a, a), a), concat<1>(a, a, a)));
  CHECK(array_equal(stack<0>(a, 2 * a) - 1, concat<0>(expand_dims<0>(a), expand_dims<0>(evaluate(2 * a))) - 1));
  CHECK(item(sum(concat<0>(a, a))) == 132);
  CHECK(array_equal(sum<0>(stack<0>(a, a)), 2 * a));
  CHECK(array_equal(dot(concat<1>(a, a), concat<0>(a.T(), a.T())), 2 * square));
  Array<double, 3> broadcast = there(zeros<double>(Dim{2, 6, 4}));
  broadcast(ellipsis) = concat<0>(a, a);
  CHECK(array_equal(broadcast(1, ellipsis), concat<0>(a, a)));
}

TEST_CASE("large joins use several threads and agree with slices") {
  Random random(905);
  const Array<float, 2> a = random_array<float>(Dim{300, 401}, Arrangement::contiguous, random);
  const Array<float, 2> b = random_array<float>(Dim{500, 401}, Arrangement::transposed, random);
  for (const int threads : {1, 2, 4}) {
    const Threads restore(threads);
    const Array<float, 2> c = concat<0>(a * 2, b);
    CHECK(array_equal(c(range(0, 300), all), a * 2));
    CHECK(array_equal(c(range(300, 800), all), b));
  }
}

TEST_CASE("a destination that shares memory with a part sees it as it was" * doctest::test_suite("any place")) {
  for (const std::ptrdiff_t n : {3, 2000, 100000}) {
    CAPTURE(n);
    const Array<float, 1> start = there(arange(static_cast<float>(2 * n)));
    const Array<float, 1> x = start(range(0, n)).clone();
    const Array<float, 1> y = start(range(n, none)).clone();
    Array<float, 1> a = start.clone();
    a = concat<0>(a(range(n, none)), a(range(0, n)));
    CHECK(array_equal(a, concat<0>(y, x)));
    a = start.clone();
    a(range(0, n)) = concat<0>(a(range(1, n)), a(range(0, 1)) + 5);
    CHECK(array_equal(a(range(0, n)), concat<0>(x(range(1, none)), x(range(0, 1)) + 5)));
    Array<float, 2> pairs = reshape(start.clone(), Dim{2, n});
    pairs(all, all) = stack<0>(pairs(1, all), pairs(0, all));
    CHECK(array_equal(pairs, stack<0>(y, x)));
  }
}

TEST_CASE("a join needs no memory but its result's") {
  const Array<float, 1> a = arange(1000.0f);
  const Array<float, 1> b(Dim{2000});
  const auto before = memory::stats(CpuPlace{}).allocations;
  assign(b, concat<0>(exp(a), a + 1));
  CHECK(memory::stats(CpuPlace{}).allocations == before);
}

TEST_CASE("a part that fails leaves the destination as it was") {
  const Array<float, 2> a = ones<float>(Dim{300, 300});
  const Array<float, 2> b = zeros<float>(Dim{600, 300});
  memory::trim(CpuPlace{});
  memory::set_limit(CpuPlace{}, memory::stats(CpuPlace{}).allocated);
  const std::string message = message_of<OutOfMemory>([&] { assign(b, concat<0>(a, a - sum<1>(a + 1, keepdims))); });
  const std::string two = message_of<OutOfMemory>([&] { assign(b, concat<0>(dot(a, a), dot(a, a))); });
  memory::set_limit(CpuPlace{}, PTRDIFF_MAX);
  CHECK(contains(two, "bytes"));
  CHECK(array_equal(b, zeros<float>(Dim{600, 300})));
  CHECK((contains(message, "bytes") || message == "nothing was thrown"));
  std::vector<float> values(4);
  const Array<float, 2> elsewhere(
      storage::BufferShare::make(memory::Allocation::borrow(values.data(), 16, PinnedPlace{})),
      Layout<2>{.shape = Dim{2, 2}, .strides = {2, 1}}, PinnedPlace{});
  const Array<float, 2> here = ones<float>(Dim{2, 2});
  const Array<float, 2> target = zeros<float>(Dim{4, 2});
  CHECK(contains(message_of<PlaceError>([&] { assign(target, concat<0>(here, elsewhere)); }), "pinned"));
  CHECK(contains(message_of<PlaceError>([&] { assign(target, concat<0>(std::vector{here, elsewhere})); }), "pinned"));
  CHECK(array_equal(target, zeros<float>(Dim{4, 2})));
}

TEST_CASE("parts that do not fit are a ShapeError that names the part, the axis and both extents") {
  const Array<float, 2> a(Dim{2, 3});
  const Array<float, 2> b(Dim{2, 4});
  const auto message = message_of<ShapeError>([&] { concat<0>(a, a, b); });
  CHECK(contains(message, "concat: part 2 does not fit part 0: axis 1 has extents 4 and 3"));
  CHECK(contains(message, "part 0 is (2, 3)"));
  CHECK(contains(message, "part 2 is (2, 4)"));
  CHECK(contains(message_of<ShapeError>([&] { stack<0>(a, b); }), "stack: part 1 does not fit part 0: axis 1"));
  CHECK(contains(message_of<ShapeError>([&] { concat<0>(std::vector<Array<float, 2>>{}); }),
                 "concat: there are no arrays to join"));
  Array<float, 2> c = zeros<float>(Dim{3, 3});
  CHECK(
      contains(message_of<ShapeError>([&] { c(ellipsis) = concat<0>(a, a); }), "(4, 3) does not broadcast to (3, 3)"));
}
