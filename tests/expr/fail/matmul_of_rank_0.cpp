// matmul takes operands with axes.
// expect first: matmul_multiplies_vectors_matrices_and_batches__not_scalars
import tessera;
using namespace tessera;

auto product(const Array<float, 0>& a, const Array<float, 2>& b) { return matmul(a, b); }
