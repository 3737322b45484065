// Elements of a const array are only read.
// expect first: elements of a const array or of an expression are only read
import tessera;
using namespace tessera;

void clear(const Array<float, 2>& x, const Array<int, 1>& at) { x(at, all) = 0.f; }
