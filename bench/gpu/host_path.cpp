// What the host spends on assignments to arrays of a GPU before the driver is called: allocations, and nanoseconds with a driver that does
// nothing (tests/cuda/idle). ninja gpu_host_costs names that driver and a compiler that compiles
// nothing.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>
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

constexpr int calls = 20'000;

/// Prints the fastest of some samples, and the allocations of a call.
template <class Work>
void measure(const char* name, const Work& work) {
  for (int k = 0; k < 100; ++k) work();
  const long before = allocations;
  for (int k = 0; k < 100; ++k) work();
  const double allocated = static_cast<double>(allocations - before) / 100;
  std::vector<double> samples;
  for (int sample = 0; sample < 15; ++sample) {
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < calls; ++k) work();
    const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - begin;
    samples.push_back(passed.count() / calls);
  }
  std::ranges::sort(samples);
  std::printf("| %-34s | %7.0f | %7.0f | %11.2f |\n", name, samples.front(), samples[samples.size() / 2], allocated);
}

}  // namespace

int main() {
  const Place gpu = GpuPlace{0};
  using Vector = Array<float, 1>;
  using Matrix = Array<float, 2>;
  Vector a(Dim{1024}, gpu), b(Dim{1024}, gpu), c(Dim{1024}, gpu), row(Dim{64}, gpu);
  Matrix x(Dim{64, 64}, gpu), y(Dim{64, 64}, gpu), z(Dim{64, 64}, gpu);
  std::printf("| statement | ns, fastest | ns, median | allocations |\n|---|---:|---:|---:|\n");
  measure("c = a + 2 b", [&] { c = a + 2.0f * b; });
  measure("c -= 0.1 (a + 0.5 c)", [&] { c -= 0.1f * (a + 0.5f * c); });
  measure("z = max(x + row, 0)", [&] { z = maximum(x + row, 0.0f); });
  measure("z = x + y.T()", [&] { z = x + y.T(); });
  measure("c(range(1, 1000)) = a(range(1, 1000))", [&] { c(range(1, 1000)) = 2.0f * a(range(1, 1000)); });
  measure("row = sum<0>(x)", [&] { row = sum<0>(x); });
  measure("z = softmax<1>(x)", [&] { z = softmax<1>(x); });
  measure("z = x - max<1>(x, keepdims)", [&] { z = x - max<1>(x, keepdims); });
  Vector line(Dim{1 << 20}, gpu);
  Array<float, 0> total = sum(line);
  measure("total = sum(line), two kernels", [&] { total = sum(line); });

  Scheduler scheduler({.executor = Inline{}});
  Vector weights(Dim{1024}, gpu), velocity(Dim{1024}, gpu), slope(Dim{1024}, gpu);
  const auto descend = [&](const auto& gradient, const auto& rate) {
    slope = gradient * weights + 0.5f;
    velocity = 0.9f * velocity - rate * slope;
    weights += velocity;
  };
  const auto step = scheduler.capture(
      [&](Parameter<Vector> gradient, Parameter<float> rate) {
        const Async on(scheduler);
        descend(gradient, rate);
      },
      a, 0.1f);
  measure("3 statements at once", [&] { descend(a, 0.1f); });
  measure("3 statements, replayed", [&] { step.replay(a, 0.1f); });
}
