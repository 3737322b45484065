// Values of a matrix stand in two pairs of braces.
// expect first: the right side of = is an array, an expression, a scalar, or values in braces
import tessera;
using namespace tessera;

void fill(Array<float, 2>& matrix) { matrix = {1, 2}; }
