// Ranks that do not go on together, on purpose: what do the others say? "gpus": their arrays are on GPUs.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <thread>

import tessera;

using namespace tessera;

int main(int count, char** arguments) {
  const std::string_view how = count > 1 ? arguments[1] : "";
  const Group world = Group::world();
  world.set_time_limit(std::chrono::milliseconds(how == "late"                      ? 300
                                                 : how == "gpus" || how == "killed" ? 3'000
                                                                                    : 20'000));
  const auto x = ones<float>(Dim{3, how == "shape" && world.rank() == 1 ? 5 : 4});
  try {
    if (how == "turn") {  // only the thread that waits for its barrier could run what comes before that
      world.set_time_limit(std::chrono::milliseconds(300));
      Scheduler scheduler({.executor = Permuting{1}});
      Async on(scheduler);
      world.all_reduce(x);
      world.barrier();
    }
    if (how == "message") {  // of elements that could not be computed
      Array<float, 2> y = copy(x);
      if (world.rank() == 1) world.receive_into(y, 0, 7);
      if (world.rank() == 0) {
        Scheduler scheduler({.workers = 1});
        Async on(scheduler);
        scheduler.submit(writes(y.var()), [] { throw std::runtime_error("no elements"); });
        world.send(y, 1, 7);
      }
    }
    if (how == "tag" || how == "extents") {  // other ones than those that are received
      if (world.rank() == 0) world.send(x, 1, how == "tag" ? 8 : 7);
      if (world.rank() == 1) {
        if (how == "tag") world.set_time_limit(std::chrono::milliseconds(300));
        Array<float, 2> y(Dim{3, how == "extents" ? 5 : 4});
        world.receive_into(y, 0, 7);
      }
    }
    if (how == "unknown" && world.rank() == 1) {  // which nobody sends
      world.set_time_limit(std::chrono::milliseconds(300));
      world.receive<DArray>(0, 7);
    }
    if (how == "killed" && world.rank() == 1) std::raise(SIGKILL);
    if (how == "gpus") world.all_reduce(x.to(Place(GpuPlace{0})));
    if (world.rank() == 1) {
      if (how == "late") std::this_thread::sleep_for(std::chrono::seconds(2));
      if (how == "ended") return 0;
      if (how == "call") world.broadcast(copy(x), 0);
    }
    world.all_reduce(x);
    std::printf("no error\n");
  } catch (const std::exception& error) {
    std::printf("rank %d: %s\n", world.rank(), error.what());
    if (how == "gpus") {  // the GPUs' library has been told to end: it may not be called again
      try {
        world.all_reduce(x.to(Place(GpuPlace{0})));
        std::printf("no error\n");
      } catch (const std::exception& again) {
        std::printf("rank %d, again: %s\n", world.rank(), again.what());
      }
    }
    std::fflush(stdout);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));  // so that the launcher hears the others, too
    return 1;
  }
}
