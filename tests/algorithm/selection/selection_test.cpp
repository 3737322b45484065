// partition, argpartition and top_k against sorting: types, layouts, axes, lengths, threads, and what can go wrong.
#include <functional>

#include "awkward.hpp"

using namespace tessera;
using namespace support;

namespace {

/// Checks that what is around a rank is as it should be.
template <class T, int Rank>
void check_partition(const Array<T, Rank>& x, std::ptrdiff_t rank) {
  const auto rows = partition(x, rank);
  const auto positions = argpartition(x, rank);
  const auto sorted = sort(x);
  const Array<T, 2> from = reshape(copy(x), -1, x.shape()[Rank - 1]), got = reshape(rows, from.shape()),
                    wanted = reshape(sorted, from.shape());
  const Array<std::int64_t, 2> at = reshape(positions, from.shape());
  const std::ptrdiff_t length = from.shape()[1];
  std::vector<bool> seen(static_cast<std::size_t>(length));
  bool is_parted = true;
  for (std::ptrdiff_t row = 0; row < from.shape()[0]; ++row) {
    // Bare pointers: an access through an array looks for ops that are pending.
    const T *const given = from.data() + row * length, *const values = got.data() + row * length;
    const std::int64_t* const places = at.data() + row * length;
    const T pivot = wanted(row, rank);
    is_parted = is_parted && same<T>(values[rank], pivot) && awkward::is_same<T>(given[places[rank]], pivot);
    seen.assign(seen.size(), false);
    for (std::ptrdiff_t j = 0; j < length; ++j) {
      if (places[j] < 0 || places[j] >= length) FAIL("a position of " << places[j]);
      seen[static_cast<std::size_t>(places[j])] = true;
      for (const T value : {values[j], given[places[j]]})
        is_parted =
            is_parted && !(j < rank ? awkward::is_before<T>(pivot, value) : awkward::is_before<T>(value, pivot));
    }
    is_parted = is_parted && std::ranges::all_of(seen, std::identity());
  }
  CHECK(is_parted);
  CHECK(difference(elements(sort(rows)), elements(sorted)) == "");
}

}  // namespace

TEST_CASE_TEMPLATE("partition and argpartition put a rank in its place", T, bool, std::int8_t, std::uint16_t,
                   std::int32_t, std::uint64_t, float16, bfloat16, float, double) {
  Random random(sizeof(T));
  INFO(random.how_to_repeat());
  for (const Arrangement kind : all_arrangements) {
    CAPTURE(name_of(kind));
    for (const std::ptrdiff_t length : {1, 2, 30}) {
      for (const std::ptrdiff_t rank : {std::ptrdiff_t{0}, length / 2, length - 1})
        check_partition(awkward::array<T>(Dim<3>{3, 2, length}, kind, random), rank);
    }
  }
}

TEST_CASE("long rows are selected by samples, with any number of threads") {
  for (const int threads : {1, 2, 3}) {
    const Threads restore(threads);
    CAPTURE(threads);
    for (const std::ptrdiff_t length : {4097, 50'000, 140'000}) {
      if (is_sanitized && length != 50'000) continue;
      CAPTURE(length);
      for (const std::ptrdiff_t rank : {std::ptrdiff_t{0}, std::ptrdiff_t{100}, length / 2, length - 1}) {
        check_partition(Array<float, 1>(random::normal<float>(random::Key{1}, Dim<1>{length})), rank);
        check_partition(Array<int, 1>(cast<int>(random::uniform<float>(random::Key{2}, Dim<1>{length}) * 5.0f)), rank);
        check_partition(Array<double, 1>(full(Dim<1>{length}, 3.0)), rank);
      }
    }
  }
}

TEST_CASE("a row that misleads every sample is still partitioned") {
  // Nearly all elements are equal, but for a few that no sample has; then a row whose sorted order is at odds with its own.
  Array<double, 1> x = zeros<double>(Dim{100'000});
  x(77) = -1.0;
  x(99'998) = 2.0;
  check_partition(x, 0);
  check_partition(x, 99'999);
  check_partition(x, 99'998);
  Array<double, 1> y = cast<double>(arange(100'000));
  y(range(0, 50'000)) = 1e9;
  check_partition(y, 49'999);
  check_partition(y, 50'000);
}

TEST_CASE_TEMPLATE("top_k has the first of sort and argsort", T, bool, std::int8_t, std::uint16_t, std::int64_t,
                   float16, float, double) {
  Random random(30 + sizeof(T));
  INFO(random.how_to_repeat());
  for (const Arrangement kind : all_arrangements) {
    CAPTURE(name_of(kind));
    const auto x = awkward::array<T>(Dim{3, 40, 2}, kind, random);
    for (const std::ptrdiff_t count : {0, 1, 7, 40}) {
      CAPTURE(count);
      const auto largest = top_k<1>(x, count);
      CHECK(array_equal(largest.indices, argsort<1>(x, descending)(all, range(0, count), all)));
      const auto smallest = top_k(x, count, 1, TopMode::smallest);
      CHECK(array_equal(smallest.indices, argsort<1>(x)(all, range(0, count), all)));
      CHECK(largest.values.shape() == Dim<3>{3, count, 2});
      for_each_position(largest.values.shape(), [&](const auto& at) {
        const auto position = std::int64_t(largest.indices(at[0], at[1], at[2]));
        REQUIRE(same<T>(largest.values(at[0], at[1], at[2]), x(at[0], position, at[2])));
      });
    }
  }
}

TEST_CASE("top_k of long rows with any number of threads") {
  const Array<float, 1> x = random::uniform<float>(random::Key{3}, Dim{200'000});
  const Array<int, 1> few = cast<int>(x * 10.0f);
  for (const int threads : {1, 2, 3}) {
    const Threads restore(threads);
    for (const std::ptrdiff_t count : {1, 100, 150'000}) {
      CHECK(array_equal(top_k(x, count).indices, argsort(x, descending)(range(0, count))));
      CHECK(array_equal(top_k(few, count).indices, argsort(few, descending)(range(0, count))));
      CHECK(array_equal(top_k(few, count, TopMode::smallest).indices, argsort(few)(range(0, count))));
    }
  }
}

TEST_CASE("ranks count from the end, and out of range they say so") {
  const Array<int, 2> x{{3, 1, 2}, {0, 5, 4}};
  CHECK(to_string(partition(x, -1)) == "[[1 2 3]\n [0 4 5]]");
  CHECK(to_string(partition<0>(x, 0)) == "[[0 1 2]\n [3 5 4]]");
  CHECK(to_string(partition(x, 0, 0)) == "[[0 1 2]\n [3 5 4]]");
  CHECK(to_string(argpartition(x, 2, -1)) == "[[1 2 0]\n [0 2 1]]");
  const auto message = message_of<IndexError>([&] { static_cast<void>(partition(x, 3)); });
  CHECK(contains(message, "partition: rank 3 is out of range for axis 1 with extent 3"));
  CHECK(contains(message, "selection_test.cpp"));
  CHECK(contains(message_of<IndexError>([&] { static_cast<void>(top_k<0>(x, 3)); }),
                 "top_k: 3 elements are asked for along axis 0 with extent 2"));
  CHECK_THROWS_AS(argpartition(x, 0, 2), IndexError);
  CHECK_THROWS_AS(top_k(x, -1), IndexError);
}
