// Algorithms that have loops for each set of instructions, against plain ones, on each of them: lengths around vectors and blocks, and values
// that are hard to compare.
#include "awkward.hpp"

using namespace tessera;
using namespace support;

namespace {

/// Random elements, and NaN at one position.
template <class T>
std::vector<T> values(std::ptrdiff_t n, std::ptrdiff_t nan_at, Random& random) {
  std::vector<T> made;
  for (std::ptrdiff_t i = 0; i < n; ++i) made.push_back(random_value<T>(random));
  if constexpr (Floating<T>) {
    if (nan_at >= 0 && nan_at < n) made[static_cast<std::size_t>(nan_at)] = T(std::numeric_limits<double>::quiet_NaN());
  }
  return made;
}

/// Whether `after` takes the place of `before` as the largest, or the smallest.
template <class T>
bool is_more_extreme(T before, T after, bool is_max) {
  return awkward::is_nan(after) || (is_max ? before < after : after < before);
}

template <class T>
std::string difference_of_running(const std::vector<T>& x, const Array<T, 1>& highest, const Array<T, 1>& lowest) {
  for (const bool is_max : {false, true}) {
    const Array<T, 1>& running = is_max ? highest : lowest;
    for (std::size_t i = 0; i < x.size(); ++i) {
      T expected = x[0];
      for (std::size_t j = 1; j <= i; ++j) expected = is_more_extreme(expected, x[j], is_max) ? x[j] : expected;
      if (!awkward::is_same<T>(running.data()[i], expected)) return "at " + std::to_string(i);
    }
  }
  return "";
}

}  // namespace

TEST_CASE_TEMPLATE("running extreme values on each set of instructions", T, bool, std::int8_t, std::uint16_t,
                   std::int32_t, std::uint64_t, float16, float, double) {
  Random random(80 + sizeof(T));
  INFO(random.how_to_repeat());
  for_each_isa([&](device::Isa) {
    for (std::ptrdiff_t n = 1; n < 150; n += n < 70 ? 1 : 13) {
      const auto x = values<T>(n, random.below(2) == 0 ? random.below(n) : -1, random);
      CAPTURE(n);
      CHECK(difference_of_running(x, cumulative_max(make_array(x)), cumulative_min(make_array(x))) == "");
    }
    for (const std::ptrdiff_t rows : {15, 16, 17, 48}) {  // side by side
      Array<T, 2> x(Dim{21, rows});
      std::vector<std::vector<T>> columns;
      for (std::ptrdiff_t k = 0; k < rows; ++k) {
        columns.push_back(values<T>(21, k == 3 ? 7 : -1, random));
        x(all, k) = make_array(columns.back());
      }
      const auto highest = cumulative_max<0>(x), lowest = cumulative_min<0>(x);
      for (std::ptrdiff_t k = 0; k < rows; ++k) {
        CHECK(difference_of_running(columns[static_cast<std::size_t>(k)], copy(highest(all, k)),
                                    copy(lowest(all, k))) == "");
      }
    }
  });
}

TEST_CASE("negative labels of every type are none, wherever they are") {
  for_each_isa([](device::Isa) {
    for (const std::ptrdiff_t at : {0, 3, 70, 4'999, 5'000, 9'999}) {
      CAPTURE(at);
      const auto refusal = [&]<class I>(I) {
        Array<I, 1> labels = zeros<I>(Dim{10'000});
        labels(at) = static_cast<I>(-1);
        const std::string wanted = "label -1 at position " + std::to_string(at) + " is negative";
        CHECK(contains(message_of<IndexError>([&] { static_cast<void>(bincount(labels)); }), wanted));
        CHECK(contains(message_of<IndexError>([&] { static_cast<void>(bincount(labels, labels)); }), wanted));
      };
      refusal(std::int8_t{});
      refusal(std::int16_t{});
      refusal(std::int32_t{});
      refusal(std::int64_t{});
    }
  });
}

TEST_CASE("weights are added up in tables of any length") {
  Random random(81);
  INFO(random.how_to_repeat());
  for_each_isa([&](device::Isa) {
    for (const std::ptrdiff_t bins : {1, 200, 1'000, 1'100, 40'000}) {
      for (const std::ptrdiff_t n : {1, 7, 5'000, 300'000}) {
        CAPTURE(bins);
        CAPTURE(n);
        Array<std::int32_t, 1> labels(Dim{n});
        Array<double, 1> weights(Dim{n});  // whole numbers, so that their order does not matter
        std::vector<double> expected;
        for (std::ptrdiff_t i = 0; i < n; ++i) {
          const auto label = static_cast<std::size_t>(i == n - 1 ? bins - 1 : random.below(bins));
          labels.data()[i] = static_cast<std::int32_t>(label);
          weights.data()[i] = static_cast<double>(random.below(1000));
          expected.resize(std::max(expected.size(), label + 1), 0.0);
          expected[label] += weights.data()[i];
        }
        CHECK(difference(elements(bincount(labels, weights)), expected) == "");
      }
    }
  });
}

TEST_CASE("segments of long vectors and of narrow rows, and a label out of range in any of their blocks") {
  Random random(82);
  INFO(random.how_to_repeat());
  for_each_isa([&](device::Isa) {
    for (const std::ptrdiff_t width : {1, 2}) {
      for (const std::ptrdiff_t count : {1, 40, 1'500}) {
        const std::ptrdiff_t rows = 150'000;
        CAPTURE(width);
        CAPTURE(count);
        Array<std::int64_t, 1> labels(Dim{rows});
        Array<float, 2> x(Dim{rows, width});
        std::vector<double> sums(static_cast<std::size_t>(count * width), 0.0);
        std::vector<float> highest(sums.size(), -std::numeric_limits<float>::infinity());
        for (std::ptrdiff_t i = 0; i < rows; ++i) {
          labels.data()[i] = i % 7 == 0 ? 0 : random.below(count);  // some many times
          for (std::ptrdiff_t k = 0; k < width; ++k) {
            const auto value = static_cast<float>(random.below(100));
            const auto at = static_cast<std::size_t>(labels.data()[i] * width + k);
            x.data()[i * width + k] = value;
            sums[at] += static_cast<double>(value);
            highest[at] = std::max(highest[at], value);
          }
        }
        const Array<float, 2> found = segment_sum(x, labels, count);
        const Array<double, 1> exact = cast<double>(found.flatten());
        CHECK(difference(elements(exact), sums) == "");
        CHECK(difference(elements(copy(segment_max(x, labels, count).flatten())), highest) == "");
        for (const std::ptrdiff_t at : {std::ptrdiff_t{0}, rows / 2, rows - 1}) {
          for (const std::int64_t wrong : {std::int64_t{-1}, static_cast<std::int64_t>(count)}) {
            Array<std::int64_t, 1> others = copy(labels);
            others(at) = wrong;
            CHECK(contains(message_of<IndexError>([&] { static_cast<void>(segment_mean(x, others, count)); }),
                           "label " + std::to_string(wrong) + " at position " + std::to_string(at) + " is not in [0, " +
                               std::to_string(count) + ")"));
          }
        }
      }
    }
    CHECK_THROWS_AS(segment_sum(zeros<float>(Dim{3, 0}), Array<int, 1>{0, 1, 2}, 2), IndexError);
    CHECK_THROWS_AS(segment_sum(zeros<float>(Dim{1}), Array<int, 1>{0}, 0), IndexError);
    CHECK_THROWS_AS(segment_sum(zeros<float>(Dim{2, 600}), Array<int, 1>{0, 2}, 2), IndexError);
  });
}

TEST_CASE("bins are found whatever lies near their edges") {
  Random random(83);
  INFO(random.how_to_repeat());
  const double infinity = std::numeric_limits<double>::infinity();
  for_each_isa([&](device::Isa) {
    for (const std::ptrdiff_t bins : {1, 2, 9, 300, 3'000}) {
      CAPTURE(bins);
      const Array<double, 1> even = histogram(Array<double, 1>{0.0}, bins, Bounds{-1.0, 2.0}).edges;
      Array<double, 1> uneven = sort(random::uniform<double>(random::Key{5}, Dim{bins + 1}));
      Array<double, 1> clustered = copy(uneven);  // most edges in few cells, some of them equal
      clustered(range(1, bins)) = clustered(range(1, bins)) * 1e-6;
      clustered = sort(clustered);
      for (const Array<double, 1>& edges : {even, uneven, clustered}) {
        std::vector<double> x{infinity, -infinity, std::nan("")};
        for (int i = 0; i < 900; ++i) {
          const double edge = edges.data()[random.below(bins + 1)];
          const double options[] = {edge, std::nextafter(edge, infinity), std::nextafter(edge, -infinity),
                                    static_cast<double>(random.below(1000)) / 400 - 1.2};
          x.push_back(options[random.below(4)]);
        }
        std::vector<std::int64_t> expected(static_cast<std::size_t>(bins), 0);
        for (const double value : x) {
          if (!(value >= edges.data()[0] && value <= edges.data()[bins])) continue;
          const double* const past = std::upper_bound(edges.data(), edges.data() + bins, value);
          ++expected[static_cast<std::size_t>(past - edges.data() - 1)];
        }
        CHECK(difference(elements(histogram(make_array(x), edges).counts), expected) == "");
        if (edges.data() == even.data())
          CHECK(difference(elements(histogram(make_array(x), bins, Bounds{-1.0, 2.0}).counts), expected) == "");
      }
    }
  });
}

TEST_CASE_TEMPLATE("ranks on each set of instructions", T, std::int8_t, std::uint16_t, std::int32_t, std::uint64_t,
                   float16, float, double) {
  Random random(84 + sizeof(T));
  INFO(random.how_to_repeat());
  for_each_isa([&](device::Isa) {
    for (const std::ptrdiff_t n : {255, 257, 5'000, 40'001}) {
      CAPTURE(n);
      const Array<T, 1> x = make_array(values<T>(n, n > 1'000 ? random.below(n) : -1, random));
      const Array<T, 1> sorted = sort(x);
      const Array<std::int64_t, 1> order = argsort(x);
      for (const std::ptrdiff_t rank : {std::ptrdiff_t{0}, n / 3, n - 1}) {
        CAPTURE(rank);
        const Array<T, 1> parted = partition(x, rank);
        const Array<std::int64_t, 1> positions = argpartition(x, rank);
        const T pivot = sorted.data()[rank];
        CHECK(awkward::is_same<T>(parted.data()[rank], pivot));
        bool is_parted = true, is_stable = true;
        for (std::ptrdiff_t i = 0; i < n; ++i) {
          const T value = parted.data()[i], given = x.data()[positions.data()[i]];
          is_parted = is_parted && awkward::is_same<T>(value, given);
          is_parted =
              is_parted && !(i < rank ? awkward::is_before<T>(pivot, value) : awkward::is_before<T>(value, pivot));
          if (i == 0) continue;
          const T before = x.data()[positions.data()[i - 1]];
          const auto side = [&](T some) {
            return awkward::is_before<T>(some, pivot) ? 0 : awkward::is_same<T>(some, pivot) ? 1 : 2;
          };
          is_stable = is_stable && side(before) <= side(given) &&
                      (side(before) != side(given) || positions.data()[i - 1] < positions.data()[i]);
        }
        CHECK(is_parted);
        CHECK(is_stable);
      }
      CHECK(array_equal(top_k(x, 20, TopMode::smallest).indices, order(range(0, 20))));
      const std::ptrdiff_t known = Floating<T> && n > 1'000 ? n - 1 : n;  // NaN is last
      const Array<T, 1> numbers = copy(sorted(range(0, known)));
      CHECK(awkward::is_same<double>(static_cast<double>(item(quantile(numbers, 0.25, QuantileMethod::lower))),
                                     static_cast<double>(numbers.data()[(known - 1) / 4])));
    }
  });
}

TEST_CASE_TEMPLATE("short rows are sorted, side by side and alone", T, bool, std::int8_t, std::uint16_t, std::int32_t,
                   std::uint64_t, float16, float, double) {
  Random random(95 + sizeof(T));
  INFO(random.how_to_repeat());
  for_each_isa([&](device::Isa) {
    for (const std::ptrdiff_t n :
         {1, 2, 3, 5, 8, 13, 31, 32, 33, 39, 40, 41, 64, 65, 100, 127, 128, 129, 256, 257, 520}) {
      for (const std::ptrdiff_t rows : {1, 7, 8, 9, 67}) {
        if (n > 129 && rows > 9) continue;
        CAPTURE(n);
        CAPTURE(rows);
        Array<T, 2> x(Dim{rows, n});
        std::vector<T> expected;
        for (std::ptrdiff_t row = 0; row < rows; ++row) {
          std::vector<T> own = values<T>(n, row % 3 == 0 ? random.below(n) : -1, random);
          x(row, all) = make_array(own);
          std::sort(own.begin(), own.end(), [](T a, T b) { return awkward::is_before<T>(a, b); });
          expected.insert(expected.end(), own.begin(), own.end());
        }
        const auto is_as_expected = [&](const Array<T, 2>& sorted, bool descends) {
          for (std::ptrdiff_t i = 0; i < rows * n; ++i) {
            const std::ptrdiff_t row = i / n, at = descends ? n - 1 - i % n : i % n;
            T wanted = expected[static_cast<std::size_t>(row * n + at)];
            if (descends && row % 3 == 0 && Floating<T>)  // NaN is last either way
              wanted = expected[static_cast<std::size_t>(row * n + (i % n == n - 1 ? n - 1 : n - 2 - i % n))];
            if (!awkward::is_same<T>(sorted.data()[i], wanted)) return false;
          }
          return true;
        };
        CHECK(is_as_expected(sort<1>(x), false));
        CHECK(is_as_expected(sort<1>(x, descending), true));
        const Array<T, 2> across = copy(x.T());
        CHECK(is_as_expected(copy(sort<0>(across).T()), false));
      }
    }
  });
}
