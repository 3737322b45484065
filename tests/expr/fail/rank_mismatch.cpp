// A matrix does not fit a vector.
// expect: rank mismatch: the source has more axes than the array it is assigned to
import tessera;
using namespace tessera;

void shrink(Array<float, 1>& vector, const Array<float, 2>& matrix) { vector = matrix + 1; }
