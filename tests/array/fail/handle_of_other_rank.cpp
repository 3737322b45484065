// A handle cannot be re-pointed to an array of another rank.
// expect first: the source has fewer axes than the array: a\(ellipsis\) = x broadcasts
import tessera;
using namespace tessera;

void assign_vector(Array<float, 2>& matrix, const Array<float, 1>& vector) { matrix = vector; }
