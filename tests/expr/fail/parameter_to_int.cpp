// A parameter is assigned as any operand is: floats do not become integers silently.
// expect: the assignment crosses kinds of element types, as float to int does: write cast<T>
import tessera;
using namespace tessera;

void record(Scheduler& scheduler, Array<int, 1>& counts) {
  scheduler.capture([&](Parameter<Array<float, 1>> weights) { counts = weights * 2; });
}
