// What an op reads are Vars, not what they stand for.
// expect: reads\(\) and writes\(\) take Vars, or one span of them
import tessera;
using namespace tessera;

void run(Scheduler& scheduler) {
  int value = 1;
  scheduler.submit(reads(value), [] {});
}
