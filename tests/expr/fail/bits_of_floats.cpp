// Floating elements have no bits to operate on.
// expect: operations on bits take integers or bool
import tessera;
using namespace tessera;

auto masked(const Array<float, 1>& a, const Array<float, 1>& b) { return a & b; }
