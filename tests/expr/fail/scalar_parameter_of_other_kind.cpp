// A scalar parameter meets arrays as a number of its type does.
// expect first: no_common_element_type__write_cast_T
import tessera;
using namespace tessera;

void record(Scheduler& scheduler, Array<int, 1>& counts) {
  scheduler.capture([&](Parameter<float> factor) { counts = counts * factor; });
}
