// An assignment does not turn floats into integers silently.
// expect first: only floats narrow by themselves, write cast<T>
import tessera;
using namespace tessera;

void truncate(Array<int, 1>& counts, const Array<float, 1>& weights) { counts = weights * 2; }
