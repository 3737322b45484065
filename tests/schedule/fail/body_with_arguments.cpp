// The body of an op takes no arguments.
// expect: the body of an op is called without arguments: what it works on, it captures
import tessera;
using namespace tessera;

void run(Scheduler& scheduler, const Var& v) {
  scheduler.submit(writes(v), [](int) {});
}
