// An op reads Vars, and parameters behind which one is.
// expect: constraints not satisfied|no matching function
// expect: NamesVar
import tessera;

int main() {
  tessera::Scheduler sched;
  auto step = sched.capture([&](tessera::Parameter<tessera::Var> var, tessera::Parameter<float> number) {
    sched.submit(tessera::reads(var), [] {});
    sched.submit(tessera::reads(number), [] {});
  });
}
