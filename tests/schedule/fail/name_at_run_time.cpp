// An op keeps a pointer to its name, which must live as long as anybody may ask for it.
// expect first: the name of an op is a string literal, or a std::string, of which a copy is kept
import tessera;
using namespace tessera;

void run(Scheduler& scheduler, const Var& v, const char* name) {
  scheduler.submit(writes(v), [] {}, {.name = name});
}
