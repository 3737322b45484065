// An element of a matrix has two indices in one call.
// expect first: an element of several axes is a\(i, j\)
import tessera;
using namespace tessera;

float corner(const Array<float, 2>& a) { return a[0][1]; }
