// Examples are what replay() could be given.
// expect: the examples behind the body of a capture are values for its first parameters, in their order
import tessera;
using namespace tessera;

void record(Scheduler& scheduler) {
  scheduler.capture([](Parameter<float>) {}, {.name = "step"}, "one");
}
