// Calls of cuBLAS: row-major products of all types, transposed operands, batches, handles of streams, and errors.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

import tessera;

using namespace tessera;

namespace {

/// A matrix in row-major order, or its transpose as it lies in memory.
template <class T>
struct Stored {
  std::vector<T> elements;
  std::ptrdiff_t leading;
};

/// A small integer for each element, with an imaginary part where there is one.
template <class T>
T value_at(std::ptrdiff_t i, std::ptrdiff_t j) {
  const auto number = static_cast<int>((3 * i + 5 * j) % 7) - 3;
  if constexpr (Complex<T>) return T(number, number % 2);
  if constexpr (!Complex<T>) return T(number);
}

template <class T>
Stored<T> store(std::ptrdiff_t batches, std::ptrdiff_t rows, std::ptrdiff_t columns, bool is_transposed, int salt) {
  const std::ptrdiff_t down = is_transposed ? columns : rows;
  const std::ptrdiff_t leading = (is_transposed ? rows : columns) + 2;
  Stored<T> stored{std::vector<T>(static_cast<std::size_t>(batches * down * leading), T(99)), leading};
  for (std::ptrdiff_t batch = 0; batch < batches; ++batch) {
    for (std::ptrdiff_t i = 0; i < rows; ++i) {
      for (std::ptrdiff_t j = 0; j < columns; ++j) {
        const std::ptrdiff_t at = is_transposed ? j * leading + i : i * leading + j;
        stored.elements[static_cast<std::size_t>(batch * down * leading + at)] = value_at<T>(i + batch + salt, j);
      }
    }
  }
  return stored;
}

int streams[4];

template <class T, class Result>
void check_product(bool a_transposed, bool b_transposed, std::ptrdiff_t batches) {
  constexpr std::ptrdiff_t rows = 3, columns = 5, inner = 4;
  const auto a = store<T>(batches, rows, inner, a_transposed, 0);
  const auto b = store<T>(1, inner, columns, b_transposed, 1);
  constexpr std::ptrdiff_t c_leading = columns + 1;
  std::vector<Result> c(static_cast<std::size_t>(batches * rows * c_leading), Result(77));
  const blas::Gemm<T, Result> call{.rows = rows,
                                   .columns = columns,
                                   .inner = inner,
                                   .a = a.elements.data(),
                                   .a_leading = a.leading,
                                   .a_transposed = a_transposed,
                                   .b = b.elements.data(),
                                   .b_leading = b.leading,
                                   .b_transposed = b_transposed,
                                   .c = c.data(),
                                   .c_leading = c_leading};
  const std::ptrdiff_t a_step = std::ssize(a.elements) / batches;
  cublas::gemm(call, &streams[0],
               {.count = batches, .a_step = a_step, .b_step = 0, .c_step = batches > 1 ? rows * c_leading : 0});
  for (std::ptrdiff_t batch = 0; batch < batches; ++batch) {
    for (std::ptrdiff_t i = 0; i < rows; ++i) {
      for (std::ptrdiff_t j = 0; j < c_leading; ++j) {
        using Wide = compute_t<Result>;
        Wide sum(0);
        for (std::ptrdiff_t k = 0; k < inner; ++k) {
          sum += static_cast<Wide>(value_at<T>(i + batch, k)) * static_cast<Wide>(value_at<T>(k + 1, j));
        }
        if (j == columns) sum = Wide(77);  // what lies behind a row is not written
        CAPTURE(batch);
        CAPTURE(i);
        CAPTURE(j);
        CHECK(static_cast<Wide>(c[static_cast<std::size_t>((batch * rows + i) * c_leading + j)]) == sum);
      }
    }
  }
}

template <class Function>
Function* of_fake(const char* name) {
  void* const library = dlopen(std::getenv("TESSERA_CUBLAS"), RTLD_NOW);
  return reinterpret_cast<Function*>(dlsym(library, name));
}

template <class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A product of 1 x 1 matrices.
void multiply(float* c, void* stream) {
  static const float two = 2;
  cublas::gemm(blas::Gemm<float>{.rows = 1,
                                 .columns = 1,
                                 .inner = 1,
                                 .a = &two,
                                 .a_leading = 1,
                                 .a_transposed = false,
                                 .b = &two,
                                 .b_leading = 1,
                                 .b_transposed = false,
                                 .c = c,
                                 .c_leading = 1},
               stream);
}

}  // namespace

TEST_SUITE("fake") {
  TEST_CASE_TEMPLATE("row-major products, transposed operands and batches come out as by loops", T, float, double,
                     std::complex<float>, std::complex<double>, float16, bfloat16) {
    for (const bool a_transposed : {false, true}) {
      for (const bool b_transposed : {false, true}) {
        for (const std::ptrdiff_t batches : {1, 3}) {
          CAPTURE(a_transposed);
          CAPTURE(b_transposed);
          check_product<T, T>(a_transposed, b_transposed, batches);
        }
      }
    }
  }

  TEST_CASE("products of halves can be written as float") {
    check_product<float16, float>(false, true, 2);
    check_product<bfloat16, float>(true, false, 1);
  }

  TEST_CASE("each stream has one handle, whichever thread uses it") {
    const auto handles = of_fake<int()>("fake_handles");
    const auto products = of_fake<int(void*)>("fake_products");
    float c = 0;
    multiply(&c, &streams[1]);
    const int before = handles();
    multiply(&c, &streams[2]);
    multiply(&c, &streams[1]);
    std::thread([&] { multiply(&c, &streams[1]); }).join();
    CHECK(handles() == before + 1);
    CHECK(products(&streams[1]) == 3);
    CHECK(products(&streams[2]) == 1);
    CHECK(c == 4);
  }

  TEST_CASE("what cuBLAS refuses is a DeviceError with its name") {
    float c = 0;
    of_fake<void(int)>("fake_refuse")(7);
    const auto message = message_of([&] { multiply(&c, &streams[1]); });
    of_fake<void(int)>("fake_refuse")(0);
    CHECK(contains(message, "cublasGemmStridedBatchedEx reports CUBLAS_STATUS_INVALID_VALUE (7)"));
    CHECK(c == 0);
  }

  TEST_CASE("the description names file and version") {
    CHECK(cublas::is_there());
    CHECK(contains(cublas::description(), "fake_cublas"));
    CHECK(contains(cublas::description(), ", cuBLAS 13.12.11"));
  }
}

TEST_SUITE("missing") {
  TEST_CASE("without cuBLAS, a product says where it was looked for and what to do") {
    float c = 0;
    CHECK(!cublas::is_there());
    const auto message = message_of([&] { multiply(&c, &streams[0]); });
    CHECK(contains(message, "cuBLAS was not found; looked for nowhere.so"));
    CHECK(contains(message, "TESSERA_CUBLAS"));
  }
}

TEST_SUITE("installed") {
  TEST_CASE("the machine's cuBLAS has every function that is called, and says why it cannot work without a GPU") {
    if (!cublas::is_there()) {
      MESSAGE("skipped: cuBLAS is not here");
      return;
    }
    CHECK(contains(cublas::description(), "cuBLAS 1"));
    if (device_count() > 0) return;
    float c = 0;
    CHECK(contains(message_of([&] { multiply(&c, nullptr); }), "cublasCreate reports CUBLAS_STATUS_"));
  }
}
