// The rank of a parameter is known when its step is recorded.
// expect first: the source has more axes than the array: index or reduce it
import tessera;
using namespace tessera;

void record(Scheduler& scheduler, Array<float, 1>& out) {
  scheduler.capture([&](Parameter<Array<float, 2>> in) { out = in + 1; });
}
