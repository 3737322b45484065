// Loops as one writes them by hand, for the vectoriser: what every library is measured against.
#include "loops.hpp"

#include <algorithm>
#include <cmath>

namespace loops {

void stencil(const float* __restrict x, float* __restrict y, std::ptrdiff_t rows, std::ptrdiff_t columns) {
  for (std::ptrdiff_t i = 1; i + 1 < rows; ++i) {
    const float* at = x + i * columns;
    float* out = y + i * columns;
    for (std::ptrdiff_t j = 1; j + 1 < columns; ++j)
      out[j] = 0.25f * (at[j - columns] + at[j + columns] + at[j - 1] + at[j + 1]);
  }
}

void outer(const float* __restrict r, const float* __restrict c, float* __restrict y, std::ptrdiff_t rows,
           std::ptrdiff_t columns) {
  for (std::ptrdiff_t i = 0; i < rows; ++i) {
    for (std::ptrdiff_t j = 0; j < columns; ++j) y[i * columns + j] = r[i] + c[j];
  }
}

void bias_relu(const float* __restrict x, const float* __restrict bias, float* __restrict y, std::ptrdiff_t rows,
               std::ptrdiff_t columns) {
  for (std::ptrdiff_t i = 0; i < rows; ++i) {
    for (std::ptrdiff_t j = 0; j < columns; ++j) {
      const float sum = x[i * columns + j] + bias[j];
      y[i * columns + j] = sum > 0 ? sum : 0;
    }
  }
}

void transpose(const float* __restrict x, float* __restrict y, std::ptrdiff_t side) {
  constexpr std::ptrdiff_t tile = 32;
  for (std::ptrdiff_t i = 0; i < side; i += tile) {
    for (std::ptrdiff_t j = 0; j < side; j += tile) {
      for (std::ptrdiff_t r = i; r < i + tile; ++r) {
        for (std::ptrdiff_t c = j; c < j + tile; ++c) y[r * side + c] = x[c * side + r];
      }
    }
  }
}

void row_sums(const float* __restrict x, float* __restrict y, std::ptrdiff_t rows, std::ptrdiff_t columns) {
  constexpr std::ptrdiff_t lanes = 64;  // independent sums, which may be vectorised: one sum may not
  for (std::ptrdiff_t i = 0; i < rows; ++i) {
    float partial[lanes] = {};
    for (std::ptrdiff_t j = 0; j < columns; j += lanes) {
      for (std::ptrdiff_t k = 0; k < lanes; ++k) partial[k] += x[i * columns + j + k];
    }
    float total = 0;
    for (const float lane : partial) total += lane;
    y[i] = total;
  }
}

void column_sums(const float* __restrict x, float* __restrict y, std::ptrdiff_t rows, std::ptrdiff_t columns) {
  std::fill(y, y + columns, 0.0f);
  for (std::ptrdiff_t i = 0; i < rows; ++i) {
    for (std::ptrdiff_t j = 0; j < columns; ++j) y[j] += x[i * columns + j];
  }
}

void softmax(const float* __restrict x, float* __restrict y, std::ptrdiff_t rows, std::ptrdiff_t columns) {
  for (std::ptrdiff_t i = 0; i < rows; ++i) {
    const float* in = x + i * columns;
    float* out = y + i * columns;
    float largest = in[0];
    for (std::ptrdiff_t j = 1; j < columns; ++j) largest = std::max(largest, in[j]);
    float total = 0;
    for (std::ptrdiff_t j = 0; j < columns; ++j) {
      out[j] = std::exp(in[j] - largest);
      total += out[j];
    }
    for (std::ptrdiff_t j = 0; j < columns; ++j) out[j] /= total;
  }
}

void scaled_sum(const float* a, const float* b, float* c, std::ptrdiff_t n) {
  for (std::ptrdiff_t i = 0; i < n; ++i) c[i] = a[i] + 2.0f * b[i];
}

void update(float* __restrict w, const float* __restrict g, float eta, float lambda, std::ptrdiff_t n) {
  for (std::ptrdiff_t i = 0; i < n; ++i) w[i] = -eta * (g[i] + lambda * w[i]);
}

}  // namespace loops
