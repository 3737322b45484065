// A mask has elements of bool.
// expect: a mask has elements of bool: write x != 0
import tessera;
using namespace tessera;

auto picked(const Array<int, 1>& a) { return compress(a, a); }
