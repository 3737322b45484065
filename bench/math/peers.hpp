// What bench/math.cpp times beside Tessera: one entry per function, instruction set and library.
#pragma once

#include <cstddef>
#include <vector>

namespace math_bench {

/// A loop over `n` elements (a multiple of 64) of contiguous arrays; `y` is used by functions of two arguments only.
template <class T>
using Loop = void (*)(const T* x, const T* y, T* out, std::ptrdiff_t n);

template <class T>
struct Peer {
  const char* library;
  const char* function;
  const char* isa;
  Loop<T> loop;
};

using Peers32 = std::vector<Peer<float>>;
using Peers64 = std::vector<Peer<double>>;

// Each is compiled once per instruction set, in a file that names the library; absent libraries add nothing.
void add_libmvec_avx2(Peers32&, Peers64&);
void add_libmvec_avx512(Peers32&, Peers64&);
void add_sleef_avx2(Peers32&, Peers64&);
void add_sleef_avx512(Peers32&, Peers64&);
void add_xsimd_avx2(Peers32&, Peers64&);
void add_xsimd_avx512(Peers32&, Peers64&);
void add_eigen_avx2(Peers32&, Peers64&);
void add_eigen_avx512(Peers32&, Peers64&);

}  // namespace math_bench
