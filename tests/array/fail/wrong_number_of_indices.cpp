// An element of a matrix has two indices.
// expect first: one integer for each axis: a\[{i, j}\] for rank 2
import tessera;
using namespace tessera;

float element(const Array<float, 2>& matrix) { return matrix[{0, 1, 2}]; }
