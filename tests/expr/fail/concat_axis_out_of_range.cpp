// The joined axis exists.
// expect: the axis along which operands are joined is out of range
import tessera;
using namespace tessera;

auto joined(const Array<float, 2>& a) { return concat<2>(a, a); }
