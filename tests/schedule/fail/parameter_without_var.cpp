// An op reads Vars, and parameters behind which one is.
// expect first: reads\(\) takes Vars, parameters behind which one is
import tessera;

int main() {
  tessera::Scheduler sched;
  auto step = sched.capture([&](tessera::Parameter<tessera::Var> var, tessera::Parameter<float> number) {
    sched.submit(tessera::reads(var), [] {});
    sched.submit(tessera::reads(number), [] {});
  });
}
