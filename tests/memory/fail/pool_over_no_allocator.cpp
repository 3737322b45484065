// A pool stands in front of an Allocator; something else is told what it lacks.
// expect: does not satisfy .Allocator.
import tessera;

struct Nothing {};

int main() { tessera::memory::Pool pool(Nothing{}); }
