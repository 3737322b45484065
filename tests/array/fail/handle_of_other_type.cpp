// A handle cannot be re-pointed to elements of another type.
// expect: an array on the right of = re-points the handle on the left: element type, rank and place must be the same
import tessera;
using namespace tessera;

void assign_doubles(Array<float, 1>& floats, const Array<double, 1>& doubles) { floats = doubles; }
