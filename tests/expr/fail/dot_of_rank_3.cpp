// dot takes vectors and matrices.
// expect first: dot_multiplies_vectors_and_matrices__matmul_takes_batches
import tessera;
using namespace tessera;

auto product(const Array<float, 3>& a, const Array<float, 2>& b) { return dot(a, b); }
