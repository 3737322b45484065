// What explain() says of products is what they do: the calls that the BLAS then gets are those that its text names.
#include <dlfcn.h>

#include <regex>
#include <utility>

#include "../expr/support.hpp"

using namespace tessera;
using namespace support;

namespace {

// Before the first product, which opens the library.
const bool chosen = setenv("TESSERA_BLAS", FAKE_BLAS, 1) == 0;

struct Calls {
  int matrices = 0, vectors = 0;

  friend bool operator==(const Calls&, const Calls&) = default;
};

int count_of(const char* name) {
  static void* const library = dlopen(FAKE_BLAS, RTLD_NOW);
  return reinterpret_cast<int (*)()>(dlsym(library, name))();
}

Calls calls_so_far() { return {count_of("all_gemm_calls"), count_of("all_gemv_calls")}; }

int number_in(const std::string& text, const std::string& pattern, int otherwise) {
  std::smatch found;
  return std::regex_search(text, found, std::regex(pattern)) ? std::stoi(found[1]) : otherwise;
}

/// The calls that the text of one product comes to.
Calls said_by(const std::string& text) {
  const int tiles = number_in(text, "in ([0-9]+) x [0-9]+ tiles", 1) * number_in(text, "in [0-9]+ x ([0-9]+) tiles", 1);
  const int calls = tiles * number_in(text, "the same for each of ([0-9]+) pairs", 1);
  if (contains(text, "by the BLAS, as a")) return {0, calls};
  return {contains(text, "by the BLAS") ? calls : 0, 0};
}

/// The text, after `destination = source` has made the calls that it names.
template <class D, class S>
std::string checked(const D& destination, const S& source) {
  REQUIRE(chosen);
  const std::string text = explain(destination, source);
  INFO(text);
  const Calls before = calls_so_far();
  assign(destination, source);
  const Calls after = calls_so_far();
  CHECK(said_by(text) == Calls{after.matrices - before.matrices, after.vectors - before.vectors});
  return text;
}

template <class T>
Array<T, 2> matrix(std::ptrdiff_t rows, std::ptrdiff_t columns) {
  return ones<T>(Dim{rows, columns});
}

}  // namespace

TEST_CASE("explain names the calls of the BLAS that a product of matrices makes") {
  const auto checked_square = [](std::ptrdiff_t n) {
    return checked(matrix<float>(n, n), dot(matrix<float>(n, n), matrix<float>(n, n)));
  };
  CHECK(contains(checked_square(4), "by loops over registers, whole"));
  CHECK(contains(checked_square(100), "by the BLAS, whole, on 1 thread"));
  const Threads two(2);
  CHECK(contains(checked_square(130), "by the BLAS, in 1 x 2 tiles, on 2 threads"));
  CHECK(contains(checked(matrix<int>(100, 100), dot(matrix<int>(100, 100), matrix<int>(100, 100))), "by loops"));
  const std::string vector = checked(ones<double>(Dim{200}), dot(matrix<double>(200, 300), ones<double>(Dim{300})));
  CHECK(contains(vector, "by the BLAS, as a matrix by a vector"));
  CHECK(contains(checked(ones<double>(Dim{300}), dot(ones<double>(Dim{200}), matrix<double>(200, 300))),
                 "by the BLAS, as a vector by a matrix"));
  CHECK(contains(checked(matrix<float>(5, 6), dot(matrix<float>(5, 0), matrix<float>(0, 6))), "zeros"));
  CHECK(contains(checked(matrix<float>(0, 6), dot(matrix<float>(0, 5), matrix<float>(5, 6))), "nothing"));
}

TEST_CASE("explain says which factors stay and which are packed") {
  const auto a = matrix<float>(100, 200);
  const auto b = matrix<float>(100, 200);
  auto c = matrix<float>(100, 100);
  CHECK(contains(checked(c, dot(a, b.T())), "x1 strides (1, 200)  transposed, by a flag"));
  CHECK(!contains(checked(c, dot(a, b.T())), "Stage"));
  const auto wide = matrix<float>(100, 400);
  const std::string packed = checked(c, dot(wide(all, range(0, 400, 2)), b.T()));
  CHECK(contains(packed, "Stage 1 of 2: elementwise, into memory of its own"));
  CHECK(contains(packed, "x0 strides (200, 1)  as it lies"));
  const auto small = matrix<float>(6, 8);
  CHECK(contains(checked(matrix<float>(6, 6), dot(small(all, range(0, 8, 2)), matrix<float>(4, 6))),
                 "x0 strides (8, 2)  read as it lies"));
  const std::string narrow = checked(matrix<bfloat16>(40, 40), dot(matrix<bfloat16>(40, 40), matrix<bfloat16>(40, 40)));
  CHECK(contains(narrow, "factors of bfloat16, summed in float32"));
  CHECK(contains(narrow, "x0 = array"));
}

TEST_CASE("explain follows the destination of a product") {
  const auto a = matrix<double>(100, 200);
  const auto b = matrix<double>(200, 80);
  CHECK(contains(checked(matrix<double>(80, 100).T(), dot(a, b)), "as the product of the transposed factors"));
  const auto before = memory::stats(CpuPlace{}).allocations;
  checked(matrix<double>(100, 160)(all, range(0, 80)), dot(a, b));
  const auto straight = memory::stats(CpuPlace{}).allocations - before;
  const auto spread = matrix<double>(100, 160)(all, range(0, 160, 2));
  CHECK(contains(checked(spread, dot(a, b)), "through a temporary, copied"));
  CHECK(memory::stats(CpuPlace{}).allocations - before > 2 * straight);
}

TEST_CASE("explain says which axes of a batch become rows, and how many products are left") {
  const auto a = ones<double>(Dim{5, 40, 60});
  const auto b = ones<double>(Dim{5, 60, 30});
  const auto c = ones<double>(Dim{5, 40, 30});
  CHECK(contains(checked(c, matmul(a, b)), "the same for each of 5 pairs of matrices"));
  const std::string merged = checked(c, matmul(a, b(0, ellipsis)));
  CHECK(contains(merged, "(200, 60) times (60, 30)"));
  CHECK(!contains(merged, "pairs"));
  const auto large = ones<double>(Dim{2, 200, 200});
  checked(ones<double>(Dim{2, 200, 200}), matmul(large, large));
}

TEST_CASE("explain says how a product is cut when elementwise work follows it tile by tile") {
  const Threads two(2);
  for (const std::ptrdiff_t n : {3, 60, 130, 200}) {
    const auto a = matrix<double>(n, n);
    const std::string text = checked(matrix<double>(n, n), relu(dot(a, a) + 1));
    CHECK(contains(text, "computed tile by tile"));
    const int down = number_in(text, "in ([0-9]+) x", 1);
    const int across = number_in(text, "in [0-9]+ x ([0-9]+) tiles", 1);
    const int elements = number_in(text, "one loop over ([0-9]+) elements", 0);
    CHECK(elements > n * n / (down * across) / 2);
    CHECK(elements <= (n / down + 16) * (n / across + 16));
  }
}
