// A pool stands in front of an Allocator; something else is told what it lacks.
// expect first: a Pool stands in front of an Allocator
import tessera;

struct Nothing {};

int main() { tessera::memory::Pool pool(Nothing{}); }
