// What `=` means for arrays on a GPU: as on the CPU, and in the order of streams.
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "fake_cuda.hpp"
import tessera;

using namespace tessera;

namespace {

const Place gpu = GpuPlace{0};

std::string text(const Array<float, 1>& a) { return to_string(a); }

}  // namespace

TEST_CASE("a name on a GPU gets a value of its own where another shares its storage") {
  Array<float, 1> a = Array<float, 1>{1, 2, 3}.to(gpu);
  const Array<float, 1> b = a;
  const auto kept = a * 10.0f;
  a = a + 1.0f;
  CHECK(text(a) == "[2. 3. 4.]");
  CHECK(text(b) == "[1. 2. 3.]");
  CHECK(to_string(kept) == "[10. 20. 30.]");
  const float* const storage = a.data();
  a = a + 1.0f;
  CHECK(a.data() == storage);
  a += 1.0f;
  CHECK(text(a) == "[4. 5. 6.]");
}

TEST_CASE("the value of a name is where it was computed") {
  Array<float, 1> a{1, 2, 3};
  const Array<float, 1> there = a.to(gpu);
  a = there * 2.0f;
  CHECK(a.place() == gpu);
  CHECK(text(a) == "[2. 4. 6.]");
  const Array<float, 1> here{1, 2, 3};
  CHECK_THROWS_AS((a(all) = here + 1.0f), PlaceError);
  a = here + 1.0f;
  CHECK(a.place() == Place(CpuPlace{}));
}

TEST_CASE("a history on a GPU keeps what was pushed, with a scheduler and without") {
  std::vector<Array<float, 1>> history;
  Array<float, 1> x = zeros<float>(Dim{100}, gpu);
  for (int i = 0; i < 3; ++i) {
    x = x + 1.0f;
    history.push_back(x);
  }
  Scheduler scheduler({.workers = 2});
  {
    const Async on{scheduler};
    for (int i = 0; i < 3; ++i) {
      x = x + 1.0f;
      history.push_back(x);
    }
  }
  for (std::size_t i = 0; i < history.size(); ++i) CHECK(float(history[i](99)) == static_cast<float>(i + 1));
}

TEST_CASE("views of expressions, values of rank 0 and elements on a GPU") {
  const Array<float, 2> a = Array<float, 2>{{1, 2}, {3, 4}}.to(gpu);
  CHECK(to_string((a * 2.0f)(1, all)) == "[6. 8.]");
  CHECK(to_string((a + 1.0f).T()) == "[[2. 4.]\n [3. 5.]]");
  CHECK(to_string((a - mean<1>(a, keepdims))(0, all)) == "[-0.5  0.5]");
  const float total = sum(a);
  CHECK(total == 10);
  CHECK(a(1, 0) == 3);
  Array<float, 2> b = a.clone();
  b(0, 1) = 7;
  swap(b(0, 0), b(1, 1));
  CHECK(to_string(b) == "[[4. 7.]\n [3. 1.]]");
}
