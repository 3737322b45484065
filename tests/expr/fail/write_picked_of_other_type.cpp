// Integers take no fractions through indices either.
// expect first: the elements do not fit: only floats narrow by themselves
import tessera;
using namespace tessera;

void set(Array<int, 2>& x, const Array<int, 1>& at, const Array<float, 1>& row) { x(at, all) = row; }
