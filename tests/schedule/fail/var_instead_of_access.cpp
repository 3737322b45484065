// A Var alone does not say whether it is read or written.
// expect first: reads\(...\), writes\(...\) or both, in this order
import tessera;
using namespace tessera;

void run(Scheduler& scheduler, const Var& v) {
  scheduler.submit(v, [] {});
}
