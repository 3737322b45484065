// Products of bfloat16 on a BLAS that has a kernel for them: in every layout, by that kernel, summed in float.
#include <dlfcn.h>

#include "../expr/support.hpp"

using namespace tessera;
using namespace support;

namespace {

// Before the first product, which opens the library.
const bool chosen = setenv("TESSERA_BLAS", FAKE_BLAS, 1) == 0;

int calls() {
  void* library = dlopen(FAKE_BLAS, RTLD_NOW | RTLD_NOLOAD);
  REQUIRE(library != nullptr);
  const auto count = reinterpret_cast<int (*)()>(dlsym(library, "sbgemm_calls"));
  REQUIRE((count != nullptr));
  const int value = count();
  dlclose(library);
  return value;
}

/// What float sums give, rounded once.
std::vector<bfloat16> product_of(const Array<bfloat16, 2>& a, const Array<bfloat16, 2>& b) {
  std::vector<bfloat16> values;
  for_each_position(Dim{a.shape()[0], b.shape()[1]}, [&](const auto& at) {
    float sum = 0;
    for (std::ptrdiff_t k = 0; k < a.shape()[1]; ++k)
      sum += float(element(a, std::array{at[0], k})) * float(element(b, std::array{k, at[1]}));
    values.push_back(bfloat16(sum));
  });
  return values;
}

Array<bfloat16, 2> whole_numbers(const Dim<2>& shape, Arrangement kind, Random& random) {
  const auto a = storage_like<bfloat16>(shape, kind, bfloat16(0.0f), random);
  for_each_position(shape, [&](const auto& at) { element(a, at) = bfloat16(static_cast<int>(random.below(7)) - 3); });
  return a;
}

}  // namespace

TEST_CASE("every pair of layouts goes to the kernel for bfloat16") {
  Random random(1200);
  INFO(random.how_to_repeat());
  REQUIRE(chosen);
  REQUIRE(blas::has_bfloat16());
  for (const Arrangement left : all_arrangements) {
    for (const Arrangement right : all_arrangements) {
      INFO(name_of(left) << " by " << name_of(right));
      const Dim<3> size{random.between(1, 40), random.between(1, 40), random.between(1, 40)};
      INFO("rows, inner, columns " << size);
      const auto a = whole_numbers(Dim{size[0], size[1]}, left, random);
      const auto b = whole_numbers(Dim{size[1], size[2]}, right, random);
      const int before = calls();
      const Array<bfloat16, 2> c = dot(a, b);
      CHECK(calls() == before + 1);
      CHECK(difference(elements(c), product_of(a, b)) == "");
      Array<float, 2> wide(c.shape());
      wide = dot(a, b) + 0.5f;
      CHECK(array_equal(wide, evaluate(cast<float>(c) + 0.5f)));
      CHECK(array_equal(evaluate(dot(a, b(all, 0))), c(all, 0)));
      CHECK(array_equal(evaluate(dot(a(0, all), b)), c(0, all)));
    }
  }
}

TEST_CASE("sums of bfloat16 are in float: 256 + 1 is not lost before the result is rounded") {
  const Array<bfloat16, 2> row = ones<bfloat16>(Dim{1, 300});
  Array<float, 2> sum(Dim{1, 1});
  sum = dot(row, row.T()) + 0.0f;
  CHECK(sum[{0, 0}] == 300.0f);
}

TEST_CASE("batches of bfloat16, and products of other types, on the same library") {
  Random random(1201);
  const auto b = whole_numbers(Dim{30, 20}, Arrangement::transposed, random);
  const auto a = random_array<bfloat16>(Dim{5, 10, 30}, Arrangement::contiguous, random);
  const int before = calls();
  const Array<bfloat16, 3> c = matmul(a, b);
  CHECK(calls() > before);
  for (int i = 0; i < 5; ++i)
    CHECK(difference(elements(Array<bfloat16, 2>(c(i, ellipsis))), product_of(Array<bfloat16, 2>(a(i, ellipsis)), b)) ==
          "");
  const Array<double, 2> wide = evaluate(cast<double>(b));
  CHECK(array_equal(dot(wide.T(), wide), dot(Array<double, 2>(wide.clone()).T(), wide)));
  const Array<std::complex<float>, 1> z =
      dot(full(Dim{20, 30}, std::complex<float>(0, 1)), full(Dim{30}, std::complex<float>(0, 2)));
  CHECK(z[{19}] == std::complex<float>(-60, 0));
}
