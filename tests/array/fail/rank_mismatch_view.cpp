// A row takes no matrix.
// expect: rank mismatch: the source has more axes than the array it is assigned to
import tessera;
using namespace tessera;

void assign_more_axes(const Array<float, 2>& matrix) { matrix(0) = matrix; }
