// An expression of three axes does not fit into an array of two.
// expect: rank mismatch: the source has more axes than the array it is assigned to
import tessera;
using namespace tessera;

void assign_more_axes(Array<float, 2>& matrix, const Array<float, 3>& stack) { matrix = stack + stack; }
