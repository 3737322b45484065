// An expression of three axes does not fit into an array of two.
// expect first: the source has more axes than the array: index or reduce it
import tessera;
using namespace tessera;

void assign_more_axes(Array<float, 2>& matrix, const Array<float, 3>& stack) { matrix = stack + stack; }
