// matmul takes operands with axes.
// expect: matmul multiplies vectors, matrices and batches: operands of rank 1 or more
import tessera;
using namespace tessera;

auto product(const Array<float, 0>& a, const Array<float, 2>& b) { return matmul(a, b); }
