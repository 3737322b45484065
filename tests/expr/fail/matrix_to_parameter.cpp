// A parameter keeps its rank.
// expect first: the source has more axes than the parameter: index or reduce it
import tessera;
using namespace tessera;

void record(Scheduler& scheduler, const Array<float, 2>& array) {
  scheduler.capture([&](Parameter<Array<float, 1>> out) { out = array; });
}
