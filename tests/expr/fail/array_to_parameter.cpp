// The handle of a parameter is what replay() is given.
// expect: a parameter cannot be re-pointed to an array, as an array can: write parameter = copy\(array\)
import tessera;
using namespace tessera;

void record(Scheduler& scheduler, const Array<float, 1>& array) {
  scheduler.capture([&](Parameter<Array<float, 1>> out) { out = array; });
}
