// Launches one of a fixed list of expressions on GPU 0, for the sake of its kernels' text: gpu_code_expressions NAME, or --list. It is run on the
// stand-in driver of tests/cuda while that only collects texts (measure.py), so that shapes cost no time. Each line of the list has a name, the bytes
// that one element of the main loop reads and writes, and what the line is about.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

import tessera;

using namespace tessera;

namespace {

struct Entry {
  const char* name;
  int read;     // bytes of memory for each element
  int written;  // bytes
  const char* what;
  std::function<void()> run;
};

constexpr GpuPlace gpu{0};
constexpr random::Key key{7};
constexpr std::ptrdiff_t many = 1 << 22;

template <class T = float>
Array<T, 1> vector(std::ptrdiff_t n) {
  return Array<T, 1>(Dim{n}, gpu);
}

template <class T = float>
Array<T, 2> matrix(std::ptrdiff_t rows, std::ptrdiff_t columns) {
  return Array<T, 2>(Dim{rows, columns}, gpu);
}

template <class T = float>
void softmax_of(std::ptrdiff_t rows, std::ptrdiff_t columns) {
  evaluate(softmax<1>(matrix<T>(rows, columns)));
}

template <class T = float>
void layernorm_of(std::ptrdiff_t rows, std::ptrdiff_t columns) {
  evaluate(layernorm<1>(matrix<T>(rows, columns)));
}

template <class Expression>
void into(const Expression& expression) {
  Array<typename Expression::value_type, 1> y(expression.shape(), gpu);
  y = expression;
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> list = {
      {"add", 8, 4, "a + b, contiguous", [] { evaluate(vector(many) + vector(many)); }},
      {"add_bfloat16", 4, 2, "a + b of bfloat16", [] { evaluate(vector<bfloat16>(many) + vector<bfloat16>(many)); }},
      {"bias_relu", 4, 4, "relu(x + row), 4096 x 4096", [] { evaluate(relu(matrix(4096, 4096) + vector(4096))); }},
      {"unaligned", 4, 4, "x(range(1, n)) * 2", [] { evaluate(vector(many)(range(1, many)) * 2.0f); }},
      {"unaligned_add", 8, 4, "a(range(1, n)) + b(range(2, n + 1))",
       [] { evaluate(vector(many)(range(1, many - 1)) + vector(many)(range(2, many))); }},
      {"unaligned_bfloat16", 2, 2, "x(range(1, n)) * 2 of bfloat16",
       [] { evaluate(vector<bfloat16>(many)(range(1, many)) * 2.0f); }},
      {"shared_start", 4, 4, "y(range(1, n)) = x(range(1, n)) * 2",
       [] { assign(vector(many)(range(1, many)), vector(many)(range(1, many)) * 2.0f); }},
      {"inner_columns", 4, 4, "y(all, range(1, n)) = x(all, range(1, n)) * 2, 4096 x 4096",
       [] { assign(matrix(4096, 4096)(all, range(1, 4096)), matrix(4096, 4096)(all, range(1, 4096)) * 2.0f); }},
      {"odd_inner_columns", 4, 4, "y(all, range(1, n)) = x(all, range(1, n)) * 2, 4096 x 4097",
       [] { assign(matrix(4096, 4097)(all, range(1, 4097)), matrix(4096, 4097)(all, range(1, 4097)) * 2.0f); }},
      {"odd_row", 4, 4, "relu(x + row), 4095 x 4097", [] { evaluate(relu(matrix(4095, 4097) + vector(4097))); }},
      {"every_second", 4, 4, "x(all, range(0, n, 2)) * 2, 4096 x 8192",
       [] { evaluate(matrix(4096, 8192)(all, range(0, 8192, 2)) * 2.0f); }},
      {"odd_columns", 4, 4, "x(all, range(1, n, 2)) * 2, 4096 x 8192",
       [] { evaluate(matrix(4096, 8192)(all, range(1, 8192, 2)) * 2.0f); }},
      {"column_added", 4, 4, "x + column, 4095 x 4097", [] { evaluate(matrix(4095, 4097) + matrix(4095, 1)); }},
      {"wide_odd_row", 1, 1, "x + row of uint8, 65537 x 32769: 64-bit indices",
       [] { evaluate(matrix<std::uint8_t>(65537, 32769) + vector<std::uint8_t>(32769)); }},
      {"transposed", 4, 4, "x.T() * 2", [] { evaluate(matrix(4096, 4096).T() * 2.0f); }},
      {"transposed_add", 8, 4, "x + y.T()", [] { evaluate(matrix(4096, 4096) + matrix(4096, 4096).T()); }},
      {"sum", 4, 0, "sum(x), 16 M", [] { evaluate(sum(vector(1 << 24))); }},
      {"sum_rows", 4, 0, "sum<1>(x), 4096 x 4096", [] { evaluate(sum<1>(matrix(4096, 4096))); }},
      {"sum_short_rows", 4, 0, "sum<1>(x), 1 M x 64", [] { evaluate(sum<1>(matrix(1 << 20, 64))); }},
      {"sum_pixels", 4, 0, "sum<1>(x), 16 M x 3", [] { evaluate(sum<1>(matrix(1 << 24, 3))); }},
      {"sum_rows_16", 4, 0, "sum<1>(x), 1 M x 16", [] { evaluate(sum<1>(matrix(1 << 20, 16))); }},
      {"sum_columns", 4, 0, "sum<0>(x), 4096 x 4096", [] { evaluate(sum<0>(matrix(4096, 4096))); }},
      {"sum_odd_rows", 4, 0, "sum<1>(x), 4095 x 4097", [] { evaluate(sum<1>(matrix(4095, 4097))); }},
      {"sum_columns_bfloat16", 2, 0, "sum<0>(x) of bfloat16, 4096 x 16384",
       [] { evaluate(sum<0>(matrix<bfloat16>(4096, 16384))); }},
      {"mean_bfloat16", 2, 0, "mean<1>(x) of bfloat16, 4096 x 4096",
       [] { evaluate(mean<1>(matrix<bfloat16>(4096, 4096))); }},
      {"squares", 8, 0, "sum<1>((x - y) * (x - y)), 4096 x 4096",
       [] {
         const auto x = matrix(4096, 4096), y = matrix(4096, 4096);
         evaluate(sum<1>((x - y) * (x - y)));
       }},
      {"logsumexp", 4, 0, "logsumexp<1>(x), 4096 x 4096", [] { evaluate(logsumexp<1>(matrix(4096, 4096))); }},
      {"softmax_64", 4, 4, "softmax<1>(x), 65536 x 64", [] { softmax_of(65536, 64); }},
      {"softmax_1024", 4, 4, "softmax<1>(x), 8192 x 1024", [] { softmax_of(8192, 1024); }},
      {"softmax_1000", 4, 4, "softmax<1>(x), 8192 x 1000", [] { softmax_of(8192, 1000); }},
      {"softmax_1001", 4, 4, "softmax<1>(x), 8192 x 1001: rows that are not aligned", [] { softmax_of(8192, 1001); }},
      {"softmax_4096", 4, 4, "softmax<1>(x), 4096 x 4096", [] { softmax_of(4096, 4096); }},
      {"softmax_8192", 4, 4, "softmax<1>(x), 4096 x 8192", [] { softmax_of(4096, 8192); }},
      {"softmax_16384", 4, 4, "softmax<1>(x), 1024 x 16384", [] { softmax_of(1024, 16384); }},
      {"softmax_32768", 4, 4, "softmax<1>(x), 1024 x 32768", [] { softmax_of(1024, 32768); }},
      {"softmax_131072", 4, 4, "softmax<1>(x), 128 x 131072", [] { softmax_of(128, 131072); }},
      {"softmax_bfloat16", 2, 2, "softmax<1>(x) of bfloat16, 4096 x 4096", [] { softmax_of<bfloat16>(4096, 4096); }},
      {"softmax_columns", 4, 4, "softmax<0>(x), 16384 x 1024", [] { evaluate(softmax<0>(matrix(16384, 1024))); }},
      {"softmax_short_columns", 4, 4, "softmax<0>(x), 512 x 65536", [] { evaluate(softmax<0>(matrix(512, 65536))); }},
      {"log_softmax_4096", 4, 4, "log_softmax<1>(x), 4096 x 4096",
       [] { evaluate(log_softmax<1>(matrix(4096, 4096))); }},
      {"layernorm_1024", 4, 4, "layernorm<1>(x), 8192 x 1024", [] { layernorm_of(8192, 1024); }},
      {"layernorm_8192", 4, 4, "layernorm<1>(x), 4096 x 8192", [] { layernorm_of(4096, 8192); }},
      {"layernorm_affine", 12, 4, "layernorm<1>(x) * g + b, 8192 x 4096",
       [] { evaluate(layernorm<1>(matrix(8192, 4096)) * vector(4096) + vector(4096)); }},
      {"uniform", 0, 4, "random::uniform<float>", [] { into(random::uniform<float>(key, Dim{many})); }},
      {"uniform_scaled", 0, 4, "random::uniform<float> * 2 - 1",
       [] { into(random::uniform<float>(key, Dim{many}) * 2.0f - 1.0f); }},
      {"uniform_double", 0, 8, "random::uniform<double>", [] { into(random::uniform<double>(key, Dim{many})); }},
      {"normal", 0, 4, "random::normal<float>", [] { into(random::normal<float>(key, Dim{many})); }},
      {"normal_double", 0, 8, "random::normal<double>", [] { into(random::normal<double>(key, Dim{many})); }},
      {"dropout", 4, 4, "where(uniform < 0.9, x, 0)",
       [] { evaluate(where(random::uniform<float>(key, Dim{many}) < 0.9f, vector(many), 0.0f)); }},
      {"copy_strided", 4, 4, "copy of x(all, range(0, n, 3)), 4096 x 8191",
       [] { matrix(4096, 8191)(all, range(0, 8191, 3)).clone(); }},
      {"copy_transposed", 4, 4, "copy of transpose(x, {2, 1, 0}), 64 x 128 x 256",
       [] { transpose(Array<float, 3>(Dim{64, 128, 256}, gpu), {2, 1, 0}).clone(); }},
      {"copy_planes", 1, 1, "copy of the planes of pixels, 4096 x 4096 x 3 of uint8",
       [] { transpose(Array<std::uint8_t, 3>(Dim{4096, 4096, 3}, gpu), {2, 0, 1}).clone(); }},
      {"take_rows", 4, 4, "take(x, indices), rows of 1024",
       [] { take(matrix(4096, 1024), zeros<std::int64_t>(Dim{4096})); }},
      {"pick_elements", 12, 4, "x(indices), both on the GPU, 16 M",
       [] { evaluate(vector(1 << 24)(Array<std::int64_t, 1>(Dim{1 << 24}, gpu))); }},
      {"pick_rows", 4, 4, "x(indices, all), rows of 64",
       [] { evaluate(matrix(4096, 64)(Array<std::int32_t, 1>(Dim{4096}, gpu), all)); }},
  };
  return list;
}

int list() {
  for (const Entry& entry : entries())
    std::printf("%s\t%d\t%d\t%s\n", entry.name, entry.read, entry.written, entry.what);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  if (std::strcmp(words[1], "--list") == 0) return list();
  for (const Entry& entry : entries()) {
    if (std::strcmp(words[1], entry.name) != 0) continue;
    try {
      entry.run();
      synchronize();
      return 0;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", entry.name, error.what());
      return 1;
    }
  }
  std::fprintf(stderr, "there is no expression '%s'\n", words[1]);
  return 2;
}
