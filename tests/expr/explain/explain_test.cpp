// explain(): what it says is what the evaluator does.
#include <regex>
#include <sstream>
#include <stdexcept>

#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

/// Steps until a number of the Collatz sequence reaches 1: a loop that no vectoriser handles.
struct Collatz {
  static float map(float x) {
    int steps = 0;
    for (auto n = static_cast<unsigned>(x * 100) + 1; n != 1; n = n % 2 != 0 ? 3 * n + 1 : n / 2) ++steps;
    return static_cast<float>(steps);
  }
};
// --8<-- [start:device]
struct Larger {
  static constexpr const char* device = "$0 > $1 ? $0 : $1";
  static float map(float a, float b) { return a > b ? a : b; }
};
// --8<-- [end:device]
struct Declared {
  static constexpr bool vectorises = false;
  static constexpr int flops = 1234;
  static float map(float a) { return a + 1; }
};
struct Touchy {
  static float map(float a) {
    if (a > 0) throw std::domain_error("no");
    return a;
  }
};

/// Whether kernels are compiled with optimisation, and without instrumentation that keeps loops scalar.
#if defined(NDEBUG) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
constexpr bool compiler_vectorises = true;
#else
constexpr bool compiler_vectorises = false;
#endif

/// The text of a section, from its heading to the next one.
std::string section(const std::string& text, const std::string& heading) {
  std::istringstream lines(text);
  std::string found;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.front() != ' ') inside = line.starts_with(heading);
    if (inside) found += line + "\n";
  }
  return found;
}

/// The output on the documentation's page.
constexpr const char* sample =
#include "explain_sample.inc"
    ;

/// The text without what depends on the machine: the instruction set and times.
std::string everywhere_the_same(const std::string& text) {
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.find("--8<--") != std::string::npos || line.find("one by one") != std::string::npos)
      continue;
    kept += std::regex_replace(line, std::regex("baseline|avx2|avx512|limit about [0-9.]+"), "...") + "\n";
  }
  return kept;
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("explain prints the tree, the types and a plan whose axes are one") {
  // --8<-- [start:update]
  auto w = ones<float>(Dim{784, 10});
  auto grad = ones<float>(Dim{784, 10});
  const float eta = 0.1f, lambda = 0.01f;
  const std::string text = explain(w, -eta * (grad + lambda * w));
  // --8<-- [end:update]
  CHECK(section(text, "Tree") ==
        "Tree\n"
        "  operator *         float32     (784, 10)\n"
        "    s0 = scalar      float32     ()         -0.1\n"
        "    operator +       float32     (784, 10)\n"
        "      x0 = array     float32     (784, 10)  strides (10, 1), contiguous, on cpu\n"
        "      operator *     float32     (784, 10)\n"
        "        s1 = scalar  float32     ()         0.01\n"
        "        x1 = array   float32     (784, 10)  strides (10, 1), contiguous, on cpu\n");
  CHECK(section(text, "Types") == "Types\n  reads float32; computes in float32; writes float32\n");
  const std::string plan = section(text, "Plan");
  CHECK(contains(plan, "one loop over 7840 elements into the destination"));
  CHECK(contains(plan, "slowest first: (7840,)"));
  CHECK(count(plan, "strides (1,) ") == 3);
  CHECK(contains(plan, "y   float32    strides (1,)         direct: written where it lies"));
  CHECK(contains(plan, "x1  float32    strides (1,)         direct: read where it lies"));
  CHECK(contains(plan, "one call of the kernel, on 1 thread, with " + std::string(name(device::isa()))));
  CHECK(contains(section(text, "Cost"), "8 bytes read (x0 4, x1 4), 4 written, about 3 operations"));
  CHECK(contains(section(text, "Cost"), "intensity 0.25 operations a byte: bound by memory"));
  CHECK(!contains(text, "temporary"));
  CHECK(everywhere_the_same(text) == everywhere_the_same(sample));
}

TEST_CASE("explain says how many threads share the work, and which instruction set does it") {
  const Threads two(2);
  const auto x = ones<float>(Dim{1000, 1000});
  for_each_isa([&](device::Isa isa) {
    CHECK(contains(section(explain(x + 1), "Plan"), "on 2 threads, with " + std::string(name(isa))));
  });
  set_num_threads(1);
  CHECK(contains(section(explain(x + 1), "Plan"), "on 1 thread, with"));
}

TEST_CASE("explain shows what repeats, what is strided and what is one value") {
  const auto x = ones<float>(Dim{500, 300});
  const auto row = ones<float>(Dim{300});
  const Array<float, 2> column = ones<float>(Dim{500, 1});
  const Array<float, 2> one = ones<float>(Dim{1, 1});
  const std::string plan = section(explain(x + row * column + one), "Plan");
  CHECK(contains(plan, "slowest first: (500, 300)"));
  CHECK(contains(plan, "x1  float32    strides (0, 1)"));
  CHECK(contains(plan, "x2  float32    strides (1, 0)       one value for a block"));
  CHECK(contains(plan, "x3  float32    strides (0, 0)       one value for a block"));
  const auto narrow = ones<float>(Dim{64, 10});
  CHECK(contains(explain(narrow + ones<float>(Dim{10})), "strides (0, 1)       its row repeated into a block"));
  const std::string cost = section(explain(x + row * column + one), "Cost");
  CHECK(contains(cost, "(x0 4, x1 0.008, x2 0.0133, x3 "));
  const std::string strided = section(explain(x(all, range(0, 300, 3)) * 2), "Plan");
  CHECK(contains(strided, "slowest first: (50000,)"));
  CHECK(contains(strided, "x0  float32    strides (3,)         packed into a block"));
  const std::string joined = section(explain(x(all, range(none, none, -1))(all, range(none, none, -1)) * 2), "Plan");
  CHECK(contains(joined, "slowest first: (150000,)"));
}

TEST_CASE("explain shows what is transposed") {
  const auto x = ones<float>(Dim{300, 200});
  const auto y = ones<float>(Dim{200, 300});
  const std::string plan = section(explain(x.T() + y), "Plan");
  CHECK(contains(plan, "transposed block by block"));
  CHECK(contains(plan, "direct: read where it lies"));
  CHECK(contains(section(explain(x.T() + x.T()), "Tree"), "strides (1, 200), on cpu"));
}

TEST_CASE("explain of an assignment follows the destination's strides") {
  auto x = ones<float>(Dim{100, 200});
  auto y = ones<float>(Dim{200, 100});
  const std::string along = section(explain(y.T(), x.T().T() * 2), "Plan");
  CHECK(contains(along, "y   float32"));
  CHECK(contains(section(explain(y(all, range(0, 100, 2)), 1.0f), "Plan"), "spread over its strides"));
  CHECK(contains(section(explain(x.T(), x.T() * 2), "Plan"), "slowest first: (20000,)"));
}

TEST_CASE("explain says when shared memory makes a temporary necessary") {
  auto s = ones<float>(Dim{300, 300});
  const std::string text = explain(s, s.T() + 1);
  CHECK(contains(section(text, "Plan"), "a temporary of 360000 bytes"));
  CHECK(!contains(explain(s, s + 1), "temporary"));
  CHECK(!contains(explain(s.T(), s.T() + 1), "temporary"));
  CHECK(contains(explain(s(range(1, none), ellipsis), s(range(0, -1), ellipsis) * 2), "a temporary of 358800 bytes"));
}

TEST_CASE("reductions and products are stages of their own, fused with what they reduce") {
  const auto z = ones<float>(Dim{64, 10});
  const std::string text = explain(exp(z - max<1>(z, keepdims)) / sum(z));
  CHECK(contains(text, "Stage 1 of 3: max, into memory of its own"));
  CHECK(contains(text, "Stage 2 of 3: sum, into memory of its own"));
  CHECK(contains(text, "Stage 3 of 3: elementwise, into a new array"));
  CHECK(contains(text, "x1 = result of stage 1"));
  CHECK(contains(text, "x2 = result of stage 2"));
  CHECK(contains(text, "folds (64, 10) along axis 1 into memory of its own"));
  CHECK(contains(text, "folds (64, 10) along axes 0, 1 into memory of its own"));
  const std::string alone = explain(sum<0>(z * z));
  CHECK(!contains(alone, "Stage"));
  CHECK(contains(section(alone, "Plan"), "folds (64, 10) along axis 0 into a new array"));
  CHECK(contains(section(alone, "Cost"), "8 bytes read, about 2 operations"));
  CHECK(contains(section(alone, "CUDA"), "const float v0 = tessera_multiply(x0, x1);"));
}

TEST_CASE("explain shows how products are multiplied, and the elementwise work that follows tile by tile") {
  const auto x = ones<float>(Dim{64, 784});
  const auto w = ones<float>(Dim{10, 784});
  const auto b = ones<float>(Dim{10});
  const std::string text = explain(relu(dot(x, w.T()) + b));
  CHECK(contains(text, "Stage 1 of 2: dot, into tiles, for the stage that reads it"));
  CHECK(contains(text, "(64, 784) times (784, 10)"));
  CHECK(contains(text, "x1 strides (1, 784)  packed block by block"));
  CHECK(contains(text, "x0  float32    strides (10, 1)      computed in the cache"));
  CHECK(contains(text, "computed tile by tile"));
  const std::string alone = explain(dot(x + 1, w.T()));
  CHECK(contains(alone, "Stage 1 of 2: elementwise, into blocks, for the product that reads them"));
  CHECK(contains(alone, "Stage 2 of 2: dot, into a new array"));
}

TEST_CASE("normalisations and joins are stages that nothing computes while they are explained") {
  const auto z = ones<float>(Dim{64, 10});
  const std::string alone = explain(softmax<1>(z * 2));
  CHECK(contains(alone, "normalises (64, 10) along axis 1 into a new array"));
  const std::string inside = explain(softmax<1>(z) + 1);
  CHECK(contains(inside, "softmax, into the cache, for the stage that reads it"));
  CHECK(contains(inside, "computed in the cache just before it is read"));
  const auto before = memory::stats(CpuPlace{}).allocations;
  const std::string joined = explain(concat<0>(z, z) * 2);
  CHECK(memory::stats(CpuPlace{}).allocations == before);
  CHECK(contains(joined, "Stage 1 of 2: concat, into memory of its own"));
  CHECK(contains(joined, "one loop over 640 elements: "));
  const auto batch = ones<float>(Dim{5, 64, 64});
  CHECK(contains(explain(matmul(batch, batch)), "the same for each of 5 pairs of matrices"));
}

TEST_CASE("operands whose elements move are shown with the loops that move them") {
  const auto x = ones<float>(Dim{4, 6});
  const std::string rolled = explain(roll<0>(exp(x), 1));
  CHECK(!contains(rolled, "Stage"));
  CHECK(contains(rolled, "exp           float32"));
  CHECK(contains(rolled, "elements move to their new positions in a new array, and are computed on their way"));
  CHECK(contains(rolled, "one loop over 6 elements: "));
  CHECK(contains(rolled, "one loop over 18 elements: "));
  const std::string parts = explain(concat<1>(x, softmax<1>(x)));
  CHECK(contains(parts, "Stage 1 of 2: softmax, into its part of the result"));
  CHECK(contains(parts, "x1 = result of stage 1"));
  CHECK(contains(parts, "one loop over 24 elements: "));
  CHECK(contains(explain(pad(x, {{1, 1}, {0, 0}}, 0)), "one loop over 6 elements: "));
  CHECK(contains(explain(pad(ones<float>(Dim{2}), {{100, 0}}, PadMode::wrap)), "and 35 loops more"));
  CHECK(contains(explain(concat<0>(ones<float>(Dim{0, 6}), x)), "one loop over 24 elements: "));
  const auto totals = sum<1>(x, keepdims) + x;
  CHECK(contains(explain(reshape(totals, {6, 4})), "Stage 2 of 2: elementwise, into a new array"));
  const std::string turned = explain(transpose(totals));
  CHECK(contains(turned, "Stage 2 of 2: elementwise, into a new array"));
  CHECK(contains(turned, "x0  float32    strides (0, 1)"));
}

TEST_CASE("explain says which scalar functions run one by one, by the clock") {
  const auto z = ones<float>(Dim{100, 100});
  // --8<-- [start:scalar]
  const std::string text = explain(F<Collatz>(z) + F<Larger>(z, 0.5f));
  // --8<-- [end:scalar]
  const std::string speed = section(text, "Vectorisation");
  INFO(speed);
  CHECK(contains(speed, "F<Collatz> (float32)           scalar: "));
  if (compiler_vectorises) {
    CHECK(contains(speed, "F<Larger> (float32, float32)   vector: "));
    CHECK(contains(speed, "operator + (float32, float32)  vector: "));
  }
  CHECK(contains(section(explain(F<Declared>(z)), "Vectorisation"), "F<Declared> (float32)  scalar, as it declares"));
  CHECK(contains(section(explain(F<Declared>(z)), "Cost"), "about 1234 operations"));
  CHECK(contains(section(explain(F<Declared>(z)), "Cost"), "bound by arithmetic"));
  CHECK(contains(section(explain(F<Touchy>(z)), "Vectorisation"), "not known: it threw on the sample values"));
}

TEST_CASE("the same operation is timed once") {
  const auto z = ones<float>(Dim{100, 100});
  CHECK(count(section(explain(z + z + z + z), "Vectorisation"), "operator +") == 1);
}

TEST_CASE("explain computes nothing and allocates no arrays") {
  auto s = ones<float>(Dim{300, 300});
  const auto before = memory::stats(CpuPlace{}).allocations;
  const std::string text = explain(s, dot(s.T(), s) + sum<0>(s * 2) + 1);
  CHECK(memory::stats(CpuPlace{}).allocations == before);
  CHECK(array_equal(s, ones<float>(Dim{300, 300})));
}

TEST_CASE("equal structure gives equal CUDA text, whatever the scalars and extents are") {
  const auto a = ones<float>(Dim{12, 8});
  const auto b = ones<float>(Dim{40, 16});
  const auto text = [](const std::string& all) { return section(all, "CUDA"); };
  CHECK(text(explain(a * 2 + 1)) == text(explain(b * 5 + 3)));
  CHECK(text(explain(a * 2 + 1)) != text(explain(a * 2 - 1)));
  CHECK(text(explain(a * 2 + 1)) != text(explain(cast<double>(a) * 2 + 1)));
}

TEST_CASE("the CUDA text numbers leaves and scalars, and moves several elements in one access") {
  const auto a = ones<float>(Dim{12, 8});
  const auto h = evaluate(cast<float16>(a));
  const std::string text = section(explain(-0.5f * (a + 0.25f * a)), "CUDA");
  CHECK(contains(text, "const float v0 = tessera_multiply(s1, x1);"));
  CHECK(contains(text, "const float v1 = tessera_add(x0, v0);"));
  CHECK(contains(text, "const float v2 = tessera_multiply(s0, v1);"));
  CHECK(contains(text, "const tessera_pack<float, 4> p0"));
  CHECK(!contains(text, "0.25"));
  CHECK(contains(section(explain(h * 2), "CUDA"), "8 elements an access"));
  CHECK(contains(section(explain(a(all, range(1, 4)) * 2), "CUDA"), "one element an access"));
  CHECK(contains(section(explain(random::uniform<float>(random::Key{7}, Dim{4, 4}) * 2), "CUDA"),
                 "const float x0 = tessera_uniform_float<24>(a.s0, "));
}

TEST_CASE("explain says that a user's function without device text has no CUDA text") {
  const auto z = ones<float>(Dim{4});
  CHECK(contains(section(explain(F<Collatz>(z) + 1), "CUDA"), "none: F<Collatz> has no device text"));
  CHECK(contains(section(explain(F<Larger>(z, 2.0f)), "CUDA"), "const float v0 = x0 > s0 ? x0 : s0;"));
  const auto gauss = [](auto x) { return exp(-square(x)); };
  CHECK(contains(section(explain(gauss(z)), "CUDA"), "exp(v1)"));
}

TEST_CASE("explain takes empty shapes, rank 0, scalars, plain arrays and every element type") {
  CHECK(contains(explain(ones<float>(Dim{0, 3}) + 1), "nothing: there are no elements"));
  CHECK(contains(explain(ones<float>(Dim<0>{}) + 1), "one loop over 1 elements"));
  auto a = ones<float>(Dim{4});
  CHECK(contains(explain(a, 1.5f), "s0 = scalar"));
  CHECK(contains(explain(copy(a)), "x0 = array"));
  CHECK(contains(explain(ones<std::int8_t>(Dim{4}) + 1), "reads int8; computes in int8; writes int8"));
  CHECK(contains(explain(ones<float16>(Dim{4}) + 1), "reads float16; computes in float32; writes float16"));
  CHECK(contains(explain(ones<std::complex<float>>(Dim{4}) * 2), "tessera_complex<float>"));
  Array<float, 1> empty;
  CHECK_THROWS_AS(explain(empty, a + 1), ShapeError);
  CHECK_THROWS_AS(explain(a, ones<float>(Dim{3}) + 1), ShapeError);
}
