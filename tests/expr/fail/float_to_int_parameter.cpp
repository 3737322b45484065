// A parameter is assigned to as any array is: floats do not become integers silently.
// expect first: only floats narrow by themselves, write cast<T>
import tessera;
using namespace tessera;

void record(Scheduler& scheduler, const Array<float, 1>& weights) {
  scheduler.capture([&](Parameter<Array<int, 1>> counts) { counts = weights * 2; });
}
