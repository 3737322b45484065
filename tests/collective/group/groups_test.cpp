#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>

#include "support.hpp"

import tessera;

using namespace tessera;
using ranks::world;

namespace {

/// All are on one host, but where a test lets them seem to be on several.
int ranks_of_host() {
  const char* const chosen = std::getenv("TESSERA_MPI_BOARDS");
  const int ranks = chosen != nullptr ? std::atoi(chosen) : 0;
  return ranks > 0 ? ranks : world().size();
}

}  // namespace

TEST_CASE("the world is one group") {
  CHECK(Group::world() == world());
  CHECK(world().name() == "world");
  CHECK(world().rank() >= 0);
  CHECK(world().rank() < world().size());
  const auto everybody = world().all_gather(Array<int, 0>(world().rank()));
  CHECK(array_equal(everybody, arange<int>(0, world().size())));
  CHECK(world().local_rank() == world().rank() % ranks_of_host());
  CHECK(world().time_limit() == std::chrono::seconds(60));
  world().barrier();
}

TEST_CASE("ranks of one color are a group, in their order") {
  const int color = world().rank() % 2 == 0 ? -5 : 8;
  const Group part = world().split(color);
  const int evens = (world().size() + 1) / 2;
  CHECK(part.size() == (color == -5 ? evens : world().size() - evens));
  CHECK(part.rank() == world().rank() / 2);
  CHECK(part.name() == (color == -5 ? "world/-5" : "world/8"));
  int before = 0;  // of this part, on this host
  for (int rank = world().rank() % 2; rank < world().rank(); rank += 2)
    before += rank / ranks_of_host() == world().rank() / ranks_of_host() ? 1 : 0;
  CHECK(part.local_rank() == before);
  const auto members = part.all_gather(Array<int, 0>(world().rank()));
  for (int i = 0; i < part.size(); ++i) CHECK(members(i) == 2 * i + (color == -5 ? 0 : 1));
  // Parts go on without each other.
  for (int i = 0; i < (color == -5 ? 3 : 5); ++i) part.barrier();
  const Group alone = part.split(part.rank());
  CHECK(alone.size() == 1);
  CHECK(static_cast<int>(alone.all_reduce(Array<int, 0>(4))) == 4);
  CHECK(static_cast<int>(world().all_reduce(Array<int, 0>(1))) == world().size());
}

static_assert(CollectiveOperand<Array<float, 2>> && CollectiveOperand<DArray> &&
              CollectiveOperand<ArrayView<const int, 1>>);
static_assert(CollectiveOperand<decltype(Array<float, 1>() + 1.f)>);
static_assert(!CollectiveOperand<float> && !CollectiveOperand<int*> && !CollectiveOperand<Parameter<Array<float, 1>>>);
static_assert(!CollectiveOperand<Array<float, 10>>);
static_assert(CollectiveResult<Array<float, 2>> && CollectiveResult<DArray> && CollectiveResult<ArrayView<int, 1>>);
static_assert(!CollectiveResult<Array<const float, 2>> && !CollectiveResult<decltype(Array<float, 1>() + 1.f)>);
