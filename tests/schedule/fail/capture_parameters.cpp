// The body of a capture takes parameters of recordings, for only they can change from one replay to the next.
// expect first: the body takes nothing but Parameter<T>, and its types are written out
import tessera;

int main() {
  tessera::Scheduler sched;
  auto step = sched.capture([](tessera::Parameter<float>) {});
  step.replay(1.0f);
  auto none = sched.capture([](float) {});
}
