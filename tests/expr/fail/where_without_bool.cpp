// The condition of where is bool, not a number.
// expect: the condition of where is an expression of bool, as z > 0 is
import tessera;
using namespace tessera;

auto positive(const Array<float, 1>& z) { return where(z, z, 0.0f); }
