// matmul of batches, vectors and matrices, vecdot and outer, against a walk over all positions of the result.
#include <sys/mman.h>

#include <source_location>

#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

/// Small whole numbers: every order of summation is exact, so results must be equal.
template <class T, int Rank>
Array<T, Rank> whole_numbers(const Dim<Rank>& shape, Arrangement kind, Random& random) {
  const Array<T, Rank> a = storage_like<T>(shape, kind, T(0), random);
  for_each_position(shape, [&](const auto& at) {
    const auto value = static_cast<int>(random.below(7)) - (std::is_unsigned_v<T> ? 0 : 3);
    if constexpr (Complex<T>) {
      using Part = typename T::value_type;
      element(a, at) = T(static_cast<Part>(value), static_cast<Part>(random.below(5)));
    } else {
      element(a, at) = T(value);
    }
  });
  return a;
}

/// The position in an operand's leading axes that belongs to a position of the result's, where extents of 1 repeat.
template <int Rank, std::size_t N>
auto operand_position(const Dim<Rank>& shape, const std::array<std::ptrdiff_t, N>& at, int result_batch) {
  std::array<std::ptrdiff_t, static_cast<std::size_t>(Rank) + 1> position{};
  const int batch = std::max(Rank - 2, 0);
  for (int axis = 0; axis < batch; ++axis) {
    const auto from = static_cast<std::size_t>(axis + result_batch - batch);
    position[static_cast<std::size_t>(axis)] = shape[axis] == 1 ? 0 : at[from];
  }
  return position;
}

/// What the definition of matmul gives, element by element.
template <class T, int RankA, int RankB, int Rank>
std::vector<T> product_of(const Array<T, RankA>& a, const Array<T, RankB>& b, const Dim<Rank>& shape) {
  constexpr int batch = std::max({RankA - 2, RankB - 2, 0});
  std::vector<T> values;
  for_each_position(shape, [&](const auto& at) {
    auto in_a = operand_position(a.shape(), at, batch);
    auto in_b = operand_position(b.shape(), at, batch);
    if constexpr (RankA > 1) in_a[RankA - 2] = at[batch];
    if constexpr (RankB > 1) in_b[RankB - 1] = at[Rank - 1];
    T total(0);
    for (std::ptrdiff_t k = 0; k < a.shape()[RankA - 1]; ++k) {
      in_a[RankA - 1] = k;
      in_b[RankB > 1 ? RankB - 2 : 0] = k;
      total = static_cast<T>(total + element(a, in_a) * element(b, in_b));
    }
    values.push_back(static_cast<T>(total + T(0)));
  });
  return values;
}

/// Elements in which every zero is positive: kernels differ in the sign of a sum that is 0.
template <class A>
auto unsigned_zeros(const A& array) {
  using T = typename A::value_type;
  auto values = elements(Array<T, A::rank>(array));
  for (T& value : values) value = static_cast<T>(value + T(0));
  return values;
}

template <class T, int RankA, int RankB>
void check_product(const Array<T, RankA>& a, const Array<T, RankB>& b, Random& random) {
  INFO(name(dtype_of<T>) << " " << a.shape() << " by " << b.shape());
  const auto x = there(a);
  const auto y = there(b);
  const auto plain = evaluate(matmul(x, y));
  const auto expected = product_of(a, b, plain.shape());
  CHECK(difference(unsigned_zeros(plain), expected) == "");
  const Arrangement kind = target_arrangements[random.below(5)];
  INFO("into " << name_of(kind));
  const auto target = there(storage_like<T>(plain.shape(), kind, T(77), random, false));
  assign(target, matmul(x, y));
  CHECK(difference(unsigned_zeros(target), expected) == "");
  CHECK(array_equal(evaluate(matmul(x, y) + plain), evaluate(plain + plain)));
}

/// Factors of the given ranks, whose leading axes are equal, 1, or missing.
template <class T, int RankA, int RankB>
void check_ranks(Random& random) {
  std::ptrdiff_t leading[8];
  for (auto& extent : leading) extent = random.between(1, 3);
  const std::ptrdiff_t inner = random.below(20) == 0 ? 0 : random.between(1, 20);
  const auto shape_of = [&]<int Rank>(Dim<Rank> shape, bool left) {
    for (int axis = 0; axis < Rank - 2; ++axis)
      shape = shape.with(axis, random.below(3) == 0 ? 1 : leading[Rank - 3 - axis]);
    if constexpr (Rank > 1) shape = shape.with(left ? Rank - 2 : Rank - 1, random.between(1, 20));
    return shape.with(left || Rank == 1 ? Rank - 1 : Rank - 2, inner);
  };
  const auto kind = [&] { return all_arrangements[random.below(6)]; };
  const auto a = whole_numbers<T>(shape_of(Dim<RankA>{}, true), kind(), random);
  const auto b = whole_numbers<T>(shape_of(Dim<RankB>{}, false), kind(), random);
  check_product(a, b, random);
}

template <class T>
void check_type(std::uint64_t salt, int trials) {
  Random random(salt);
  INFO(random.how_to_repeat());
  for (int trial = 0; trial < few_of(trials); ++trial) {
    check_ranks<T, 2, 2>(random);
    check_ranks<T, 3, 3>(random);
    check_ranks<T, 3, 2>(random);
    check_ranks<T, 2, 4>(random);
    check_ranks<T, 1, 3>(random);
    check_ranks<T, 3, 1>(random);
    check_ranks<T, 1, 2>(random);
    check_ranks<T, 2, 1>(random);
  }
}

/// Pages of which the last may not be touched.
class GuardedPages {
 public:
  GuardedPages() : first_(mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    REQUIRE(first_ != MAP_FAILED);
    REQUIRE(mprotect(end(), page, PROT_NONE) == 0);
  }
  GuardedPages(const GuardedPages&) = delete;
  GuardedPages& operator=(const GuardedPages&) = delete;
  ~GuardedPages() { munmap(first_, 3 * page); }

  /// An array that ends with the last byte that may be touched.
  template <class T, int Rank>
  Array<T, Rank> filled(const Dim<Rank>& shape, T value) const {
    T* data = reinterpret_cast<T*>(end()) - product(shape);
    std::fill_n(data, product(shape), value);
    return borrow(data, shape);
  }

 private:
  static constexpr std::size_t page = 4096;
  std::byte* end() const { return static_cast<std::byte*>(first_) + 2 * page; }
  void* first_;
};

/// Vectors that end where mapped memory does, times matrices of all small shapes.
template <class T>
void check_last_elements() {
  const GuardedPages matrix_pages, vector_pages;
  for (std::ptrdiff_t rows = 1; rows < 20; ++rows) {
    for (std::ptrdiff_t columns = 1; columns < 20; ++columns) {
      INFO(name(dtype_of<T>) << ", " << rows << " x " << columns);
      const auto matrix = matrix_pages.filled(Dim{rows, columns}, T(2));
      const auto from_left = vector_pages.filled(Dim{rows}, T(3));
      CHECK(item(all(matmul(from_left, matrix) == T(6 * rows))));
      const auto from_right = vector_pages.filled(Dim{columns}, T(3));
      CHECK(item(all(matmul(matrix, from_right) == T(6 * columns))));
    }
  }
}

}  // namespace

TEST_CASE("matmul broadcasts the leading axes") {
  // --8<-- [start:matmul]
  const Array<float, 3> x = random::uniform<float>(random::Key{1}, Dim{8, 5, 4});  // eight matrices
  const Array<float, 2> w = random::uniform<float>(random::Key{2}, Dim{4, 3});
  const Array<float, 3> y = matmul(x, w);                    // each times w: (8, 5, 3)
  const Array<float, 3> z = matmul(matrix_transpose(x), y);  // (8, 4, 5) by (8, 5, 3); the transposition costs no copy
  const Array<float, 2> v = matmul(x, w(all, 0));            // a vector is a column: (8, 5)
  CHECK(allclose(y(3, ellipsis), dot(x(3, ellipsis), w)));
  CHECK(z.shape() == Dim{8, 4, 3});
  CHECK(allclose(v, y(all, all, 0)));
  CHECK(allclose(vecdot(x, x), sum<-1>(x * x)));  // inner products of rows: (8, 5)
  CHECK(outer(w(all, 0), w(0, all)).shape() == Dim{4, 3});
  // --8<-- [end:matmul]
}

TEST_CASE("float and double batches of every layout are those of the definition" * doctest::test_suite("any place")) {
  check_type<float>(1100, 60);
  check_type<double>(1101, 30);
}

TEST_CASE("batches of 16-bit floats, integers and complex numbers" * doctest::test_suite("any place")) {
  check_type<bfloat16>(1102, 15);
  check_type<std::int8_t>(1103, 15);
  check_type<std::uint64_t>(1104, 15);
  check_type<std::complex<float>>(1105, 20);
  check_type<std::complex<double>>(1106, 10);
}

TEST_CASE("nothing behind the last element of a vector is read") {
  check_last_elements<float>();
  check_last_elements<double>();
  check_last_elements<std::complex<float>>();
  check_last_elements<std::complex<double>>();
}

TEST_CASE("factors of rank 9" * doctest::test_suite("any place")) {
  Random random(1107);
  INFO(random.how_to_repeat());
  check_ranks<float, 9, 2>(random);
  check_ranks<float, 9, 9>(random);
  check_ranks<std::int32_t, 2, 9>(random);
}

TEST_CASE("sizes around those at which registers give way to blocks, batches to tiles, and tiles to more tiles" *
          doctest::test_suite("any place")) {
  Random random(1108);
  INFO(random.how_to_repeat());
  for (const std::ptrdiff_t side : {15, 16, 17, 33, 99, 101, 127, 129}) {
    if (is_short_run() && side > 33) return;
    const auto kind = all_arrangements[random.below(6)];
    const auto a = whole_numbers<float>(Dim{3, side, side}, kind, random);
    const auto b = whole_numbers<float>(Dim{3, side, side}, Arrangement::transposed, random);
    check_product(a, b, random);
    check_product(a, Array<float, 2>(b(1, ellipsis)), random);
  }
  const auto wide = whole_numbers<std::int32_t>(Dim{2, 70, 300}, Arrangement::contiguous, random);
  check_product(wide, Array<std::int32_t, 3>(matrix_transpose(wide)), random);
  check_product(whole_numbers<float>(Dim{1, 1, 3000}, Arrangement::negative, random),
                whole_numbers<float>(Dim{3000, 900}, Arrangement::contiguous, random), random);
}

TEST_CASE("the rows of a batch become one matrix where the other factor repeats, also of single rows") {
  Random random(1109);
  INFO(random.how_to_repeat());
  const auto w = whole_numbers<float>(Dim{40, 30}, Arrangement::transposed, random);
  check_product(whole_numbers<float>(Dim{5, 20, 40}, Arrangement::contiguous, random), w, random);
  check_product(whole_numbers<float>(Dim{5, 4, 20, 40}, Arrangement::contiguous, random), w, random);
  check_product(whole_numbers<float>(Dim{50, 1, 40}, Arrangement::contiguous, random), w, random);
  check_product(whole_numbers<float>(Dim{50, 1, 40}, Arrangement::sliced, random), w, random);
  const Array<float, 3> columns = zeros<float>(Dim{6, 30, 7});
  const auto a = whole_numbers<float>(Dim{6, 30, 40}, Arrangement::contiguous, random);
  const auto b = whole_numbers<float>(Dim{40, 7}, Arrangement::contiguous, random);
  assign(matrix_transpose(zeros<float>(Dim{6, 7, 30})), matmul(a, b));
  assign(columns, matmul(a, b));
  CHECK(difference(elements(columns), product_of(a, b, columns.shape())) == "");
}

TEST_CASE("zero extents give empty or zero results" * doctest::test_suite("any place")) {
  CHECK(evaluate(matmul(there(zeros<float>(Dim{0, 3, 4})), there(zeros<float>(Dim{4, 2})))).shape() == Dim{0, 3, 2});
  CHECK(evaluate(matmul(there(zeros<float>(Dim{2, 0, 4})), there(zeros<float>(Dim{4, 2})))).shape() == Dim{2, 0, 2});
  for (const float before : {1.0f, std::numeric_limits<float>::quiet_NaN()}) {
    Array<float, 3> c = there(full(Dim{2, 3, 5}, before));
    c = matmul(there(zeros<float>(Dim{2, 3, 0})), there(zeros<float>(Dim{0, 5})));
    CHECK(array_equal(c, there(zeros<float>(Dim{2, 3, 5}))));
    Array<float, 1> d = there(full(Dim{40}, before));
    d = matmul(there(ones<float>(Dim{40, 50})),
               there(ones<float>(Dim{50})));  // what was there does not get into the result
    CHECK(array_equal(d, there(full(Dim{40}, 50.0f))));
  }
}

TEST_CASE("vectors in every direction, and both at once" * doctest::test_suite("any place")) {
  Random random(1110);
  INFO(random.how_to_repeat());
  for (const std::ptrdiff_t n : {1, 2, 17, 200}) {
    const auto a = whole_numbers<double>(Dim{n, 2 * n}, Arrangement::contiguous, random);
    const auto row = whole_numbers<double>(Dim<1>{n}, Arrangement::contiguous, random);
    const auto long_row = whole_numbers<double>(Dim<1>{4 * n}, Arrangement::contiguous, random);
    check_product(row, a, random);
    check_product(flip(row), a, random);
    check_product(a, Array<double, 1>(long_row(range(none, none, 2))), random);
    check_product(a, flip(Array<double, 1>(long_row(range(none, none, 2)))), random);
    check_product(flip<0>(a), broadcast_to(row(range(0, 1)), Dim{2 * n}), random);
    check_product(expand_dims<0>(flip(row)), expand_dims<1>(flip(row)), random);
    CHECK(item(matmul(row, flip(row))) == item(sum(row * flip(row))));
  }
  static_assert(std::same_as<value_of<decltype(matmul(make_array<std::int8_t>({1}), make_array<std::int8_t>({1})))>,
                             std::int8_t>);
  CHECK(item(matmul(make_array<std::int8_t>({100}), make_array<std::int8_t>({3}))) == 44);  // 300 - 256
}

TEST_CASE("vecdot conjugates its first operand and takes any axis that both have") {
  using C = std::complex<float>;
  const Array<C, 1> z = make_array<C>({C(1, 2), C(3, -1)});
  CHECK(item(vecdot(z, z)) == C(15, 0));
  const Array<float, 2> a = reshape(arange(6.0f), Dim{2, 3});
  CHECK(array_equal(vecdot<-2>(a, a + 1), sum<0>(a * (a + 1))));
  CHECK(array_equal(vecdot(a, a(0, all)), sum<1>(a * a(0, all))));
  CHECK(contains(message_of<ShapeError>([&] { vecdot(a, a(all, 0)); }), "vecdot: the inner extents differ"));
}

TEST_CASE("outer is all products, fused with what is around it") {
  const Array<float, 1> a = arange(3.0f);
  const Array<float, 1> b = arange(4.0f);
  const Array<float, 2> c = outer(a, b + 1) - 1;
  for_each_position(c.shape(), [&](const auto& at) {
    CHECK(element(c, at) == static_cast<float>(at[0]) * (static_cast<float>(at[1]) + 1) - 1);
  });
}

TEST_CASE("a destination that overlaps a factor of a batch") {
  Random random(1111);
  const auto a = whole_numbers<float>(Dim{4, 30, 30}, Arrangement::contiguous, random);
  const auto expected = product_of(a, Array<float, 2>(a(0, ellipsis)), a.shape());
  Array<float, 3> b = a.clone();
  b = matmul(b, b(0, ellipsis));
  CHECK(difference(elements(b), expected) == "");
}

TEST_CASE("products are the same bits for any number of threads") {
  Random random(1112);
  INFO(random.how_to_repeat());
  const auto check = [&](const auto& a, const auto& b) {
    INFO(a.shape() << " by " << b.shape());
    const auto with = [&](int threads) {
      const Threads restore(threads);
      const auto c = evaluate(matmul(a, b));
      return elements(
          Array<typename std::remove_cvref_t<decltype(c)>::value_type, std::remove_cvref_t<decltype(c)>::rank>(c));
    };
    const auto reference = with(1);
    for (const int threads : {2, 3, 4}) CHECK(difference(with(threads), reference) == "");
  };
  const auto values = [&]<class T, int Rank>(T, const Dim<Rank>& shape) {
    return random_array<T>(shape, Arrangement::contiguous, random);
  };
  check(values(1.0f, Dim{300, 257}), values(1.0f, Dim{257, 311}));
  check(values(1.0, Dim{301, 400}), values(1.0, Dim{400, 150}));
  check(values(1.0f, Dim{7, 60, 61}), values(1.0f, Dim{7, 61, 62}));
  check(values(1.0f, Dim{3, 160, 161}), values(1.0f, Dim{161, 162}));
  check(values(1.0f, Dim{1500, 1400}), values(1.0f, Dim<1>{1400}));
  check(values(std::complex<float>(), Dim{150, 160}), values(std::complex<float>(), Dim{160, 170}));
  check(values(bfloat16(1.0f), Dim{200, 150}), values(bfloat16(1.0f), Dim{150, 180}));
}

TEST_CASE(
    "factors and results of any strides are not copied: a product takes memory for blocks, and for one at a time") {
  const Array<float, 3> a = ones<float>(Dim{4, 2000, 80});
  const Array<float, 2> tall = ones<float>(Dim{80, 1200});
  const Array<float, 3> c = zeros<float>(Dim{4, 2000, 60});
  const Array<float, 2> one = zeros<float>(Dim{2000, 120});
  const auto check = [&](const auto& destination, const auto& source) {
    const Threads alone(1);
    const auto before = memory::stats(CpuPlace{});
    assign(destination, source);
    const auto after = memory::stats(CpuPlace{});
    CHECK(after.allocations - before.allocations <= 1);
    for (std::size_t group = 13; group < after.histogram.size(); ++group)  // of more than 256 KiB
      CHECK(after.histogram[group] == before.histogram[group]);
  };
  const auto w = tall(all, range(7, 67));
  check(c, matmul(a, w));
  check(c, matmul(a, w(range(none, none, -1), range(none, none, -1))));
  check(matrix_transpose(zeros<float>(Dim{4, 60, 2000})), matmul(a, w));
  check(one(all, range(0, 60)), dot(a(1, ellipsis), w));
  check(one(all, range(0, 40)), dot(a(1, all, range(0, 80, 2)), tall(range(0, 80, 2), range(0, 120, 3))));
  check(one(0, all), dot(a(1, 0, all), tall(all, range(0, 1200, 10))));
  check(one(all, 0), dot(a(1, ellipsis), tall(range(none, none, -1), 3)));
  CHECK(one[{1999, 39}] == 40.0f);
}

TEST_CASE("inner extents and leading axes that do not fit are a ShapeError with both shapes and the caller's line") {
  const Array<float, 3> a(Dim{2, 3, 4});
  const Array<float, 3> b(Dim{2, 5, 6});
  const auto line = std::source_location::current().line() + 1;
  const auto message = message_of<ShapeError>([&] { matmul(a, b); });
  CHECK(contains(message, "matmul: the inner extents differ: the last axis of a has 4, axis 1 of b has 5"));
  CHECK(contains(message, "a is (2, 3, 4)"));
  CHECK(contains(message, "matmul_test.cpp:" + std::to_string(line)));
  const Array<float, 3> c(Dim{7, 4, 6});
  CHECK(contains(message_of<ShapeError>([&] { matmul(a, c); }), "matmul: the shapes (2,) and (7,) do not broadcast"));
  CHECK(contains(message_of<ShapeError>([&] { matmul(a, b(0, 0, all)); }), "the only axis of b has 6"));
}
