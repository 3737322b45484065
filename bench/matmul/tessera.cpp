// The products of the table by dot and matmul. Usage: matmul_tessera THREADS [steps]. With "steps" only sums and softmax of rows, of a product that has
// been assigned to an array before.
#include <complex>
#include <cstdlib>
#include <cstring>
#include <string>

#include "cases.hpp"

import tessera;

namespace {

using namespace tessera;

template <class T, int Rank>
Array<T, Rank> filled(const Dim<Rank>& shape, std::uint32_t seed) {
  const Array<T, Rank> a(shape);
  std::uint32_t state = seed;
  for (std::ptrdiff_t i = 0; i < product(shape); ++i) {
    state = state * 1664525u + 1013904223u;
    if constexpr (Integer<T>) {
      a.data()[i] = static_cast<T>((state >> 8) % 100);
    } else {
      a.data()[i] = T(static_cast<float>(state >> 8) * 0x1p-24f);
    }
  }
  return a;
}

/// c = expression, again and again.
template <class C, class Expression>
bench::Repeat repeated(C c, const Expression& expression) {
  return bench::repeat([c, expression]() mutable { assign(c, expression()); });
}

/// Sums and softmax of the rows of a product, `in_steps` by way of an array.
bench::Repeat prepare_rows(const bench::Case& one, bool in_steps) {
  const auto [m, k, n] = std::array{one.m, one.k, one.n};
  const auto a = filled<float>(Dim{m, k}, 1), b = filled<float>(Dim{k, n}, 2);
  const auto bias = filled<float>(Dim{n}, 3);
  const Array<float, 2> c(Dim{m, n}), z(Dim{in_steps ? m : 0, n});
  const Array<float, 1> s(Dim{m});
  if (one.kind == "sums" && !in_steps) return repeated(s, [=] { return sum<1>(dot(a, b)); });
  if (one.kind == "softmax" && !in_steps) return repeated(c, [=] { return softmax<1>(dot(a, b) + bias); });
  if (one.kind == "sums") {
    return bench::repeat([=] {
      assign(z, dot(a, b));
      assign(s, sum<1>(z));
    });
  }
  if (one.kind != "softmax") return {};
  return bench::repeat([=] {
    assign(z, dot(a, b) + bias);
    assign(c, softmax<1>(z));
  });
}

/// What a vector and a matrix that no cache holds cannot be faster than: a loop that only reads the matrix.
template <class T>
bench::Repeat only_reading(const Array<T, 2>& matrix) {
  using Vector [[gnu::vector_size(64)]] = T;
  return bench::repeat([matrix] {
    constexpr std::ptrdiff_t lanes = 64 / static_cast<std::ptrdiff_t>(sizeof(T));
    Vector sums[4] = {};
    const T* from = matrix.data();
    for (std::ptrdiff_t left = matrix.size(); left >= 4 * lanes; left -= 4 * lanes) {
      for (Vector& sum : sums) {
        Vector read;
        std::memcpy(&read, from, sizeof(Vector));
        sum += read;
        from += lanes;
      }
    }
    bench::escape(sums);
  });
}

template <class T>
bench::Repeat prepare_type(const bench::Case& one) {
  const auto [m, k, n] = std::array{one.m, one.k, one.n};
  const Array<T, 2> c(Dim{m, n});
  const std::string& kind = one.kind;
  if (kind == "batch") {
    const auto a = filled<T>(Dim{bench::batch, m, k}, 1), b = filled<T>(Dim{bench::batch, k, n}, 2);
    return repeated(Array<T, 3>(Dim{bench::batch, m, n}), [=] { return matmul(a, b); });
  }
  const auto a = filled<T>(Dim{m, k}, 1), b = filled<T>(Dim{k, n}, 2);
  if (kind == "mm") return repeated(c, [=] { return dot(a, b); });
  if (kind == "mmt") return repeated(c, [=, t = filled<T>(Dim{n, k}, 2)] { return dot(a, t.T()); });
  if (kind == "mtm") return repeated(c, [=, t = filled<T>(Dim{k, m}, 1)] { return dot(t.T(), b); });
  if (kind == "mv") return repeated(Array<T, 1>(Dim{m}), [=, x = filled<T>(Dim{k}, 2)] { return dot(a, x); });
  if (kind == "vm") return repeated(Array<T, 1>(Dim{n}), [=, x = filled<T>(Dim{k}, 1)] { return dot(x, b); });
  if constexpr (Floating<T> && sizeof(T) >= 4) {
    if (kind == "reads_mv") return only_reading(a);
    if (kind == "reads_vm") return only_reading(b);
  }
  if constexpr (std::is_same_v<T, float>) {
    if (kind == "epilogue") return repeated(c, [=, bias = filled<T>(Dim{n}, 3)] { return relu(dot(a, b) + bias); });
    if (kind == "factor") return repeated(c, [=] { return dot(relu(a), b); });
  }
  return {};
}

/// Of bytes, summed in int32; `scaled` has the sums as floats, as layers of a quantised network do.
template <class A>
bench::Repeat prepare_bytes(const bench::Case& one) {
  const auto [m, k, n] = std::array{one.m, one.k, one.n};
  const auto a = filled<A>(Dim{m, k}, 1);
  const auto b = filled<std::int8_t>(Dim{k, n}, 2);
  const auto product = [=] { return dot(cast<std::int32_t>(a), cast<std::int32_t>(b)); };
  if (one.kind == "mm") return repeated(Array<std::int32_t, 2>(Dim{m, n}), product);
  if (one.kind == "mmt")
    return repeated(Array<std::int32_t, 2>(Dim{m, n}), [=, t = filled<std::int8_t>(Dim{n, k}, 2)] {
      return dot(cast<std::int32_t>(a), cast<std::int32_t>(t.T()));
    });
  if (one.kind == "scaled")
    return repeated(Array<float, 2>(Dim{m, n}),
                    [=, bias = filled<float>(Dim{n}, 3)] { return cast<float>(product()) * 0.01f + bias; });
  return {};
}

bench::Repeat prepare(const bench::Case& one) {
  if (one.kind == "sums" || one.kind == "softmax") return prepare_rows(one, false);
  if (one.type == "f32") return prepare_type<float>(one);
  if (one.type == "f64") return prepare_type<double>(one);
  if (one.type == "c64") return prepare_type<std::complex<float>>(one);
  if (one.type == "c128") return prepare_type<std::complex<double>>(one);
  if (one.type == "bf16") return prepare_type<bfloat16>(one);
  if (one.type == "i32") return prepare_type<std::int32_t>(one);
  if (one.type == "i8") return prepare_bytes<std::int8_t>(one);
  if (one.type == "u8") return prepare_bytes<std::uint8_t>(one);
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  set_num_threads(count > 1 ? std::atoi(arguments[1]) : 1);
  const std::string what = count > 2 ? arguments[2] : "";
  if (what == "steps")
    return bench::serve_cases("two steps", [](const bench::Case& one) { return prepare_rows(one, true); });
  return bench::serve_cases("tessera", prepare);
}
