// A body that only moves is moved in.
// expect first: moved in if it cannot be copied
#include <memory>
import tessera;
using namespace tessera;

void run(Scheduler& scheduler, const Var& v) {
  const auto body = [held = std::make_unique<int>(1)] {};
  scheduler.submit(writes(v), body);
}
