// What an op reads are Vars, not what they stand for.
// expect first: reads\(\) takes Vars, parameters behind which one is
import tessera;
using namespace tessera;

void run(Scheduler& scheduler) {
  int value = 1;
  scheduler.submit(reads(value), [] {});
}
