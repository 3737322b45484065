// A matrix has no axis 2.
// expect: the axis is out of range
import tessera;
using namespace tessera;

auto sorted(const Array<float, 2>& a) { return sort<2>(a); }
