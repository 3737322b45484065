// compress against a plain loop: sizes of elements, layouts, lengths, and what can go wrong.
#include <atomic>
#include <chrono>
#include <thread>

#include "../../expr/support.hpp"

using namespace tessera;
using namespace support;

namespace {

/// The elements where the mask is true, by a loop.
template <class T, int Rank>
std::vector<T> picked(const Array<bool, Rank>& mask, const Array<T, Rank>& values) {
  std::vector<T> result;
  for_each_position(values.shape(), [&](const auto& at) {
    if (element(mask, at)) result.push_back(element(values, at));
  });
  return result;
}

}  // namespace

TEST_CASE_TEMPLATE("compress picks what a loop picks, in every layout", T, bool, std::int16_t, float, double,
                   std::complex<double>) {
  Random random(sizeof(T));
  INFO(random.how_to_repeat());
  for (const Arrangement kind : all_arrangements) {
    for (const Dim<3>& shape : {Dim{3, 4, 5}, Dim{1, 70, 2}, Dim{2, 0, 3}}) {
      const auto values = random_array<T>(shape, kind, random);
      const auto mask = random_array<bool>(shape, kind, random);
      CAPTURE(name_of(kind));
      CHECK(difference(elements(compress(mask, values)), picked(mask, values)) == "");
    }
  }
}

TEST_CASE("long masks are counted and written in pieces") {
  for (const int threads : {1, 2, 3}) {
    const Threads restore(threads);
    for (const std::ptrdiff_t length : {0, 1, 32767, 32768, 32769, 200001}) {
      const Array<float, 1> values = random::uniform<float>(random::Key{5}, Dim<1>{length});
      for (const float limit : {-1.0f, 0.01f, 0.5f, 2.0f}) {
        CAPTURE(length);
        CAPTURE(limit);
        const Array<bool, 1> mask = values < limit;
        CHECK(difference(elements(compress(values < limit, values)), picked(mask, values)) == "");
      }
    }
  }
}

TEST_CASE("masks and elements can be expressions, and of rank 0") {
  const Array<int, 1> x = make_array(std::vector{3, -1, 4, -1, 5});
  CHECK(array_equal(compress(x > 0, x * 2), make_array(std::vector{6, 8, 10})));
  CHECK(array_equal(compress(x < 0, arange<std::int64_t>(5)), make_array(std::vector<std::int64_t>{1, 3})));
  const Array<float, 0> scalar = full(Dim<0>{}, 7.0f);
  CHECK(array_equal(compress(scalar > 0.0f, scalar), full(Dim{1}, 7.0f)));
  CHECK(compress(scalar < 0.0f, scalar).shape() == Dim{0});
}

TEST_CASE("compress_into writes views, and reads what it overwrites first") {
  const Array<int, 1> x = arange(8);
  const Array<int, 1> wide = zeros<int>(Dim{8});
  const auto every_second = wide(range(none, none, -2));
  compress_into(every_second, x % 2 == 1, x);
  CHECK(array_equal(wide, make_array(std::vector{0, 7, 0, 5, 0, 3, 0, 1})));
  compress_into(x(range(1, 5)), x % 2 == 0, x);
  CHECK(array_equal(x, make_array(std::vector{0, 0, 2, 4, 6, 5, 6, 7})));
}

TEST_CASE("compress waits for the ops that lay out its operands") {
  const Array<int, 2> x = reshape(arange(12), Dim{3, 4});
  const Array<bool, 2> mask = x % 2 == 0;
  Scheduler scheduler({.workers = 1});
  std::atomic<bool> may_end = false;
  const Var busy;
  scheduler.submit(writes(busy), [&] { may_end.wait(false); });  // the worker is busy when compress is called
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    may_end = true;
    may_end.notify_all();
  });
  const Async on(scheduler);
  CHECK(array_equal(compress(mask.T(), x.T()), make_array(std::vector{0, 4, 8, 2, 6, 10})));
  later.join();
}

TEST_CASE("compress names the shapes that do not fit, and the caller") {
  const Array<int, 1> x = arange(4);
  const auto message = message_of<ShapeError>([&] { static_cast<void>(compress(x(range(3)) > 0, x)); });
  CHECK(contains(message, "the mask has shape (3,) and the elements (4,)"));
  CHECK(contains(message, "compress_test.cpp"));
  const Array<int, 1> result = full(Dim{2}, 9);
  const auto length = message_of<ShapeError>([&] { compress_into(result, x > 0, x); });
  CHECK(contains(length, "the result has shape (2,) instead of (3,)"));
  CHECK(array_equal(result, full(Dim{2}, 9)));
}
