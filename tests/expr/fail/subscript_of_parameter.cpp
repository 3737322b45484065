// While a step is recorded its parameters have no elements.
// expect first: a parameter has no elements before its replay: read parameter.value\(\)
import tessera;
using namespace tessera;

void record(Scheduler& scheduler) {
  scheduler.capture([](Parameter<Array<float, 1>> batch) { return batch[{0}]; });
}
