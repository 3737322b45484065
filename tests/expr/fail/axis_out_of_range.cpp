// A matrix has no axis 2.
// expect: a reduced axis is out of range or named twice
import tessera;
using namespace tessera;

auto total(const Array<float, 2>& a) { return sum<2>(a); }
