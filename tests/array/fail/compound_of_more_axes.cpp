// A vector does not hold the sum with a matrix.
// expect first: the_source_has_more_axes_than_the_array
import tessera;
using namespace tessera;

void add(Array<float, 1>& vector, const Array<float, 2>& matrix) { vector += matrix; }
