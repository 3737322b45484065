// What indices pick of a const array is only read.
// expect first: elements of a const array or of an expression are only read
import tessera;
using namespace tessera;

void write(const Array<float, 2>& x, const Array<int, 1>& at) { x(at, all) = 0.0f; }
