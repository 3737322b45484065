// What an op reads are Vars, not what they stand for.
// expect: reads\(\) and writes\(\) take Vars, parameters behind which one is, or one span of Vars
import tessera;
using namespace tessera;

void run(Scheduler& scheduler) {
  int value = 1;
  scheduler.submit(reads(value), [] {});
}
