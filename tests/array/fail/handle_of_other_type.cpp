// A handle cannot be re-pointed to elements of another type.
// expect first: an array of other elements is another array: write cast<T>\(b\)
import tessera;
using namespace tessera;

void assign_doubles(Array<float, 1>& floats, const Array<double, 1>& doubles) { floats = doubles; }
