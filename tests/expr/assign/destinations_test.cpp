// Random destinations: views of one buffer are written with what is computed of other views of it. The model is a loop over positions, for
// which the right side is read completely before anything is written; a destination that holds an element twice is refused, and nothing has
// changed then. Any number of threads writes the same bits.
#include "destination_views.hpp"

#include <cstring>
#include <functional>
#include <numeric>

using namespace tessera;
using namespace support;

namespace {

using Values = std::vector<double>;

/// What is done to a destination, and the values that its elements have then.
struct Statement {
  std::string text;
  std::function<void()> run;
  Values wanted;
};

template <class F, class... More>
Values each(const F& f, Values first, const More&... more) {
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = f(first[i], more[i]...);
  return first;
}

/// Statements about a destination of rank R. Values are small integers, whose sums and products float has exactly.
template <int R>
class Maker {
 public:
  using Operand = View<float, R>;
  static constexpr int last = R - 1;

  Maker(Random& random, const Array<float, 1>& buffer, const std::vector<float>& before, const Operand& to)
      : random_(random), all_(whole(buffer)), before_(before), to_(to) {}

  Statement make() {
    const Operand a = operand(), b = operand(), c = operand();
    Array<float, R> d = to_.array, x = a.array, y = b.array, z = c.array;
    const Values p = value(a), q = value(b), r = value(c), old = value(to_);
    switch (random_.below(20)) {
      case 0: return {"d = a", [=]() mutable { d(ellipsis) = x; }, p};
      case 1: return {"window = a", [=]() mutable { make_view(d) = x; }, p};
      case 2: return {"d = copy(a)", [=]() mutable { d(ellipsis) = copy(x); }, p};
      case 3: return {"d = scalar", [=]() mutable { d(ellipsis) = 3; }, Values(p.size(), 3)};
      case 4:
        return {"d = a * 2 - d", [=]() mutable { d(ellipsis) = x * 2 - d; },
                each([](double u, double v) { return u * 2 - v; }, p, old)};
      case 5:
        return {"window = a + b", [=]() mutable { make_view(d) = x + y; },
                each([](double u, double v) { return u + v; }, p, q)};
      case 6:
        return {"d = where(a > b, c, a)", [=]() mutable { d(ellipsis) = where(x > y, z, x); },
                each([](double u, double v, double w) { return u > v ? w : u; }, p, q, r)};
      case 7: {
        const Operand e = operand(), f = operand();
        const Array<float, R> v = e.array, w = f.array;
        return {"d = a + b * c - d * e + f", [=]() mutable { d(ellipsis) = x + y * z - d * v + w; },
                each([](double i, double j, double k, double l, double m, double n) { return i + j * k - l * m + n; },
                     p, q, r, old, value(e), value(f))};
      }
      case 8: return {"d += a", [=]() mutable { d += x; }, each([](double u, double v) { return u + v; }, old, p)};
      case 9:
        return {"d *= 2 - a * b", [=]() mutable { d *= 2 - x * y; },
                each([](double u, double v, double w) { return u * (2 - v * w); }, old, p, q)};
      case 10:
        return {"window -= a", [=]() mutable { make_view(d) -= x; },
                each([](double u, double v) { return u - v; }, old, p)};
      case 11: return reduced();
      case 12: return reduced_first();
      case 13: return rolled();
      case 14: return joined_parts();
      case 15: return sorted();
      case 16: return scanned();
      case 17: return taken();
      case 18:
        if constexpr (R == 2) return product_of_matrices();
        break;
      default: break;
    }
    return {"d = minimum(a, b) - -c", [=]() mutable { d(ellipsis) = minimum(x, y) - -z; },
            each([](double u, double v, double w) { return std::min(u, v) + w; }, p, q, r)};
  }

 private:
  std::ptrdiff_t elements() const { return all_.shape[0]; }
  /// A view that broadcasts to the destination.
  Operand operand() {
    if (random_.below(4) == 0) return of_destination();
    return random_operand(random_, all_, fitting(random_, to_.shape, elements()));
  }
  /// The destination as it is, along other axes or one slice of it: some begin at the same element.
  Operand of_destination() {
    const auto order = random_order<R>(random_);
    bool has_shape = true;
    for (int axis = 0; axis < R; ++axis)
      has_shape = has_shape && to_.shape[order[static_cast<std::size_t>(axis)]] == to_.shape[axis];
    if (has_shape && random_.below(2) == 0) return with_order(to_, order);
    if (product(to_.shape) == 0 || random_.below(2) == 0) return to_;
    std::array<Part, static_cast<std::size_t>(R)> parts;
    for (int axis = 0; axis < R; ++axis) {
      const std::ptrdiff_t extent = to_.shape[axis];
      const bool is_one = random_.below(2) == 0;
      parts[static_cast<std::size_t>(axis)] = part_of(random_, extent, 0, 1, is_one ? 1 : extent);
    }
    return sliced_by(to_, parts);
  }
  Values value(const Operand& view) const { return read(view, to_.shape, before_); }
  /// A view of the destination's shape, if the buffer has room for one; otherwise the destination.
  Operand of_this_shape() { return product(to_.shape) <= elements() ? random_operand(random_, all_, to_.shape) : to_; }

  /// The extents along one axis are another number, in a shape that the buffer has elements for.
  Operand with_extent(int axis, std::ptrdiff_t most) {
    Dim<R> shape = fitting(random_, to_.shape.with(axis, 1), elements());
    const std::ptrdiff_t room = product(shape) == 0 ? most : elements() / product(shape);
    return random_operand(random_, all_,
                          shape.with(axis, random_.between(1, std::max<std::ptrdiff_t>(1, std::min(room, most)))));
  }

  /// The elements of `a` folded along an axis, repeated to the destination's shape.
  template <class F>
  Values folded(const Operand& a, int axis, double start, const F& f) const {
    Values values;
    if (product(to_.shape) == 0) return values;
    Dim<R> once = a.shape.with(axis, 1);
    Operand results{a.array, once, {}};
    std::vector<float> sums;
    for_each_position(once, [&](auto index) {
      double sum = start;
      for (auto& i = index[static_cast<std::size_t>(axis)]; i < a.shape[axis]; ++i)
        sum = f(sum, double(before_[static_cast<std::size_t>(a.position(index))]));
      results.at.push_back(static_cast<std::ptrdiff_t>(sums.size()));
      sums.push_back(static_cast<float>(sum));
    });
    return read(results, to_.shape, sums);
  }

  Statement reduced() {
    const Operand a = with_extent(last, 3000);
    Array<float, R> d = to_.array, x = a.array;
    return {"d = sum<last>(a, keepdims) + d", [=]() mutable { d(ellipsis) = sum<last>(x, keepdims) + d; },
            each(std::plus<>(), folded(a, last, 0, std::plus<>()), value(to_))};
  }
  Statement reduced_first() {
    const Operand a = with_extent(0, 3000);
    Array<float, R> d = to_.array, x = a.array;
    return {"d = max<0>(a, keepdims)", [=]() mutable { d(ellipsis) = max<0>(x, keepdims); },
            folded(a, 0, -INFINITY, [](double u, double v) { return std::max(u, v); })};
  }
  Statement rolled() {
    const Operand a = of_this_shape();
    const std::ptrdiff_t extent = to_.shape[0], shift = random_.between(-3, extent);
    Operand moved = a;
    moved.at.clear();
    if (product(a.shape) > 0) {
      for_each_position(a.shape, [&](auto index) {
        index[0] = ((index[0] - shift) % extent + extent) % extent;
        moved.at.push_back(a.position(index));
      });
    }
    Array<float, R> d = to_.array, x = a.array;
    return {"d = roll<0>(a, k)", [=]() mutable { d(ellipsis) = roll<0>(x, shift); }, value(moved)};
  }
  /// The first part of one view and the last of another.
  Statement joined_parts() {
    const Operand a = of_this_shape(), b = of_this_shape();
    const std::ptrdiff_t cut = random_.below(to_.shape[0] + 1);
    Values values = value(a);
    const Values after = value(b);
    const auto begin = to_.shape[0] == 0 ? 0 : static_cast<std::ptrdiff_t>(values.size()) / to_.shape[0] * cut;
    std::copy(after.begin() + begin, after.end(), values.begin() + begin);
    Array<float, R> d = to_.array, x = a.array, y = b.array;
    return {"d = concat<0>(a, b)",
            [=]() mutable { d(ellipsis) = concat<0>(x(range(0, cut), ellipsis), y(range(cut, none), ellipsis)); },
            values};
  }

  template <class F>
  Values by_row(Values values, const F& f) const {
    const std::ptrdiff_t length = to_.shape[last];
    for (auto row = values.begin(); length > 0 && row != values.end(); row += length) f(row, row + length);
    return values;
  }
  Statement sorted() {
    const Operand a = of_this_shape();
    Array<float, R> d = to_.array, x = a.array;
    return {"sort_into(d, a)", [=] { sort_into(d, x); },
            by_row(value(a), [](auto from, auto to) { std::sort(from, to); })};
  }
  Statement scanned() {
    const Operand a = of_this_shape();
    Array<float, R> d = to_.array, x = a.array;
    return {"cumulative_sum_into<last>(d, a)", [=] { cumulative_sum_into<last>(d, x); },
            by_row(value(a), [](auto from, auto to) { std::partial_sum(from, to, from); })};
  }
  Statement taken() {
    const Operand a = of_this_shape();
    const std::ptrdiff_t extent = to_.shape[0];
    std::vector<std::int64_t> indices;
    for (std::ptrdiff_t i = 0; i < extent; ++i) indices.push_back(random_.between(-extent, extent - 1));
    Operand moved = a;
    moved.at.clear();
    if (product(a.shape) > 0) {
      for_each_position(a.shape, [&](auto index) {
        const auto i = indices[static_cast<std::size_t>(index[0])];
        index[0] = i < 0 ? i + extent : i;
        moved.at.push_back(a.position(index));
      });
    }
    Array<float, R> d = to_.array, x = a.array;
    const Array<std::int64_t, 1> picks = make_array(indices);
    return {"take_into(d, a, indices)", [=] { take_into(d, x, picks); }, value(moved)};
  }
  Statement product_of_matrices() {
    const Dim<2> shape = to_.shape;
    const std::ptrdiff_t widest = elements() / std::max<std::ptrdiff_t>({1, shape[0], shape[1]});
    const std::ptrdiff_t inner = random_.between(widest > 0 ? 1 : 0, std::min<std::ptrdiff_t>(widest, 30));
    const Operand a = random_operand(random_, all_, Dim{shape[0], inner}),
                  b = random_operand(random_, all_, Dim{inner, shape[1]});
    Values values(static_cast<std::size_t>(product(shape)));
    for (std::ptrdiff_t i = 0; i < shape[0]; ++i) {
      for (std::ptrdiff_t k = 0; k < inner; ++k) {
        const double factor = before_[static_cast<std::size_t>(a.position(std::array{i, k}))];
        for (std::ptrdiff_t j = 0; j < shape[1]; ++j)
          values[static_cast<std::size_t>(i * shape[1] + j)] +=
              factor * before_[static_cast<std::size_t>(b.position(std::array{k, j}))];
      }
    }
    Array<float, 2> d = to_.array, x = a.array, y = b.array;
    return {"d = dot(a, b) - d", [=]() mutable { d(ellipsis) = dot(x, y) - d; },
            each(std::minus<>(), values, value(to_))};
  }

  Random& random_;
  View<float, 1> all_;
  const std::vector<float>& before_;
  const Operand& to_;
};

/// How many programs did what, so that none of it is forgotten.
struct Counts {
  int refused = 0, written = 0, parallel = 0;
};

/// Runs a statement with any number of threads, in a scope as well. Each time it writes the bits that are wanted, or is refused.
void check(const Statement& statement, const Array<float, 1>& buffer, const std::vector<float>& before,
           const std::vector<float>& after, bool is_refused) {
  const auto run = [&] {
    std::copy(before.begin(), before.end(), buffer.data());
    bool was_refused = false;
    try {
      statement.run();
    } catch (const ShapeError& error) {
      was_refused = contains(error.what(), "has elements more than once");
    }
    CHECK(was_refused == is_refused);
    const std::vector<float> got(buffer.data(), buffer.data() + buffer.size());
    if (std::memcmp(got.data(), after.data(), got.size() * sizeof(float)) != 0) CHECK(difference(got, after) == "");
  };
  for (const int threads : {1, 2, 3, 5, 8}) {
    CAPTURE(threads);
    const Threads limited(threads);
    run();
  }
}

template <int R>
void run_program(Random& random, const Array<float, 1>& buffer, const View<float, R>& to, Counts& counts) {
  REQUIRE(to.array.shape() == to.shape);
  std::vector<float> before;
  for (std::ptrdiff_t i = 0; i < buffer.size(); ++i) before.push_back(static_cast<float>(random.between(-4, 4)));
  const bool is_refused = holds_an_element_twice(to, before.size());
  const Statement statement = Maker<R>(random, buffer, before, to).make();
  REQUIRE(statement.wanted.size() == to.at.size());
  std::vector<float> after = before;
  for (std::size_t i = 0; !is_refused && i < to.at.size(); ++i)
    after[static_cast<std::size_t>(to.at[i])] = static_cast<float>(statement.wanted[i]);
  CAPTURE(statement.text);
  CAPTURE(to.shape);
  CAPTURE(core::shape_text(to.array.strides()));
  check(statement, buffer, before, after, is_refused);
  ++(is_refused ? counts.refused : counts.written);
  if (!is_refused && product(to.shape) >= parallel_threshold) ++counts.parallel;
}

/// From one element to several blocks and several threads, all sizes of numbers as often.
std::ptrdiff_t random_size(Random& random) {
  return std::ptrdiff_t(std::exp2(random.real() * 9 + 9)) - random.below(2) + 1;
}

void run_programs(std::uint64_t first, int programs) {
  Counts counts;
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(programs); ++seed) {
    Random random = Random::of_case(seed);
    INFO(random.how_to_repeat());
    const Array<float, 1> buffer = empty<float>(random_size(random));
    const AnyView<float> to = random_view(random, buffer);
    std::visit([&](const auto& view) { run_program(random, buffer, view, counts); }, to);
    if (Random::repeats_one_case()) return;
  }
  MESSAGE(counts.refused << " refused, " << counts.written << " written, " << counts.parallel
                         << " of them by several threads");
  CHECK(counts.refused >= programs / 50);
  CHECK(counts.written >= programs / 2);
  CHECK(counts.parallel >= programs / 100);
}

}  // namespace

TEST_CASE("random destinations that overlap their operands") { run_programs(1, is_sanitized ? 100 : 250); }
TEST_CASE("random destinations that overlap their operands, many of them" * doctest::test_suite("long") *
          doctest::skip(std::getenv("TESSERA_TEST_SCALE") == nullptr)) {
  run_programs(1'000'000, 25'000);
}
