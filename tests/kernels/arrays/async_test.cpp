// Algorithms on arrays of a fake GPU inside an Async scope are ops: they wait for nothing, keep their order among assignments, are recorded, and fail as
// assignments do.
#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

import tessera;

using namespace tessera;

namespace {

const Place gpu = GpuPlace{0};

Array<float, 2> numbers(unsigned seed) { return random::uniform<float>(random::Key{seed}, Dim<2>{7, 11}); }

template <class A, class B>
bool agree(const A& on_gpu, const B& on_cpu) {
  CHECK(on_gpu.place() == gpu);
  return array_equal(on_gpu.to(Place(CpuPlace{})), on_cpu);
}

/// An op that holds an array until it is let go.
class Hold {
 public:
  template <class A>
  Hold(Scheduler& scheduler, const A& array) {
    scheduler.submit(writes(array.var()), [this] { is_free_.wait(false); });
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  ~Hold() { release(); }
  void release() {
    is_free_ = true;
    is_free_.notify_all();
  }

 private:
  std::atomic<bool> is_free_ = false;
};

}  // namespace

TEST_CASE("sort, argsort, running sums and take of arrays that are not ready are submitted and wait for nothing") {
  const Array<float, 2> x = numbers(1);
  const Array<double, 2> wide = cast<double>(x);
  const Array<std::int16_t, 2> small = cast<std::int16_t>(x * 9.0f);
  const Array<std::int32_t, 1> rows = make_array({3, -1, 0});
  Scheduler scheduler({.workers = 2});
  Array<float, 2> y = x.to(gpu);
  Array<double, 2> wide_on_gpu = wide.to(gpu);
  Array<std::int16_t, 2> small_on_gpu = small.to(gpu);
  Hold first(scheduler, y), second(scheduler, wide_on_gpu), third(scheduler, small_on_gpu);
  Array<float, 2> sorted, taken, across;
  Array<double, 2> sums, products;
  Array<std::int64_t, 2> order;
  {
    const Async on{scheduler};
    sorted = sort(y, descending);
    across = sort<0>(y.T());
    taken = take(y, rows);
    sums = cumulative_sum<1>(wide_on_gpu);
    products = cumulative_prod<0>(wide_on_gpu);
    order = argsort(small_on_gpu);
    y(ellipsis) = 0.0f;
    wide_on_gpu(ellipsis) = 0.0;
    small_on_gpu(ellipsis) = std::int16_t(0);
  }
  first.release();
  second.release();
  third.release();
  CHECK(agree(sorted, sort(x, descending)));
  CHECK(agree(across, sort<0>(x.T())));
  CHECK(agree(taken, take(x, rows)));
  CHECK(agree(sums, cumulative_sum<1>(wide)));
  CHECK(agree(products, cumulative_prod<0>(wide)));
  CHECK(agree(order, argsort(small)));
  CHECK(agree(y, x * 0.0f));
}

TEST_CASE("algorithms keep their order among assignments, with any number of workers") {
  const Array<float, 2> x = numbers(2);
  for (const int workers : {1, 2, 3}) {
    Scheduler scheduler({.workers = workers});
    Array<float, 2> y = x.to(gpu);
    Array<float, 2> wanted = x.clone();
    const auto steps = [](Array<float, 2>& a) {
      for (int i = 0; i < 5; ++i) {
        a = a * 0.5f + 1.0f;
        sort_into<0>(a, a);
        a(range(2, none), all) += 0.25f;
        sort_into(a(range(none, none, 2), all), a(range(none, none, 2), all), descending);
        take_into(a(range(0, 3), all), a(range(4, 7), all), make_array({2, 0, 1}));
      }
    };
    {
      const Async on{scheduler};
      steps(y);
    }
    steps(wanted);
    CHECK(agree(y, wanted));
  }
}

TEST_CASE("with disjoint views, sorting one half runs while the other half is held") {
  const Array<float, 2> x = numbers(3);
  Scheduler scheduler({.workers = 2});
  Array<float, 2> y = x.to(gpu);
  {
    const Async on{scheduler, {.disjoint_views = true}};
    sort_into(y(range(0, 3), all), y(range(0, 3), all));
    y(range(3, 7), all) = y(range(3, 7), all) * 2.0f;
    sort_into(y(range(3, 7), all), y(range(3, 7), all), descending);
  }
  CHECK(agree(y(range(0, 3), all), sort(x(range(0, 3), all))));
  CHECK(agree(y(range(3, 7), all), sort(x(range(3, 7), all) * 2.0f, descending)));
}

TEST_CASE("a recorded sort is replayed") {
  Scheduler scheduler({.workers = 2});
  const Array<float, 2> y = numbers(4).to(gpu);
  const Array<float, 2> sorted(y.shape(), gpu);
  Array<float, 2> total = zeros<float>(Dim{7, 11}, gpu);
  const auto step = scheduler.capture([&](Parameter<float> factor) {
    const Async on{scheduler};
    assign(y, y * factor);
    sort_into(sorted, y);
    total += sorted;
  });
  Array<float, 2> wanted = zeros<float>(Dim{7, 11});
  Array<float, 2> x = y.to(Place(CpuPlace{}));
  for (const float factor : {0.5f, -1.0f, 3.0f}) {
    step.replay(factor);
    x = x * factor;
    wanted = wanted + sort(x);
  }
  CHECK(agree(total, wanted));
}

TEST_CASE("what an algorithm cannot do inside a scope is known at the next access, shapes and places at once" *
          doctest::test_suite("fake")) {
  Scheduler scheduler({.workers = 1});
  const Array<double, 2> y = evaluate(cast<double>(numbers(5))).to(gpu);
  Array<double, 2> result;
  {
    const Async on{scheduler};
    result = sort(y);  // the fake library has no such kernel
    CHECK_THROWS_AS(sort_into(y.T(), y), ShapeError);
    CHECK_THROWS_AS(static_cast<void>(take(y, make_array({9}))), IndexError);
  }
  std::string message;
  try {
    static_cast<void>(double(result[{0, 0}]));
  } catch (const OperationFailed& failure) {
    message = failure.what();
  }
  CHECK(message.find("op 'sort'") != std::string::npos);
  CHECK(message.find("async_test.cpp") != std::string::npos);
}
