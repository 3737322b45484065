// A matrix does not fit a vector.
// expect first: the source has more axes than the array: index or reduce it
import tessera;
using namespace tessera;

void shrink(Array<float, 1>& vector, const Array<float, 2>& matrix) { vector = matrix + 1; }
