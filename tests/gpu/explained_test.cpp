// What explain() says of work on a GPU is what is launched there.
#include <doctest/doctest.h>

#include <cstddef>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

import tessera;

#include "comparison.hpp"
#include "fake_cuda.hpp"

using namespace tessera;

namespace {

const GpuPlace gpu{0};

/// "4 x 256" for each kernel that the text names, in order.
std::vector<std::string> kernels_in(const std::string& text) {
  const std::regex kernel("(?:kernel|another|library,) of ([0-9]+) blocks? of ([0-9]+) threads");
  std::vector<std::string> kernels;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), kernel); at != std::sregex_iterator(); ++at)
    kernels.push_back((*at)[1].str() + " x " + (*at)[2].str());
  return kernels;
}

std::vector<std::string> launches() {
  std::istringstream lines(fake::log());
  std::vector<std::string> found;
  const std::string mark = " launch ";
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t at = line.find(mark); at != std::string::npos) found.push_back(line.substr(at + mark.size()));
  }
  return found;
}

template <class D, class S>
std::string checked(const D& destination, const S& source) {
  const std::string text = explain(destination, source);
  INFO(text);
  fake::start_log();
  assign(destination, source);
  device::Stream::current(gpu).synchronize();
  CHECK(launches() == kernels_in(text));
  return text;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_SUITE_BEGIN("fake");

TEST_CASE("explain names the kernels of elementwise work on a GPU") {
  const auto x = ones<float>(Dim{300, 200}, gpu);
  const auto y = ones<float>(Dim{200, 300}, gpu);
  const std::string text = checked(ones<float>(Dim{300, 200}, gpu), x * 2 + 1);
  CHECK(!contains(text, ", with "));  // an instruction set
  CHECK(contains(checked(ones<float>(Dim{300, 200}, gpu), x + y.T()), "transposed in shared memory"));
  checked(ones<float>(Dim{300, 200}, gpu), x(all, range(none, none, -1)) + 1);
}

TEST_CASE("explain names the kernels of reductions on a GPU, and the ones that merge their parts") {
  const auto x = ones<float>(Dim{3000, 200}, gpu);
  CHECK(contains(checked(ones<float>(Dim<0>{}, gpu), sum(x)), "which merges the parts"));
  checked(ones<float>(Dim{3000}, gpu), sum<1>(x * 2));
  CHECK(contains(checked(ones<float>(Dim{200}, gpu), sum<0>(x)), "side by side"));
  checked(ones<float>(Dim{3000, 200}, gpu), x - max<1>(x, keepdims) + sum<1>(x, keepdims));
}

TEST_CASE("results of stages before are operands of their own in a GPU's kernel") {
  const auto x = ones<float>(Dim{30, 20}, gpu);
  const std::string text = checked(ones<float>(Dim{30, 20}, gpu), max<1>(x, keepdims) * sum<1>(x, keepdims) + x);
  CHECK(!contains(text, "the same elements as an operand before it"));
  CHECK(contains(explain(x * x), "the same elements as an operand before it"));
}

TEST_CASE("explain names the kernel of a reduction of few values") {
  checked(ones<float>(Dim{3000}, gpu), sum<1>(ones<float>(Dim{3000, 3}, gpu)));
  checked(ones<float>(Dim{5}, gpu), max<1>(ones<float>(Dim{5, 2}, gpu)));
}

TEST_CASE(
    "explain names the kernels of normalisations on a GPU: one that keeps its rows, and two that read them twice") {
  const auto x = ones<float>(Dim{300, 200}, gpu);
  const std::string held = checked(ones<float>(Dim{300, 200}, gpu), softmax<1>(x * 2));
  CHECK(contains(held, "for each row of 200 values 32 threads that keep up to 8 values each in registers"));
  checked(ones<float>(Dim{300, 200}, gpu), softmax<1>(x) * 3 + x);
  CHECK(contains(checked(ones<float>(Dim{300, 200}, gpu), softmax<0>(x)), "that read them twice"));
  const auto rows = ones<float>(Dim{2, 200'000}, gpu);
  const std::string parts = checked(ones<float>(Dim{2, 200'000}, gpu), log_softmax<1>(rows));
  CHECK(contains(parts, "another of"));
  CHECK(contains(explain(softmax<1>(ones<float>(Dim{0, 5}, gpu))), "nothing: there are no elements"));
}

TEST_CASE("explain names the kernels that move elements on a GPU, with the work that is done on the way") {
  const auto x = ones<float>(Dim{30, 20}, gpu);
  const std::string joined = checked(ones<float>(Dim{60, 20}, gpu), concat<0>(x * 2, x));
  CHECK(contains(joined, "and are computed on their way"));
  CHECK(contains(joined, "operator *"));
  checked(ones<float>(Dim{60, 20}, gpu), concat<0>(softmax<1>(x), x));
  checked(ones<float>(Dim{30, 20}, gpu), roll<0>(x + 1, 7));
  checked(ones<float>(Dim{34, 20}, gpu), pad(x, {{2, 2}, {0, 0}}, 0));
  checked(ones<float>(Dim{60, 20}, gpu), tile(x, {2, 1}));
}

TEST_CASE("explain names the library's kernel for products on a GPU without cuBLAS") {
  const auto a = ones<float>(Dim{40, 50}, gpu);
  const auto b = ones<float>(Dim{50, 70}, gpu);
  CHECK(contains(checked(ones<float>(Dim{40, 70}, gpu), dot(a, b)), "by one kernel of this library, of 15 blocks"));
  checked(ones<float>(Dim{40, 70}, gpu), relu(dot(a, b)));
  checked(ones<float>(Dim{40, 140}, gpu)(all, range(0, 70)), dot(a, b));
  checked(ones<int>(Dim{3, 40, 40}, gpu), matmul(ones<int>(Dim{3, 40, 20}, gpu), ones<int>(Dim{20, 40}, gpu)));
}

TEST_SUITE_END();
