// Tests of the way from a statement to the driver: it allocates nothing once its kernel is known, and a captured step is one call.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
import tessera;

namespace {

thread_local long allocations = 0;

}  // namespace

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* const block = std::malloc(bytes != 0 ? bytes : 1)) return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }

using namespace tessera;

namespace {

using Vector = Array<float, 1>;
using Matrix = Array<float, 2>;

const Place gpu = GpuPlace{0};

/// What the idle driver has counted.
unsigned long counted(const char* name) {
  static void* const library = dlopen(std::getenv("TESSERA_CUDA_DRIVER"), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  return reinterpret_cast<unsigned long (*)()>(dlsym(library, name))();
}

/// Allocations of a hundred calls, after some that load kernels and make what is kept.
template <class Work>
long allocations_of(const Work& work) {
  for (int k = 0; k < 10; ++k) work();
  const long before = allocations;
  for (int k = 0; k < 100; ++k) work();
  return allocations - before;
}

}  // namespace

TEST_CASE("this program's allocations are counted") {
  const long before = allocations;
  const Vector array(Dim{1000});
  CHECK(allocations > before);
}

TEST_CASE("an assignment to a GPU's array allocates nothing in the steady state") {
  Vector a(Dim{1024}, gpu), b(Dim{1024}, gpu), c(Dim{1024}, gpu), row(Dim{64}, gpu);
  Matrix x(Dim{64, 64}, gpu), y(Dim{64, 64}, gpu), z(Dim{64, 64}, gpu);
  const unsigned long before = counted("idle_launches");
  CHECK(allocations_of([&] { c = a + 2.0f * b; }) == 0);
  CHECK(allocations_of([&] { c -= 0.1f * (a + 0.5f * c); }) == 0);
  CHECK(allocations_of([&] { z = maximum(x + row, 0.0f); }) == 0);
  CHECK(allocations_of([&] { z = x + y.T(); }) == 0);
  CHECK(allocations_of([&] { c(range(1, 1000)) = 2.0f * a(range(1, 1000)); }) == 0);
  CHECK(allocations_of([&] { c(range(0, 1024, 2)) = a(range(1024, 0, -2)) * b(range(0, 512)); }) == 0);
  CHECK(counted("idle_launches") - before == 6 * 110);
}

TEST_CASE("a reduction of a GPU's array allocates nothing in the steady state") {
  Matrix x(Dim{64, 64}, gpu), y(Dim{64, 64}, gpu), odd(Dim{65, 67}, gpu), wide(Dim{1024, 16384}, gpu);
  Vector line(Dim{1 << 20}, gpu), row(Dim{64}, gpu), long_row(Dim{16384}, gpu), odd_row(Dim{65}, gpu);
  Array<std::int64_t, 1> places(Dim{64}, gpu);
  Array<float, 0> all_of_it = sum(line);
  const unsigned long before = counted("idle_launches");
  CHECK(allocations_of([&] { row = sum<0>(x); }) == 0);
  CHECK(allocations_of([&] { row = max<1>(x * y + 1.0f); }) == 0);
  CHECK(allocations_of([&] { row = stddev<1>(x); }) == 0);
  CHECK(allocations_of([&] { places = argmax<1>(x); }) == 0);
  CHECK(allocations_of([&] { odd_row = norm<1>(odd); }) == 0);
  CHECK(counted("idle_launches") - before == 5 * 110);
  // By two kernels, with memory between them.
  CHECK(allocations_of([&] { all_of_it = sum(line); }) == 0);
  CHECK(allocations_of([&] { long_row = mean<0>(wide); }) == 0);
  CHECK(counted("idle_launches") - before == 9 * 110);
  // A reduction as an operand of elementwise work.
  CHECK(allocations_of([&] { y = x - max<1>(x, keepdims); }) == 0);
  CHECK(allocations_of([&] { y = (x - mean<1>(x, keepdims)) / stddev<1>(x, keepdims); }) == 0);
}

TEST_CASE("a normalisation of a GPU's array allocates nothing in the steady state") {
  Matrix x(Dim{64, 64}, gpu), y(Dim{64, 64}, gpu), long_rows(Dim{2, 1 << 17}, gpu), longer(Dim{2, 1 << 17}, gpu);
  Vector gain(Dim{64}, gpu), shift(Dim{64}, gpu);
  const unsigned long before = counted("idle_launches");
  CHECK(allocations_of([&] { y = softmax<1>(x); }) == 0);
  CHECK(allocations_of([&] { y = log_softmax<0>(0.5f * x); }) == 0);
  CHECK(allocations_of([&] { y = layernorm<1>(x) * gain + shift; }) == 0);
  CHECK(counted("idle_launches") - before == 3 * 110);
  CHECK(allocations_of([&] { longer = softmax<1>(long_rows); }) == 0);  // by two kernels
  CHECK(counted("idle_launches") - before == 5 * 110);
}

TEST_CASE("more operands than lie within the lists are computed all the same") {
  Vector a(Dim{64}, gpu), b(Dim{64}, gpu), c(Dim{64}, gpu), d(Dim{64}, gpu), e(Dim{64}, gpu), f(Dim{64}, gpu),
      g(Dim{64}, gpu), h(Dim{64}, gpu), i(Dim{64}, gpu), j(Dim{64}, gpu), to(Dim{64}, gpu);
  const unsigned long before = counted("idle_launches");
  to = a + b * c + d * e + f * g + h * i + j + 1.0f * a + 2.0f * b + 3.0f * c + 4.0f * d + 5.0f * e;
  CHECK(counted("idle_launches") - before == 1);
}

TEST_CASE("the replay of a captured step calls the driver once, and allocates nothing") {
  Scheduler scheduler({.executor = Inline{}});
  Vector weights(Dim{1024}, gpu), velocity(Dim{1024}, gpu), slope(Dim{1024}, gpu), first(Dim{1024}, gpu),
      second(Dim{1024}, gpu);
  const auto step = scheduler.capture(
      [&](Parameter<Vector> gradient, Parameter<float> rate) {
        const Async on(scheduler);
        slope = gradient * weights + 0.5f;
        velocity = 0.9f * velocity - rate * slope;
        weights += velocity;
      },
      first, 0.1f);
  for (int k = 0; k < 4; ++k) step.replay(k % 2 == 0 ? second : first, 0.1f);
  const unsigned long launches = counted("idle_launches"), graphs = counted("idle_graph_launches"),
                      updates = counted("idle_graph_updates");
  const long before = allocations;
  for (int k = 0; k < 100; ++k) step.replay(k % 2 == 0 ? second : first, 0.1f);
  CHECK(allocations - before == 0);
  CHECK(counted("idle_graph_launches") - graphs == 100);
  CHECK(counted("idle_launches") - launches == 0);
  CHECK(counted("idle_graph_updates") - updates == 100);  // the kernel that reads the gradient
}
