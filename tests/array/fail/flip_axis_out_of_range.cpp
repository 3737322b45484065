// Axes of flip are checked by the compiler.
// expect: an axis is out of range or named twice
import tessera;
using namespace tessera;

auto flipped(const Array<float, 2>& a) { return flip<2>(a); }
