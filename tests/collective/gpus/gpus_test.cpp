// Collectives of arrays that lie on GPUs: what NCCL moves has the bits of what the host moves. Run by the fake driver and the fake NCCL.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fake_cuda.hpp"
#include "support.hpp"

import tessera;

using namespace tessera;
using ranks::laid_out;
using ranks::world;

namespace {

/// Whether the ranks have GPUs of their own, as all have but in one run of this program.
bool are_own() { return std::getenv("FAKE_CUDA_SAME_GPUS") == nullptr; }

/// Ranks take GPUs of other numbers, where these are their own.
GpuPlace gpu() { return {are_own() ? world().rank() % 2 : 0}; }

/// Of very different sizes, so that another order has other bits.
template <class T>
Array<T, 2> numbers(const Dim<2>& shape, unsigned seed) {
  Array<T, 2> made(shape);
  std::mt19937 random(seed * 977U + static_cast<unsigned>(world().rank()) * 31U + 5U);
  for (std::ptrdiff_t i = 0; i < made.size(); ++i) {
    const float mantissa = static_cast<float>(random() % 2001) / 1000.f - 1.f;
    if constexpr (std::same_as<T, bool>) {
      made.data()[i] = mantissa > 0;
    } else if constexpr (std::is_integral_v<T>) {
      made.data()[i] = static_cast<T>(random());
    } else {
      made.data()[i] = static_cast<T>(std::ldexp(mantissa, static_cast<int>(random() % 12)));
    }
  }
  return made;
}

/// The same elements in the same layout on this rank's GPU.
template <class T>
Array<T, 2> on_gpu(const Array<T, 2>& x, unsigned layout) {
  const auto rows = x.shape()[0], columns = x.shape()[1];
  switch (layout % 4) {
    case 1: {
      Array<T, 2> other = zeros<T>(Dim{columns, rows}, Place(gpu()));
      other.T()(ellipsis) = x.to(Place(gpu()));
      return other.T();
    }
    case 2: {
      Array<T, 2> other = zeros<T>(Dim{2 * rows, 3 * columns}, Place(gpu()));
      auto seen = other(range(0, 2 * rows, 2), range(0, 3 * columns, 3));
      seen(ellipsis) = x.to(Place(gpu()));
      return seen;
    }
    case 3: {
      Array<T, 2> other = zeros<T>(Dim{rows, columns}, Place(gpu()));
      auto seen = flip<1>(other);
      seen(ellipsis) = x.to(Place(gpu()));
      return seen;
    }
    default: return x.to(Place(gpu()));
  }
}

template <class A>
bool same_bits(const A& on_gpus, const A& on_host) {
  const A come = on_gpus.to(CpuPlace{});
  return on_gpus.place() == Place(gpu()) && come.shape() == on_host.shape() &&
         std::equal(come.begin(), come.end(), on_host.begin(),
                    [](const auto& a, const auto& b) { return std::memcmp(&a, &b, sizeof a) == 0; });
}

/// The number of lines of the driver's log that hold some words.
std::ptrdiff_t lines_with(const std::string& words) {
  const std::string log = fake::log();
  std::ptrdiff_t count = 0;
  for (std::size_t at = log.find(words); at != std::string::npos; at = log.find(words, at + 1)) ++count;
  return count;
}

}  // namespace

#define TYPES float, bfloat16, std::uint8_t, std::complex<double>

TEST_CASE_TEMPLATE("elements are combined on GPUs to the bits of the host, of every layout, few and many", T, TYPES) {
  unsigned seed = 1;
  for (const std::ptrdiff_t columns : {0, 1, 5, 700}) {
    for (unsigned layout = 0; layout < 4; ++layout) {
      CAPTURE(columns);
      CAPTURE(layout);
      const auto x = numbers<T>(Dim{7, columns}, ++seed);
      const auto y = on_gpu(x, layout);
      for (const ReduceOp op : {ReduceOp::sum, ReduceOp::product})
        CHECK(same_bits(world().all_reduce(y, op), world().all_reduce(x, op)));
      CHECK(same_bits(world().reduce_scatter(y, ReduceOp::sum), world().reduce_scatter(x, ReduceOp::sum)));
      const int root = static_cast<int>(seed) % world().size();
      CHECK(same_bits(world().reduce(y, ReduceOp::sum, root), world().reduce(x, ReduceOp::sum, root)));
      CHECK(same_bits(world().all_reduce(y, ReduceOp::sum, Reproducible{}),
                      world().all_reduce(x, ReduceOp::sum, Reproducible{})));
      Array<T, 2> in_place = on_gpu(x, layout);
      world().all_reduce_into(in_place, in_place);
      CHECK(same_bits(in_place, world().all_reduce(x)));
      Array<T, 2> other = on_gpu(zeros<T>(x.shape()), layout + 1);
      world().all_reduce_into(other, y);
      CHECK(same_bits(other, world().all_reduce(x)));
      CHECK(same_bits(y, x));
    }
  }
}

TEST_CASE("least and greatest, all and any are those of the host") {
  const auto x = numbers<float>(Dim{5, 300}, 3);
  for (const ReduceOp op : {ReduceOp::min, ReduceOp::max})
    CHECK(same_bits(world().all_reduce(on_gpu(x, 0), op), world().all_reduce(x, op)));
  const auto truths = numbers<bool>(Dim{5, 300}, 4);
  for (const ReduceOp op : {ReduceOp::all, ReduceOp::any})
    CHECK(same_bits(world().all_reduce(on_gpu(truths, 2), op), world().all_reduce(truths, op)));
}

TEST_CASE_TEMPLATE("elements move between GPUs as between hosts", T, float, bool, std::int16_t, std::complex<double>) {
  unsigned seed = 50;
  for (const std::ptrdiff_t columns : {0, 1, 333}) {
    for (unsigned layout = 0; layout < 4; ++layout) {
      CAPTURE(columns);
      CAPTURE(layout);
      // Another number of rows on each rank; one rank has none.
      const auto x = numbers<T>(Dim{3 * world().rank(), columns}, ++seed);
      const auto y = on_gpu(x, layout);
      const int root = static_cast<int>(seed) % world().size();
      CHECK(same_bits(world().all_gather(y), world().all_gather(x)));
      CHECK(same_bits(world().gather(y, root), world().gather(x, root)));
      const auto even = numbers<T>(Dim{4, columns}, seed);
      CHECK(same_bits(world().all_gather(on_gpu(even, layout)), world().all_gather(even)));
      const auto rows = numbers<T>(Dim{2 * world().size() + 1, columns}, seed);
      CHECK(same_bits(world().scatter(on_gpu(rows, layout), root), world().scatter(rows, root)));
      CHECK(same_bits(world().all_to_all(on_gpu(rows, layout)), world().all_to_all(rows)));
      auto a = on_gpu(rows, layout);
      auto b = copy(rows);
      world().broadcast(a, root);
      world().broadcast(b, root);
      CHECK(same_bits(a, b));
    }
  }
}

TEST_CASE("dynamic arrays, parts of a group and messages take GPUs, too") {
  const auto x = numbers<float>(Dim{6, 50}, 9);
  const DArray y = on_gpu(x, 1);
  const DArray sum = world().all_reduce(y);
  CHECK(same_bits(get<Array<float, 2>>(sum), world().all_reduce(x)));
  const Group part = world().split(world().rank() % 2);
  CHECK(same_bits(part.all_reduce(on_gpu(x, 0)), part.all_reduce(x)));
  const auto message = evaluate(cast<float>(reshape(arange(300), Dim{6, 50})));
  if (world().rank() == 0) world().send(on_gpu(message, 2), 1, 5);
  if (world().rank() == 1) {
    Array<float, 2> come = on_gpu(zeros<float>(Dim{6, 50}), 1);
    world().receive_into(come, 0, 5);
    CHECK(same_bits(come, message));
  }
}

TEST_CASE("the lines of the page about arrays of GPUs") {
  // --8<-- [start:page]
  const Group world = Group::world();
  const GpuPlace own{world.local_rank() % device_count()};  // one of this host's GPUs
  const Array<float, 2> x = ones<float>(Dim{100, 10}).to(Place(own));
  const Array<float, 2> sum = world.all_reduce(x);  // on the same GPU
  // --8<-- [end:page]
  CHECK(sum.place() == Place(own));
  CHECK(array_equal(sum.to(CpuPlace{}), full<float>(Dim{100, 10}, static_cast<float>(world.size()))));
}

TEST_CASE("nothing comes to the host where each rank has a GPU of its own" * doctest::test_suite("fake")) {
  const auto x = numbers<float>(Dim{8, 1000}, 20);
  const auto y = on_gpu(x, 0);
  world().all_reduce(y);  // the GPUs are joined, and the kernel is loaded
  synchronize();
  fake::start_log();
  const Array<float, 2> sum = world().all_reduce(y);
  const Array<float, 2> everything = world().all_gather(y);
  if (are_own()) {
    CHECK(lines_with("NCCL sends") == 3);
    CHECK(lines_with("to host") == 0);
    CHECK(lines_with("host to") == 0);
  } else {
    CHECK(lines_with("NCCL") == 0);
    CHECK(lines_with("to host") == 2);
  }
  CHECK(same_bits(sum, world().all_reduce(x)));
  CHECK(same_bits(everything, world().all_gather(x)));
}

TEST_CASE("arrays of one rank on its GPU and of another on its host are combined through hosts") {
  const auto x = numbers<float>(Dim{3, 100}, 30);
  const bool is_first = world().rank() == 0;
  const Array<float, 2> y = is_first ? on_gpu(x, 0) : copy(x);
  const Array<float, 2> sum = world().all_reduce(y);
  CHECK(array_equal(sum.to(CpuPlace{}), world().all_reduce(x)));
  CHECK(sum.place() == y.place());
}

TEST_CASE("ops of a scheduler give GPUs their work in the order of the program, whatever order they become ready in") {
  for (unsigned seed = 0; seed < 4; ++seed) {
    std::vector<Array<float, 2>> expected, results;
    std::vector<Array<float, 2>> operands;
    for (unsigned k = 0; k < 6; ++k) {
      const auto x = numbers<float>(Dim{5, 200}, 100 + 10 * seed + k);
      expected.push_back(world().all_reduce(evaluate(x * 2.f + 1.f)));
      operands.push_back(on_gpu(x, k));
      results.push_back(zeros<float>(Dim{5, 200}, Place(gpu())));
    }
    {
      Scheduler scheduler({.workers = 3});
      Async on(scheduler);
      // What each waits for takes another time on each rank.
      for (unsigned k = 0; k < 6; ++k) {
        const unsigned delays = (k * 7 + static_cast<unsigned>(world().rank()) * 5 + seed) % 6;
        Array<float, 2> ready = operands[k] * 2.f;
        for (unsigned delay = 0; delay < delays; ++delay) ready = ready + 0.f;
        ready = ready + 1.f;
        world().all_reduce_into(results[k], ready);
        results[k] += 1.f;
      }
    }
    for (std::size_t k = 0; k < 6; ++k) CHECK(same_bits(results[k], evaluate(expected[k] + 1.f)));
  }
}
