// A scalar parameter meets arrays as a number of its type does.
// expect: the element types have no common type
import tessera;
using namespace tessera;

void record(Scheduler& scheduler, Array<int, 1>& counts) {
  scheduler.capture([&](Parameter<float> factor) { counts = counts * factor; });
}
