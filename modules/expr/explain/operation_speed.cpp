module;
#include <algorithm>
#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Timing one operation on made-up operands.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t sample_size = 1024;
using Widest = std::complex<double>;
constexpr int rounds = 15;
constexpr double shortest_run = 2000;  // nanoseconds: long against the clock's own steps

template <class T>
void fill(void* to, std::size_t seed) {
  T* values = static_cast<T*>(to);
  for (std::size_t i = 0; i < sample_size; ++i) {
    const std::size_t step = (i + seed * 37) * 61 % 100;
    if constexpr (Complex<T>)
      values[i] = T(static_cast<typename T::value_type>(0.5 + static_cast<double>(step) / 100), 0.25f);
    else if constexpr (Floating<T>)
      values[i] = static_cast<T>(0.5 + static_cast<double>(step) / 100);
    else if constexpr (Integer<T>)
      values[i] = static_cast<T>(step + 1);
    else
      values[i] = step % 2 == 0;
  }
}

void fill(DType dtype, void* to, std::size_t seed) {
  switch (dtype) {
    case DType::boolean: return fill<bool>(to, seed);
    case DType::int8: return fill<std::int8_t>(to, seed);
    case DType::int16: return fill<std::int16_t>(to, seed);
    case DType::int32: return fill<std::int32_t>(to, seed);
    case DType::int64: return fill<std::int64_t>(to, seed);
    case DType::uint8: return fill<std::uint8_t>(to, seed);
    case DType::uint16: return fill<std::uint16_t>(to, seed);
    case DType::uint32: return fill<std::uint32_t>(to, seed);
    case DType::uint64: return fill<std::uint64_t>(to, seed);
    case DType::float16: return fill<float16>(to, seed);
    case DType::bfloat16: return fill<bfloat16>(to, seed);
    case DType::float32: return fill<float>(to, seed);
    case DType::float64: return fill<double>(to, seed);
    case DType::complex64: return fill<std::complex<float>>(to, seed);
    case DType::complex128: return fill<std::complex<double>>(to, seed);
  }
}

/// Memory for the operands and the result of one operation.
struct Samples {
  explicit Samples(const ExplainedOperation& operation) : storage((operation.arguments.size() + 1) * sample_size) {
    for (std::size_t k = 0; k < operation.arguments.size(); ++k) {
      fill(operation.arguments[k], part(k + 1), k);
      inputs.emplace_back().read(part(k + 1));
    }
  }
  void* part(std::size_t k) { return storage.data() + k * sample_size; }

  std::vector<Widest> storage;
  std::vector<Input> inputs{};
};

double nanoseconds(Kernel kernel, const ExplainedOperation& operation, Samples& samples, std::ptrdiff_t repeat) {
  const auto start = std::chrono::steady_clock::now();
  for (std::ptrdiff_t i = 0; i < repeat; ++i)
    kernel(operation.nodes, samples.part(0), samples.inputs.data(), sample_size);
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

/// Calls of the kernel that take long enough to be timed.
std::ptrdiff_t calls_for(Kernel kernel, const ExplainedOperation& operation, Samples& samples) {
  nanoseconds(kernel, operation, samples, 1);
  const double once = std::max(nanoseconds(kernel, operation, samples, 1), 10.0);
  return static_cast<std::ptrdiff_t>(shortest_run / once) + 1;
}

}  // namespace

OperationSpeed measure(const ExplainedOperation& operation) {
  try {
    Samples samples(operation);
    const std::ptrdiff_t kernel_calls = calls_for(operation.kernel, operation, samples);
    const std::ptrdiff_t scalar_calls = calls_for(operation.scalar, operation, samples);
    double kernel = std::numeric_limits<double>::max();
    double scalar = kernel;
    for (int round = 0; round < rounds; ++round) {
      kernel = std::min(kernel, nanoseconds(operation.kernel, operation, samples, kernel_calls));
      scalar = std::min(scalar, nanoseconds(operation.scalar, operation, samples, scalar_calls));
    }
    const auto calls = [](std::ptrdiff_t count) { return static_cast<double>(count * sample_size); };
    return {kernel / calls(kernel_calls), scalar / calls(scalar_calls)};
  } catch (...) {
    return {};
  }
}

}  // namespace tessera::plan
