// Floating elements have no bits to operate on.
// expect first: operations_on_bits_take_integers_or_bool
import tessera;
using namespace tessera;

auto masked(const Array<float, 1>& a, const Array<float, 1>& b) { return a & b; }
