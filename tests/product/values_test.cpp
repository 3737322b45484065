// What products make of rounding, of infinities, and of being cut.
#include <thread>

#include "../expr/support.hpp"

using namespace tessera;
using namespace support;

namespace {

enum class Scale { even, ill, cancelling };

/// Around 1; or of any size from 1e-12 to 1e12; or such that sums over an even extent nearly vanish.
template <class T>
Array<T, 2> values(const Dim<2>& shape, Scale scale, bool left, Random& random) {
  const Array<T, 2> a(shape);
  for_each_position(shape, [&](const auto& at) {
    double value = random.real();
    if (scale == Scale::ill) value *= std::pow(10.0, static_cast<double>(random.between(-12, 12)));
    const bool second = at[left ? 1 : 0] % 2 == 1;
    if (scale == Scale::cancelling) value = (left && second ? -1.0 : 1.0) * (1.0 + 1e-6 * value);
    element(a, at) = static_cast<T>(value);
  });
  return a;
}

/// The largest error, in units of what is allowed.
template <class T>
double worst_error(const Array<T, 2>& a, const Array<T, 2>& b, const Array<T, 2>& c) {
  const std::ptrdiff_t inner = a.shape()[1];
  double worst = 0;
  for_each_position(c.shape(), [&](const auto& at) {
    long double sum = 0, sizes = 0;
    for (std::ptrdiff_t k = 0; k < inner; ++k) {
      const auto term = static_cast<long double>(element(a, std::array{at[0], k})) *
                        static_cast<long double>(element(b, std::array{k, at[1]}));
      sum += term;
      sizes += std::abs(term);
    }
    const auto allowed = static_cast<long double>(inner) * std::numeric_limits<T>::epsilon() * sizes;
    const auto error = std::abs(static_cast<long double>(element(c, at)) - sum);
    worst = std::max(worst, static_cast<double>(error / allowed));
  });
  return worst;
}

template <class T>
void check_errors(std::uint64_t salt) {
  Random random(salt);
  INFO(random.how_to_repeat() << ", " << name(dtype_of<T>));
  for (const Scale scale : {Scale::even, Scale::ill, Scale::cancelling}) {
    for (const Dim<3> size : {Dim{7, 5, 9}, Dim{33, 64, 20}, Dim{1, 1000, 40}, Dim{40, 1000, 1}, Dim{20, 1600, 50}}) {
      INFO(size << ", scale " << static_cast<int>(scale));
      const auto a = values<T>(Dim{size[0], size[1]}, scale, true, random);
      const auto b = values<T>(Dim{size[1], size[2]}, scale, false, random);
      const Array<T, 2> c = dot(a, b);
      CHECK(worst_error(a, b, c) <= 1);
    }
  }
}

/// One element of a factor is special: its row or column of the result is, and nothing else.
template <class T>
void check_special(T special, const Dim<3>& size, Random& random) {
  INFO(name(dtype_of<T>) << ", " << special << ", " << size);
  const Array<T, 2> a = random::uniform<T>(random::Key{random.bits()}, Dim{size[0], size[1]}) + T(1);
  const Array<T, 2> b = random::uniform<T>(random::Key{random.bits()}, Dim{size[1], size[2]}) + T(1);
  const std::ptrdiff_t row = random.below(size[0]), k = random.below(size[1]), column = random.below(size[2]);
  const Array<T, 2> left = a.clone(), right = b.clone();
  element(left, std::array{row, k}) = special;
  element(right, std::array{k, column}) = special;
  const Array<T, 2> by_left = dot(left, b), by_right = dot(a, right);
  const auto same = [&](T value) { return std::isnan(special) ? std::isnan(value) : value == special; };
  for_each_position(by_left.shape(), [&](const auto& at) {
    CHECK((at[0] == row ? same(element(by_left, at)) : std::isfinite(element(by_left, at))));
    CHECK((at[1] == column ? same(element(by_right, at)) : std::isfinite(element(by_right, at))));
  });
  element(right, std::array{k, column}) = T(0);
  const Array<T, 2> by_zero = dot(left, right);  // infinity times 0 is no number
  CHECK(std::isnan(element(by_zero, std::array{row, column})));
}

template <class T, int Rank>
bool same_bits(const Array<T, Rank>& a, const Array<T, Rank>& b) {
  return difference(elements(a), elements(b)) == "";
}

template <class T>
void check_batches(Random& random) {
  for (const Dim<3> size : {Dim{1, 40, 30}, Dim{1, 500, 70}, Dim{4, 4, 4}, Dim{4, 4, 1}, Dim{3, 700, 1}, Dim{1, 900, 1},
                            Dim{16, 16, 16}, Dim{17, 400, 33}, Dim{90, 500, 150}}) {
    for (const Arrangement kind : {Arrangement::contiguous, Arrangement::transposed, Arrangement::sliced}) {
      INFO(name(dtype_of<T>) << ", " << size << ", " << name_of(kind));
      const auto b = random_array<T>(Dim{size[1], size[2]}, kind, random);
      const auto check_all = [&](const auto& a) {
        const Array<T, 3> together = matmul(a, b);
        for (int i = 0; i < 5; ++i)
          CHECK(same_bits(Array<T, 2>(together(i, ellipsis)), Array<T, 2>(dot(a(i, ellipsis), b))));
      };
      const auto a = random_array<T>(Dim{5, size[0], 2 * size[1]}, Arrangement::contiguous, random);
      check_all(a(all, all, range(0, size[1])).clone());
      check_all(a(all, all, range(0, size[1])));
      check_all(a(all, all, range(0, 2 * size[1], 2)));
      check_all(flip<2>(a(all, all, range(size[1], 2 * size[1]))));
    }
  }
}

/// A vector beside a matrix whose columns, or rows, are many: threads take parts of its sums.
template <class T>
void check_long_sums(std::uint64_t key) {
  constexpr std::ptrdiff_t inner = 20011, count = 90;
  INFO(name(dtype_of<T>));
  const Array<T, 2> matrix = cast<T>(random::uniform<double>(random::Key{key}, Dim{inner, count}) - 0.5);
  const Array<T, 2> vectors = cast<T>(random::uniform<double>(random::Key{key + 1}, Dim{5, inner}) - 0.5);
  const Array<T, 1> vector = vectors(3, all);
  const Array<T, 2> together = matmul(vectors(all, newaxis, all), matrix)(all, 0, all);
  const auto expected = Array<T, 1>(together(3, all));
  const Array<T, 1> left = dot(vector, matrix), right = dot(matrix.T(), vector);
  CHECK(same_bits(left, expected));
  CHECK(same_bits(right, expected));
  const Array<T, 1> wide(Dim{2 * count});
  assign(wide(range(0, 2 * count, 2)), dot(matrix.T(), vector));
  CHECK(same_bits(Array<T, 1>(copy(wide(range(0, 2 * count, 2)))), expected));
  const bool has_threads = std::thread::hardware_concurrency() > 1;
  CHECK(contains(explain(dot(vector, matrix)), "cut along the inner extent") == has_threads);
}

}  // namespace

TEST_CASE("errors of sums are within K eps sum |a| |b|") {
  check_errors<float>(1400);
  check_errors<double>(1401);
}

TEST_CASE("infinities and NaNs pass through as IEEE has it") {
  Random random(1402);
  INFO(random.how_to_repeat());
  for (const Dim<3> size : {Dim{3, 4, 5}, Dim{20, 30, 40}, Dim{1, 50, 60}, Dim{60, 50, 1}, Dim{70, 900, 90}}) {
    check_special(std::numeric_limits<float>::infinity(), size, random);
    check_special(std::numeric_limits<float>::quiet_NaN(), size, random);
    check_special(-std::numeric_limits<double>::infinity(), size, random);
  }
}

TEST_CASE("a product of a batch has the bits of the product alone") {
  Random random(1403);
  INFO(random.how_to_repeat());
  check_batches<float>(random);
  check_batches<double>(random);
  check_batches<std::complex<float>>(random);
  check_batches<std::complex<double>>(random);
}

TEST_CASE("sums that are cut along the inner extent have the bits of those that are not") {
  check_long_sums<float>(1410);
  check_long_sums<double>(1412);
  check_long_sums<std::complex<float>>(1414);
  check_long_sums<std::complex<double>>(1416);
}

TEST_CASE("an expression around a product sees the bits of the product alone") {
  Random random(1404);
  INFO(random.how_to_repeat());
  for (const Dim<3> size : {Dim{5, 6, 7}, Dim{64, 784, 256}, Dim{300, 400, 500}, Dim{700, 90, 800}}) {
    const auto a = random_array<float>(Dim{size[0], size[1]}, Arrangement::contiguous, random);
    const auto b = random_array<float>(Dim{size[1], size[2]}, Arrangement::transposed, random);
    const Array<float, 2> alone = dot(a, b);
    CHECK(array_equal(relu(dot(a, b) + 1.0f), relu(alone + 1.0f)));
  }
}

TEST_CASE("a matrix times its own transpose is computed once, with the bits of two matrices") {
  Random random(1405);
  INFO(random.how_to_repeat());
  const auto check = [&]<class T>(T) {
    for (const Dim<2> shape : {Dim{256, 128}, Dim{300, 500}, Dim{1000, 200}, Dim{255, 300}}) {
      INFO(name(dtype_of<T>) << ", " << shape);
      const auto a = random_array<T>(shape, Arrangement::contiguous, random);
      const Array<T, 2> expected = dot(a, a.clone().T());
      const bool halved = shape[0] >= 256;
      CHECK(contains(explain(dot(a, a.T())), "one half is computed") == halved);
      CHECK(same_bits(Array<T, 2>(dot(a, a.T())), expected));
      const Array<T, 2> wide = full(Dim{shape[0] + 3, shape[0] + 5}, T(77));
      assign(wide(range(1, shape[0] + 1), range(2, shape[0] + 2)), dot(a, a.T()));
      CHECK(same_bits(Array<T, 2>(copy(wide(range(1, shape[0] + 1), range(2, shape[0] + 2)))), expected));
      CHECK(item(all(wide(0, ellipsis) == T(77))));
      CHECK(item(all(wide(all, shape[0] + 2) == T(77))));
      const Array<T, 2> columns = a.T().clone();
      CHECK(same_bits(Array<T, 2>(dot(columns.T(), columns)), expected));
    }
  };
  check(1.0f);
  check(1.0);
  check(std::complex<float>());
  check(std::complex<double>());
}
