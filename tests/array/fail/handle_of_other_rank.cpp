// A handle cannot be re-pointed to an array of another rank.
// expect: an array on the right of = re-points the handle on the left: element type, rank and place must be the same
import tessera;
using namespace tessera;

void assign_vector(Array<float, 2>& matrix, const Array<float, 1>& vector) { matrix = vector; }
