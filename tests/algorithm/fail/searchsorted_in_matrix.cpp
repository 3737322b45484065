// What is searched is a vector.
// expect: the elements to search are a vector: flatten\(x\)
import tessera;
using namespace tessera;

auto found(const Array<float, 2>& a) { return searchsorted(a, a); }
