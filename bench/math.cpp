// Elementary functions: time per element and largest error of ours on each instruction set, beside the fastest peer of that
// instruction set. `bench_math PAGE` writes the table between the page's markers; without an argument it only prints.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "math/peers.hpp"

import tessera;

using namespace tessera;

namespace {

using math_bench::Loop;
using math_bench::Peer;

template <class T>
using Line = Array<T, 1, CpuPlace>;

/// Elements that fit in the L1 cache together with their results.
template <class T>
inline constexpr std::ptrdiff_t count = 16384 / static_cast<std::ptrdiff_t>(sizeof(T));

/// The wider type in which errors are measured.
template <class T>
struct ExactOf {
  using type = double;
};
template <>
struct ExactOf<double> {
  using type = long double;
};
template <class T>
using Exact = typename ExactOf<T>::type;

template <class T>
struct Function {
  const char* name;
  T low, high;  // arguments that are timed
  void (*ours)(Line<T>& out, const Line<T>& x, const Line<T>& y);
  Exact<T> (*exact)(Exact<T> x, Exact<T> y);
};

#define MATH_FUNCTION(name, low, high)                                                       \
  Function<T> {                                                                              \
    #name, low, high, [](Line<T>& out, const Line<T>& x, const Line<T>&) { out = name(x); }, \
        [](Exact<T> x, Exact<T>) -> Exact<T> { return std::name(x); }                        \
  }

template <class T>
std::vector<Function<T>> functions() {
  return {MATH_FUNCTION(exp, -10, 10),
          MATH_FUNCTION(log, T(0.01), 100),
          MATH_FUNCTION(tanh, -5, 5),
          {"sigmoid", -10, 10, [](Line<T>& out, const Line<T>& x, const Line<T>&) { out = sigmoid(x); },
           [](Exact<T> x, Exact<T>) -> Exact<T> { return 1 / (1 + std::exp(-x)); }},
          MATH_FUNCTION(sin, -10, 10),
          MATH_FUNCTION(cos, -10, 10),
          MATH_FUNCTION(erf, -4, 4),
          {"pow", T(0.01), 100, [](Line<T>& out, const Line<T>& x, const Line<T>& y) { out = pow(x, y); },
           [](Exact<T> x, Exact<T> y) -> Exact<T> { return std::pow(x, y); }},
          MATH_FUNCTION(expm1, -10, 10),
          MATH_FUNCTION(exp2, -10, 10),
          MATH_FUNCTION(log1p, T(-0.9), 100),
          MATH_FUNCTION(log2, T(0.01), 100),
          MATH_FUNCTION(log10, T(0.01), 100),
          MATH_FUNCTION(cbrt, -100, 100),
          MATH_FUNCTION(tan, -10, 10),
          MATH_FUNCTION(asin, -1, 1),
          MATH_FUNCTION(acos, -1, 1),
          MATH_FUNCTION(atan, -10, 10),
          MATH_FUNCTION(sinh, -10, 10),
          MATH_FUNCTION(cosh, -10, 10),
          MATH_FUNCTION(erfc, -4, 4),
          MATH_FUNCTION(asinh, -10, 10),
          MATH_FUNCTION(acosh, 1, 100),
          MATH_FUNCTION(atanh, -1, 1),
          {"atan2", -10, 10, [](Line<T>& out, const Line<T>& x, const Line<T>& y) { out = atan2(x, y); },
           [](Exact<T> x, Exact<T> y) -> Exact<T> { return std::atan2(x, y); }},
          {"hypot", -10, 10, [](Line<T>& out, const Line<T>& x, const Line<T>& y) { out = hypot(x, y); },
           [](Exact<T> x, Exact<T> y) -> Exact<T> { return std::hypot(x, y); }}};
}
#undef MATH_FUNCTION

/// Nanoseconds an element, the fastest of several runs.
template <class Run>
double time_of(const Run& run, std::ptrdiff_t elements) {
  double best = std::numeric_limits<double>::infinity();
  run();
  for (int repetition = 0; repetition < 12; ++repetition) {
    constexpr int runs = 16;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < runs; ++i) run();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / runs / static_cast<double>(elements));
  }
  return best;
}

/// Error of `got` in units in the last place of T; values beyond the largest one count as infinity.
template <class T>
double error_of(T got, Exact<T> exact) {
  const T rounded = static_cast<T>(exact);
  if (got == rounded || (got != got && rounded != rounded)) return 0;
  if (got != got || rounded != rounded) return std::numeric_limits<double>::infinity();
  constexpr T largest = std::numeric_limits<T>::max();
  const T value = std::clamp(got, -largest, largest);
  const T nearest = std::clamp(rounded, -largest, largest);
  const T inward = std::nextafter(std::abs(nearest), T(0));
  const T unit = nearest == 0 ? std::numeric_limits<T>::denorm_min() : std::abs(nearest) - inward;
  const Exact<T> reference = std::isinf(rounded) ? Exact<T>(nearest) : exact;
  return static_cast<double>(std::abs(Exact<T>(value) - reference) / Exact<T>(unit));
}

template <class T>
double worst_error(const Line<T>& out, const Line<T>& x, const Line<T>& y, const Function<T>& function) {
  double worst = 0;
  for (std::ptrdiff_t i = 0; i < out.shape()[0]; ++i)
    worst = std::max(worst, error_of<T>(out.data()[i], function.exact(x.data()[i], y.data()[i])));
  return worst;
}

struct Bits {
  std::uint64_t state = 1;
  std::uint64_t operator()() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state ^ (state >> 31);
  }
};

template <class T>
void fill_within(Line<T>& line, T low, T high, Bits& bits) {
  for (std::ptrdiff_t i = 0; i < line.shape()[0]; ++i)
    line.data()[i] = low + (high - low) * static_cast<T>(static_cast<double>(bits() >> 11) * 0x1p-53);
}

/// Half of them any bit pattern, half in the timed range.
template <class T>
void fill_anywhere(Line<T>& line, T low, T high, Bits& bits) {
  using Pattern = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  fill_within(line, low, high, bits);
  for (std::ptrdiff_t i = 0; i < line.shape()[0]; i += 2)
    line.data()[i] = std::bit_cast<T>(static_cast<Pattern>(bits() >> (64 - 8 * sizeof(T))));
}

template <class T>
double worst_error_anywhere(const Function<T>& function) {
  Bits bits;
  Line<T> x(Dim<1>{count<T>}), y(Dim<1>{count<T>}), out(Dim<1>{count<T>});
  double worst = 0;
  for (int round = 0; round < 60; ++round) {
    fill_anywhere<T>(x, function.low, function.high, bits);
    fill_anywhere<T>(y, -4, 4, bits);
    function.ours(out, x, y);
    worst = std::max(worst, worst_error(out, x, y, function));
  }
  return worst;
}

template <class T>
void add_rows(std::ostream& page, const std::vector<Function<T>>& functions, const std::vector<Peer<T>>& peers) {
  Bits bits;
  Line<T> x(Dim<1>{count<T>}), y(Dim<1>{count<T>}), out(Dim<1>{count<T>});
  const device::Isa highest = device::isa();
  for (const Function<T>& function : functions) {
    fill_within<T>(x, function.low, function.high, bits);
    fill_within<T>(y, -4, 4, bits);
    for (const device::Isa isa : {device::Isa::avx512, device::Isa::avx2, device::Isa::baseline}) {
      if (isa > highest) continue;
      device::limit_isa(isa);
      const double ours = time_of([&] { function.ours(out, x, y); }, count<T>);
      char text[160];
      std::snprintf(text, sizeof text, "| %s | %s | %s | %.3f | %.2f |", function.name, sizeof(T) == 4 ? "f32" : "f64",
                    std::string(device::name(isa)).c_str(), ours, worst_error_anywhere(function));
      page << text;
      double best = std::numeric_limits<double>::infinity(), error = 0;
      const char* library = nullptr;
      for (const Peer<T>& peer : peers) {
        if (std::strcmp(peer.function, function.name) != 0 || device::name(isa) != peer.isa) continue;
        const double took = time_of([&] { peer.loop(x.data(), y.data(), out.data(), count<T>); }, count<T>);
        if (took >= best) continue;
        best = took, library = peer.library, error = worst_error(out, x, y, function);
      }
      if (library == nullptr) {
        page << " | | | |\n";
        continue;
      }
      std::snprintf(text, sizeof text, " %s | %.3f | %.2f | %.2f |\n", library, best, error, ours / best);
      page << text;
    }
    device::limit_isa(highest);
  }
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  std::string family = "?", name = "unknown processor";
  for (std::string line; std::getline(info, line) && !line.empty();) {
    const std::string value = line.substr(std::min(line.size(), line.find(':') + 2));
    if (line.starts_with("model name")) name = value;
    if (line.starts_with("cpu family")) family = value;
  }
  return name + " (family " + family + ")";
}

std::string table() {
  math_bench::Peers32 floats;
  math_bench::Peers64 doubles;
  for (const auto add : {math_bench::add_libmvec_avx2, math_bench::add_sleef_avx2, math_bench::add_xsimd_avx2,
                         math_bench::add_eigen_avx2, math_bench::add_libmvec_avx512, math_bench::add_sleef_avx512,
                         math_bench::add_xsimd_avx512, math_bench::add_eigen_avx512})
    add(floats, doubles);
  set_num_threads(1);
  std::ostringstream page;
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  const std::chrono::year_month_day date{today};
  page << "Measured on " << processor() << ", one thread, clang " << __clang_major__ << ", -O3, "
       << static_cast<int>(date.year()) << '-' << static_cast<unsigned>(date.month()) << '-'
       << static_cast<unsigned>(date.day()) << ".\n\n"
       << "| function | dtype | ISA | ns | max ULP | fastest peer | its ns | its ULP | ratio |\n"
       << "|---|---|---|--:|--:|---|--:|--:|--:|\n";
  add_rows<float>(page, functions<float>(), floats);
  add_rows<double>(page, functions<double>(), doubles);
  return page.str();
}

/// The page with what stands between its markers replaced.
std::string replaced(const std::string& page, const std::string& table) {
  const std::string begin = "<!-- begin table -->\n", end = "<!-- end table -->";
  const std::size_t first = page.find(begin), last = page.find(end);
  if (first == std::string::npos || last == std::string::npos) return "";
  return page.substr(0, first + begin.size()) + table + page.substr(last);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string text = table();
  std::cout << text;
  if (argc < 2) return 0;
  std::ifstream in(argv[1]);
  const std::string page = replaced({std::istreambuf_iterator<char>(in), {}}, text);
  if (page.empty()) {
    std::cerr << argv[1] << " is not a page with markers for the table\n";
    return 1;
  }
  std::ofstream(argv[1]) << page;
}
