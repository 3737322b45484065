// A Var alone does not say whether it is read or written.
// expect: an op says what it accesses by reads\(...\) and writes\(...\), in this order
import tessera;
using namespace tessera;

void run(Scheduler& scheduler, const Var& v) {
  scheduler.submit(v, [] {});
}
