// Writing through index arrays and masks: x(indices) = e, x(mask) = 0, x(rows, columns) += e.
#include "../nodes/picked_patterns.hpp"

using namespace tessera;

namespace {

using namespace picked_patterns;

template <class T>
void writes_what_it_names(std::uint64_t salt) {
  Random random(salt);
  INFO(random.how_to_repeat());
  for (int round = 0; round < (support::is_sanitized ? 2 : 6); ++round) {
    for (const Arrangement kind : support::target_arrangements) {
      const Dim<3> extents{random.between(1, 6), random.between(1, 6), random.between(1, 9)};
      for_each_pattern(extents, random, [&](const char* name, const auto& pick, const auto& shape, const auto& source) {
        INFO(name << " of " << to_string(extents) << ", " << support::name_of(kind));
        Array<T, 3> x = support::storage_like<T>(extents, kind, T(3), random, false);
        Array<T, 3> expected(extents);
        expected(ellipsis) = x;
        constexpr int rank = std::remove_cvref_t<decltype(shape)>::rank;
        const auto values = support::random_array<T>(shape, support::all_arrangements[random.below(6)], random);
        pick(x) = values;
        for_each_at(shape,
                    [&](const auto& at) { support::element(expected, source(at)) = support::element(values, at); });
        CHECK(support::difference(support::elements(x), support::elements(expected)) == "");
        const auto one = support::random_value<T>(random);
        pick(x) = one;
        for_each_at(shape, [&](const auto& at) { support::element(expected, source(at)) = one; });
        CHECK(support::difference(support::elements(x), support::elements(expected)) == "");
        if constexpr (std::same_as<T, std::int64_t>) {
          pick(x) += values;
          for_each_at(shape, [&](const auto& at) {
            auto& to = support::element(expected, source(at));
            to = static_cast<T>(static_cast<std::uint64_t>(to) +
                                static_cast<std::uint64_t>(support::element(values, at)));
          });
          CHECK(support::difference(support::elements(x), support::elements(expected)) == "");
          const auto last = support::random_array<T>(Dim{shape[rank - 1]}, Arrangement::contiguous, random);
          pick(x) -= last;  // broadcast
          for_each_at(shape, [&](const auto& at) {
            auto& to = support::element(expected, source(at));
            to = static_cast<T>(static_cast<std::uint64_t>(to) -
                                static_cast<std::uint64_t>(support::element(last, std::array{at[rank - 1]})));
          });
          CHECK(support::difference(support::elements(x), support::elements(expected)) == "");
        }
      });
    }
  }
}

}  // namespace

// --8<-- [start:writing]
TEST_CASE("what indices and masks pick can be written") {
  Array<float, 2> x = make_array<float>({{1, -2, 3}, {-4, 5, -6}});
  x(x < 0) = 0.f;
  CHECK(to_string(x) == "[[1. 0. 3.]\n [0. 5. 0.]]");
  x(Array<int, 1>{1, 0}, all) = make_array<float>({{7, 8, 9}, {1, 1, 1}});
  CHECK(to_string(x) == "[[1. 1. 1.]\n [7. 8. 9.]]");
  x(Array<int, 1>{0, 0, 1}, Array<int, 1>{2, 2, 0}) += 10.f;  // an index that is there twice adds twice
  CHECK(to_string(x) == "[[ 1.  1. 21.]\n [17.  8.  9.]]");
  x(Array<int, 1>{0, 0}, 1) = Array<float, 1>{5, 6};  // and of two values the last one stays
  CHECK(x(0, 1) == 6.0f);
}
// --8<-- [end:writing]

TEST_CASE("what index arrays and masks name is written, and nothing else, whatever the layouts and the types") {
  writes_what_it_names<float>(31);
  writes_what_it_names<std::int64_t>(32);
  writes_what_it_names<std::uint8_t>(33);
  writes_what_it_names<std::complex<double>>(34);
}

TEST_CASE("the same bits for any number of threads: of equal indices the last wins, and sums have one order") {
  const std::ptrdiff_t count = 400'000;
  const Array<std::int32_t, 1> indices =
      cast<std::int32_t>(random::uniform<float>(random::Key{5}, Dim{count}) * 1000.0f);
  const Array<float, 1> values = random::uniform<float>(random::Key{6}, Dim{count});
  const Array<float, 2> rows = random::uniform<float>(random::Key{7}, Dim{count / 100, 600});
  const auto run = [&](int threads) {
    const support::Threads some(threads);
    Array<float, 1> last = zeros<float>(Dim{1000}), sums = zeros<float>(Dim{1000});
    last(indices) = values;
    sums(indices) += values;
    Array<float, 2> wide = zeros<float>(Dim{1000, 600});
    wide(indices(range(0, count / 100)), all) += rows;
    return std::tuple{last, sums, wide};
  };
  const auto [last, sums, wide] = run(1);
  Array<float, 1> expected = zeros<float>(Dim{1000}), added = zeros<float>(Dim{1000});
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    expected(int(indices(i))) = values(i);
    added(int(indices(i))) += values(i);
  }
  CHECK(array_equal(last, expected));
  CHECK(array_equal(sums, added));
  for (const int threads : {2, 3, 7}) {
    const auto [last_again, sums_again, wide_again] = run(threads);
    CHECK(array_equal(last, last_again));
    CHECK(array_equal(sums, sums_again));
    CHECK(array_equal(wide, wide_again));
  }
}

TEST_CASE("the target may be what is read, and what picks") {
  Array<int, 1> x = arange<int>(6);
  x(Array<int, 1>{0, 1, 2}) = x(range(3, 6));
  CHECK(to_string(x) == "[3 4 5 3 4 5]");
  x(range(0, 3)) = arange<int>(3);
  x(Array<int, 1>{5, 4, 3, 2, 1, 0}) = x;
  CHECK(to_string(x) == "[5 4 3 2 1 0]");
  x(x) = x(Array<int, 1>{0, 0, 1, 1, 2, 2});
  CHECK(to_string(x) == "[3 3 4 4 5 5]");
  x(x > 3) += x(x > 3);
  CHECK(to_string(x) == "[ 3  3  8  8 10 10]");
  x(x > 5) *= 2;
  CHECK(to_string(x) == "[ 3  3 16 16 20 20]");
  Array<std::int64_t, 1> self{3, 0, 1, 2};
  self(self) = self;
  CHECK(to_string(self) == "[0 1 2 3]");
  self(ellipsis) = Array<std::int64_t, 1>{1, 2, 3, 0};
  self(self) = 0;
  CHECK(to_string(self) == "[0 0 0 0]");
  Array<int, 1> y = x;  // another name sees what is written through indices
  y(0) = 1;
  Array<int, 1> z = x.clone();
  z(Array<int, 1>{0}) = x(Array<int, 1>{-1});
  CHECK(z(0) == 20);
  CHECK(x(0) == y(0));
}

TEST_CASE("views, slices of const views, elements of other types and expressions as sources") {
  std::vector<float> memory(6, 1.0f);
  const auto view = make_view(memory.data(), Dim{2, 3});
  view(Array<int, 1>{1}, all) = Array<double, 1>{1.5, 2.5, 3.5};
  CHECK(memory[4] == 2.5f);
  view(all, Array<int, 1>{2, 0}) -= 1;
  CHECK(memory[5] == 2.5f);
  CHECK(memory[0] == 0.0f);
  Array<float16, 1> half = zeros<float16>(Dim{3});
  half(Array<int, 1>{1, 1}) += 0.5;
  CHECK(float(half(1)) == 1.0f);
  Array<int, 2> matrix = zeros<int>(Dim{3, 4});
  matrix.T()(Array<int, 1>{3, 0}, all) = dot(ones<int>(Dim{2, 5}), ones<int>(Dim{5, 3}));
  CHECK(to_string(matrix(0, all)) == "[5 0 0 5]");
  Array<int, 2> none_of_it(Dim{0, 4});
  none_of_it(Array<int, 1>(Dim<1>{0}), all) = 3;
  CHECK_THROWS_AS(none_of_it(Array<int, 1>{0}, all) = 3, IndexError);
}

TEST_CASE("nothing is written if an index, a shape or a mask is wrong") {
  Array<float, 2> x = ones<float>(Dim{4, 3});
  const auto text = support::message_of<IndexError>([&] { x(Array<int, 1>{0, 4}, all) = 0.f; });
  CHECK(support::contains(text, "index 4 at position 1 is out of range for axis 0 with extent 4"));
  CHECK(support::contains(text, "called at picked_target_test.cpp"));
  CHECK_THROWS_AS((x(Array<int, 1>{0, 1}, all) = ones<float>(Dim{3, 3})), ShapeError);
  CHECK_THROWS_AS((x(Array<bool, 1>{true, true}, all) = 0.f), ShapeError);
  CHECK_THROWS_AS((x(x > 2) += ones<float>(Dim{5})), ShapeError);
  CHECK(array_equal(x, ones<float>(Dim{4, 3})));
}

TEST_CASE("in an Async scope writing through indices is an op, in order with what is around it") {
  Scheduler scheduler;
  Array<float, 1> x = zeros<float>(Dim{1000}), total = zeros<float>(Dim{1});
  Array<int, 1> indices = zeros<int>(Dim{500});
  {
    const Async on(scheduler);
    indices(ellipsis) = 2 * arange<int>(500);
    x(indices) += 1.f;
    x(indices) += x(indices);
    x(x > 1) = 5.f;
    total(ellipsis) = sum(x);
  }
  scheduler.wait_all();
  CHECK(total(0) == 2500.0f);
  Array<int, 1> wrong{1000};
  {
    const Async on(scheduler);
    x(wrong) = 0.f;
  }
  CHECK(support::contains(support::message_of<OperationFailed>([&] { x.wait(); }),
                          "index 1000 at position 0 is out of range for axis 0 with extent 1000"));
}

TEST_CASE("a recording writes through the indices of each replay") {
  Scheduler scheduler({.workers = 2});
  Array<float, 2> table = zeros<float>(Dim{4, 2});
  const auto step = scheduler.capture(
      [&](Parameter<Array<int, 1>> batch, Parameter<Array<float, 2>> gradient) {
        const Async on{scheduler};
        table(batch, all) -= 0.5f * gradient;
      },
      Array<int, 1>{0, 0, 0}, ones<float>(Dim{3, 2}));
  step.replay(Array<int, 1>{3, 1, 3}, ones<float>(Dim{3, 2}));
  step.replay(Array<int, 1>{-1, 0, 0}, ones<float>(Dim{3, 2}));
  CHECK(to_string(table) == "[[-1.  -1. ]\n [-0.5 -0.5]\n [ 0.   0. ]\n [-1.5 -1.5]]");
}
