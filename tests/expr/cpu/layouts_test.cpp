// Operands and destinations in every layout that views allow, with extents around the widths of vectors and blocks, between pages that may
// not be touched: nothing is read or written beside the elements, and the values are those of plain loops.
#include "../../product/guarded.hpp"

using namespace tessera;
using namespace support;
using product_test::GuardedMemory;

namespace {

constexpr std::ptrdiff_t extents_at_edges[] = {1,  2,  3,  4,  5,  7,  8,  9,  11,  15,
                                               16, 17, 31, 32, 33, 63, 64, 65, 127, 129};

template <int Rank>
Dim<Rank> shape_at_edges(Random& random, std::ptrdiff_t most) {
  Dim<Rank> shape;
  std::ptrdiff_t left = most;
  for (int axis = 0; axis < Rank; ++axis) {
    std::ptrdiff_t extent = extents_at_edges[random.below(std::size(extents_at_edges))];
    if (random.below(6) == 0) extent = random.between(130, 1100);
    extent = std::min(extent, std::max<std::ptrdiff_t>(left, 1));
    shape = shape.with(axis, extent);
    left /= extent;
  }
  return shape;
}

/// From the end of a row to the beginning of the next.
struct Gap {
  std::ptrdiff_t elements;
};

/// A view in memory of its own, which ends or begins at a guard.
template <class T, int Rank>
struct Laid {
  Layout<Rank> layout;
  std::ptrdiff_t low = 0, count = 1;  // elements from the lowest to the highest one
  std::unique_ptr<GuardedMemory> memory;
  T* first = nullptr;
  std::ptrdiff_t steps[Rank] = {};  // strides, 0 where one element is all

  Laid(const Dim<Rank>& shape, bool repeats, Random& random) : layout{.shape = shape} {
    std::array<int, static_cast<std::size_t>(Rank)> order{};
    for (int axis = 0; axis < Rank; ++axis) order[static_cast<std::size_t>(axis)] = axis;
    if (random.below(3) == 0) {
      for (int axis = Rank; axis-- > 1;)
        std::swap(order[static_cast<std::size_t>(axis)], order[static_cast<std::size_t>(random.below(axis + 1))]);
    }
    constexpr std::ptrdiff_t steps[] = {1, 1, 1, 1, 1, -1, -1, 2, 3, 4, 5, -2, -3, 7};
    std::ptrdiff_t pitch = 1;
    for (int position = Rank; position-- > 0;) {
      const int axis = order[static_cast<std::size_t>(position)];
      if (repeats && random.below(4) == 0) layout.shape = layout.shape.with(axis, 1);
      const std::ptrdiff_t extent = layout.shape[axis];
      const std::ptrdiff_t step = random.below(2) == 0 ? 1 : steps[random.below(std::size(steps))];
      layout.strides[static_cast<std::size_t>(axis)] = pitch * step;
      if (step < 0) low += (extent - 1) * pitch * step;
      count += (extent - 1) * pitch * std::abs(step);
      pitch *= extent * std::abs(step) + (random.below(4) == 0 ? random.between(1, 3) : 0);
    }
    lay(random);
  }

  /// Rows of neighbours.
  Laid(const Dim<2>& shape, Gap gap, Random& random)
    requires(Rank == 2)
      : layout{.shape = shape, .strides = {shape[1] + gap.elements, 1}},
        count((shape[0] - 1) * (shape[1] + gap.elements) + shape[1]) {
    lay(random);
  }

  /// The same in sets of rows, with one gap after each row and another one after each set.
  Laid(const Dim<3>& shape, Gap gap, Gap of_sets, Random& random)
    requires(Rank == 3)
      : layout{.shape = shape,
               .strides = {shape[1] * (shape[2] + gap.elements) + of_sets.elements, shape[2] + gap.elements, 1}},
        count((shape[0] - 1) * layout.strides[0] + (shape[1] - 1) * layout.strides[1] + shape[2]) {
    lay(random);
  }

  void lay(Random& random) {
    for (int axis = 0; axis < Rank; ++axis)
      steps[axis] = layout.shape[axis] > 1 ? layout.strides[static_cast<std::size_t>(axis)] : 0;
    memory = std::make_unique<GuardedMemory>(static_cast<std::size_t>(count) * sizeof(T));
    first = memory->elements<T>(count, random.below(2) == 0);
  }

  ArrayView<T, Rank> view() const { return {first - low, layout, CpuPlace{}}; }

  /// The element that broadcasting puts at a position.
  T& at(const auto& position) const { return first[offset_of(&position[0], steps, Rank) - low]; }

  void fill(Random& random) const {
    for (std::ptrdiff_t i = 0; i < count; ++i) first[i] = static_cast<T>(static_cast<float>(random.between(0, 12)));
  }
};

/// What is written where a view's elements are not.
template <class T>
T untouched() {
  return static_cast<T>(113.0f);
}

/// Runs `assign`, which writes y, and compares its whole memory with what `expected(position)` says of each element.
template <class T, int Rank, class Assign, class Expected>
bool writes(const Laid<T, Rank>& y, const Assign& assign, const Expected& expected) {
  std::fill_n(y.first, y.count, untouched<T>());
  std::vector<T> wanted(static_cast<std::size_t>(y.count), untouched<T>());
  for_each_position(y.layout.shape, [&](const auto& position) {
    wanted[static_cast<std::size_t>(&y.at(position) - y.first)] = expected(position);
  });
  assign();
  return std::equal(wanted.begin(), wanted.end(), y.first);
}

template <class T, int Rank>
void check_elementwise(Random& random) {
  for (int number = 0; number < (is_sanitized ? 30 : 120); ++number) {
    const Dim<Rank> shape = shape_at_edges<Rank>(random, 6000);
    const Laid<T, Rank> y(shape, false, random), a(shape, true, random), b(shape, true, random),
        c(shape, false, random);
    a.fill(random), b.fill(random), c.fill(random);
    CAPTURE(random.how_to_repeat());
    CAPTURE(number);
    const auto av = a.view(), bv = b.view(), cv = c.view();
    const auto yv = y.view();
    CHECK(writes(y, [&] { yv = cv; }, [&](const auto& p) { return c.at(p); }));
    CHECK(writes(
        y, [&] { yv = av * bv + av + cv; },
        [&](const auto& p) { return static_cast<T>(a.at(p) * b.at(p) + a.at(p) + c.at(p)); }));
  }
}

/// The sums of a + b along the axes in Axis, of a, and the largest of a + b.
template <class T, int Rank, int... Axis>
void check_reduced(const Dim<Rank>& shape, const Laid<T, Rank>& a, const Laid<T, Rank>& b, Random& random) {
  using Sum = typename std::remove_cvref_t<decltype(sum<Axis...>(std::declval<ArrayView<T, Rank>>()))>::value_type;
  constexpr int kept = Rank - static_cast<int>(sizeof...(Axis));
  constexpr auto is_reduced = [](int axis) { return ((axis == Axis) || ...); };
  Dim<kept> results;
  for (int axis = 0, to = 0; axis < Rank; ++axis) {
    if (!is_reduced(axis)) results = results.with(to++, shape[axis]);
  }
  const Laid<Sum, kept> sums(results, false, random);
  const Laid<T, kept> largest(results, false, random);
  std::vector<double> total(static_cast<std::size_t>(product(results)), 0.0), most(total.size(), -1.0), alone = total;
  const auto number_of = [&](const auto& position) {
    std::ptrdiff_t linear = 0;
    for (int axis = 0; axis < Rank; ++axis) {
      if (!is_reduced(axis)) linear = linear * shape[axis] + position[static_cast<std::size_t>(axis)];
    }
    return static_cast<std::size_t>(linear);
  };
  for_each_position(shape, [&](const auto& p) {
    const double value = static_cast<double>(a.at(p)) + static_cast<double>(b.at(p));
    total[number_of(p)] += value;
    most[number_of(p)] = std::max(most[number_of(p)], value);
    alone[number_of(p)] += static_cast<double>(a.at(p));
  });
  const auto result = [&](const std::vector<double>& from, const auto& p) {
    std::ptrdiff_t linear = 0;
    for (int axis = 0; axis < kept; ++axis) linear = linear * results[axis] + p[static_cast<std::size_t>(axis)];
    return from[static_cast<std::size_t>(linear)];
  };
  CAPTURE(random.how_to_repeat());
  const auto av = a.view(), bv = b.view();
  const auto sv = sums.view();
  const auto mv = largest.view();
  CHECK(writes(
      sums, [&] { sv = sum<Axis...>(av + bv); }, [&](const auto& p) { return static_cast<Sum>(result(total, p)); }));
  CHECK(
      writes(sums, [&] { sv = sum<Axis...>(av); }, [&](const auto& p) { return static_cast<Sum>(result(alone, p)); }));
  CHECK(writes(
      largest, [&] { mv = max<Axis...>(av + bv); }, [&](const auto& p) { return static_cast<T>(result(most, p)); }));
}

template <class T, int Rank, int... Axis>
void check_reduction(Random& random) {
  for (int number = 0; number < (is_sanitized ? 20 : 60); ++number) {
    const Dim<Rank> shape = shape_at_edges<Rank>(random, 12000);
    const Laid<T, Rank> a(shape, false, random), b(shape, true, random);
    a.fill(random), b.fill(random);
    CAPTURE(number);
    check_reduced<T, Rank, Axis...>(shape, a, b, random);
  }
}

/// The first positions of the largest values of a, and norms and deviations, beside those of a copy without gaps.
template <class T>
void check_other_reductions(const Laid<T, 3>& a) {
  const auto av = a.view();
  const Array<T, 3> copy = evaluate(av);
  const auto is_equal = [](const auto& one, const auto& other) { return item(all(evaluate(one) == evaluate(other))); };
  CHECK(is_equal(argmax<0>(av), argmax<0>(copy)));
  CHECK(is_equal(argmax<1>(av), argmax<1>(copy)));
  CHECK(is_equal(argmin<2>(av), argmin<2>(copy)));
  CHECK(item(argmax(av)) == item(argmax(copy)));
  CHECK(item(argmin(av * T(3))) == item(argmin(copy * T(3))));
  const auto is_close = [](const auto& one, const auto& other) {
    return item(all(abs(cast<double>(one) - cast<double>(other)) <= 1e-4 * (1 + abs(cast<double>(other)))));
  };
  CHECK(is_close(var<0, 2>(av), var<0, 2>(copy)));
  CHECK(is_close(stddev<1>(av), stddev<1>(copy)));
}

/// Sets of rows with gaps, reduced along any of their axes; the other operand has rows, one row or one value for each.
template <class T>
void check_reductions_of_rows(std::uint64_t salt) {
  Random random(salt);
  for (int number = 0; number < (is_sanitized ? 8 : 40); ++number) {
    const Dim<3> shape{random.between(2, 9), random.between(2, 24), random.between(3, 150)};
    const auto gap = [&] { return Gap{random.below(3) == 0 ? 0 : random.between(1, 20)}; };
    Dim<3> other = shape;
    for (int axis = 0; axis < 3; ++axis) {
      if (random.below(3) == 0) other = other.with(axis, 1);
    }
    const Laid<T, 3> a(shape, gap(), gap(), random), b(other, gap(), gap(), random);
    a.fill(random), b.fill(random);
    CAPTURE(number);
    CAPTURE(shape);
    CAPTURE(other);
    check_reduced<T, 3, 0>(shape, a, b, random);
    check_reduced<T, 3, 1>(shape, a, b, random);
    check_reduced<T, 3, 2>(shape, a, b, random);
    check_reduced<T, 3, 0, 2>(shape, a, b, random);
    check_other_reductions(a);
  }
}

/// The first position of the largest value along one axis.
template <class T, int Rank, int Axis>
void check_position(Random& random) {
  for (int number = 0; number < (is_sanitized ? 20 : 60); ++number) {
    const Dim<Rank> shape = shape_at_edges<Rank>(random, 12000);
    Dim<Rank - 1> results;
    for (int axis = 0, to = 0; axis < Rank; ++axis) {
      if (axis != Axis) results = results.with(to++, shape[axis]);
    }
    const Laid<std::int64_t, Rank - 1> y(results, false, random);
    const Laid<T, Rank> a(shape, false, random), b(shape, true, random);
    a.fill(random), b.fill(random);
    CAPTURE(random.how_to_repeat());
    CAPTURE(number);
    const auto av = a.view(), bv = b.view();
    const auto yv = y.view();
    CHECK(writes(
        y, [&] { yv = argmax<Axis>(av - bv); },
        [&](const auto& p) {
          std::array<std::ptrdiff_t, static_cast<std::size_t>(Rank) + 1> position{};
          for (int axis = 0, from = 0; axis < Rank; ++axis) {
            if (axis != Axis) position[static_cast<std::size_t>(axis)] = p[static_cast<std::size_t>(from++)];
          }
          std::int64_t best = 0;
          T largest{};
          for (std::ptrdiff_t k = 0; k < shape[Axis]; ++k) {
            position[static_cast<std::size_t>(Axis)] = k;
            const T value = static_cast<T>(a.at(position) - b.at(position));
            if (k == 0 || value > largest) largest = value, best = k;
          }
          return best;
        }));
  }
}

/// The first position of the largest value of all, counted in row-major order.
template <class T, int Rank>
void check_position_of_all(Random& random) {
  for (int number = 0; number < (is_sanitized ? 20 : 60); ++number) {
    const Dim<Rank> shape = shape_at_edges<Rank>(random, 12000);
    const Laid<T, Rank> a(shape, false, random), b(shape, true, random);
    a.fill(random), b.fill(random);
    CAPTURE(random.how_to_repeat());
    CAPTURE(number);
    std::int64_t best = -1, linear = 0;
    T largest{};
    for_each_position(shape, [&](const auto& p) {
      const T value = static_cast<T>(a.at(p) - b.at(p));
      if (best < 0 || value > largest) largest = value, best = linear;
      ++linear;
    });
    const auto av = a.view(), bv = b.view();
    CHECK(item(argmax(av - bv)) == best);
  }
}

/// Rows up to some lines longer than those that are packed, in steps that meet each remainder of a vector; operands with and without
/// gaps, and one row or one value for a row.
template <class T>
void check_rows_with_gaps(std::uint64_t salt) {
  Random random(salt);
  constexpr auto item = static_cast<std::ptrdiff_t>(sizeof(T));
  for (std::ptrdiff_t columns = 1; columns * item <= 1200; columns += random.between(1, is_sanitized ? 61 : 17)) {
    const Dim<2> shape{random.between(2, 70), columns};
    const auto gap = [&](int most) { return Gap{random.between(0, most)}; };
    const Laid<T, 2> y(shape, gap(5), random), a(shape, gap(40), random), b(shape, gap(1), random);
    const Laid<T, 2> row(Dim<2>{1, columns}, gap(0), random), value(Dim<2>{shape[0], 1}, gap(2), random);
    a.fill(random), b.fill(random), row.fill(random), value.fill(random);
    CAPTURE(random.how_to_repeat());
    CAPTURE(shape);
    const auto av = a.view(), bv = b.view(), rv = row.view(), vv = value.view();
    const auto yv = y.view();
    CHECK(writes(y, [&] { yv = av; }, [&](const auto& p) { return a.at(p); }));
    CHECK(writes(y, [&] { yv = av + bv; }, [&](const auto& p) { return static_cast<T>(a.at(p) + b.at(p)); }));
    CHECK(writes(
        y, [&] { yv = av * rv + vv; },
        [&](const auto& p) { return static_cast<T>(a.at(p) * row.at(p) + value.at(p)); }));
    CHECK(writes(y, [&] { yv = bv + vv; }, [&](const auto& p) { return static_cast<T>(b.at(p) + value.at(p)); }));
    CHECK(writes(
        y, [&] { yv = av * rv + vv + bv + av; },
        [&](const auto& p) { return static_cast<T>(a.at(p) * row.at(p) + value.at(p) + b.at(p) + a.at(p)); }));
    CHECK(writes(y, [&] { yv = yv + bv; }, [&](const auto& p) { return static_cast<T>(untouched<T>() + b.at(p)); }));
  }
}

/// Rows whose values are computed in wider numbers than they are stored in, and truth values.
void check_rows_of_mixed_types(std::uint64_t salt) {
  Random random(salt);
  for (std::ptrdiff_t columns = 1; columns <= 300; columns += random.between(1, is_sanitized ? 61 : 17)) {
    const Dim<2> shape{random.between(2, 70), columns};
    const auto gap = [&](int most) { return Gap{random.between(0, most)}; };
    const Laid<float, 2> y(shape, gap(5), random), a(shape, gap(40), random);
    const Laid<bool, 2> is_less(shape, gap(5), random);
    const Laid<double, 2> b(shape, gap(1), random), value(Dim<2>{shape[0], 1}, gap(2), random);
    a.fill(random), b.fill(random), value.fill(random);
    CAPTURE(random.how_to_repeat());
    CAPTURE(shape);
    const auto av = a.view();
    const auto bv = b.view(), vv = value.view();
    const auto yv = y.view();
    const auto lv = is_less.view();
    CHECK(writes(
        y, [&] { yv = cast<float>(av * bv - vv / 7.0); },
        [&](const auto& p) { return static_cast<float>(a.at(p) * b.at(p) - value.at(p) / 7.0); }));
    CHECK(writes(is_less, [&] { lv = av < vv; }, [&](const auto& p) { return a.at(p) < value.at(p); }));
  }
}

template <class T>
void check_all_elementwise(std::uint64_t salt) {
  Random random(salt);
  check_elementwise<T, 1>(random);
  check_elementwise<T, 2>(random);
  check_elementwise<T, 3>(random);
  check_elementwise<T, 4>(random);
}

template <class T>
void check_all_reductions(std::uint64_t salt) {
  Random random(salt);
  check_reduction<T, 2, 0>(random);
  check_reduction<T, 2, 1>(random);
  check_reduction<T, 3, 0>(random);
  check_reduction<T, 3, 1>(random);
  check_reduction<T, 3, 2>(random);
  check_reduction<T, 3, 0, 2>(random);
  check_reduction<T, 4, 1, 2>(random);
  check_position<T, 2, 0>(random);
  check_position<T, 2, 1>(random);
  check_position<T, 3, 1>(random);
  check_position_of_all<T, 2>(random);
  check_position_of_all<T, 3>(random);
}

}  // namespace

TEST_CASE("elements of 1 byte are read and written in any layout, and nothing beside them") {
  check_all_elementwise<std::uint8_t>(191);
}

TEST_CASE("elements of 2 bytes are read and written in any layout, and nothing beside them") {
  check_all_elementwise<std::int16_t>(192);
}

TEST_CASE("elements of 4 bytes are read and written in any layout, and nothing beside them") {
  check_all_elementwise<float>(193);
}

TEST_CASE("elements of 8 bytes are read and written in any layout, and nothing beside them") {
  check_all_elementwise<double>(194);
}

TEST_CASE("elements of 16 bytes are read and written in any layout, and nothing beside them") {
  check_all_elementwise<std::complex<double>>(195);
}

TEST_CASE("rows of every length with others between them are read and written, and nothing beside them") {
  for_each_isa([&](device::Isa) {
    check_rows_with_gaps<std::uint8_t>(196);
    check_rows_with_gaps<std::int16_t>(197);
    check_rows_with_gaps<float>(198);
    check_rows_with_gaps<double>(199);
    check_rows_with_gaps<bfloat16>(205);
    check_rows_of_mixed_types(206);
  });
}

TEST_CASE("operands of reductions are read in any layout, and nothing beside them") {
  check_all_reductions<std::uint8_t>(196);
  check_all_reductions<std::int32_t>(197);
  check_all_reductions<float>(198);
  check_all_reductions<double>(199);
}

TEST_CASE("reductions read sets of rows with others between them, and nothing beside them") {
  for_each_isa([&](device::Isa) {
    check_reductions_of_rows<std::uint8_t>(207);
    check_reductions_of_rows<std::int32_t>(208);
    check_reductions_of_rows<float>(209);
    check_reductions_of_rows<double>(210);
  });
}

TEST_CASE("rows of a view that overlap are read where they begin, in boxes of any size") {
  Random random(211);
  Array<float, 1> memory(Dim<1>{10380});
  for (std::ptrdiff_t i = 0; i < 10380; ++i) memory(i) = static_cast<float>(random.below(1000));
  const auto windows = sliding_window<0>(memory, Dim{300})(range(0, 10081, 160), all);
  Array<float, 2> columns(Dim<2>{300, 128});
  for (std::ptrdiff_t i = 0; i < 300; ++i) {
    for (std::ptrdiff_t j = 0; j < 128; ++j) columns(i, j) = static_cast<float>(random.below(1000));
  }
  const auto other = columns(all, range(0, 128, 2)).T();
  for_each_isa([&](device::Isa) {
    const Array<float, 2> sums = evaluate(windows + other), copies = evaluate(windows);
    bool are_right = true;
    for (std::ptrdiff_t i = 0; i < 64; ++i) {
      for (std::ptrdiff_t j = 0; j < 300; ++j) {
        are_right = are_right && sums(i, j) == memory(160 * i + j) + columns(j, 2 * i);
        are_right = are_right && copies(i, j) == memory(160 * i + j);
      }
    }
    CHECK(are_right);
    CHECK(item(all(evaluate(max<1>(windows + other)) == evaluate(max<1>(sums)))));
  });
}

TEST_CASE("a destination in any layout may overlap its operands") {
  Random random(200);
  for (int number = 0; number < 200; ++number) {
    const Dim<2> shape = shape_at_edges<2>(random, 3000);
    const Laid<float, 2> y(shape, false, random);
    // Another view of the same memory: as far as it goes, in the order of memory or against it.
    const std::ptrdiff_t columns = std::min(shape[1], y.count), rows = std::min(shape[0], y.count / columns);
    const bool against = random.below(2) == 0;
    Layout<2> other{.shape = {rows, columns}, .strides = {columns, 1}, .offset = 0};
    if (against) other = {.shape = {rows, columns}, .strides = {-columns, -1}, .offset = rows * columns - 1};
    for (std::ptrdiff_t i = 0; i < y.count; ++i) y.first[i] = static_cast<float>(i);
    const std::vector<float> before(y.first, y.first + y.count);
    std::vector<float> wanted = before;
    for (std::ptrdiff_t r = 0; r < rows; ++r) {
      for (std::ptrdiff_t c = 0; c < columns; ++c) {
        const std::ptrdiff_t from = other.offset + r * other.strides[0] + c * other.strides[1];
        const std::ptrdiff_t to = -y.low + r * y.layout.strides[0] + c * y.layout.strides[1];
        wanted[static_cast<std::size_t>(to)] = before[static_cast<std::size_t>(from)] + 1;
      }
    }
    const ArrayView<float, 2> read(y.first, other, CpuPlace{});
    y.view()(range(0, rows), range(0, columns)) = read + 1;
    CAPTURE(random.how_to_repeat());
    CAPTURE(number);
    CHECK(std::equal(wanted.begin(), wanted.end(), y.first));
  }
}
