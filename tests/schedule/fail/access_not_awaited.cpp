// access() declares nothing until it is awaited.
// expect first: co_await it
import tessera;
using namespace tessera;

Op forgets(Scheduler&, Var v) {
  access(writes(v));
  co_return;
}
