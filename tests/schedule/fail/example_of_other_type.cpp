// Examples are what replay() could be given.
// expect first: the examples are values for the body's first parameters, in their order
import tessera;
using namespace tessera;

void record(Scheduler& scheduler) {
  scheduler.capture([](Parameter<float>) {}, {.name = "step"}, "one");
}
