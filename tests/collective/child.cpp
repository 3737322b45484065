// Child processes of ranks, which end by themselves: they have no part in the groups of their parents, and these go on.
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

import tessera;

using namespace tessera;

namespace {

template <class Body>
bool is_refused(const Body& body) {
  try {
    body();
  } catch (const CollectiveError& error) {
    return std::string(error.what()).find("this is a child process") != std::string::npos;
  }
  return false;
}

}  // namespace

int main() {
  const Group world = Group::world();
  const Array<float, 1> x = ones<float>(Dim{3});
  world.barrier();
  const pid_t child = fork();
  if (child == 0) {
    const bool are_refused = is_refused([&] { world.all_reduce(x); }) && is_refused([&] { world.barrier(); }) &&
                             is_refused([&] { world.all_gather(x); });
    std::exit(are_refused ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  world.barrier();  // the children of all have ended
  const bool goes_on = world.all_reduce(x)(2) == static_cast<float>(world.size());
  std::printf("rank %d: its child has ended with %d, and it %s\n", world.rank(), status, goes_on ? "goes on" : "fails");
  return status == 0 && goes_on ? 0 : 1;
}
