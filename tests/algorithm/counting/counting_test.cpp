// bincount, histogram and segment functions against plain loops: types, layouts, threads, and what can go wrong.
#include "../../expr/support.hpp"

using namespace tessera;
using namespace support;

namespace {

template <class I>
std::vector<std::int64_t> counted(const std::vector<I>& labels, std::size_t least) {
  std::vector<std::int64_t> counts(least, 0);
  for (const I label : labels) {
    if (static_cast<std::size_t>(label) >= counts.size()) counts.resize(static_cast<std::size_t>(label) + 1, 0);
    ++counts[static_cast<std::size_t>(label)];
  }
  return counts;
}

template <class I>
Array<I, 1> labels_below(std::ptrdiff_t length, double limit, std::uint64_t key) {
  return cast<I>(random::uniform<double>(random::Key{key}, Dim<1>{length}) * limit);
}

/// The number of the bin that holds a value, or none.
std::ptrdiff_t bin_of(double value, const std::vector<double>& edges) {
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const bool is_last = i + 2 == edges.size();
    if (value >= edges[i] && (value < edges[i + 1] || (is_last && value <= edges[i + 1])))
      return static_cast<std::ptrdiff_t>(i);
  }
  return -1;
}

}  // namespace

TEST_CASE_TEMPLATE("bincount counts as a loop does", I, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                   std::int32_t, std::uint32_t, std::int64_t, std::uint64_t) {
  for (const int threads : {1, 3}) {
    const Threads restore(threads);
    for (const std::ptrdiff_t length : {0, 1, 5, 4095, 4097, 600'000}) {
      for (const double limit : {1.0, 100.0, 5000.0, 300'000.0}) {
        if (limit > static_cast<double>(std::numeric_limits<I>::max())) continue;
        if (length < 1000 && limit > 5000) continue;
        CAPTURE(length);
        CAPTURE(limit);
        const Array<I, 1> labels = labels_below<I>(length, limit, 7);
        CHECK(difference(elements(bincount(labels)), counted(elements(labels), 0)) == "");
        CHECK(difference(elements(bincount(labels, 11)), counted(elements(labels), 11)) == "");
      }
    }
  }
}

TEST_CASE("a late large label makes the table larger") {
  Array<int, 1> labels = zeros<int>(Dim{10'000});
  labels(9'998) = 123'456;
  const auto counts = bincount(labels);
  CHECK(counts.shape() == Dim{123'457});
  CHECK(std::int64_t(counts(0)) == 9'999);
  CHECK(std::int64_t(counts(123'456)) == 1);
}

TEST_CASE("bincount adds up weights, the same for any number of threads") {
  const auto labels = labels_below<int>(700'000, 300.0, 8);
  const Array<float, 1> weights = random::uniform<float>(random::Key{9}, Dim{700'000});
  std::vector<double> expected(300, 0.0);
  for (std::ptrdiff_t i = 0; i < 700'000; ++i)
    expected[static_cast<std::size_t>(labels.data()[i])] += static_cast<double>(weights.data()[i]);
  const auto sums = bincount(labels, weights);
  CHECK(distance(elements(sums), expected, 1e-12, 0) == "");
  for (const int threads : {1, 2, 3}) {
    const Threads restore(threads);
    CHECK(array_equal(bincount(labels, weights), sums));
  }
  CHECK(to_string(bincount(Array<int, 1>{1, 1}, Array<int, 1>{2, 3}, 4)) == "[0. 5. 0. 0.]");
}

TEST_CASE("bincount reads every layout") {
  Random random(3);
  for (const Arrangement kind : all_arrangements) {
    const auto labels = storage_like<std::int64_t>(Dim{50}, kind, std::int64_t{0}, random);
    for_each_position(labels.shape(), [&](const auto& at) { element(labels, at) = random.below(20); });
    CHECK(difference(elements(bincount(labels)), counted(elements(labels), 0)) == "");
  }
}

TEST_CASE("labels that are none say so") {
  const auto negative = message_of<IndexError>([] { static_cast<void>(bincount(Array<int, 1>{0, 4, -3, 2})); });
  CHECK(contains(negative, "bincount: labels: label -3 at position 2 is negative"));
  CHECK(contains(negative, "counting_test.cpp"));
  const auto large =
      message_of<IndexError>([] { static_cast<void>(bincount(Array<std::uint64_t, 1>{0, ~std::uint64_t{0}})); });
  CHECK(contains(large, "label 18446744073709551615 at position 1 needs more counts than memory holds"));
  CHECK_THROWS_AS(bincount(Array<std::int64_t, 1>{std::int64_t{1} << 38}), OutOfMemory);
  const auto least = message_of<ShapeError>([] { static_cast<void>(bincount(Array<int, 1>{0}, -2)); });
  CHECK(contains(least, "the least number of counts is -2"));
  const auto weights =
      message_of<ShapeError>([] { static_cast<void>(bincount(Array<int, 1>{0, 1}, Array<double, 1>{1.0})); });
  CHECK(contains(weights, "the weights have the shape (1,) and the elements have (2,)"));
}

TEST_CASE_TEMPLATE("histogram counts what is between edges", T, bool, std::int8_t, std::uint8_t, std::int16_t,
                   std::int64_t, float16, bfloat16, float, double) {
  Random random(sizeof(T));
  INFO(random.how_to_repeat());
  for (const Arrangement kind : all_arrangements) {
    const auto x = random_array<T>(Dim{40, 9}, kind, random);
    for (const int bins : {1, 2, 7, 64}) {
      CAPTURE(bins);
      const auto [counts, edges] = histogram(x, bins);
      const Array<double, 1> limits = cast<double>(edges);
      std::vector<std::int64_t> expected(static_cast<std::size_t>(bins), 0);
      std::vector<double> weighed(static_cast<std::size_t>(bins), 0.0);
      std::ptrdiff_t position = 0;
      for (const T value : elements(x)) {
        const std::ptrdiff_t bin = bin_of(static_cast<double>(value), elements(limits));
        if (bin >= 0) ++expected[static_cast<std::size_t>(bin)];
        if (bin >= 0) weighed[static_cast<std::size_t>(bin)] += static_cast<double>(position);
        ++position;
      }
      CHECK(difference(elements(counts), expected) == "");
      const Array<double, 2> weights = cast<double>(reshape(arange(360), 40, 9));
      CHECK(difference(elements(histogram(x, bins, weights).counts), weighed) == "");
      CHECK(difference(elements(histogram(x, edges).counts), expected) == "");
      CHECK(difference(elements(histogram(x, edges, weights).counts), weighed) == "");
    }
  }
}

TEST_CASE("histograms with bounds, uneven edges and NaN") {
  const Array<double, 1> x{0.0, 0.5, 1.0, 1.5, 2.0, 2.5, std::nan(""), -1.0};
  const auto [counts, edges] = histogram(x, 2, {0, 2});
  CHECK(to_string(counts) == "[2 3]");
  CHECK(to_string(edges) == "[0. 1. 2.]");
  CHECK(to_string(histogram(x, 2, {0, 2}, ones<double>(Dim{8})).counts) == "[2. 3.]");
  CHECK(to_string(histogram(x, Array<double, 1>{-1.0, 0.25, 0.25, 2.5}).counts) == "[2 0 5]");
  CHECK(to_string(histogram(x, Array<int, 1>{0, 1, 2}).counts) == "[2 3]");
  CHECK(to_string(histogram(full(Dim{3}, 4), 2).edges) == "[3.5 4.  4.5]");
  CHECK(to_string(histogram(Array<float, 1>(), 3).counts) == "[0 0 0]");
  CHECK(to_string(histogram(x, 2, {0, 2}).density()) == "[0.4 0.6]");
  CHECK(histogram(Array<float, 1>{0.f, 1.f}, 3).edges.shape() == Dim{4});
}

TEST_CASE("long histograms are the same for any number of threads") {
  const Array<float, 1> x = random::normal<float>(random::Key{10}, Dim{700'000});
  const Array<double, 1> weights = random::uniform<double>(random::Key{11}, Dim{700'000});
  const auto counts = histogram(x, 100).counts;
  const auto sums = histogram(x, 100, weights).counts;
  CHECK(item(sum(counts)) == 700'000);
  for (const int threads : {1, 2, 3}) {
    const Threads restore(threads);
    CHECK(array_equal(histogram(x, 100).counts, counts));
    CHECK(array_equal(histogram(x, 100, weights).counts, sums));
  }
}

TEST_CASE("histogram says what is wrong with bins and bounds") {
  const Array<double, 1> x{1.0, 2.0};
  CHECK(contains(message_of<ShapeError>([&] { static_cast<void>(histogram(x, 0)); }), "histogram: there are 0 bins"));
  CHECK(contains(message_of<std::invalid_argument>([&] { static_cast<void>(histogram(x, 2, {3, 1.5})); }),
                 "the bounds [3, 1.5] are not in order"));
  CHECK(contains(
      message_of<std::invalid_argument>([&] { static_cast<void>(histogram(Array<double, 1>{1.0, std::nan("")}, 2)); }),
      "the bounds [nan, nan] are not finite"));
  CHECK(contains(
      message_of<std::invalid_argument>([&] { static_cast<void>(histogram(x, Array<double, 1>{0.0, 2.0, 1.0})); }),
      "the edges do not ascend: edge 2 is 1 after 2"));
  CHECK(contains(message_of<ShapeError>([&] { static_cast<void>(histogram(x, Array<double, 1>{0.0})); }),
                 "there are 1 edges"));
}

TEST_CASE_TEMPLATE("segment functions reduce as a loop does", T, bool, std::int8_t, std::uint32_t, std::int64_t,
                   float16, float, double) {
  Random random(20 + sizeof(T));
  INFO(random.how_to_repeat());
  for (const Arrangement kind : all_arrangements) {
    for (const std::ptrdiff_t width : {1, 3, 600}) {
      CAPTURE(width);
      const auto x = random_array<T>(Dim<2>{30, width}, kind, random);
      std::vector<std::int64_t> labels;
      for (int i = 0; i < 30; ++i) labels.push_back(random.below(6));  // segment 6 has none
      const auto sums = segment_sum(x, make_array(labels), 7);
      const auto means = segment_mean(x, make_array(labels), 7);
      const auto lowest = segment_min(x, make_array(labels), 7);
      const auto highest = segment_max(x, make_array(labels), 7);
      for (std::ptrdiff_t segment = 0; segment < 7; ++segment) {
        for (std::ptrdiff_t column = 0; column < width; ++column) {
          std::int64_t count = 0, whole = 0;
          double total = 0;
          T low{}, high{};
          for (std::ptrdiff_t row = 0; row < 30; ++row) {
            if (labels[static_cast<std::size_t>(row)] != segment) continue;
            const T value = x(row, column);
            low = count == 0 || value < low ? value : low;
            high = count == 0 || high < value ? value : high;
            total += static_cast<double>(value);
            if constexpr (!Floating<T>)
              whole = static_cast<std::int64_t>(static_cast<std::uint64_t>(whole) + static_cast<std::uint64_t>(value));
            ++count;
          }
          using Sum = typename decltype(sums)::value_type;
          using Mean = typename decltype(means)::value_type;
          if constexpr (Floating<T>) {
            REQUIRE(same<Sum>(sums(segment, column), static_cast<Sum>(total)));
            REQUIRE(same<Mean>(means(segment, column), static_cast<Mean>(total / static_cast<double>(count))));
          } else {
            REQUIRE(sums(segment, column) == static_cast<Sum>(whole));
            REQUIRE(same<double>(means(segment, column),
                                 static_cast<double>(static_cast<Sum>(whole)) / static_cast<double>(count)));
          }
          if (count == 0) continue;
          REQUIRE(same<T>(lowest(segment, column), low));
          REQUIRE(same<T>(highest(segment, column), high));
        }
      }
    }
  }
}

TEST_CASE("segments of nothing, of NaN, of complex numbers, and of many elements") {
  const Array<double, 1> x{1.0, std::nan(""), 3.0};
  CHECK(to_string(segment_max(x, Array<int, 1>{0, 0, 1}, 3)) == "[ nan   3. -inf]");
  CHECK(to_string(segment_min(x, Array<int, 1>{2, 0, 2}, 3)) == "[nan inf  1.]");
  CHECK(to_string(segment_min(Array<std::int8_t, 1>{5}, Array<int, 1>{1}, 2)) == "[127   5]");
  CHECK(to_string(segment_sum(Array<std::complex<float>, 1>{{1.f, 2.f}, {3.f, 4.f}}, Array<int, 1>{0, 0}, 1)) ==
        "[4.+6.j]");
  CHECK(segment_sum(Array<double, 1>(), Array<int, 1>(), 0).shape() == Dim{0});
  CHECK(to_string(segment_sum(Array<double, 1>(), Array<int, 1>(), 2)) == "[0. 0.]");
  const Array<float, 1> many = random::uniform<float>(random::Key{12}, Dim{600'000});
  const Array<std::int64_t, 1> labels = arange<std::int64_t>(600'000) % 10;
  const auto sums = segment_sum(many, labels, 10);
  const Array<double, 1> expected = sum<0>(cast<double>(reshape(many, 60'000, 10)));
  CHECK(distance(elements(sums), elements(expected), 1e-6, 0) == "");
  for (const int threads : {1, 2, 3}) {
    const Threads restore(threads);
    CHECK(array_equal(segment_sum(many, labels, 10), sums));
    CHECK(array_equal(segment_max(many, labels, 10), Array<float, 1>(max<0>(reshape(many, 60'000, 10)))));
  }
}

TEST_CASE("segment functions say which label is out of range") {
  const Array<double, 1> x{1.0, 2.0};
  const auto message = message_of<IndexError>([&] { static_cast<void>(segment_sum(x, Array<int, 1>{0, 3}, 3)); });
  CHECK(contains(message, "segment_sum: labels: label 3 at position 1 is not in [0, 3)"));
  CHECK(contains(message, "counting_test.cpp"));
  CHECK(contains(message_of<IndexError>(
                     [&] { static_cast<void>(segment_min(x, Array<std::uint64_t, 1>{0, ~std::uint64_t{0}}, 3)); }),
                 "label 18446744073709551615"));
  CHECK(contains(message_of<ShapeError>([&] { static_cast<void>(segment_mean(x, Array<int, 1>{0}, 3)); }),
                 "there are 1 labels for 2 slices along the first axis"));
  CHECK(contains(message_of<ShapeError>([&] { static_cast<void>(segment_max(x, Array<int, 1>{0, 0}, -1)); }),
                 "the number of segments is -1"));
}
