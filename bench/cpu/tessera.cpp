// The kernels in Tessera. TESSERA_ISA chooses the instruction set; one thread unless a kernel's name says otherwise.
#include "harness.hpp"

import tessera;

using namespace tessera;
using bench::opaque;
using bench::Repeat;
using bench::repeat;
using bench::side;

namespace {

Array<float, 2> matrix(std::uint32_t seed = 1) {
  Array<float, 2> values(Dim{side, side});
  bench::fill(values.data(), side * side, seed);
  return values;
}

template <class T = float, AnyPlace P = Place>
Array<T, 1, P> vector(std::ptrdiff_t n, std::uint32_t seed) {
  Array<float, 1, P> values(Dim{n}, P(CpuPlace{}));
  bench::fill(values.data(), n, seed);
  if constexpr (std::same_as<T, float>) {
    return values;
  } else {
    return cast<T>(values);
  }
}

// The first table.

/// Only float32 is compared with the peers.
template <class T, int Rank, AnyPlace P>
bench::Result result_of(const Array<T, Rank, P>& values) {
  if constexpr (std::same_as<T, float>) return {values.data(), product(values.shape())};
  return {};
}
bench::Result result_of(const ArrayView<float, 1>& values) { return {values.data(), values.shape()[0]}; }

Repeat stencil() {
  return repeat([x = matrix(), y = matrix()]() mutable {
    auto low = range(0, side - 2), middle = range(1, side - 1), high = range(2, side);
    y(middle, middle) = 0.25f * (x(low, middle) + x(high, middle) + x(middle, low) + x(middle, high));
    return result_of(y);
  });
}

Repeat outer_sum() {
  return repeat([r = vector(side, 1), c = vector(side, 2), y = matrix()]() mutable {
    y = r(all, newaxis) + c;
    return result_of(y);
  });
}

Repeat bias_relu() {
  return repeat([x = matrix(), bias = evaluate(vector(side, 2) - 1.0f), y = matrix()]() mutable {
    y = relu(x + bias);
    return result_of(y);
  });
}

Repeat transposed_copy() {
  return repeat([x = matrix(), y = matrix()]() mutable {
    y(ellipsis) = x.T();
    return result_of(y);
  });
}

template <int Axis>
Repeat sums() {
  return repeat([x = matrix(), y = vector(side, 2)]() mutable {
    y = sum<Axis>(x);
    return result_of(y);
  });
}

Repeat softmax_of_rows() {
  return repeat([x = matrix(), y = matrix()]() mutable {
    y = softmax<1>(x);
    return result_of(y);
  });
}

// c = a + 2 b with 8 elements: what one evaluation costs.

Repeat eight_views() {
  const std::ptrdiff_t n = opaque(8);
  const Array<float, 1> a = vector(n, 1), b = vector(n, 2), c = vector(n, 3);
  return repeat(
      [a, b, c, x = make_view(a.data(), Dim{n}), y = make_view(b.data(), Dim{n}), z = make_view(c.data(), Dim{n})] {
        z = x + 2.0f * y;
        return result_of(z);
      });
}

template <AnyPlace P>
Repeat eight_arrays() {
  const std::ptrdiff_t n = opaque(8);
  return repeat([a = vector<float, P>(n, 1), b = vector<float, P>(n, 2), c = vector<float, P>(n, 3)]() mutable {
    c = a + 2.0f * b;
    return result_of(c);
  });
}

// w = -eta * (g + lambda * w), for arrays of so many bytes, or of so many elements of another type.

template <class T = float>
Repeat update(std::ptrdiff_t n) {
  return repeat([w = vector<T>(n, 1), g = vector<T>(n, 2)]() mutable {
    w = -0.01f * (g + 0.001f * w);
    return result_of(w);
  });
}

Repeat update_views(std::ptrdiff_t n) {
  const Array<float, 1> w = vector(n, 1), g = vector(n, 2);
  return repeat([w, g, x = make_view(w.data(), Dim{n}), y = make_view(g.data(), Dim{n})] {
    x = -0.01f * (y + 0.001f * x);
    return result_of(x);
  });
}

template <class T>
Repeat plus(std::ptrdiff_t n) {
  return repeat([a = vector<T>(n, 1), b = vector<T>(n, 2), c = vector<T>(n, 3)]() mutable {
    c = a + b;
    return result_of(c);
  });
}

/// The kernels with the same number of elements in each type.
template <class T>
void add_widths(std::vector<bench::Kernel>& kernels, const std::string& type) {
  for (const auto& [label, n] : {std::pair{"2K", 2 << 10}, std::pair{"64K", 64 << 10}, std::pair{"16M", 16 << 20}}) {
    kernels.push_back({"plus_" + type + "_" + label, [n] { return plus<T>(n); }});
    kernels.push_back({"update_" + type + "_" + label, [n] { return update<T>(n); }});
  }
}

// The same kernel on one thread and on two.

Repeat on_threads(int threads, Repeat kernel) {
  return [threads, kernel = std::move(kernel)](long n) {
    set_num_threads(threads);
    const bench::Result result = kernel(n);
    set_num_threads(1);
    return result;
  };
}

Repeat exponentials(std::ptrdiff_t n) {
  return repeat([x = vector(n, 1), y = vector(n, 2)]() mutable {
    y = exp(x) + exp(-x);
    return result_of(y);
  });
}

Repeat chain(std::ptrdiff_t n) {
  return repeat([x = vector(n, 1), y = vector(n, 2)]() mutable {
    y = exp(sin(x) * cos(x)) + sin(exp(x));
    return result_of(y);
  });
}

Repeat total(std::ptrdiff_t n) {
  return repeat([x = vector(n, 1), y = Array<float, 0>(Dim{})]() mutable {
    y = sum(exp(x));
    return result_of(y);
  });
}

void add_threads(std::vector<bench::Kernel>& kernels) {
  const std::pair<const char*, std::ptrdiff_t> sizes[] = {{"4K", 4 << 10}, {"16K", 16 << 10}, {"1M", 1 << 20}};
  for (const auto& [label, n] : sizes) {
    for (const int threads : {1, 2}) {
      const std::string ending = std::string("_") + label + "_t" + std::to_string(threads);
      const auto add = [&, n = n](const std::string& name, Repeat (*make)(std::ptrdiff_t)) {
        kernels.push_back({name + ending, [=] { return on_threads(threads, make(n)); }});
      };
      add("plus", plus<float>);
      add("exponentials", exponentials);
      add("chain", chain);
      add("total", total);
    }
  }
}

/// Starts the threads, so that reference counts are atomic in every measurement, as they are in a program with threads.
void start_threads() {
  set_num_threads(2);
  parallel_for(64, [](std::ptrdiff_t) {});
  set_num_threads(1);
}

}  // namespace

int main(int count, char** arguments) {
  start_threads();
  std::vector<bench::Kernel> kernels = {
      {"stencil", stencil},
      {"outer", outer_sum},
      {"bias_relu", bias_relu},
      {"transpose", transposed_copy},
      {"row_sums", sums<1>},
      {"column_sums", sums<0>},
      {"softmax", softmax_of_rows},
      {"eight_views", eight_views},
      {"eight_static", eight_arrays<CpuPlace>},
      {"eight_dynamic", eight_arrays<Place>},
      {"update_4K", [] { return update(1 << 10); }},
      {"update_4K_views", [] { return update_views(1 << 10); }},
      {"update_256K", [] { return update(64 << 10); }},
      {"update_64M", [] { return update(16 << 20); }},
  };
  add_widths<float>(kernels, "f32");
  add_widths<float16>(kernels, "f16");
  add_widths<bfloat16>(kernels, "bf16");
  add_threads(kernels);
  return bench::serve("tessera", std::string(device::name(device::isa())), kernels, count, arguments);
}
