// A parameter is assigned as any operand is: floats do not become integers silently.
// expect first: only floats narrow by themselves, write cast<T>
import tessera;
using namespace tessera;

void record(Scheduler& scheduler, Array<int, 1>& counts) {
  scheduler.capture([&](Parameter<Array<float, 1>> weights) { counts = weights * 2; });
}
