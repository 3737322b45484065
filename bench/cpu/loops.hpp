// The hand-written loops. They are compiled in a file of their own, so that no caller's constants reach them.
#pragma once

#include <cstddef>

namespace loops {

/// y(i, j) = mean of x's four neighbours of (i, j), inside the border.
void stencil(const float* x, float* y, std::ptrdiff_t rows, std::ptrdiff_t columns);

/// y(i, j) = r(i) + c(j).
void outer(const float* r, const float* c, float* y, std::ptrdiff_t rows, std::ptrdiff_t columns);

/// y(i, j) = max(x(i, j) + bias(j), 0).
void bias_relu(const float* x, const float* bias, float* y, std::ptrdiff_t rows, std::ptrdiff_t columns);

/// y(i, j) = x(j, i) in tiles of 32 x 32; the side is a multiple of 32.
void transpose(const float* x, float* y, std::ptrdiff_t side);

/// y(i) = sum of row i of x; the columns are a multiple of 64.
void row_sums(const float* x, float* y, std::ptrdiff_t rows, std::ptrdiff_t columns);

/// y(j) = sum of column j of x.
void column_sums(const float* x, float* y, std::ptrdiff_t rows, std::ptrdiff_t columns);

/// Each row of y is the softmax of that row of x.
void softmax(const float* x, float* y, std::ptrdiff_t rows, std::ptrdiff_t columns);

/// c = a + 2 b.
void scaled_sum(const float* a, const float* b, float* c, std::ptrdiff_t n);

/// w = -eta (g + lambda w).
void update(float* w, const float* g, float eta, float lambda, std::ptrdiff_t n);

}  // namespace loops
