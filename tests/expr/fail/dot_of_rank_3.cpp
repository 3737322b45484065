// dot takes vectors and matrices.
// expect: dot multiplies vectors and matrices: operands of rank 1 or 2
import tessera;
using namespace tessera;

auto product(const Array<float, 3>& a, const Array<float, 2>& b) { return dot(a, b); }
