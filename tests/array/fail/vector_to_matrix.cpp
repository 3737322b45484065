// A vector does not become a matrix, but its elements can be written to one.
// expect first: fewer axes than the array: a\(ellipsis\) = x broadcasts
import tessera;
using namespace tessera;

void assign_row(Array<float, 2>& matrix, const Array<float, 1>& vector) { matrix = vector * 2; }
