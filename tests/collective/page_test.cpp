#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <sstream>
#include <string>

import tessera;

using namespace tessera;

TEST_CASE("the lines of the page about several processes") {
  // --8<-- [start:mean]
  const Group world = Group::world();
  const auto mine = full<float>(Dim{2, 3}, static_cast<float>(world.rank()));
  const auto mean_of_all = evaluate(world.all_reduce(mine) / static_cast<float>(world.size()));
  // --8<-- [end:mean]
  CHECK(static_cast<float>(mean_of_all[{1, 2}]) == static_cast<float>(world.size() - 1) / 2.f);

  // --8<-- [start:async]
  Scheduler scheduler;
  Array<float, 2> gradient(Dim{64, 10}), weights = zeros<float>(Dim{64, 10}), other(Dim{64, 10});
  {
    Async on{scheduler};
    gradient = 2.f;
    world.all_reduce_into(gradient, gradient);  // begins when gradient is there
    other = 1.f;                                // meanwhile
    weights = weights - 0.5f * gradient;        // when the sum has come
  }
  CHECK(static_cast<float>(weights[{3, 3}]) == -static_cast<float>(world.size()));
  // --8<-- [end:async]

  // --8<-- [start:reproducible]
  // Row i is shard i of eight, wherever it has been computed.
  const auto shards = evaluate(cast<float>(random::uniform<float>(random::Key{1}, Dim{8, 5})));
  const std::ptrdiff_t first = 8 * world.rank() / world.size(), last = 8 * (world.rank() + 1) / world.size();
  const auto sums = world.all_reduce(shards(range(first, last), all), ReduceOp::sum, Reproducible{});
  // --8<-- [end:reproducible]
  CHECK(sums.shape() == Dim{5});

  // --8<-- [start:parts]
  const Group half = world.split(world.rank() % 2);
  half.set_time_limit(std::chrono::seconds(10));
  half.barrier();
  // --8<-- [end:parts]
  CHECK(half.time_limit() == std::chrono::seconds(10));
}

TEST_CASE("the lines of the page about divided arrays") {
  const Group world = Group::world();
  // --8<-- [start:sharded]
  const Array<float, 2> images = random::uniform<float>(random::Key{1}, Dim{1000, 784});
  const Sharded<Array<float, 2>> rows(world, images, ShardLayout::split(0));  // each rank has a part of the rows
  const Sharded<Array<float, 1>> middle = mean<0>(rows);                      // replicated: all have all of it
  const Sharded<Array<float, 2>> centred = rows - middle;                     // each rank computes its rows
  const Array<float, 2> whole = centred.gather();                             // all of it, on every rank
  // --8<-- [end:sharded]
  CHECK(allclose(whole, evaluate(images - mean<0>(images)), 1e-4, 1e-5));

  // --8<-- [start:products]
  const Array<float, 2> w = random::normal<float>(random::Key{2}, Dim{784, 10});
  const auto by_rows = dot(rows, Sharded<Array<float, 2>>(world, w, ShardLayout::replicated()));  // split as the rows
  const auto by_sums = dot(rows.redistribute(ShardLayout::split(1)),                              // parts of each sum,
                           Sharded<Array<float, 2>>(world, w, ShardLayout::split(0)));  // which the ranks add up
  const std::string text = explain(by_sums);
  // --8<-- [end:products]
  CHECK(allclose(by_rows.gather(), by_sums.local(), 1e-3, 1e-3));
  CHECK(text.find("all_reduce of float32 40000 bytes a rank: dot over the axis that is split") != std::string::npos);

  // --8<-- [start:sharded_elementwise]
  Sharded<Array<float, 2>> active = relu(rows - 0.5f);  // each rank computes its rows
  active *= 2.f;                                        // and writes them in place
  const Sharded<Array<bool, 1>> lit = any_of<1>(active > 0.9f);
  const auto length = norm(active);  // over all ranks
  const auto standard = (rows - mean<0>(rows, keepdims)) / (stddev<0>(rows, keepdims) + 1e-6f);
  // --8<-- [end:sharded_elementwise]
  const Array<float, 2> expected = relu(images - 0.5f) * 2.f;
  CHECK(array_equal(active.gather(), expected));
  const auto whole_standard = (images - mean<0>(images)) / (stddev<0>(images) + 1e-6f);
  CHECK(allclose(standard.gather(), evaluate(whole_standard), 1e-4, 1e-5));
  CHECK(array_equal(lit.gather(), evaluate(any_of<1>(expected > 0.9f))));
  CHECK(allclose(length.gather(), evaluate(norm(expected))));

  // --8<-- [start:shard_map]
  const auto halved = [](const auto& part) { return part / 2.f; };
  const Sharded<Array<float, 2>> again = shard_map(halved, active);
  // --8<-- [end:shard_map]
  CHECK(array_equal(again.gather(), evaluate(expected / 2.f)));

  const Array<float, 1> classes = cast<float>(sum<1>(images) > 392.f);
  // --8<-- [start:regression]
  const Sharded<Array<float, 1>> labels(world, classes, ShardLayout::split(0));
  Sharded<Array<float, 1>> weights(world, zeros<float>(Dim{784}), ShardLayout::replicated());
  for (int step = 0; step < 100; ++step) {
    const Sharded<Array<float, 1>> error = sigmoid(dot(centred, weights)) - labels;  // each rank of its rows
    weights -= dot(centred.T(), error) * 0.005f;                                     // added up over the ranks
  }
  const auto accuracy = mean(cast<float>((dot(centred, weights) > 0.f) == (labels > 0.5f)));
  // --8<-- [end:regression]
  CHECK(static_cast<float>(accuracy.gather()) > 0.9f);
  CHECK(explain(weights).find("dot over the axis that is split") != std::string::npos);

  // --8<-- [start:of_parts]
  const Array<float, 2> own = full<float>(Dim{3, 4}, static_cast<float>(world.rank()));  // read by this rank
  const auto all_of_them = Sharded<Array<float, 2>>::of_parts(world, own, ShardLayout::split(0));
  // --8<-- [end:of_parts]
  CHECK(all_of_them.shape() == Dim{3 * world.size(), 4});
}

TEST_CASE("the lines of the page about traces") {
  const Group world = Group::world();
  Array<float, 1> x = full<float>(Dim{1000}, 1.f);
  std::ostringstream file;
  // --8<-- [start:trace]
  Scheduler scheduler;
  const Trace trace(scheduler);
  {
    Async on{scheduler};
    world.all_reduce_into(x, x);
  }
  scheduler.wait(x.var());
  const CommunicationTime time = communication_time(trace.records());  // of this rank
  write_chrome_trace(file, world, trace);                              // of all ranks: rank 0 writes it
  // --8<-- [end:trace]
  CHECK(time.seconds > 0);
  CHECK(time.overlapped <= time.seconds);
  CHECK(file.str().empty() == (world.rank() != 0));
}
