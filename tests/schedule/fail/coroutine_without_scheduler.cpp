// A coroutine op knows its scheduler by its parameters.
// expect first: one parameter of a coroutine that returns Op must be a Scheduler&
#include <coroutine>
import tessera;
using namespace tessera;

Op load(Var out) { co_await access(writes(out)); }
