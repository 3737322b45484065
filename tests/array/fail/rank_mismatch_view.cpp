// A row takes no matrix.
// expect first: the source has more axes than the array: index or reduce it
import tessera;
using namespace tessera;

void assign_more_axes(const Array<float, 2>& matrix) { matrix(0) = matrix; }
