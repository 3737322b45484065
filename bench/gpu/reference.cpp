// What every kernel must have computed, in double precision on the host: the elements of its result that are compared.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "numbers.hpp"

namespace {

using bench::number;

struct Request {
  std::string kernel, dtype;
  std::int64_t rows = 1, columns = 1;
};

/// The nearest float with `bits` bits of significand, ties to even.
double rounded_to(float x, int bits) {
  if (x == 0) return 0;
  int exponent = 0;
  const double significand = std::frexp(static_cast<double>(x), &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(significand, bits)), exponent - bits);
}

double rounded(float x, const std::string& dtype) {
  if (dtype == "bf16") return rounded_to(x, 8);
  if (dtype == "f16") return rounded_to(x, 11);
  return static_cast<double>(x);
}

/// Operands, as they were filled.
class Operands {
 public:
  explicit Operands(const Request& request) : request_(request) {}

  double first(std::int64_t i) const { return rounded(number(static_cast<std::uint32_t>(i), 1), request_.dtype); }
  double second(std::int64_t i) const { return rounded(number(static_cast<std::uint32_t>(i), 2), request_.dtype); }
  double third(std::int64_t i) const { return rounded(number(static_cast<std::uint32_t>(i), 3), request_.dtype); }
  double bias(std::int64_t i) const { return rounded(number(static_cast<std::uint32_t>(i), 2) - 1.0f, request_.dtype); }

 private:
  const Request& request_;
};

/// One element of a result.
using Element = std::function<double(const Operands& x, const Request& request, std::int64_t i)>;
/// The shape of a result.
struct Shape {
  std::int64_t rows, columns;
};

double row_sum(const Operands& x, const Request& r, std::int64_t row, const std::function<double(double)>& f) {
  double sum = 0;
  for (std::int64_t j = 0; j < r.columns; ++j) sum += f(x.first(row * r.columns + j));
  return sum;
}

double column_sum(const Operands& x, const Request& r, std::int64_t column) {
  double sum = 0;
  for (std::int64_t i = 0; i < r.rows; ++i) sum += x.first(i * r.columns + column);
  return sum;
}

double softmax(const Operands& x, const Request& r, std::int64_t i) {
  return std::exp(x.first(i)) / row_sum(x, r, i / r.columns, [](double v) { return std::exp(v); });
}

double layernorm(const Operands& x, const Request& r, std::int64_t i) {
  const std::int64_t row = i / r.columns;
  const auto n = static_cast<double>(r.columns);
  const double mean = row_sum(x, r, row, [](double v) { return v; }) / n;
  const double variance = row_sum(x, r, row, [mean](double v) { return (v - mean) * (v - mean); }) / n;
  return (x.first(i) - mean) / std::sqrt(variance + 1e-5);
}

double updated(const Operands& x, const Request&, std::int64_t i) {
  return x.first(i) - double{bench::rate} * (x.second(i) + double{bench::decay} * x.first(i));
}

double updated_with_momentum(const Operands& x, const Request&, std::int64_t i) {
  const double velocity = double{bench::momentum} * x.third(i) + (x.second(i) + double{bench::decay} * x.first(i));
  return x.first(i) - double{bench::rate} * velocity;
}

double call_price(const Operands&, const Request&, std::int64_t i) {
  const auto at = static_cast<std::uint32_t>(i);
  const double price = double{bench::price_of(number(at, 1))}, strike = double{bench::price_of(number(at, 2))};
  const double years = double{bench::years_of(number(at, 3))};
  const double volatility = double{bench::volatility}, interest = double{bench::interest};
  const auto normal = [](double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); };
  const double spread = volatility * std::sqrt(years);
  const double d1 = (std::log(price / strike) + (interest + 0.5 * volatility * volatility) * years) / spread;
  return price * normal(d1) - strike * std::exp(-interest * years) * normal(d1 - spread);
}

double product(const Operands& x, const Request& r, std::int64_t i) {
  double sum = 0;
  for (std::int64_t k = 0; k < r.columns; ++k)
    sum += x.first(i / r.columns * r.columns + k) * x.second(k * r.columns + i % r.columns);
  return sum;
}

double variance(const Operands& x, const Request& r, std::int64_t row) {
  const auto n = static_cast<double>(r.columns);
  const double mean = row_sum(x, r, row, [](double v) { return v; }) / n;
  return row_sum(x, r, row, [mean](double v) { return (v - mean) * (v - mean); }) / n;
}

double total(const Operands& x, const Request& r, std::int64_t) {
  double sum = 0;
  for (std::int64_t i = 0; i < r.rows * r.columns; ++i) sum += x.first(i);
  return sum;
}

double neighbours(const Operands& x, const Request& r, std::int64_t i) {
  const std::int64_t width = r.columns - 2, centre = (i / width + 1) * r.columns + i % width + 1;
  return x.first(centre) + x.first(centre - r.columns) + x.first(centre + r.columns) + x.first(centre - 1) +
         x.first(centre + 1);
}

constexpr std::int64_t middle_axis = 64;

double of_reversed_axes(const Operands& x, const Request& r, std::int64_t i) {
  const std::int64_t inner = r.columns / middle_axis, row = i % r.rows;
  return x.first(row * r.columns + i / r.rows % middle_axis * inner + i / r.rows / middle_axis);
}

double maximum_of_middle(const Operands& x, const Request& r, std::int64_t i) {
  const std::int64_t inner = r.columns / middle_axis, first = i / inner * r.columns + i % inner;
  double most = x.first(first);
  for (std::int64_t m = 1; m < middle_axis; ++m) most = std::max(most, x.first(first + m * inner));
  return most;
}

/// Where the i-th picked row or element stands, of `end`.
std::int64_t position_below(std::int64_t end, std::int64_t i) {
  return static_cast<std::int64_t>(double{number(static_cast<std::uint32_t>(i), 2)} * static_cast<double>(end));
}

struct Rule {
  std::function<Shape(const Request&)> shape;
  Element element;
};

Shape same(const Request& r) { return {r.rows, r.columns}; }

/// Kernels of whose results any element can be computed by itself.
const std::map<std::string, Rule>& rules() {
  static const std::map<std::string, Rule> all = {
      {"copy", {same, [](const Operands& x, const Request&, std::int64_t i) { return x.first(i); }}},
      {"launch",
       {same, [](const Operands& x, const Request&, std::int64_t i) { return x.first(i) + 2 * x.second(i); }}},
      {"sgd", {same, updated}},
      {"sgd_momentum", {same, updated_with_momentum}},
      {"bias_relu",
       {same, [](const Operands& x, const Request& r,
                 std::int64_t i) { return std::max(0.0, x.first(i) + x.bias(i % r.columns)); }}},
      {"black_scholes", {same, call_price}},
      {"row_sums",
       {[](const Request& r) { return Shape{r.rows, 1}; },
        [](const Operands& x, const Request& r, std::int64_t i) {
          return row_sum(x, r, i, [](double v) { return v; });
        }}},
      {"column_sums", {[](const Request& r) { return Shape{1, r.columns}; }, column_sum}},
      {"softmax", {same, softmax}},
      {"layernorm", {same, layernorm}},
      {"window_copy",
       {[](const Request& r) { return Shape{r.rows - 2, r.columns - 2}; },
        [](const Operands& x, const Request& r, std::int64_t i) {
          const std::int64_t width = r.columns - 2;
          return x.first((i / width + 1) * r.columns + i % width + 1);
        }}},
      {"step_copy",
       {[](const Request& r) { return Shape{r.rows, (r.columns + 1) / 2}; },
        [](const Operands& x, const Request& r, std::int64_t i) {
          const std::int64_t width = (r.columns + 1) / 2;
          return x.first(i / width * r.columns + i % width * 2);
        }}},
      {"transposed_copy",
       {[](const Request& r) { return Shape{r.columns, r.rows}; },
        [](const Operands& x, const Request& r, std::int64_t i) {
          return x.first(i % r.rows * r.columns + i / r.rows);
        }}},
      {"reversed",
       {same, [](const Operands& x, const Request& r, std::int64_t i) { return x.first(r.columns - 1 - i); }}},
      {"every_third",
       {[](const Request& r) { return Shape{1, (r.columns + 2) / 3}; },
        [](const Operands& x, const Request&, std::int64_t i) { return x.first(3 * i); }}},
      {"axes_reversed", {same, of_reversed_axes}},
      {"maxima_of_middles",
       {[](const Request& r) { return Shape{r.rows, r.columns / middle_axis}; }, maximum_of_middle}},
      {"variances", {[](const Request& r) { return Shape{r.rows, 1}; }, variance}},
      {"total", {[](const Request&) { return Shape{1, 1}; }, total}},
      {"neighbours", {[](const Request& r) { return Shape{r.rows - 2, r.columns - 2}; }, neighbours}},
      {"weighted_channels",
       {same,
        [](const Operands& x, const Request& r, std::int64_t i) { return x.first(i) * x.second(i % r.columns); }}},
      {"column_and_row",
       {same, [](const Operands& x, const Request& r,
                 std::int64_t i) { return x.first(i / r.columns) + x.second(i % r.columns); }}},
      {"choosing",
       {same,
        [](const Operands& x, const Request&, std::int64_t i) { return x.first(i) > 0.5 ? x.first(i) : x.second(i); }}},
      {"from_bytes",
       {same, [](const Operands& x, const Request&, std::int64_t i) { return std::floor(256 * x.first(i)) / 255; }}},
      {"picked_rows",
       {same,
        [](const Operands& x, const Request& r, std::int64_t i) {
          return x.first(position_below(r.rows, i / r.columns) * r.columns + i % r.columns);
        }}},
      {"picked_elements",
       {same,
        [](const Operands& x, const Request& r, std::int64_t i) { return x.first(position_below(r.columns, i)); }}},
      {"matmul", {same, product}},
  };
  return all;
}

std::vector<double> by_element(const Rule& rule, const Request& request) {
  const Operands operands(request);
  const Shape shape = rule.shape(request);
  const std::int64_t count = shape.rows * shape.columns;
  std::vector<double> values;
  for (std::int64_t k = 0; k < bench::samples_of(count); ++k)
    values.push_back(rule.element(operands, request, bench::position(k, count)));
  return values;
}

/// Running sums: exact, as all operands are multiples of 2^-24.
std::vector<double> running_sums(const Request& request) {
  const std::int64_t count = request.rows * request.columns;
  std::vector<double> values;
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    sum += static_cast<double>(number(static_cast<std::uint32_t>(i), 1));
    if (i == bench::position(static_cast<std::int64_t>(values.size()), count)) values.push_back(sum);
  }
  return values;
}

/// Operands as integers, which order as they do.
std::uint32_t key(std::int64_t i) {
  return static_cast<std::uint32_t>(number(static_cast<std::uint32_t>(i), 1) * 0x1p24f);
}

/// One place in sorted order: a key, and how many equal ones come before it.
struct Place {
  std::uint32_t key;
  std::int64_t rank;
};

std::vector<Place> sorted_places(std::int64_t count) {
  std::vector<std::uint32_t> counts(std::size_t{1} << 24);
  for (std::int64_t i = 0; i < count; ++i) ++counts[key(i)];
  std::vector<Place> places;
  std::int64_t before = 0;
  for (std::uint32_t k = 0; k < counts.size(); before += counts[k++]) {
    while (static_cast<std::int64_t>(places.size()) < bench::samples_of(count)) {
      const std::int64_t wanted = bench::position(static_cast<std::int64_t>(places.size()), count);
      if (wanted >= before + counts[k]) break;
      places.push_back({k, wanted - before});
    }
  }
  return places;
}

std::vector<double> sorted(const Request& request) {
  std::vector<double> values;
  for (const Place& place : sorted_places(request.rows * request.columns)) values.push_back(place.key * 0x1p-24);
  return values;
}

/// Positions in a stable order.
std::vector<double> arg_sorted(const Request& request) {
  const std::int64_t count = request.rows * request.columns;
  const std::vector<Place> places = sorted_places(count);
  std::map<std::uint32_t, std::vector<std::int64_t>> positions;
  std::vector<char> is_wanted(std::size_t{1} << 24);
  for (const Place& place : places) is_wanted[place.key] = 1;
  for (std::int64_t i = 0; i < count; ++i)
    if (is_wanted[key(i)] != 0) positions[key(i)].push_back(i);
  std::vector<double> values;
  for (const Place& place : places)
    values.push_back(static_cast<double>(positions[place.key][static_cast<std::size_t>(place.rank)]));
  return values;
}

std::vector<double> result_of(const Request& request) {
  if (request.kernel == "scan") return running_sums(request);
  if (request.kernel == "sort") return sorted(request);
  if (request.kernel == "argsort") return arg_sorted(request);
  const auto found = rules().find(request.kernel);
  return found == rules().end() ? std::vector<double>{} : by_element(found->second, request);
}

}  // namespace

/// Reads lines "kernel dtype rows columns" and answers each with a JSON list; it is empty for a kernel that is not known.
int main() {
  std::cout.precision(17);
  Request request;
  while (std::cin >> request.kernel >> request.dtype >> request.rows >> request.columns) {
    const std::vector<double> values = result_of(request);
    std::cout << "[";
    for (std::size_t i = 0; i < values.size(); ++i) std::cout << (i == 0 ? "" : ", ") << values[i];
    std::cout << "]" << std::endl;
  }
  return 0;
}
