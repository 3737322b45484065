// Each collective of the library beside the same one of MPI called by hand, in turns, in the same processes. Rank 0 prints a line of JSON for each
// collective and size: nanoseconds a call of both, those of the slowest rank.
//
// Usage: mpirun -np N collective_beside_mpi [LARGEST_BYTES [MILLISECONDS]]
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

import tessera;

namespace {

using namespace tessera;
using Clock = std::chrono::steady_clock;

int rank = 0, size = 1;

/// One collective, both ways, on arrays that are made once.
struct Question {
  std::string name;
  std::function<void()> by_hand, ours;
};

double nanoseconds(const std::function<void()>& call, std::int64_t calls) {
  MPI_Barrier(MPI_COMM_WORLD);
  const auto start = Clock::now();
  for (std::int64_t i = 0; i < calls; ++i) call();
  double own = std::chrono::duration<double, std::nano>(Clock::now() - start).count() / static_cast<double>(calls);
  double slowest = 0;
  MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

/// Calls that take about so long; the same number on all ranks.
std::int64_t calls_for(const std::function<void()>& call, double milliseconds) {
  nanoseconds(call, 2);
  const double one = nanoseconds(call, 3);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(milliseconds * 1e6 / one), 3, 20'000);
}

void ask(const Question& question, std::int64_t bytes, double milliseconds) {
  constexpr int rounds = 7;
  const std::int64_t by_hand_calls = calls_for(question.by_hand, milliseconds);
  const std::int64_t our_calls = calls_for(question.ours, milliseconds);
  std::string by_hand, ours;
  for (int i = 0; i < rounds; ++i) {
    by_hand += (i > 0 ? ", " : "") + std::to_string(nanoseconds(question.by_hand, by_hand_calls));
    ours += (i > 0 ? ", " : "") + std::to_string(nanoseconds(question.ours, our_calls));
  }
  if (rank != 0) return;
  std::printf(R"({"collective": "%s", "ranks": %d, "bytes": %lld, "by_hand": [%s], "tessera": [%s]})"
              "\n",
              question.name.c_str(), size, static_cast<long long>(bytes), by_hand.c_str(), ours.c_str());
  std::fflush(stdout);
}

/// `bytes` are those of each rank's operand, and of its result where that is larger than the operand: 8 at least.
std::vector<Question> questions(const Group& world, std::int64_t bytes) {
  const std::ptrdiff_t count = bytes / static_cast<std::ptrdiff_t>(sizeof(float));
  const std::ptrdiff_t part = std::max<std::ptrdiff_t>(count / size, 1), whole = part * size;
  const auto all = full<float>(Dim{whole}, 1.f), same = full<float>(Dim{whole}, 1.f), own = full<float>(Dim{part}, 1.f);
  const Array<float, 2> shard = reshape(all, Dim{1, whole});
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int n = static_cast<int>(whole), m = static_cast<int>(part);
  return {
      {"all_reduce", [=] { MPI_Allreduce(all.data(), same.data(), n, MPI_FLOAT, MPI_SUM, comm); },
       [=] { world.all_reduce_into(same, all); }},
      {"all_reduce, in place", [=] { MPI_Allreduce(MPI_IN_PLACE, same.data(), n, MPI_FLOAT, MPI_MAX, comm); },
       [=] { world.all_reduce_into(same, same, ReduceOp::max); }},
      {"all_reduce, a shard a rank, reproducible",
       [=] { MPI_Allreduce(all.data(), same.data(), n, MPI_FLOAT, MPI_SUM, comm); },
       [=] { world.all_reduce(shard, ReduceOp::sum, Reproducible{}); }},
      {"reduce", [=] { MPI_Reduce(all.data(), same.data(), n, MPI_FLOAT, MPI_SUM, 0, comm); },
       [=] { world.reduce(all); }},
      {"reduce_scatter", [=] { MPI_Reduce_scatter_block(all.data(), own.data(), m, MPI_FLOAT, MPI_SUM, comm); },
       [=] { world.reduce_scatter(all); }},
      {"broadcast", [=] { MPI_Bcast(same.data(), n, MPI_FLOAT, 0, comm); }, [=] { world.broadcast(same); }},
      {"all_gather", [=] { MPI_Allgather(own.data(), m, MPI_FLOAT, same.data(), m, MPI_FLOAT, comm); },
       [=] { world.all_gather_into(same, own); }},
      {"gather", [=] { MPI_Gather(own.data(), m, MPI_FLOAT, same.data(), m, MPI_FLOAT, 0, comm); },
       [=] { world.gather(own); }},
      {"scatter", [=] { MPI_Scatter(same.data(), m, MPI_FLOAT, own.data(), m, MPI_FLOAT, 0, comm); },
       [=] { world.scatter(same); }},
      {"all_to_all", [=] { MPI_Alltoall(all.data(), m, MPI_FLOAT, same.data(), m, MPI_FLOAT, comm); },
       [=] { world.all_to_all(all); }},
      {"send and receive, there and back",
       [=] {
         if (rank == 0) MPI_Send(all.data(), n, MPI_FLOAT, 1, 0, comm);
         if (rank < 2) MPI_Recv(same.data(), n, MPI_FLOAT, 1 - rank, 0, comm, MPI_STATUS_IGNORE);
         if (rank == 1) MPI_Send(all.data(), n, MPI_FLOAT, 0, 0, comm);
       },
       [=] {
         if (rank == 0) world.send(all, 1);
         if (rank < 2) world.receive_into(same, 1 - rank);
         if (rank == 1) world.send(all, 0);
       }},
  };
}

}  // namespace

int main(int argc, char** argv) {
  int given = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::int64_t largest = argc > 1 ? std::atoll(argv[1]) : 64 << 20;
  const double milliseconds = argc > 2 ? std::atof(argv[2]) : 20;
  set_num_threads(1);
  {
    const Group world = Group::world();
    ask({"barrier", [] { MPI_Barrier(MPI_COMM_WORLD); }, [=] { world.barrier(); }}, 0, milliseconds);
    for (std::int64_t bytes = 8; bytes <= largest; bytes *= bytes < 16 << 20 ? 8 : 4) {
      for (const Question& question : questions(world, bytes)) {
        if (size < 2 && question.name.starts_with("send")) continue;
        ask(question, bytes, milliseconds);
      }
    }
  }
  MPI_Finalize();
  return 0;
}
