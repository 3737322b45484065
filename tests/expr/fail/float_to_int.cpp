// An assignment does not turn floats into integers silently.
// expect: the assignment crosses kinds of element types, as float to int does: write cast<T>
import tessera;
using namespace tessera;

void truncate(Array<int, 1>& counts, const Array<float, 1>& weights) { counts = weights * 2; }
